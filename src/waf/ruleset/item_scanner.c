/* Scanners (waf-config 12). */
#include "waf/ruleset/items.h"

/* *has stays false for an empty data id: no matcher at all. */
static bool read_matcher(hg_reader *r, const hg_value *v, bool *has, hg_matcher *out)
{
    hg_table table;
    hg_table parameters;
    hg_slice name;
    if (!hg_cast_table(r, v, &table) || !hg_read(r, &table, HG_SLICE("operator"), hg_cast_view, &name) ||
        !hg_read(r, &table, HG_SLICE("parameters"), hg_cast_table, &parameters))
        return false;
    const hg_operator *op = hg_operator_find(name);
    if (op == NULL || op->kind != HG_OPERATOR_SCALAR)
        return HG_READ_WARNING(r, v, HG_SLICE("unknown operator: '"), name, HG_SLICE("'"));
    *out = (hg_matcher){op, NULL, op->accepts};
    hg_slice data = {NULL, 0};
    if (op->read != NULL && !op->read(r, &parameters, out, &data))
        return false;
    *has = data.ptr == NULL;
    return data.len == 0 || HG_READ_ERROR(r, v, HG_SLICE("dynamic data on scanner condition"));
}

static bool read_optional_matcher(hg_reader *r, const hg_table *table, hg_slice key, bool *has, hg_matcher *out)
{
    const hg_value *v = hg_table_find(table, key);
    return v == NULL || read_matcher(r, v, has, out);
}

bool hg_item_scanner(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate scanner")) || !hg_read_version_gate(r, table))
        return false;
    hg_scanner *scanner = HG_READ_NEW(r, hg_scanner, 1);
    hg_table tags;
    if (scanner == NULL || !hg_read(r, table, HG_SLICE("tags"), hg_cast_table, &tags) ||
        !hg_cast_tags_tied(r, tags.map, &scanner->tags) ||
        !read_optional_matcher(r, table, HG_SLICE("key"), &scanner->has_key, &scanner->key) ||
        !read_optional_matcher(r, table, HG_SLICE("value"), &scanner->has_value, &scanner->value))
        return false;
    item->by_empty_id = !scanner->has_key && !scanner->has_value;
    if (item->by_empty_id)
        return HG_READ_ERROR(r, table->map, HG_SLICE("scanner has no key or value matcher"));
    scanner->id = item->id;
    item->product = scanner;
    return true;
}
