/* Percent encoding (RFC 3986 section 2.1) and the form variant of it. */
#ifndef BASE_PERCENT_H
#define BASE_PERCENT_H

#include "hotgate/base.h"

/* Value of a hexadecimal digit, or -1. */
static inline int hg_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Decodes %XX (and + as a space when plus is set) from s to out, which has room for s.len bytes and may be
 * s.ptr itself. A bad escape stays as it is. Returns the bytes written. */
size_t hg_percent_decode(hg_slice s, bool plus, char *out);

/* Whether decoding would change anything. */
bool hg_percent_needed(hg_slice s, bool plus);

#endif
