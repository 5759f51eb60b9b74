/* Exclusions (waf-config 7). */
#include "waf/ruleset/items.h"

static bool read_conditions(hg_reader *r, const hg_table *table, hg_filter *filter)
{
    const hg_value *list = NULL;
    if (!hg_read_optional(r, table, HG_SLICE("conditions"), hg_cast_array, &list))
        return false;
    static const hg_input_defaults none = {.keys = false};
    return list == NULL || hg_read_conditions(r, list, &none, HG_DATA_EXCLUSIONS, &filter->conditions);
}

static bool read_input(hg_reader *r, const hg_value *v, hg_filter_input *out)
{
    hg_table table;
    return hg_cast_table(r, v, &table) && hg_read(r, &table, HG_SLICE("address"), hg_cast_string, &out->address) &&
           hg_read_optional(r, &table, HG_SLICE("key_path"), hg_cast_views, &out->path);
}

static bool read_inputs(hg_reader *r, const hg_value *list, hg_filter *filter)
{
    size_t size = hg_value_size(list);
    hg_filter_input *inputs = HG_READ_NEW(r, hg_filter_input, size);
    if (inputs == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_input(r, &hg_array_items(list)[i], &inputs[i]))
            return false;
    filter->inputs = inputs;
    filter->input_count = (uint32_t)size;
    return true;
}

static bool read_mode(hg_reader *r, const hg_table *table, hg_filter *filter)
{
    hg_slice text = HG_SLICE("bypass");
    if (!hg_read_optional(r, table, HG_SLICE("on_match"), hg_cast_view, &text))
        return false;
    if (text.len == 0)
        return HG_READ_ERROR(r, table->map, HG_SLICE("empty on_match value"));
    if (hg_slice_equal(text, HG_SLICE("bypass"))) {
        filter->mode = HG_EXCLUDE_BYPASS;
        return true;
    }
    filter->mode = hg_slice_equal(text, HG_SLICE("monitor")) ? HG_EXCLUDE_MONITOR : HG_EXCLUDE_CUSTOM;
    filter->action = text;
    return true;
}

static bool empty(hg_reader *r, const hg_table *table)
{
    return HG_READ_ERROR(r, table->map, HG_SLICE("empty exclusion filter"));
}

static bool read_input_filter(hg_reader *r, const hg_table *table, hg_filter_config *c)
{
    const hg_value *list;
    c->filter.for_inputs = true;
    if (!read_conditions(r, table, &c->filter) ||
        !hg_read_optional(r, table, HG_SLICE("rules_target"), hg_cast_references, &c->targets) ||
        !hg_read(r, table, HG_SLICE("inputs"), hg_cast_array, &list) || !read_inputs(r, list, &c->filter))
        return false;
    return c->filter.conditions.count > 0 || c->filter.input_count > 0 || empty(r, table);
}

static bool read_rule_filter(hg_reader *r, const hg_table *table, hg_filter_config *c)
{
    if (!read_conditions(r, table, &c->filter) ||
        !hg_read_optional(r, table, HG_SLICE("rules_target"), hg_cast_references, &c->targets) ||
        !read_mode(r, table, &c->filter))
        return false;
    return c->filter.conditions.count > 0 || c->targets.count > 0 || empty(r, table);
}

bool hg_item_filter(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate filter")) || !hg_read_version_gate(r, table))
        return false;
    hg_filter_config *c = HG_READ_NEW(r, hg_filter_config, 1);
    if (c == NULL)
        return false;
    c->filter.id = item->id;
    bool for_inputs = hg_table_find(table, HG_SLICE("inputs")) != NULL;
    if (!(for_inputs ? read_input_filter(r, table, c) : read_rule_filter(r, table, c)))
        return false;
    item->product = c;
    return true;
}
