/* Escaping of text values. */
#include "net/log/escape.h"

static const char hex[] = "0123456789abcdef";

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '\\';
}

/* Length of the valid UTF-8 sequence at s (RFC 3629), 0 when there is none. */
static size_t utf8_length(hg_slice s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t len = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (len == 0 || s.len < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static bool is_utf8(hg_slice s)
{
    while (s.len > 0) {
        size_t n = (unsigned char)s.ptr[0] < 0x80 ? 1 : utf8_length(s);
        if (n == 0)
            return false;
        s = hg_slice_skip(s, n);
    }
    return true;
}

static void escape_octet(log_text *text, unsigned char c)
{
    const char out[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
    log_text_add(text, out, 4);
}

void log_escape_tsv(log_text *text, hg_slice value, bool in_list)
{
    bool utf8 = is_utf8(value);
    size_t at = 0;
    while (at < value.len) {
        size_t from = at;
        while (at < value.len) {
            unsigned char c = (unsigned char)value.ptr[at];
            if (!(is_plain(c) || (c >= 0x80 && utf8)) || (in_list && c == ','))
                break;
            at++;
        }
        log_text_add(text, value.ptr + from, at - from);
        if (at == value.len)
            return;
        if (value.ptr[at] == '\\')
            log_text_add(text, "\\\\", 2);
        else
            escape_octet(text, (unsigned char)value.ptr[at]);
        at++;
    }
}

static void escape_json_octet(log_text *text, unsigned char c)
{
    static const struct {
        char octet, letter;
    } short_forms[] = {{'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}, {'\b', 'b'}, {'\f', 'f'}, {'"', '"'}, {'\\', '\\'}};
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++)
        if (c == (unsigned char)short_forms[i].octet) {
            const char out[2] = {'\\', short_forms[i].letter};
            log_text_add(text, out, 2);
            return;
        }
    log_text_add(text, "\\", 1);
    escape_octet(text, c);
}

void log_escape_json(log_text *text, hg_slice value)
{
    bool utf8 = is_utf8(value);
    size_t at = 0;
    while (at < value.len) {
        size_t from = at;
        while (at < value.len) {
            unsigned char c = (unsigned char)value.ptr[at];
            if (!((is_plain(c) && c != '"') || (c >= 0x80 && utf8)))
                break;
            at++;
        }
        log_text_add(text, value.ptr + from, at - from);
        if (at == value.len)
            return;
        escape_json_octet(text, (unsigned char)value.ptr[at++]);
    }
}
