/* Character classes of HTTP/1. */
#ifndef HTTP_CHARS_H
#define HTTP_CHARS_H

#include "hotgate/base.h"

enum {
    HTTP_TOKEN = 1,      /* 33-126 without ( ) < > @ , ; : \ " / [ ] ? = { } */
    HTTP_URI = 2,        /* RFC 3986: unreserved, reserved and % */
    HTTP_BLANK = 4,      /* white space inside a line */
    HTTP_MIME_TOKEN = 8, /* RFC 2045: 33-126 without ( ) < > @ , ; : \ " / [ ] ? = */
};

extern const uint8_t http_chars[256];

static inline bool http_is(char c, unsigned kind)
{
    return (http_chars[(unsigned char)c] & kind) != 0;
}

static inline size_t http_skip(hg_slice s, size_t at, unsigned kind)
{
    while (at < s.len && http_is(s.ptr[at], kind))
        at++;
    return at;
}

static inline char http_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The value of a hex digit, or -1. */
static inline int http_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char l = http_lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

#endif
