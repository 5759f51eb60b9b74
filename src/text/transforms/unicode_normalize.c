/* Compatibility decomposition, accents and invisible characters dropped, case kept. The work of a codepoint was done
 * when unicode_table.c was written; only Hangul syllables are taken apart here. */
#include "text/transforms/transforms.h"

#include "text/transforms/unicode_table.h"
#include "text/utf8.h"

enum { TEXT_SELF = 0, HANGUL_FIRST = 0xAC00, HANGUL_LAST = 0xD7A3 };

static inline uint16_t text_of(uint32_t cp)
{
    return hg_unicode_pages[hg_unicode_page_of[cp >> HG_UNICODE_PAGE_BITS]][cp % HG_UNICODE_PAGE];
}

static inline bool is_hangul(uint32_t cp)
{
    return cp >= HANGUL_FIRST && cp <= HANGUL_LAST;
}

/* Codepoints of ASCII and broken bytes trigger nothing. */
static bool triggers(hg_slice in)
{
    for (size_t r = 0; r < in.len;) {
        if ((uint8_t)in.ptr[r] < 0x80) {
            r++;
            continue;
        }
        uint32_t cp;
        r += hg_utf8_lenient(in, r, &cp);
        if (cp == HG_UTF8_INVALID || cp < 0x80)
            continue;
        if (cp > 0x10FFFF || is_hangul(cp) || text_of(cp) != TEXT_SELF)
            return true;
    }
    return false;
}

/* Arithmetic of the Unicode standard, section 3.12. */
static char *write_jamo(char *to, uint32_t cp)
{
    uint32_t index = cp - HANGUL_FIRST;
    to = hg_write_raw(to, 0x1100 + index / 588);
    to = hg_write_raw(to, 0x1161 + index % 588 / 28);
    return index % 28 ? hg_write_raw(to, 0x11A7 + index % 28) : to;
}

/* Writes what one codepoint becomes to `to`, which has 64 bytes left, or only counts when `to` is NULL. */
static size_t write_one(char *to, uint32_t cp)
{
    char spare[16];
    if (cp > 0x10FFFF)
        return 0;
    char *at = to ? to : spare;
    if (is_hangul(cp))
        return (size_t)(write_jamo(at, cp) - at);
    uint16_t text = text_of(cp);
    if (text == TEXT_SELF)
        return (size_t)(hg_write_checked(at, cp, 4) - at);
    size_t begin = hg_unicode_starts[text - 1];
    size_t len = hg_unicode_starts[text] - begin;
    if (to)
        memcpy(to, hg_unicode_texts + begin, len);
    return len;
}

static size_t rewrite(hg_slice in, char *to)
{
    size_t length = 0;
    for (size_t r = 0; r < in.len;) {
        uint32_t cp;
        r += hg_utf8_lenient(in, r, &cp);
        if (cp != HG_UTF8_INVALID)
            length += write_one(to ? to + length : NULL, cp);
    }
    return length;
}

size_t hg_unicode_normalize_room(hg_slice in)
{
    /* One more, since the result may be empty and 0 means that there is none. */
    return triggers(in) ? rewrite(in, NULL) + 1 : 0;
}

hg_transform_result hg_unicode_normalize(hg_slice in, char *room, hg_slice *out)
{
    if (!triggers(in))
        return HG_TRANSFORM_SAME;
    return hg_changed(room, room + rewrite(in, room), out);
}
