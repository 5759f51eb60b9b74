/* Dynamic data (waf-config 8). */
#include "waf/ruleset/items.h"

static bool read_entry(hg_reader *r, const hg_value *v, hg_expiring *out)
{
    hg_table table;
    return hg_cast_table(r, v, &table) && hg_read(r, &table, HG_SLICE("value"), hg_cast_string, &out->value) &&
           hg_read_optional(r, &table, HG_SLICE("expiration"), hg_cast_unsigned, &out->expiration);
}

static const hg_operator *operator_of(hg_slice type)
{
    if (hg_slice_equal(type, HG_SLICE("ip_with_expiration")))
        return &hg_operator_ip_match;
    if (hg_slice_equal(type, HG_SLICE("data_with_expiration")))
        return &hg_operator_exact_match;
    return NULL;
}

bool hg_item_data(hg_reader *r, const hg_table *table, hg_item *item)
{
    hg_slice type;
    if (!hg_item_id(r, table, item, HG_SLICE("")) ||
        !hg_read(r, table, HG_SLICE("type"), hg_cast_view, &type))
        return false;
    const hg_value *list = hg_table_find(table, HG_SLICE("data"));
    if (list == NULL)
        return HG_READ_ERROR(r, table->map, HG_SLICE("missing key 'data'"));
    const hg_operator *op = operator_of(type);
    item->by_empty_id = op == NULL;
    if (op == NULL)
        return HG_READ_ERROR(r, table->map, HG_SLICE("unknown type: '"), type, HG_SLICE("'"));
    if (!hg_cast_array(r, list, &list))
        return false;
    size_t size = hg_value_size(list);
    hg_data *data = HG_READ_NEW(r, hg_data, 1);
    hg_expiring *values = HG_READ_NEW(r, hg_expiring, size);
    if (data == NULL || values == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_entry(r, &hg_array_items(list)[i], &values[i]))
            return false;
    *data = (hg_data){item->id, op, values, (uint32_t)size};
    item->product = data;
    return true;
}
