/* Finding the next byte that ends a plain run inside a JSON string. */
#ifndef VALUE_JSON_SCAN_H
#define VALUE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool json_is_special(uint8_t c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* First quote, backslash or control character in [p, end), or end. *high collects the top bits of the bytes before
 * it (and possibly of some after it). */
static inline const char *json_scan_string(const char *p, const char *end, unsigned *high)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1F);
    while (end - p >= 16) {
        __m128i chunk = _mm_loadu_si128((const __m128i *)p);
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(chunk, last_control), chunk);
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(chunk, quote), _mm_cmpeq_epi8(chunk, escape)), control);
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        *high |= (unsigned)_mm_movemask_epi8(chunk);
        if (mask != 0)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
    while (p < end && !json_is_special((uint8_t)*p))
        *high |= (uint8_t)*p++ & 0x80;
    return p;
}

#endif
