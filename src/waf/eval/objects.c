/* Sets of objects by identity: open addressing, at most half full. */
#include "waf/eval/context.h"

static uint32_t place_of(const hg_object_set *set, const hg_value *object)
{
    uint64_t mixed = (uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(mixed >> 32) & set->mask;
    while (set->slots[at] != NULL && set->slots[at] != object)
        at = (at + 1) & set->mask;
    return at;
}

bool hg_object_set_has(const hg_object_set *set, const hg_value *object)
{
    return set->count > 0 && set->slots[place_of(set, object)] == object;
}

static bool grow(hg_object_set *set, hg_arena *arena)
{
    uint32_t size = set->slots == NULL ? 16 : (set->mask + 1) * 2;
    hg_object_set larger = {hg_arena_alloc(arena, size * sizeof(void *), _Alignof(void *)), size - 1, set->count};
    if (larger.slots == NULL)
        return false;
    memset(larger.slots, 0, size * sizeof(void *));
    for (uint32_t i = 0; set->slots != NULL && i <= set->mask; i++)
        if (set->slots[i] != NULL)
            larger.slots[place_of(&larger, set->slots[i])] = set->slots[i];
    *set = larger;
    return true;
}

bool hg_object_set_add(hg_object_set *set, const hg_value *object, hg_arena *arena)
{
    if (hg_object_set_has(set, object))
        return true;
    if ((set->slots == NULL || set->count * 2 > set->mask) && !grow(set, arena))
        return false;
    set->slots[place_of(set, object)] = object;
    set->count++;
    return true;
}
