/* Two 64-bit words are folded by one 64x64->128 multiplication per 16 bytes; long input runs two lanes. */
#include "base/hash.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static const uint64_t K0 = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
static const uint64_t K1 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t K2 = UINT64_C(0x165667B19E3779F9);

static inline uint64_t load64(const char *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}

static inline uint32_t load32(const char *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __uint128_t m = (__uint128_t)a * b;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* The last 0 to 16 bytes as two words; every byte takes part. */
static inline void load_tail(const char *p, size_t n, uint64_t *a, uint64_t *b)
{
    if (n >= 8) {
        *a = load64(p);
        *b = load64(p + n - 8);
    } else if (n >= 4) {
        *a = load32(p);
        *b = load32(p + n - 4);
    } else if (n > 0) {
        *a = ((uint64_t)(uint8_t)p[0] << 16) | ((uint64_t)(uint8_t)p[n / 2] << 8) | (uint8_t)p[n - 1];
        *b = 0;
    } else {
        *a = *b = 0;
    }
}

uint64_t hg_hash(hg_slice s, uint64_t seed)
{
    const char *p = s.ptr;
    size_t n = s.len;
    uint64_t h = seed ^ fold(seed ^ K0, K1);
    uint64_t g = h ^ K2;
    while (n > 32) {
        h = fold(load64(p) ^ K1, load64(p + 8) ^ h);
        g = fold(load64(p + 16) ^ K2, load64(p + 24) ^ g);
        p += 32;
        n -= 32;
    }
    if (n > 16) {
        h = fold(load64(p) ^ K0, load64(p + 8) ^ h);
        p += 16;
        n -= 16;
    }
    uint64_t a, b;
    load_tail(p, n, &a, &b);
    return fold(fold(a ^ K1, b ^ h) ^ g ^ s.len, K0);
}

uint64_t hg_hash_seed(void)
{
    static _Atomic uint64_t seed;
    uint64_t value = atomic_load_explicit(&seed, memory_order_relaxed);
    if (value != 0)
        return value;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t fresh = hg_hash_u64((uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 32) ^ (uintptr_t)&now) ^
                     hg_hash_u64((uint64_t)getpid() ^ (uintptr_t)&seed);
    fresh |= 1;
    uint64_t expected = 0;
    return atomic_compare_exchange_strong(&seed, &expected, fresh) ? fresh : expected;
}
