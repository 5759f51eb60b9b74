/* The transformers of the table in text/transform.c, and what they share. Contract: hg_transform_fn. */
#ifndef HG_TEXT_TRANSFORMS_H
#define HG_TEXT_TRANSFORMS_H

#include "text/bytes.h"
#include "text/transform.h"

hg_transform_result hg_lowercase(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_remove_nulls(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_compress_whitespace(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_normalize_path(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_normalize_path_win(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_url_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_url_decode_iis(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_css_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_js_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_html_entity_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_base64_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_base64url_decode(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_base64_encode(hg_slice in, char *room, hg_slice *out);
size_t hg_base64_encode_room(hg_slice in);
hg_transform_result hg_shell_unescape(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_url_basename(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_url_path(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_url_querystring(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_remove_comments(hg_slice in, char *room, hg_slice *out);
hg_transform_result hg_unicode_normalize(hg_slice in, char *room, hg_slice *out);
size_t hg_unicode_normalize_room(hg_slice in);

/* Bytes of `in` before `count` come to stand in room; returns where writing goes on. */
static inline char *hg_keep_prefix(hg_slice in, char *room, size_t count)
{
    if (room != in.ptr)
        memcpy(room, in.ptr, count);
    return room + count;
}

static inline hg_transform_result hg_changed(const char *room, const char *end, hg_slice *out)
{
    *out = hg_slice_of(room, (size_t)(end - room));
    return HG_TRANSFORM_CHANGED;
}

#define HG_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* UTF-8 of a codepoint by value alone, surrogates too; nothing above 0x10FFFF. Returns the end of what it wrote. */
static inline char *hg_write_raw(char *to, uint32_t cp)
{
    if (cp < 0x80) {
        *to++ = (char)cp;
    } else if (cp < 0x800) {
        *to++ = (char)(0xC0 | cp >> 6);
        *to++ = (char)(0x80 | (cp & 0x3F));
    } else if (cp < 0x10000) {
        *to++ = (char)(0xE0 | cp >> 12);
        *to++ = (char)(0x80 | (cp >> 6 & 0x3F));
        *to++ = (char)(0x80 | (cp & 0x3F));
    } else if (cp <= 0x10FFFF) {
        *to++ = (char)(0xF0 | cp >> 18);
        *to++ = (char)(0x80 | (cp >> 12 & 0x3F));
        *to++ = (char)(0x80 | (cp >> 6 & 0x3F));
        *to++ = (char)(0x80 | (cp & 0x3F));
    }
    return to;
}

/* As hg_write_raw, but what is no character becomes U+FFFD where slack (bytes read so far minus bytes written)
 * leaves room for it, else nothing. */
static inline char *hg_write_checked(char *to, uint32_t cp, size_t slack)
{
    if (cp != 0 && (cp < 0xD800 || (cp > 0xDFFF && cp <= 0x10FFFF)))
        return hg_write_raw(to, cp);
    if (slack < 3)
        return to;
    memcpy(to, HG_REPLACEMENT, 3);
    return to + 3;
}

#endif
