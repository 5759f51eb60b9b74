/* UTF-8, UTF-16 and Latin-1 (Unicode 15 chapter 3.9; marshalling section 6). Ill-formed UTF-8 is counted and
 * replaced by maximal subparts, each lone surrogate by itself. Nothing outside the stated spans is read or
 * written. All CPU levels give identical results. */
#ifndef BASE_UTF_H
#define BASE_UTF_H

#include "hotgate/base.h"

enum { HG_REPLACEMENT = 0xFFFD, HG_CODE_POINT_MAX = 0x10FFFF };

/* What to do with text that is not well-formed. */
typedef enum hg_text_policy {
    HG_TEXT_REPLACE, /* U+FFFD */
    HG_TEXT_DROP,    /* nothing */
    HG_TEXT_KEEP     /* lone surrogates in their 3-byte form (WTF-8); UTF-8 bytes as they are */
} hg_text_policy;

typedef struct hg_transcoded {
    size_t read;     /* source units consumed */
    size_t written;  /* bytes (or units) produced */
    size_t replaced; /* ill-formed places met in what was read, whatever the policy */
} hg_transcoded;

/* Length of the code point at p (n > 0 bytes left) with its value in *cp; for an ill-formed place the length of
 * its maximal subpart (at least 1) with *cp = UINT32_MAX. */
size_t hg_utf8_decode(const char *p, size_t n, uint32_t *cp);

/* Writes a code point up to 0x10FFFF (surrogates too) in 1 to 4 bytes; returns how many. */
static inline size_t hg_utf8_encode(uint32_t cp, char *out)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 63));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 63));
        out[2] = (char)(0x80 | (cp & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 63));
    out[2] = (char)(0x80 | (cp >> 6 & 63));
    out[3] = (char)(0x80 | (cp & 63));
    return 4;
}

/* Bytes before the first ill-formed place; s.len when the text is valid. */
size_t hg_utf8_valid_prefix(hg_slice s);
static inline bool hg_utf8_valid(hg_slice s)
{
    return hg_utf8_valid_prefix(s) == s.len;
}

/* Bytes before the first one with the top bit set. */
size_t hg_ascii_prefix(hg_slice s);

/* Number of code points; ill-formed subparts count one each. */
size_t hg_utf8_count(hg_slice s);

/* The longest prefix of at most `max` bytes that does not split a code point of well-formed text. */
size_t hg_utf8_cut(hg_slice s, size_t max);

/* UTF-16 units that the text would take; ill-formed subparts count one each. */
size_t hg_utf8_utf16_length(hg_slice s);

/* Whether s is well-formed but for a code point at its end that lacks bytes. */
bool hg_utf8_is_cut(hg_slice s);

/* Copies s to out, ill-formed places by policy. Stops before a code point (or replacement) that does not fit in
 * `room` bytes. Room for 3 * s.len always suffices. */
hg_transcoded hg_utf8_copy(hg_slice s, char *out, size_t room, hg_text_policy policy);

/* UTF-16 in host order to UTF-8. Stops before what does not fit; room for 3 * n always suffices. */
hg_transcoded hg_utf16_to_utf8(const uint16_t *units, size_t n, char *out, size_t room, hg_text_policy policy);

/* Bytes that the above would write with the REPLACE policy. */
size_t hg_utf16_utf8_length(const uint16_t *units, size_t n);

/* Latin-1 to UTF-8. Room for 2 * s.len always suffices. */
hg_transcoded hg_latin1_to_utf8(hg_slice s, char *out, size_t room);
size_t hg_latin1_utf8_length(hg_slice s);

/* UTF-8 to UTF-16 in host order (ill-formed places become U+FFFD). Room for s.len units always suffices. */
hg_transcoded hg_utf8_to_utf16(hg_slice s, uint16_t *out, size_t room);

#endif
