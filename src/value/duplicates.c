/* Dropping repeated keys of a map that is about to close. */
#include "value/encoder.h"

#include "base/hash.h"

#include "value/scratch.h"

typedef struct key_table {
    uint32_t *slots; /* 1 + index of a kept pair; 0 = free */
    size_t mask;
} key_table;

/* The slot of that key, or the free one where it would go. */
static uint32_t *locate(const key_table *table, const hg_pair *pairs, hg_slice key, uint64_t seed)
{
    size_t i = (size_t)hg_hash(key, seed) & table->mask;
    while (table->slots[i] != 0 && !hg_slice_equal(hg_value_string(&pairs[table->slots[i] - 1].key), key))
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static void free_pair(hg_pair *pair, const hg_allocator *a)
{
    hg_value_free(&pair->key, a);
    hg_value_free(&pair->val, a);
}

/* The pairs of the innermost map. */
typedef struct open_map {
    hg_pair *pairs;
    size_t size;
    key_table table;
    uint64_t seed;
} open_map;

static bool map_begin(hg_encoder *e, open_map *m)
{
    m->pairs = (hg_pair *)(e->b.values + e->b.frames[e->b.depth - 1].start);
    if ((e->b.top - (hg_value *)m->pairs) % 2 != 0)
        builder_drop(&e->b);
    m->size = ((size_t)(e->b.top - (hg_value *)m->pairs)) / 2;
    size_t room = 16;
    while (room < 2 * m->size)
        room *= 2;
    m->table = (key_table){scratch_zeroed(room, sizeof *m->table.slots), room - 1};
    m->seed = hg_hash_seed();
    if (m->table.slots == NULL)
        e->b.failed = true;
    return m->table.slots != NULL;
}

void encoder_drop_duplicates(hg_encoder *e)
{
    open_map m;
    size_t kept = 0;
    if (!map_begin(e, &m))
        return;
    for (size_t i = 0; i < m.size; i++) {
        uint32_t *slot = locate(&m.table, m.pairs, hg_value_string(&m.pairs[i].key), m.seed);
        if (*slot == 0) {
            m.pairs[kept++] = m.pairs[i];
            *slot = (uint32_t)kept;
            continue;
        }
        hg_pair *first = &m.pairs[*slot - 1], spare = m.pairs[i];
        if (e->limits.duplicates == HG_DUPLICATES_LAST) {
            spare.val = first->val;
            first->val = m.pairs[i].val;
        }
        free_pair(&spare, e->b.a);
    }
    scratch_free(m.table.slots);
    e->b.top = (hg_value *)(m.pairs + kept);
}

/* Makes `value` one more element of *list, which becomes an array on the first call (*gathered is then set). */
static bool gather(hg_value *list, bool *gathered, const hg_value *value, const hg_allocator *a)
{
    if (!*gathered) {
        hg_value array;
        if (hg_set_array(&array, 2, a) != HG_OK)
            return false;
        *hg_array_append(&array, a) = *list;
        *list = array;
        *gathered = true;
    }
    hg_value *slot = hg_array_append(list, a);
    if (slot != NULL)
        *slot = *value;
    return slot != NULL;
}

bool encoder_gather_duplicates(hg_encoder *e)
{
    open_map m;
    size_t kept = 0;
    if ((size_t)(e->b.top - e->b.values) - e->b.frames[e->b.depth - 1].start < 4)
        return true; /* less than two pairs */
    if (!map_begin(e, &m))
        return false;
    bool *gathered = scratch_zeroed(m.size, sizeof *gathered);
    bool ok = gathered != NULL;
    for (size_t i = 0; i < m.size; i++) {
        uint32_t *slot = locate(&m.table, m.pairs, hg_value_string(&m.pairs[i].key), m.seed);
        if (*slot == 0) {
            m.pairs[kept++] = m.pairs[i];
            *slot = (uint32_t)kept;
            continue;
        }
        hg_pair spare = m.pairs[i];
        if (ok && gather(&m.pairs[*slot - 1].val, &gathered[*slot - 1], &spare.val, e->b.a))
            hg_set_invalid(&spare.val);
        else
            ok = false;
        free_pair(&spare, e->b.a);
    }
    scratch_free(gathered);
    scratch_free(m.table.slots);
    e->b.top = (hg_value *)(m.pairs + kept);
    e->b.failed |= !ok;
    return ok;
}
