/* References to items by id or tags (waf-config 6). */
#include "waf/ruleset/items.h"

static bool read_id(hg_reader *r, const hg_table *table, hg_slice key, hg_reference *out)
{
    if (!hg_read_optional(r, table, key, hg_cast_string, &out->id))
        return false;
    if (out->id.len > 0)
        out->kind = HG_REFERENCE_ID;
    return true;
}

bool hg_read_reference(hg_reader *r, const hg_value *v, hg_reference *out)
{
    hg_table table;
    if (!hg_cast_table(r, v, &table) || !read_id(r, &table, HG_SLICE("rule_id"), out))
        return false;
    if (out->kind == HG_REFERENCE_EMPTY && !read_id(r, &table, HG_SLICE("id"), out))
        return false;
    if (out->kind == HG_REFERENCE_ID)
        return true;
    hg_table tags = {NULL};
    if (!hg_read_optional(r, &table, HG_SLICE("tags"), hg_cast_table, &tags))
        return false;
    if (tags.map == NULL || hg_value_size(tags.map) == 0)
        return true;
    out->kind = HG_REFERENCE_TAGS;
    return hg_cast_tags(r, tags.map, &out->tags);
}

bool hg_cast_references(hg_reader *r, const hg_value *v, void *out)
{
    if (!hg_is_array(v))
        return hg_read_bad_cast(r, v, "array");
    size_t size = hg_value_size(v);
    hg_reference *items = HG_READ_NEW(r, hg_reference, size);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!hg_read_reference(r, &hg_array_items(v)[i], &items[i])) {
            r->expected = NULL; /* wrong types inside are not reported with the key of the list */
            return false;
        }
    *(hg_references *)out = (hg_references){items, (uint32_t)size};
    return true;
}
