/* A fast hash of short texts for tables that compare in full afterwards. Not for anything that must resist
 * collisions: users bound their probing. */
#ifndef WAF_PLAN_TEXTHASH_H
#define WAF_PLAN_TEXTHASH_H

#include "hotgate/base.h"

static inline uint64_t hg_hash_mix(uint64_t hash, uint64_t word)
{
    __uint128_t product = (__uint128_t)(hash ^ word) * 0x9E3779B97F4A7C15u;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hg_hash_word(const char *at, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, at, size);
    return word;
}

static inline uint64_t hg_text_hash(hg_slice s)
{
    uint64_t hash = 0xC2B2AE3D27D4EB4Fu ^ s.len;
    size_t at = 0;
    if (s.len < 8) {
        uint64_t word = 0;
        if (s.len >= 4) {
            word = hg_hash_word(s.ptr, 4) | hg_hash_word(s.ptr + s.len - 4, 4) << 32;
        } else if (s.len > 0) {
            word = (uint64_t)(unsigned char)s.ptr[0] | (uint64_t)(unsigned char)s.ptr[s.len / 2] << 8 |
                   (uint64_t)(unsigned char)s.ptr[s.len - 1] << 16;
        }
        return hg_hash_mix(hash, word);
    }
    for (; at + 8 < s.len; at += 8)
        hash = hg_hash_mix(hash, hg_hash_word(s.ptr + at, 8));
    return hg_hash_mix(hash, hg_hash_word(s.ptr + s.len - 8, 8));
}

#endif
