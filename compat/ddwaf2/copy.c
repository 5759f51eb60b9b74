/* Results as callers get them. The engine's trees are shallow: nothing it reports nests deeper than a JSON web token. */
#include "compat.h"

enum { ENTRIES_MAX = 65535 };

static bool copy_array(const hg_value *from, hg_value *to, size_t size, const hg_allocator *a)
{
    if (hg_set_array(to, size, a) != HG_OK)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!hg_ddwaf2_copy(&hg_array_items(from)[i], hg_array_append(to, a), a))
            return false;
    return true;
}

static bool copy_map(const hg_value *from, hg_value *to, size_t size, const hg_allocator *a)
{
    if (hg_set_map(to, size, a) != HG_OK)
        return false;
    for (size_t i = 0; i < size; i++) {
        const hg_pair *pair = &hg_map_pairs(from)[i];
        hg_value *slot = hg_map_append(to, hg_value_string(&pair->key), a);
        if (slot == NULL || !hg_ddwaf2_copy(&pair->val, slot, a))
            return false;
    }
    return true;
}

static bool copy_container(const hg_value *from, hg_value *to, const hg_allocator *a)
{
    size_t size = hg_value_size(from);
    if (size > ENTRIES_MAX) /* more than the ABI's containers hold */
        size = ENTRIES_MAX;
    bool ok = hg_is_map(from) ? copy_map(from, to, size, a) : copy_array(from, to, size, a);
    if (!ok)
        hg_value_free(to, a);
    return ok;
}

bool hg_ddwaf2_copy(const hg_value *from, hg_value *to, const hg_allocator *a)
{
    if (hg_is_container(from))
        return copy_container(from, to, a);
    if (hg_is_string(from))
        return hg_set_string(to, hg_value_string(from), a) == HG_OK;
    *to = *from;
    return true;
}
