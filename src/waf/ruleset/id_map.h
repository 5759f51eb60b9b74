/* Strings to small numbers: ids in use, messages seen. Lives in an arena; keys are borrowed. */
#ifndef WAF_RULESET_ID_MAP_H
#define WAF_RULESET_ID_MAP_H

#include "hotgate/base.h"

typedef struct hg_id_map {
    hg_arena *arena;
    struct hg_id_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} hg_id_map;

/* The number stored with the key, or NULL. O(1); valid until the next put. */
uint32_t *hg_id_map_find(const hg_id_map *map, hg_slice key);

static inline bool hg_id_map_has(const hg_id_map *map, hg_slice key)
{
    return hg_id_map_find(map, key) != NULL;
}

/* Stores a key that is not there yet. False when out of memory. */
bool hg_id_map_put(hg_id_map *map, hg_slice key, uint32_t number);

#endif
