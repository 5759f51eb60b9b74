#include "base/sha256.h"

#include "base/cpu.h"

/* FIPS 180-4 section 4.2.2: fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void blocks_scalar(uint32_t state[8], const uint8_t *p, size_t count)
{
    for (; count > 0; count--, p += 64) {
        uint32_t w[64];
        for (int i = 0; i < 16; i++)
            w[i] = load_be32(p + 4 * i);
        for (int i = 16; i < 64; i++) {
            uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 64; i++) {
            uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
            uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + t1;
            d = c, c = b, b = a, a = t1 + t2;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* The SHA instructions keep the state as (ABEF, CDGH) and do two rounds each. */
__attribute__((target("sha,sse4.1,ssse3"))) static void blocks_ni(uint32_t state[8], const uint8_t *p, size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
    __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
    for (; count > 0; count--, p += 64) {
        const __m128i abef0 = abef, cdgh0 = cdgh;
        __m128i w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), big_endian);
#pragma GCC unroll 16
        for (int r = 0; r < 16; r++) {
            if (r >= 4) {
                __m128i x = _mm_sha256msg1_epu32(w[r & 3], w[(r + 1) & 3]);
                x = _mm_add_epi32(x, _mm_alignr_epi8(w[(r + 3) & 3], w[(r + 2) & 3], 4));
                w[r & 3] = _mm_sha256msg2_epu32(x, w[(r + 3) & 3]);
            }
            __m128i wk = _mm_add_epi32(w[r & 3], _mm_load_si128((const __m128i *)(K + 4 * r)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef0);
        cdgh = _mm_add_epi32(cdgh, cdgh0);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

static void blocks(uint32_t state[8], const uint8_t *p, size_t count)
{
#if defined(__x86_64__)
    if (hg_cpu_has_sha()) {
        blocks_ni(state, p, count);
        return;
    }
#endif
    blocks_scalar(state, p, count);
}

void hg_sha256_init(hg_sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, start, sizeof start);
    h->bytes = 0;
}

void hg_sha256_add(hg_sha256 *h, hg_slice s)
{
    const uint8_t *p = (const uint8_t *)s.ptr;
    size_t n = s.len, held = h->bytes % 64;
    h->bytes += n;
    if (held > 0) {
        size_t take = n < 64 - held ? n : 64 - held;
        if (take > 0)
            memcpy(h->block + held, p, take);
        if (held + take < 64)
            return;
        blocks(h->state, h->block, 1);
        p += take;
        n -= take;
    }
    if (n >= 64)
        blocks(h->state, p, n / 64);
    if (n % 64 > 0)
        memcpy(h->block, p + n / 64 * 64, n % 64);
}

static void store_32(uint8_t *to, uint32_t word)
{
    to[0] = (uint8_t)(word >> 24);
    to[1] = (uint8_t)(word >> 16);
    to[2] = (uint8_t)(word >> 8);
    to[3] = (uint8_t)word;
}

/* The padding is written into the block itself: a set bit, zeros, the length in bits. */
void hg_sha256_end(hg_sha256 *h, uint8_t out[32])
{
    uint64_t bits = h->bytes * 8;
    size_t held = h->bytes % 64;
    h->block[held++] = 0x80;
    if (held > 56) {
        memset(h->block + held, 0, 64 - held);
        blocks(h->state, h->block, 1);
        held = 0;
    }
    memset(h->block + held, 0, 56 - held);
    store_32(h->block + 56, (uint32_t)(bits >> 32));
    store_32(h->block + 60, (uint32_t)bits);
    blocks(h->state, h->block, 1);
    for (int i = 0; i < 8; i++)
        store_32(out + 4 * i, h->state[i]);
}

void hg_sha256_of(hg_slice s, uint8_t out[32])
{
    hg_sha256 h;
    hg_sha256_init(&h);
    hg_sha256_add(&h, s);
    hg_sha256_end(&h, out);
}

void hg_sha256_hex(hg_slice s, char out[64])
{
    uint8_t digest[32];
    hg_sha256_of(s, digest);
    for (int i = 0; i < 64; i++)
        out[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
}
