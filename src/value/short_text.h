/* Texts of up to 14 ASCII characters straight into a value: most keys and many texts are like that. */
#ifndef VALUE_SHORT_TEXT_H
#define VALUE_SHORT_TEXT_H

#include "value/internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool short_eight(char *out, const uint16_t *units, size_t n)
{
#if defined(__SSE2__)
    __m128i a = _mm_loadu_si128((const __m128i *)units), b = _mm_loadu_si128((const __m128i *)(units + n - 8));
    __m128i high = _mm_and_si128(_mm_or_si128(a, b), _mm_set1_epi16((short)0xFF80));
    if (_mm_movemask_epi8(_mm_cmpeq_epi16(high, _mm_setzero_si128())) != 0xFFFF)
        return false;
    _mm_storel_epi64((__m128i *)out, _mm_packus_epi16(a, a));
    _mm_storel_epi64((__m128i *)(out + n - 8), _mm_packus_epi16(b, b));
    return true;
#else
    for (size_t i = 0; i < n; i++) {
        if (units[i] >= 0x80)
            return false;
        out[i] = (char)units[i];
    }
    return true;
#endif
}

#if !defined(__SSE2__)
/* Four units to four bytes. */
static inline uint32_t short_pack(uint64_t x)
{
    x = (x | x >> 8) & UINT64_C(0x0000FFFF0000FFFF);
    return (uint32_t)(x | x >> 16);
}
#endif

static inline bool short_four(char *out, const uint16_t *units, size_t n)
{
    uint64_t a, b;
    memcpy(&a, units, 8);
    memcpy(&b, units + n - 4, 8);
    if ((a | b) & UINT64_C(0xFF80FF80FF80FF80))
        return false;
#if defined(__SSE2__)
    __m128i first = _mm_cvtsi64_si128((long long)a), last = _mm_cvtsi64_si128((long long)b);
    uint32_t x = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(first, first));
    uint32_t y = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(last, last));
#else
    uint32_t x = short_pack(a), y = short_pack(b);
#endif
    memcpy(out, &x, 4);
    memcpy(out + n - 4, &y, 4);
    return true;
}

/* Writes the value if all n (at most 14) units are ASCII, else returns false with *slot undefined. Reads no unit beyond
 * the n. */
static inline bool utf16_short(hg_value *slot, const uint16_t *units, size_t n)
{
    slot->wide.head = HG_SMALL_STRING | (uint64_t)n << 8;
    slot->wide.ptr = NULL;
    char *out = slot->sstr.data;
    if (n >= 8)
        return short_eight(out, units, n);
    if (n >= 4)
        return short_four(out, units, n);
    if (n >= 2) {
        out[1] = (char)units[1]; /* of three units: first, middle, last */
        out[0] = (char)units[0];
        out[n - 1] = (char)units[n - 1];
        return ((units[0] | units[1] | units[n - 1]) & 0xFF80) == 0;
    }
    out[0] = n ? (char)units[0] : 0;
    return n == 0 || units[0] < 0x80;
}

/* The same for UTF-8. */
static inline bool utf8_short(hg_value *slot, const char *p, size_t n)
{
    uint64_t a = 0, b = 0;
    if (n >= 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + n - 8, 8);
    } else if (n >= 4) {
        memcpy(&a, p, 4);
        memcpy(&b, p + n - 4, 4);
    } else if (n > 0) {
        a = (uint8_t)(p[0] | p[n / 2] | p[n - 1]);
    }
    if ((a | b) & UINT64_C(0x8080808080808080))
        return false;
    small_string_set(slot, p, n);
    return true;
}

#endif
