/* Base64 of RFC 4648, sections 4 and 5. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "hotgate/base.h"

typedef enum hg_b64_kind { HG_BASE64_STANDARD, HG_BASE64_URL } hg_b64_kind;

/* Bytes that encoding n bytes needs with padding. */
static inline size_t hg_b64_size(size_t n)
{
    return (n + 2) / 3 * 4;
}

/* Encodes to out (room: hg_b64_size(s.len)); the URL kind leaves padding out. Returns the bytes written. */
size_t hg_b64_encode(hg_slice s, hg_b64_kind kind, char *out);

/* Decodes strictly to out (room: s.len / 4 * 3 + 2): padding optional but right when there, no white space, no foreign
 * letter, unused bits zero. Returns the bytes written or -1. */
ptrdiff_t hg_b64_decode(hg_slice s, hg_b64_kind kind, char *out);

/* Value of one letter, or -1. */
int hg_b64_letter(char c, hg_b64_kind kind);

#endif
