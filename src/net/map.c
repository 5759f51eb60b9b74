/* Bounded tables in order of age. */
#include "net/map.h"
#include "net/hash.h"

#include <stdlib.h>

hg_status net_map_init(net_map *map, uint32_t limit, uint64_t seed, uint64_t *evicted)
{
    uint32_t size = 256;
    while (size < limit && size < 65536)
        size *= 2;
    *map = (net_map){.mask = size - 1, .limit = limit ? limit : 1, .seed = seed, .evicted = evicted};
    net_slab_init(&map->slab, sizeof(net_map_entry), 6);
    map->buckets = calloc(size, sizeof *map->buckets);
    return map->buckets ? HG_OK : HG_ERR_NOMEM;
}

void net_map_close(net_map *map)
{
    if (map->buckets == NULL)
        return;
    free(map->buckets);
    map->buckets = NULL;
    net_slab_close(&map->slab);
}

static net_map_entry *at(net_map *map, uint32_t number)
{
    return net_slab_at(&map->slab, number - 1);
}

static uint32_t bucket_of(const net_map *map, const net_map_key *key)
{
    uint64_t h = net_hash_16(key->octet, map->seed);
    h = net_hash_16(key->octet + 16, h);
    h = net_hash_16(key->octet + 32, h);
    return (uint32_t)(h >> 32) & map->mask;
}

net_map_entry *net_map_find(net_map *map, const net_map_key *key)
{
    uint32_t number = map->buckets[bucket_of(map, key)];
    while (number != 0) {
        net_map_entry *entry = at(map, number);
        if (memcmp(&entry->key, key, sizeof *key) == 0)
            return entry;
        number = entry->chain;
    }
    return NULL;
}

static void age_unlink(net_map *map, net_map_entry *entry)
{
    *(entry->older ? &at(map, entry->older)->newer : &map->oldest) = entry->newer;
    *(entry->newer ? &at(map, entry->newer)->older : &map->newest) = entry->older;
}

static void age_append(net_map *map, net_map_entry *entry, uint32_t number)
{
    entry->older = map->newest;
    entry->newer = 0;
    *(map->newest ? &at(map, map->newest)->newer : &map->oldest) = number;
    map->newest = number;
}

static uint32_t number_of(net_map *map, const net_map_entry *entry)
{
    uint32_t number = map->buckets[entry->bucket];
    while (at(map, number) != entry)
        number = at(map, number)->chain;
    return number;
}

void net_map_remove(net_map *map, net_map_entry *entry)
{
    uint32_t number = number_of(map, entry), *link = &map->buckets[entry->bucket];
    while (*link != number)
        link = &at(map, *link)->chain;
    *link = entry->chain;
    age_unlink(map, entry);
    net_slab_give(&map->slab, number - 1);
}

void net_map_clear(net_map *map)
{
    while (map->oldest != 0)
        net_map_remove(map, at(map, map->oldest));
}

net_map_entry *net_map_add(net_map *map, const net_map_key *key, hg_net_time now)
{
    if (map->slab.live >= map->limit) {
        ++*map->evicted;
        net_map_remove(map, at(map, map->oldest));
    }
    uint32_t index;
    net_map_entry *entry = net_slab_take(&map->slab, &index);
    if (entry == NULL)
        return NULL;
    uint32_t bucket = bucket_of(map, key);
    *entry = (net_map_entry){.chain = map->buckets[bucket], .bucket = bucket, .key = *key, .time = now};
    map->buckets[bucket] = index + 1;
    age_append(map, entry, index + 1);
    return entry;
}

void net_map_touch(net_map *map, net_map_entry *entry, hg_net_time now)
{
    entry->time = now;
    if (entry->newer == 0)
        return;
    uint32_t number = number_of(map, entry);
    age_unlink(map, entry);
    age_append(map, entry, number);
}

net_map_entry *net_map_oldest(net_map *map)
{
    return map->oldest ? at(map, map->oldest) : NULL;
}
