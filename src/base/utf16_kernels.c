/* Eight units at a time. ASCII is packed; else each unit is spread to the three bytes of its longest form and the unused
 * ones are shuffled out by a table over the lengths of four units. */
#include "base/utf16_kernels.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* For four units with lengths of 1 to 3 bytes each, two bits a unit: which of the 3 x 4 spread bytes stay. */
typedef struct compress_entry {
    _Alignas(16) uint8_t shuffle[16];
    uint8_t length;
} compress_entry;

static compress_entry compress[256] __attribute__((aligned(64)));

/* Lengths code 0, 1, 3 for 1, 2, 3 bytes: bit 0 says "two or more", bit 1 "three". */
__attribute__((constructor)) static void make_tables(void)
{
    for (unsigned mask = 0; mask < 256; mask++) {
        uint8_t n = 0;
        memset(compress[mask].shuffle, 0x80, 16);
        for (unsigned unit = 0; unit < 4; unit++) {
            unsigned two = mask >> (2 * unit) & 1, three = mask >> (2 * unit + 1) & 1;
            if (three)
                compress[mask].shuffle[n++] = (uint8_t)(4 * unit);
            if (two || three)
                compress[mask].shuffle[n++] = (uint8_t)(4 * unit + 1);
            compress[mask].shuffle[n++] = (uint8_t)(4 * unit + 2);
        }
        compress[mask].length = n;
    }
}

/* Four units in 32-bit lanes -> UTF-8 in the low bytes of *bytes; returns how many (at most 12). */
__attribute__((target("ssse3"))) static inline size_t encode_four(__m128i cp, __m128i *bytes)
{
    const __m128i low6 = _mm_set1_epi32(0x3F);
    __m128i two = _mm_cmpgt_epi32(cp, _mm_set1_epi32(0x7F)), three = _mm_cmpgt_epi32(cp, _mm_set1_epi32(0x7FF));
    /* the last byte: the whole value for ASCII, 10xxxxxx otherwise */
    __m128i tail = _mm_or_si128(_mm_and_si128(cp, low6), _mm_set1_epi32(0x80));
    __m128i last = _mm_or_si128(_mm_andnot_si128(two, cp), _mm_and_si128(two, tail));
    /* the middle byte: 110xxxxx when it leads, 10xxxxxx when a third follows */
    __m128i middle = _mm_srli_epi32(cp, 6);
    __m128i lead2 = _mm_or_si128(middle, _mm_set1_epi32(0xC0));
    __m128i cont = _mm_or_si128(_mm_and_si128(middle, low6), _mm_set1_epi32(0x80));
    middle = _mm_or_si128(_mm_andnot_si128(three, lead2), _mm_and_si128(three, cont));
    __m128i first = _mm_or_si128(_mm_srli_epi32(cp, 12), _mm_set1_epi32(0xE0));
    __m128i spread = _mm_or_si128(_mm_or_si128(_mm_and_si128(first, _mm_set1_epi32(0xFF)),
                                               _mm_slli_epi32(_mm_and_si128(middle, _mm_set1_epi32(0xFF)), 8)),
                                  _mm_slli_epi32(last, 16));
    /* two bits a lane: sign bits of 16-bit halves made of (two, three) */
    __m128i bits = _mm_packs_epi16(_mm_or_si128(_mm_and_si128(two, _mm_set1_epi32(0x0000FFFF)),
                                                _mm_and_si128(three, _mm_set1_epi32((int)0xFFFF0000))),
                                   _mm_setzero_si128());
    unsigned mask = (unsigned)_mm_movemask_epi8(bits) & 0xFF;
    *bytes = _mm_shuffle_epi8(spread, _mm_load_si128((const __m128i *)(const void *)compress[mask].shuffle));
    return compress[mask].length;
}

enum { WIDEST = 12 + 16 }; /* bytes that eight units may write, with the slack of the last store */

__attribute__((target("ssse3"))) static inline bool has_surrogate(__m128i units)
{
    __m128i top = _mm_and_si128(units, _mm_set1_epi16((short)0xF800));
    return _mm_movemask_epi8(_mm_cmpeq_epi16(top, _mm_set1_epi16((short)0xD800))) != 0;
}

/* Eight units that are not all ASCII. False when a surrogate is among them or room is short. */
__attribute__((target("ssse3"))) static inline bool encode_eight(__m128i in, char *out, size_t room, size_t *written)
{
    if (has_surrogate(in) || room < WIDEST)
        return false;
    __m128i bytes;
    size_t n = encode_four(_mm_unpacklo_epi16(in, _mm_setzero_si128()), &bytes);
    _mm_storeu_si128((__m128i *)(void *)out, bytes);
    size_t m = encode_four(_mm_unpackhi_epi16(in, _mm_setzero_si128()), &bytes);
    _mm_storeu_si128((__m128i *)(void *)(out + n), bytes);
    *written = n + m;
    return true;
}

__attribute__((target("ssse3"))) static inline bool is_ascii(__m128i units)
{
    __m128i high = _mm_and_si128(units, _mm_set1_epi16((short)0xFF80));
    return _mm_movemask_epi8(_mm_cmpeq_epi16(high, _mm_setzero_si128())) == 0xFFFF;
}

/* The last one to seven units together with those before them, when all eight are ASCII and those before went out as
 * the bytes right before: then they are packed once more. */
__attribute__((target("ssse3"))) static inline bool encode_ascii_tail(const uint16_t *units, size_t n, char *out,
                                                                      size_t room, hg_transcoded *t, size_t run)
{
    size_t rest = n - t->read;
    if (rest == 0 || run < 8 - rest || rest > room - t->written)
        return false;
    __m128i in = _mm_loadu_si128((const __m128i *)(const void *)(units + n - 8));
    if (!is_ascii(in))
        return false;
    _mm_storel_epi64((__m128i *)(void *)(out + t->written + rest - 8), _mm_packus_epi16(in, in));
    t->read = n;
    t->written += rest;
    return true;
}

__attribute__((target("ssse3"))) static void kernel_ssse3(const uint16_t *units, size_t n, char *out, size_t room,
                                                          hg_transcoded *t)
{
    size_t read = t->read, written = t->written, run = 0;
    while (n - read >= 8) {
        __m128i in = _mm_loadu_si128((const __m128i *)(const void *)(units + read));
        size_t done = 8;
        bool ascii = is_ascii(in) && room - written >= 8;
        if (ascii)
            _mm_storel_epi64((__m128i *)(void *)(out + written), _mm_packus_epi16(in, in));
        else if (!encode_eight(in, out + written, room - written, &done))
            break;
        read += 8;
        written += done;
        run = ascii ? 8 : 0;
    }
    t->read = read;
    t->written = written;
    if (n - read < 8)
        encode_ascii_tail(units, n, out, room, t, run);
}

__attribute__((target("avx2"))) static void kernel_avx2(const uint16_t *units, size_t n, char *out, size_t room,
                                                        hg_transcoded *t)
{
    size_t read = t->read, written = t->written, run = 0;
    const __m256i high = _mm256_set1_epi16((short)0xFF80);
    for (;;) {
        while (n - read >= 32 && room - written >= 32) {
            __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(units + read));
            __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(units + read + 16));
            if (!_mm256_testz_si256(_mm256_or_si256(a, b), high))
                break;
            __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8);
            _mm256_storeu_si256((__m256i *)(void *)(out + written), packed);
            read += 32;
            written += 32;
            run = 32;
        }
        if (n - read < 8)
            break;
        __m128i in = _mm_loadu_si128((const __m128i *)(const void *)(units + read));
        size_t done = 8;
        bool ascii = is_ascii(in) && room - written >= 8;
        if (ascii)
            _mm_storel_epi64((__m128i *)(void *)(out + written), _mm_packus_epi16(in, in));
        else if (!encode_eight(in, out + written, room - written, &done))
            break;
        read += 8;
        written += done;
        run = ascii ? 8 : 0;
    }
    t->read = read;
    t->written = written;
    if (n - read < 8)
        encode_ascii_tail(units, n, out, room, t, run);
}

void utf16_kernel(const uint16_t *units, size_t n, char *out, size_t room, hg_transcoded *t)
{
    hg_cpu_level level = hg_cpu();
    if (level == HG_CPU_AVX2)
        kernel_avx2(units, n, out, room, t);
    else if (level == HG_CPU_SSSE3)
        kernel_ssse3(units, n, out, room, t);
}

#else

void utf16_kernel(const uint16_t *units, size_t n, char *out, size_t room, hg_transcoded *t)
{
    (void)units, (void)n, (void)out, (void)room, (void)t;
}

#endif
