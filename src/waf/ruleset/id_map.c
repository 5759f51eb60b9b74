#include "waf/ruleset/id_map.h"

#include "base/hash.h"

typedef struct hg_id_slot {
    hg_slice key;
    uint64_t hash;
    uint32_t number;
    bool used;
} hg_id_slot;

static hg_id_slot *slot_of(hg_id_slot *slots, size_t capacity, hg_slice key, uint64_t hash)
{
    size_t at = hash & (capacity - 1);
    while (slots[at].used && !(slots[at].hash == hash && hg_slice_equal(slots[at].key, key)))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

uint32_t *hg_id_map_find(const hg_id_map *map, hg_slice key)
{
    if (map->count == 0)
        return NULL;
    hg_id_slot *slot = slot_of(map->slots, map->capacity, key, hg_hash(key, hg_hash_seed()));
    return slot->used ? &slot->number : NULL;
}

static bool grow(hg_id_map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 32;
    hg_id_slot *slots = hg_arena_alloc(map->arena, capacity * sizeof *slots, _Alignof(hg_id_slot));
    if (slots == NULL)
        return false;
    memset(slots, 0, capacity * sizeof *slots);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].used)
            *slot_of(slots, capacity, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

bool hg_id_map_put(hg_id_map *map, hg_slice key, uint32_t number)
{
    if (map->count * 2 >= map->capacity && !grow(map))
        return false;
    uint64_t hash = hg_hash(key, hg_hash_seed());
    *slot_of(map->slots, map->capacity, key, hash) = (hg_id_slot){key, hash, number, true};
    map->count++;
    return true;
}
