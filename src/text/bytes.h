/* Small facts about bytes that every text function needs. ASCII only, no locale. */
#ifndef HG_TEXT_BYTES_H
#define HG_TEXT_BYTES_H

#include "hotgate/base.h"

static inline bool hg_is_upper(uint8_t c) { return (uint8_t)(c - 'A') < 26; }
static inline bool hg_is_alpha(uint8_t c) { return (uint8_t)((c | 0x20) - 'a') < 26; }
static inline bool hg_is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }
static inline bool hg_is_alnum(uint8_t c) { return hg_is_alpha(c) || hg_is_digit(c); }
static inline bool hg_is_word(uint8_t c) { return hg_is_alnum(c) || c == '_'; }
/* Space, TAB, LF, VT, FF, CR. */
static inline bool hg_is_space(uint8_t c) { return c == ' ' || (uint8_t)(c - '\t') < 5; }
static inline uint8_t hg_to_lower(uint8_t c) { return hg_is_upper(c) ? c | 0x20 : c; }
static inline uint8_t hg_to_upper(uint8_t c) { return (uint8_t)(c - 'a') < 26 ? c & 0xDF : c; }

/* The value of a hexadecimal digit, -1 for any other byte. */
static inline int hg_hex_value(uint8_t c)
{
    if (hg_is_digit(c))
        return c - '0';
    c |= 0x20;
    return (uint8_t)(c - 'a') < 6 ? c - 'a' + 10 : -1;
}

static inline bool hg_is_hex(uint8_t c) { return hg_hex_value(c) >= 0; }

/* count hexadecimal digits at p as a number, -1 when one of them is no digit. count is at most 7. */
static inline int32_t hg_hex_number(const uint8_t *p, int count)
{
    int32_t value = 0;
    for (int i = 0; i < count; i++) {
        int digit = hg_hex_value(p[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* Equal but for the case of ASCII letters. */
static inline bool hg_equal_nocase(hg_slice a, hg_slice b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (hg_to_lower((uint8_t)a.ptr[i]) != hg_to_lower((uint8_t)b.ptr[i]))
            return false;
    return true;
}

/* Does s start with this text, but for the case of ASCII letters? */
static inline bool hg_starts_nocase(hg_slice s, hg_slice text)
{
    return s.len >= text.len && hg_equal_nocase(hg_slice_take(s, text.len), text);
}

/* The slice without leading and trailing space bytes. */
static inline hg_slice hg_trim(hg_slice s)
{
    while (s.len > 0 && hg_is_space((uint8_t)s.ptr[0]))
        s = hg_slice_skip(s, 1);
    while (s.len > 0 && hg_is_space((uint8_t)s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static inline bool hg_starts_with(hg_slice s, hg_slice prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool hg_ends_with(hg_slice s, hg_slice suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + (s.len - suffix.len), suffix.ptr, suffix.len) == 0);
}

/* Where byte c is first, at or after from; s.len when it is nowhere. */
static inline size_t hg_find_byte(hg_slice s, size_t from, uint8_t c)
{
    if (from >= s.len)
        return s.len;
    const char *at = memchr(s.ptr + from, c, s.len - from);
    return at ? (size_t)(at - s.ptr) : s.len;
}

/* Where needle is first, at or after from; SIZE_MAX when it is nowhere. Linear time (libc's two-way search). */
static inline size_t hg_find(hg_slice s, size_t from, hg_slice needle)
{
    if (from > s.len || needle.len > s.len - from)
        return SIZE_MAX;
    if (needle.len == 0)
        return from;
    const char *at = memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
    return at ? (size_t)(at - s.ptr) : SIZE_MAX;
}

#endif
