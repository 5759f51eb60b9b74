#include "value/charset.h"

#include "base/utf.h"
#include "hotgate/memory.h"

#include <strings.h>

static bool is_named(hg_slice name, const char *label)
{
    return strlen(label) == name.len && strncasecmp(name.ptr, label, name.len) == 0;
}

hg_charset charset_named(hg_slice name, hg_charset otherwise)
{
    static const struct {
        const char *label;
        hg_charset charset;
    } labels[] = {
        {"utf-8", HG_CHARSET_UTF8},          {"utf8", HG_CHARSET_UTF8},
        {"us-ascii", HG_CHARSET_UTF8},       {"iso-8859-1", HG_CHARSET_LATIN1},
        {"latin1", HG_CHARSET_LATIN1},       {"iso8859-1", HG_CHARSET_LATIN1},
        {"l1", HG_CHARSET_LATIN1},           {"windows-1252", HG_CHARSET_WINDOWS_1252},
        {"cp1252", HG_CHARSET_WINDOWS_1252}, {"x-cp1252", HG_CHARSET_WINDOWS_1252},
    };
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (is_named(name, labels[i].label))
            return labels[i].charset;
    }
    return otherwise;
}

/* Code points of the bytes 0x80 to 0x9F (WHATWG index windows-1252). */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178};

static bool push_windows_1252(hg_encoder *e, hg_slice s, bool is_key)
{
    hg_buffer text = {.a = hg_pooled()};
    char *out = hg_buffer_reserve(&text, 3 * s.len + 1);
    if (out == NULL) {
        e->b.failed = true;
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        uint8_t c = (uint8_t)s.ptr[i];
        n += hg_utf8_encode(c >= 0x80 && c < 0xA0 ? windows_1252[c - 0x80] : c, out + n);
    }
    hg_slice utf8 = hg_slice_of(out, n);
    bool ok = is_key ? encoder_key_utf8(e, utf8, false) : encoder_utf8(e, utf8, false);
    hg_buffer_free(&text);
    return ok;
}

bool charset_push(hg_encoder *e, hg_slice s, hg_charset charset, bool borrow, bool is_key)
{
    if (charset == HG_CHARSET_UTF8 || hg_ascii_prefix(s) == s.len)
        return is_key ? encoder_key_utf8(e, s, borrow) : encoder_utf8(e, s, borrow);
    if (charset == HG_CHARSET_LATIN1)
        return is_key ? encoder_key_latin1(e, s) : encoder_latin1(e, s);
    return push_windows_1252(e, s, is_key);
}
