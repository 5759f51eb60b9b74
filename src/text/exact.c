/* Open addressing, at most half full. A slot keeps its hash, so that a look-up of something else touches no string. */
#include "text/exact.h"

#include "base/hash.h"

typedef struct slot {
    const char *ptr;
    size_t len;
    uint64_t hash;
    uint64_t expiry; /* HG_ABSENT: a free slot */
} slot;

struct hg_exact {
    uint64_t seed;
    size_t mask;
    slot slots[];
};

static size_t slots_for(size_t count)
{
    size_t size = 4;
    while (size < 2 * count)
        size *= 2;
    return size;
}

/* The slot of s, or the free one where it belongs. */
static size_t locate(const hg_exact *set, hg_slice s, uint64_t hash)
{
    size_t i = hash & set->mask;
    for (; set->slots[i].expiry != HG_ABSENT; i = (i + 1) & set->mask) {
        const slot *at = &set->slots[i];
        if (at->hash == hash && hg_slice_equal(hg_slice_of(at->ptr, at->len), s))
            break;
    }
    return i;
}

const hg_exact *hg_exact_build(const hg_slice *strings, const uint64_t *expirations, size_t count, hg_arena *arena)
{
    size_t size = slots_for(count);
    hg_exact *set = hg_arena_alloc(arena, sizeof *set + size * sizeof set->slots[0], _Alignof(hg_exact));
    if (set == NULL)
        return NULL;
    memset(set->slots, 0, size * sizeof set->slots[0]);
    set->seed = hg_hash_seed();
    set->mask = size - 1;
    for (size_t i = 0; i < count; i++) {
        hg_slice s = strings[i];
        uint64_t hash = hg_hash(s, set->seed);
        slot *at = &set->slots[locate(set, s, hash)];
        uint64_t expiry = expirations ? hg_expiry_of(expirations[i]) : HG_NEVER_EXPIRES;
        *at = (slot){s.ptr, s.len, hash, at->expiry > expiry ? at->expiry : expiry};
    }
    return set;
}

uint64_t hg_exact_find(const hg_exact *set, hg_slice s)
{
    return set->slots[locate(set, s, hg_hash(s, set->seed))].expiry;
}
