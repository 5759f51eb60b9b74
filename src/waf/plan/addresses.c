#include "waf/plan/addresses.h"

bool hg_addresses_init(hg_address_table *table, uint32_t limit, hg_arena *arena)
{
    uint32_t size = 8;
    while (size < limit * 2 + 2)
        size *= 2;
    *table = (hg_address_table){.mask = size - 1};
    table->names = hg_arena_alloc(arena, (limit + 1) * sizeof *table->names, _Alignof(hg_slice));
    table->hashes = hg_arena_alloc(arena, (limit + 1) * sizeof *table->hashes, _Alignof(uint64_t));
    table->buckets = hg_arena_alloc(arena, size * sizeof *table->buckets, _Alignof(uint32_t));
    if (table->names == NULL || table->hashes == NULL || table->buckets == NULL)
        return false;
    memset(table->buckets, 0, size * sizeof *table->buckets);
    return true;
}

uint32_t hg_addresses_add(hg_address_table *table, hg_slice name)
{
    uint32_t known = hg_addresses_find(table, name);
    if (known != UINT32_MAX)
        return known;
    uint64_t hash = hg_text_hash(name);
    uint32_t at = (uint32_t)hash & table->mask;
    while (table->buckets[at] != 0)
        at = (at + 1) & table->mask;
    table->names[table->count] = name;
    table->hashes[table->count] = hash;
    table->buckets[at] = table->count + 1;
    return table->count++;
}
