/* Seeded hashing by folded multiplication; the seed keeps senders from choosing collisions. */
#ifndef NET_HASH_H
#define NET_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t net_hash_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t net_hash_16(const uint8_t *p, uint64_t seed)
{
    uint64_t a, b;
    memcpy(&a, p, 8);
    memcpy(&b, p + 8, 8);
    return net_hash_mix(a ^ seed, b ^ (seed >> 32 | seed << 32));
}

#endif
