/* Small bounded tables with fixed keys, kept in order of age: used for what is remembered about anomalies, tunnels and
 * unknown protocols. At the limit the oldest entry goes. */
#ifndef NET_MAP_H
#define NET_MAP_H

#include "hotgate/net.h"
#include "net/slab.h"

enum { NET_MAP_KEY = 48 };

typedef struct net_map_key {
    uint8_t octet[NET_MAP_KEY]; /* unused ones are 0 */
} net_map_key;

typedef struct net_map_entry {
    uint32_t chain, older, newer, bucket;
    net_map_key key;
    hg_net_time time; /* of creation, or of the last touch */
    uint64_t count;
    uint64_t serial;
    net_map_key extra; /* the user's */
} net_map_entry;

typedef struct net_map {
    net_slab slab;
    uint32_t *buckets;
    uint32_t mask;
    uint32_t limit;
    uint32_t oldest, newest; /* number of the entry, 0: none */
    uint64_t seed;
    uint64_t *evicted; /* counter */
} net_map;

hg_status net_map_init(net_map *map, uint32_t limit, uint64_t seed, uint64_t *evicted);
void net_map_close(net_map *map);
void net_map_clear(net_map *map);

net_map_entry *net_map_find(net_map *map, const net_map_key *key);
/* A new entry with time set, count and serial 0; NULL when out of memory. */
net_map_entry *net_map_add(net_map *map, const net_map_key *key, hg_net_time now);
void net_map_remove(net_map *map, net_map_entry *entry);
/* Makes the entry the newest. */
void net_map_touch(net_map *map, net_map_entry *entry, hg_net_time now);
net_map_entry *net_map_oldest(net_map *map);

#endif
