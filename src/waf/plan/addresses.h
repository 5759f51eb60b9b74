/* Addresses as numbers: a hash table from name to index, built once and read by all. Names are compared in full. */
#ifndef WAF_PLAN_ADDRESSES_H
#define WAF_PLAN_ADDRESSES_H

#include "hotgate/base.h"
#include "waf/plan/texthash.h"

typedef struct hg_address_table {
    hg_slice *names;
    uint32_t count;
    uint32_t *buckets; /* index + 1; 0 = free */
    uint64_t *hashes;  /* of names */
    uint32_t mask;     /* buckets - 1 */
} hg_address_table;

/* Prepares for at most `limit` names. False when out of memory. */
bool hg_addresses_init(hg_address_table *table, uint32_t limit, hg_arena *arena);

/* The index of a name, which is added if it is new; the name is borrowed. */
uint32_t hg_addresses_add(hg_address_table *table, hg_slice name);

/* The index of a name, UINT32_MAX if there is none. */
static inline uint32_t hg_addresses_find(const hg_address_table *table, hg_slice name)
{
    uint64_t hash = hg_text_hash(name);
    for (uint32_t at = (uint32_t)hash & table->mask;; at = (at + 1) & table->mask) {
        uint32_t entry = table->buckets[at];
        if (entry == 0)
            return UINT32_MAX;
        if (table->hashes[entry - 1] == hash && hg_slice_equal(table->names[entry - 1], name))
            return entry - 1;
    }
}

#endif
