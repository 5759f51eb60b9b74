/* Maps whose repeated names become arrays. */
#include "request/internal.h"

enum { FEW = 24 };

static uint32_t hash_of(hg_slice s)
{
    uint64_t h = 0x9E3779B97F4A7C15u ^ s.len;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001B3u;
    return (uint32_t)(h ^ (h >> 32));
}

hg_status request_collect_start(request_collector *collector, hg_value *map, size_t expected, hg_arena *arena)
{
    *collector = (request_collector){.map = map, .arena = arena};
    return hg_set_map(map, expected, hg_arena_allocator(arena));
}

static void insert(request_collector *c, hg_slice name, uint32_t index)
{
    size_t at = hash_of(name) & (c->slot_count - 1);
    while (c->slots[at] != 0)
        at = (at + 1) & (c->slot_count - 1);
    c->slots[at] = index + 1;
}

/* Builds the table anew with room for twice the names there are. */
static hg_status rehash(request_collector *c)
{
    size_t names = hg_value_size(c->map), wanted = 64;
    while (wanted < names * 4)
        wanted *= 2;
    uint32_t *slots = hg_arena_alloc(c->arena, wanted * sizeof *slots, sizeof *slots);
    if (slots == NULL)
        return HG_ERR_NOMEM;
    memset(slots, 0, wanted * sizeof *slots);
    c->slots = slots;
    c->slot_count = wanted;
    hg_pair *pairs = hg_map_pairs(c->map);
    for (size_t i = 0; i < names; i++)
        insert(c, hg_value_string(&pairs[i].key), (uint32_t)i);
    return HG_OK;
}

static hg_value *find(const request_collector *c, hg_slice name)
{
    hg_pair *pairs = hg_map_pairs(c->map);
    if (c->slots == NULL) {
        for (size_t i = 0, n = hg_value_size(c->map); i < n; i++)
            if (hg_slice_equal(hg_value_string(&pairs[i].key), name))
                return &pairs[i].val;
        return NULL;
    }
    for (size_t at = hash_of(name) & (c->slot_count - 1); c->slots[at] != 0; at = (at + 1) & (c->slot_count - 1))
        if (hg_slice_equal(hg_value_string(&pairs[c->slots[at] - 1].key), name))
            return &pairs[c->slots[at] - 1].val;
    return NULL;
}

/* Where the next value of a name that is there goes: its value becomes an array at the second one. */
static hg_value *repeat(request_collector *c, hg_value *first)
{
    const hg_allocator *a = hg_arena_allocator(c->arena);
    if (hg_is_array(first))
        return hg_array_append(first, a);
    hg_value array;
    if (hg_set_array(&array, 4, a) != HG_OK)
        return NULL;
    hg_value *slot = hg_array_append(&array, a);
    if (slot == NULL)
        return NULL;
    *slot = *first;
    *first = array;
    return hg_array_append(first, a);
}

hg_status request_collect(request_collector *c, hg_slice name, hg_slice value)
{
    if (name.len > UINT32_MAX || value.len > UINT32_MAX)
        return HG_ERR_LIMIT;
    hg_value *slot = find(c, name);
    if (slot != NULL) {
        slot = repeat(c, slot);
    } else {
        slot = hg_map_append_borrowed(c->map, name, hg_arena_allocator(c->arena));
        size_t names = hg_value_size(c->map);
        if (slot != NULL && c->slots != NULL)
            insert(c, name, (uint32_t)names - 1);
        if (slot != NULL && names > FEW && names * 2 > c->slot_count && rehash(c) != HG_OK)
            return HG_ERR_NOMEM;
    }
    if (slot == NULL)
        return HG_ERR_NOMEM;
    hg_set_borrowed(slot, value);
    return HG_OK;
}
