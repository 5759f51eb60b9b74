/* Seeded 64-bit hash of bytes, for tables that see untrusted keys. Not cryptographic, not stable between
 * releases: never write it to disk. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "hotgate/base.h"

/* O(len). */
uint64_t hg_hash(hg_slice s, uint64_t seed);

/* A seed that differs between processes; the same for the life of this one. Thread-safe. */
uint64_t hg_hash_seed(void);

/* Mixes an integer (pointers, small keys). */
static inline uint64_t hg_hash_u64(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 29)) * UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

#endif
