#include "text/transforms/transforms.h"

/* What a letter after a backslash stands for: itself unless it is one of the named ones. */
static char named(char c)
{
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return c;
    }
}

/* Four hexadecimal digits at r, -1 when they are not there. */
static int32_t unit_at(hg_slice in, size_t r)
{
    return in.len >= 4 && r <= in.len - 4 ? hg_hex_number((const uint8_t *)in.ptr + r, 4) : -1;
}

/* r is after the `u` of an escape. Moves it past what the escape takes. */
static char *decode_unit(hg_slice in, size_t *r, char *to)
{
    int32_t unit = unit_at(in, *r);
    if (unit < 0)
        return to;
    *r += 4;
    if (unit < 0xD800 || unit > 0xDBFF)
        return hg_write_raw(to, (uint32_t)unit);
    int32_t low = in.len - *r >= 6 && in.ptr[*r] == '\\' && in.ptr[*r + 1] == 'u' ? unit_at(in, *r + 2) : -1;
    if (low < 0)
        return hg_write_checked(to, (uint32_t)unit, 3);
    if (low < 0xDC00 || low > 0xDFFF)
        return to;
    *r += 6;
    return hg_write_raw(to, 0x10000 + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
}

/* r is after a backslash and not at the end. */
static char *decode_escape(hg_slice in, size_t *r, char *to)
{
    char c = in.ptr[(*r)++];
    if (c == 'u')
        return decode_unit(in, r, to);
    if (c != 'x') {
        *to = named(c);
        return to + 1;
    }
    int32_t byte = in.len - *r >= 2 ? hg_hex_number((const uint8_t *)in.ptr + *r, 2) : -1;
    if (byte < 0)
        return to;
    *r += 2;
    *to = (char)byte;
    return to + 1;
}

hg_transform_result hg_js_decode(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find_byte(in, 0, '\\');
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    while (r < in.len) {
        char c = in.ptr[r++];
        if (c == '\\' && r < in.len)
            to = decode_escape(in, &r, to);
        else
            *to++ = c;
    }
    return hg_changed(room, to, out);
}
