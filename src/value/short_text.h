/* Short ASCII texts in a few instructions: most keys and many texts are up to 14 characters, which go straight into a
 * value. */
#ifndef VALUE_SHORT_TEXT_H
#define VALUE_SHORT_TEXT_H

#include "value/internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* What the writers below return has one of these bits when a unit was not ASCII; what they wrote is then undefined. Several
 * such results can be joined and asked about at once. */
enum { SHORT_ODD = 0x1AAAA };

static inline unsigned short_odd_unit(uint16_t joined)
{
    return (joined + 0x7F80u) & 0x18000;
}

#if defined(__SSE2__)

/* Adding 0x7F80 with saturation lifts all units but ASCII into the top bit. */
static inline unsigned short_odd_units(__m128i units)
{
    return (unsigned)_mm_movemask_epi8(_mm_adds_epu16(units, _mm_set1_epi16(0x7F80)));
}

static inline unsigned short_eight(char *out, const uint16_t *units, size_t n)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)units);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(units + n - 8));
    __m128i packed = _mm_packus_epi16(a, b);
    _mm_storel_epi64((__m128i *)(void *)out, packed);
    _mm_storel_epi64((__m128i *)(void *)(out + n - 8), _mm_unpackhi_epi64(packed, packed)); /* storeh wants alignment */
    return short_odd_units(_mm_or_si128(a, b));
}

static inline unsigned short_four(char *out, const uint16_t *units, size_t n)
{
    __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)units);
    __m128i b = _mm_loadl_epi64((const __m128i *)(const void *)(units + n - 4));
    __m128i both = _mm_unpacklo_epi64(a, b), packed = _mm_packus_epi16(both, both);
    int first = _mm_cvtsi128_si32(packed), last = _mm_cvtsi128_si32(_mm_srli_epi64(packed, 32));
    memcpy(out, &first, 4);
    memcpy(out + n - 4, &last, 4);
    return short_odd_units(both);
}

#else

static inline unsigned short_eight(char *out, const uint16_t *units, size_t n)
{
    uint16_t joined = 0;
    for (size_t i = 0; i < n; i++) {
        joined |= units[i];
        out[i] = (char)units[i];
    }
    return short_odd_unit(joined);
}

static inline unsigned short_four(char *out, const uint16_t *units, size_t n)
{
    return short_eight(out, units, n);
}

#endif

/* Writes n (at most 14) units as the value; see SHORT_ODD. Reads no unit beyond the n. */
static inline unsigned utf16_short(hg_value *slot, const uint16_t *units, size_t n)
{
    static const uint16_t heads[HG_SMALL_STRING_MAX + 1] = {
        0x0014, 0x0114, 0x0214, 0x0314, 0x0414, 0x0514, 0x0614, 0x0714,
        0x0814, 0x0914, 0x0A14, 0x0B14, 0x0C14, 0x0D14, 0x0E14}; /* HG_SMALL_STRING | n << 8 */
    slot->wide.head = heads[n];
    slot->wide.ptr = NULL;
    char *out = slot->sstr.data;
    if (n >= 8)
        return short_eight(out, units, n);
    if (n >= 4)
        return short_four(out, units, n);
    if (n == 0)
        return 0;
    out[n / 2] = (char)units[n / 2];
    out[0] = (char)units[0];
    out[n - 1] = (char)units[n - 1];
    return short_odd_unit(units[0] | units[n / 2] | units[n - 1]);
}

/* Writes n (at least 8) units as bytes; false, with the output undefined, when one is not ASCII. */
static inline bool utf16_narrow(char *out, const uint16_t *units, size_t n)
{
#if defined(__SSE2__)
    __m128i last = _mm_loadu_si128((const __m128i *)(const void *)(units + n - 8)), seen = last;
    for (size_t i = 0; i + 8 < n; i += 8) {
        __m128i in = _mm_loadu_si128((const __m128i *)(const void *)(units + i));
        _mm_storel_epi64((__m128i *)(void *)(out + i), _mm_packus_epi16(in, in));
        seen = _mm_or_si128(seen, in);
    }
    _mm_storel_epi64((__m128i *)(void *)(out + n - 8), _mm_packus_epi16(last, last));
    return (short_odd_units(seen) & SHORT_ODD) == 0;
#else
    return (short_eight(out, units, n) & SHORT_ODD) == 0;
#endif
}

/* As utf16_short, for UTF-8. */
static inline unsigned utf8_short(hg_value *slot, const char *p, size_t n)
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
    small_string_set(slot, p, n);
    return ((a | b) & UINT64_C(0x8080808080808080)) != 0 ? SHORT_ODD : 0;
}

/* Whether an inline text may have a character that JSON pointers escape. */
static inline bool short_has_special(const hg_value *v)
{
#if defined(__SSE2__)
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)v);
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(all, _mm_set1_epi8('~')), _mm_cmpeq_epi8(all, _mm_set1_epi8('/')));
    return _mm_movemask_epi8(found) != 0;
#else
    (void)v;
    return true;
#endif
}

#endif
