/* Code points, escapes, properties and bracket classes of a pattern; the wording of refusals. */
#include "regex/parse.h"

#include <stdio.h>

void rx_refuse(hg_regex_error *error, hg_regex_code code, hg_slice argument)
{
    static const char *const wording[] = {
        [HG_REGEX_OK] = "out of memory",
        [HG_REGEX_BAD_ESCAPE] = "invalid escape sequence",
        [HG_REGEX_BAD_CHAR_RANGE] = "invalid character class range",
        [HG_REGEX_MISSING_BRACKET] = "missing ]",
        [HG_REGEX_MISSING_PAREN] = "missing )",
        [HG_REGEX_UNEXPECTED_PAREN] = "unexpected )",
        [HG_REGEX_TRAILING_BACKSLASH] = "trailing \\",
        [HG_REGEX_REPEAT_ARGUMENT] = "no argument for repetition operator",
        [HG_REGEX_REPEAT_SIZE] = "invalid repetition size",
        [HG_REGEX_REPEAT_OP] = "bad repetition operator",
        [HG_REGEX_BAD_PERL_OP] = "invalid perl operator",
        [HG_REGEX_BAD_UTF8] = "invalid UTF-8",
        [HG_REGEX_BAD_NAMED_CAPTURE] = "invalid named capture group",
        [HG_REGEX_TOO_LARGE] = "pattern too large - compile failed",
    };
    if (error == NULL)
        return;
    error->status = code == HG_REGEX_OK ? HG_ERR_NOMEM : code == HG_REGEX_TOO_LARGE ? HG_ERR_LIMIT : HG_ERR_SYNTAX;
    error->code = code;
    error->argument = argument;
    snprintf(error->message, sizeof error->message, "%s", wording[code]);
}

bool rx_parse_fail(rx_parser *p, hg_regex_code code, hg_slice argument)
{
    rx_refuse(p->error, code, argument);
    return false;
}

bool rx_parse_nomem(rx_parser *p)
{
    return rx_parse_fail(p, HG_REGEX_OK, (hg_slice){NULL, 0});
}

size_t rx_decode(hg_slice s, uint32_t *code)
{
    if (s.len == 0)
        return 0;
    const unsigned char *b = (const unsigned char *)s.ptr;
    if (b[0] < 0x80) {
        *code = b[0];
        return 1;
    }
    size_t len = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4 || s.len < len)
        return 0;
    uint32_t c = b[0] & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (b[i] & 0x3F);
    }
    if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > RX_MAX_CODE)))
        return 0;
    *code = c;
    return len;
}

bool rx_valid_utf8(hg_slice s)
{
    while (s.len > 0) {
        uint32_t code;
        size_t len = rx_decode(s, &code);
        if (len == 0)
            return false;
        s = hg_slice_skip(s, len);
    }
    return true;
}

bool rx_next_code(rx_parser *p, uint32_t *code)
{
    size_t len = rx_decode(rx_rest(p), code);
    if (len == 0)
        return rx_parse_fail(p, HG_REGEX_BAD_UTF8, (hg_slice){NULL, 0});
    p->at += len;
    return true;
}

static int hex_value(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)c - '0';
    if (c >= 'a' && c <= 'f')
        return (int)c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return (int)c - 'A' + 10;
    return -1;
}

static bool at_end(const rx_parser *p)
{
    return p->at == p->pattern.len;
}

static bool is_octal(const rx_parser *p)
{
    return !at_end(p) && p->pattern.ptr[p->at] >= '0' && p->pattern.ptr[p->at] <= '7';
}

/* Up to two octal digits more. */
static uint32_t read_octal(rx_parser *p, uint32_t code)
{
    for (int i = 0; i < 2 && is_octal(p); i++)
        code = code * 8 + (uint32_t)(p->pattern.ptr[p->at++] - '0');
    return code;
}

typedef enum escape_result { ESCAPE_OK, ESCAPE_BAD, ESCAPE_FAILED } escape_result;

static escape_result read_braced_hex(rx_parser *p, uint32_t *code)
{
    uint32_t c, value = 0;
    if (!rx_next_code(p, &c))
        return ESCAPE_FAILED;
    size_t digits = 0;
    for (; hex_value(c) >= 0; digits++) {
        value = value * 16 + (uint32_t)hex_value(c);
        if (value > RX_MAX_CODE || at_end(p))
            return ESCAPE_BAD;
        if (!rx_next_code(p, &c))
            return ESCAPE_FAILED;
    }
    *code = value;
    return c == '}' && digits > 0 ? ESCAPE_OK : ESCAPE_BAD;
}

static escape_result read_hex(rx_parser *p, uint32_t *code)
{
    uint32_t high, low;
    if (at_end(p))
        return ESCAPE_BAD;
    if (!rx_next_code(p, &high))
        return ESCAPE_FAILED;
    if (high == '{')
        return read_braced_hex(p, code);
    if (at_end(p))
        return ESCAPE_BAD;
    if (!rx_next_code(p, &low))
        return ESCAPE_FAILED;
    if (hex_value(high) < 0 || hex_value(low) < 0)
        return ESCAPE_BAD;
    *code = (uint32_t)(hex_value(high) * 16 + hex_value(low));
    return ESCAPE_OK;
}

static escape_result read_after_backslash(rx_parser *p, uint32_t *code)
{
    static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
    uint32_t c;
    if (!rx_next_code(p, &c))
        return ESCAPE_FAILED;
    *code = c;
    if (c >= 0x80)
        return ESCAPE_BAD;
    if (!rx_is_word(c) || c == '_')
        return ESCAPE_OK;
    if (c == 'x')
        return read_hex(p, code);
    if (c >= '0' && c <= '7') {
        if (c != '0' && !is_octal(p))
            return ESCAPE_BAD;
        *code = read_octal(p, c - '0');
        return ESCAPE_OK;
    }
    const char *named = strchr(names, (int)c);
    if (named == NULL)
        return ESCAPE_BAD;
    *code = (uint32_t)values[named - names];
    return ESCAPE_OK;
}

bool rx_read_escape(rx_parser *p, uint32_t *code)
{
    size_t begin = p->at++;
    if (at_end(p))
        return rx_parse_fail(p, HG_REGEX_TRAILING_BACKSLASH, (hg_slice){NULL, 0});
    escape_result result = read_after_backslash(p, code);
    if (result == ESCAPE_BAD)
        return rx_parse_fail(p, HG_REGEX_BAD_ESCAPE, rx_since(p, begin));
    return result == ESCAPE_OK;
}

/* The name between the braces, or the one code point after p. An undecodable byte makes an empty name. */
static bool read_property_name(rx_parser *p, size_t begin, hg_slice *name)
{
    uint32_t c = 0;
    size_t len = rx_decode(rx_rest(p), &c);
    *name = hg_slice_take(rx_rest(p), len);
    p->at += len;
    if (c != '{')
        return true;
    hg_slice rest = rx_rest(p);
    const char *end = memchr(rest.ptr, '}', rest.len);
    if (end == NULL) {
        hg_slice all = hg_slice_skip(p->pattern, begin);
        if (!rx_valid_utf8(all))
            return rx_parse_fail(p, HG_REGEX_BAD_UTF8, (hg_slice){NULL, 0});
        return rx_parse_fail(p, HG_REGEX_BAD_CHAR_RANGE, all);
    }
    *name = hg_slice_take(rest, (size_t)(end - rest.ptr));
    p->at += name->len + 1;
    return rx_valid_utf8(*name) || rx_parse_fail(p, HG_REGEX_BAD_UTF8, (hg_slice){NULL, 0});
}

bool rx_read_property(rx_parser *p)
{
    size_t begin = p->at;
    bool negated = p->pattern.ptr[begin + 1] == 'P';
    p->at += 2;
    hg_slice name;
    if (!read_property_name(p, begin, &name))
        return false;
    if (name.len > 0 && name.ptr[0] == '^') {
        negated = !negated;
        name = hg_slice_skip(name, 1);
    }
    rx_class_builder part = {0};
    bool known = rx_unicode_add(&part, name, (p->flags & RX_FOLD) != 0);
    if (negated)
        rx_class_negate(&part);
    rx_class_add_all(&p->builder, &part);
    rx_class_close(&part);
    return known || rx_parse_fail(p, HG_REGEX_BAD_CHAR_RANGE, rx_since(p, begin));
}

/* [:name:] inside a class. *taken false: the bracket is a plain character. */
static bool read_posix(rx_parser *p, bool *taken)
{
    hg_slice rest = rx_rest(p);
    *taken = false;
    if (rest.len < 3 || rest.ptr[0] != '[' || rest.ptr[1] != ':')
        return true;
    const char *end = memmem(rest.ptr + 2, rest.len - 2, ":]", 2);
    if (end == NULL)
        return true;
    hg_slice written = hg_slice_of(rest.ptr, (size_t)(end + 2 - rest.ptr));
    if (!rx_class_add_posix(&p->builder, written, (p->flags & RX_FOLD) != 0))
        return rx_parse_fail(p, HG_REGEX_BAD_CHAR_RANGE, written);
    p->at += written.len;
    *taken = true;
    return true;
}

static bool read_class_char(rx_parser *p, uint32_t *code)
{
    return p->pattern.ptr[p->at] == '\\' ? rx_read_escape(p, code) : rx_next_code(p, code);
}

static bool read_class_range(rx_parser *p)
{
    size_t begin = p->at;
    uint32_t lo, hi;
    if (!read_class_char(p, &lo))
        return false;
    hi = lo;
    hg_slice rest = rx_rest(p);
    if (rest.len >= 2 && rest.ptr[0] == '-' && rest.ptr[1] != ']') {
        p->at++;
        if (!read_class_char(p, &hi))
            return false;
        if (hi < lo)
            return rx_parse_fail(p, HG_REGEX_BAD_CHAR_RANGE, rx_since(p, begin));
    }
    rx_class_add_fold(&p->builder, lo, hi, (p->flags & RX_FOLD) != 0);
    return true;
}

static bool read_class_item(rx_parser *p)
{
    bool taken;
    if (!read_posix(p, &taken))
        return false;
    if (taken)
        return true;
    hg_slice rest = rx_rest(p);
    if (rest.ptr[0] == '\\' && rest.len > 2 && (rest.ptr[1] == 'p' || rest.ptr[1] == 'P'))
        return rx_read_property(p);
    if (rest.ptr[0] == '\\' && rest.len >= 2 && strchr("dDsSwW", rest.ptr[1]) != NULL && rest.ptr[1] != 0) {
        rx_class_add_perl(&p->builder, rest.ptr[1], (p->flags & RX_FOLD) != 0);
        p->at += 2;
        return true;
    }
    return read_class_range(p);
}

bool rx_read_class(rx_parser *p)
{
    size_t begin = p->at++;
    bool negated = !at_end(p) && p->pattern.ptr[p->at] == '^';
    if (negated)
        p->at++;
    for (size_t first = p->at; !at_end(p) && (p->pattern.ptr[p->at] != ']' || p->at == first);) {
        if (!read_class_item(p))
            return false;
    }
    if (at_end(p))
        return rx_parse_fail(p, HG_REGEX_MISSING_BRACKET, hg_slice_skip(p->pattern, begin));
    p->at++;
    if (negated)
        rx_class_negate(&p->builder);
    return true;
}
