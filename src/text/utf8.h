/* Lenient UTF-8: what the lead byte announces and continuation bytes confirm, without checks of form or range. */
#ifndef HG_TEXT_UTF8_H
#define HG_TEXT_UTF8_H

#include "hotgate/base.h"

#define HG_UTF8_INVALID UINT32_MAX

/* Reads one codepoint (up to 0x1FFFFF) at r < s.len and returns its length; a byte that starts none is
 * HG_UTF8_INVALID and has length 1. */
static inline size_t hg_utf8_lenient(hg_slice s, size_t r, uint32_t *cp)
{
    const uint8_t *p = (const uint8_t *)s.ptr + r;
    if (p[0] < 0x80) {
        *cp = p[0];
        return 1;
    }
    size_t more = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : 1;
    *cp = HG_UTF8_INVALID;
    if (p[0] < 0xC0 || p[0] >= 0xF8 || s.len - r <= more)
        return 1;
    uint32_t value = p[0] & (0x3Fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (p[i] & 0x3F);
    }
    *cp = value;
    return more + 1;
}

#endif
