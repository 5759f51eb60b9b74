/* Setters that need memory, and appending. */
#include "value/internal.h"

void hg_set_borrowed(hg_value *v, hg_slice s)
{
    if (s.len <= HG_SMALL_STRING_MAX)
        small_string_set(v, s.ptr, s.len);
    else
        long_string_set(v, s.ptr, s.len);
}

hg_status hg_set_string(hg_value *v, hg_slice s, const hg_allocator *a)
{
    if (s.len <= HG_SMALL_STRING_MAX) {
        small_string_set(v, s.ptr, s.len);
        return HG_OK;
    }
    hg_set_invalid(v);
    if (s.len > UINT32_MAX)
        return HG_ERR_LIMIT;
    char *copy = hg_acquire(a, s.len, 1);
    if (copy == NULL)
        return HG_ERR_NOMEM;
    memcpy(copy, s.ptr, s.len);
    long_string_set(v, copy, s.len);
    return HG_OK;
}

static hg_status set_container(hg_value *v, uint8_t kind, size_t capacity, const hg_allocator *a)
{
    hg_set_invalid(v);
    if (capacity > HG_WIDE_MAX)
        return HG_ERR_LIMIT;
    void *entries = NULL;
    if (capacity > 0) {
        entries = hg_acquire(a, capacity * entry_bytes(kind), 8);
        if (entries == NULL)
            return HG_ERR_NOMEM;
    }
    container_set(v, kind, 0, capacity, entries);
    return HG_OK;
}

hg_status hg_set_array(hg_value *v, size_t capacity, const hg_allocator *a)
{
    return set_container(v, HG_ARRAY, capacity, a);
}

hg_status hg_set_map(hg_value *v, size_t capacity, const hg_allocator *a)
{
    return set_container(v, HG_MAP, capacity, a);
}

/* Moves the entries to a bigger block. False when there is none; v is then unchanged. */
static bool grow(hg_value *v, const hg_allocator *a)
{
    size_t old = hg_value_capacity(v), next = grown_capacity(old), size = hg_value_size(v), entry = entry_bytes(v->type);
    if (next == 0)
        return false;
    void *entries = hg_acquire(a, next * entry, 8);
    if (entries == NULL)
        return false;
    if (size > 0)
        memcpy(entries, v->wide.ptr, size * entry);
    if (old > 0)
        hg_release(a, v->wide.ptr, old * entry, 8);
    container_set(v, v->type, size, next, entries);
    return true;
}

hg_value *hg_array_append(hg_value *array, const hg_allocator *a)
{
    if (!hg_is_array(array))
        return NULL;
    size_t size = hg_value_size(array);
    if (size >= hg_value_capacity(array) && !grow(array, a))
        return NULL;
    container_resize(array, size + 1);
    hg_value *slot = hg_array_items(array) + size;
    hg_set_invalid(slot);
    return slot;
}

static hg_value *map_append(hg_value *map, const hg_value *key, const hg_allocator *a)
{
    size_t size = hg_value_size(map);
    if (size >= hg_value_capacity(map) && !grow(map, a))
        return NULL;
    container_resize(map, size + 1);
    hg_pair *pair = hg_map_pairs(map) + size;
    pair->key = *key;
    hg_set_invalid(&pair->val);
    return &pair->val;
}

hg_value *hg_map_append(hg_value *map, hg_slice key, const hg_allocator *a)
{
    hg_value copy;
    if (!hg_is_map(map) || hg_set_string(&copy, key, a) != HG_OK)
        return NULL;
    hg_value *slot = map_append(map, &copy, a);
    if (slot == NULL)
        hg_value_free(&copy, a);
    return slot;
}

hg_value *hg_map_append_borrowed(hg_value *map, hg_slice key, const hg_allocator *a)
{
    hg_value text;
    if (!hg_is_map(map) || key.len > UINT32_MAX)
        return NULL;
    hg_set_borrowed(&text, key);
    return map_append(map, &text, a);
}

hg_value *hg_map_append_literal(hg_value *map, hg_slice key, const hg_allocator *a)
{
    hg_value text;
    if (!hg_is_map(map) || key.len > UINT32_MAX)
        return NULL;
    hg_set_literal(&text, key);
    return map_append(map, &text, a);
}
