#include "waf/processors/schema.h"

/* Tags of one scanner, or of another one with the same tags. */
static bool equal_tags(const hg_tags *a, const hg_tags *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->count && !found; k++)
            found = hg_slice_equal(a->items[i].key, b->items[k].key) &&
                    hg_slice_equal(a->items[i].value, b->items[k].value);
        if (!found)
            return false;
    }
    return true;
}

/* The child of `schema` that equals `child`; the one at `hint` is looked at first. */
static bool has_child(const hg_schema *schema, const hg_schema_child *child, uint32_t hint)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        const hg_schema_child *other = &schema->children[(hint + i) % schema->count];
        if (schema->kind == HG_SCHEMA_ARRAY) {
            if (hg_schema_equal(other->schema, child->schema))
                return true;
        } else if (other->key_hash == child->key_hash && hg_slice_equal(other->key, child->key)) {
            return hg_schema_equal(other->schema, child->schema);
        }
    }
    return false;
}

bool hg_schema_equal(const hg_schema *a, const hg_schema *b)
{
    if (a->hash != b->hash || a->kind != b->kind || a->count != b->count || a->length != b->length ||
        a->truncated != b->truncated || !equal_tags(a->tags, b->tags))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!has_child(b, &a->children[i], i))
            return false;
    return true;
}
