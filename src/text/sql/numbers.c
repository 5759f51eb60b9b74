#include "text/sql/scan.h"

static bool is_binary(uint8_t c) { return c == '0' || c == '1'; }
static bool is_octal(uint8_t c) { return (uint8_t)(c - '0') < 8; }

/* The end of digits, with single underscores between them, at r; r when there are none. */
static size_t digits(const scan *s, size_t r, bool (*is)(uint8_t))
{
    size_t end = r;
    while (r < s->s.len && is((uint8_t)s->s.ptr[r])) {
        end = ++r;
        if (r < s->s.len && s->s.ptr[r] == '_')
            r++;
    }
    return end;
}

static bool is_decimal(uint8_t c) { return hg_is_digit(c); }
static bool is_hexadecimal(uint8_t c) { return hg_is_hex(c); }

static size_t with_prefix(const scan *s, size_t r)
{
    if (s->s.len - r < 3 || s->s.ptr[r] != '0')
        return 0;
    bool (*is)(uint8_t);
    switch (s->s.ptr[r + 1] | 0x20) {
    case 'x':
        is = is_hexadecimal;
        break;
    case 'b':
        is = is_binary;
        break;
    case 'o':
        is = is_octal;
        break;
    default:
        return 0;
    }
    size_t end = digits(s, r + 2, is);
    return end > r + 2 && hg_sql_boundary(s, end) ? end : 0;
}

/* The end of an exponent at r; r when there is none. */
static size_t exponent(const scan *s, size_t r)
{
    size_t at = r;
    if (at == s->s.len || (s->s.ptr[at] | 0x20) != 'e')
        return r;
    at++;
    if (at < s->s.len && (s->s.ptr[at] == '+' || s->s.ptr[at] == '-'))
        at++;
    size_t end = digits(s, at, is_decimal);
    return end > at ? end : r;
}

static size_t fraction(const scan *s, size_t r)
{
    if (r == s->s.len || s->s.ptr[r] != '.')
        return r;
    size_t end = digits(s, r + 1, is_decimal);
    return end > r + 1 ? end : r;
}

/* The longest form that ends at a boundary: with exponent, without, without fraction. */
static size_t decimal(scan *s, size_t begin)
{
    size_t r = begin;
    if (s->s.ptr[r] == '+' || s->s.ptr[r] == '-')
        r++;
    if (r < s->no_decimal_before)
        return 0;
    size_t whole = digits(s, r, is_decimal);
    if (whole == r)
        return 0;
    size_t point = fraction(s, whole);
    size_t ends[] = {exponent(s, point), point, whole};
    for (int i = 0; i < 3; i++)
        if (hg_sql_boundary(s, ends[i]))
            return ends[i];
    s->no_decimal_before = whole; /* whatever digit of them one starts from */
    return 0;
}

size_t hg_sql_number(scan *s, size_t begin)
{
    size_t end = with_prefix(s, begin);
    return end > 0 ? end : decimal(s, begin);
}
