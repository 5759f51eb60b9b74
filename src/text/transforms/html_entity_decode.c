#include "text/transforms/transforms.h"

typedef struct cursor {
    hg_slice in;
    size_t r;
    char *room;
    char *to;
} cursor;

/* Digits from c->r on as a codepoint. Above the last one the value stays put; the digits are read all the same. */
static uint32_t read_number(cursor *c, unsigned base)
{
    uint32_t cp = 0;
    for (; c->r < c->in.len; c->r++) {
        uint8_t byte = (uint8_t)c->in.ptr[c->r];
        int digit = base == 16 || hg_is_digit(byte) ? hg_hex_value(byte) : -1;
        if (digit < 0)
            break;
        if (cp <= 0x10FFFF)
            cp = cp * base + (uint32_t)digit;
    }
    return cp;
}

/* c->r is at "&#". False when no number follows. */
static bool decode_number(cursor *c)
{
    size_t digits = c->r + 2;
    unsigned base = 10;
    if (digits < c->in.len && (c->in.ptr[digits] | 0x20) == 'x') {
        digits++;
        base = 16;
    }
    if (digits >= c->in.len)
        return false;
    uint8_t first = (uint8_t)c->in.ptr[digits];
    if (base == 16 ? !hg_is_hex(first) : !hg_is_digit(first))
        return false;
    c->r = digits;
    uint32_t cp = read_number(c, base);
    bool semicolon = c->r < c->in.len && c->in.ptr[c->r] == ';';
    c->r += semicolon;
    c->to = hg_write_checked(c->to, cp, c->r - (size_t)(c->to - c->room));
    return true;
}

/* c->r is at "&". False when no known name follows. */
static bool decode_name(cursor *c)
{
    static const struct {
        const char *name;
        uint8_t len;
        char byte;
    } names[] = {{"lt;", 3, '<'}, {"gt;", 3, '>'}, {"amp;", 4, '&'}, {"quot;", 5, '"'}, {"nbsp;", 5, (char)0xA0}};
    const char *at = c->in.ptr + c->r + 1;
    size_t left = c->in.len - c->r - 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = names[i].len;
        if (left < len)
            continue;
        size_t k = 0;
        while (k < len && (at[k] | 0x20) == (names[i].name[k] | 0x20))
            k++;
        if (k < len)
            continue;
        *c->to++ = names[i].byte;
        c->r += 1 + len;
        return true;
    }
    return false;
}

static void decode_entity(cursor *c)
{
    if (c->r + 1 < c->in.len) {
        if (c->in.ptr[c->r + 1] != '#') {
            if (decode_name(c))
                return;
        } else {
            if (decode_number(c))
                return;
            *c->to++ = c->in.ptr[c->r++];
        }
    }
    *c->to++ = c->in.ptr[c->r++];
}

hg_transform_result hg_html_entity_decode(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find_byte(in, 0, '&');
    if (in.len < 3 || r == in.len)
        return HG_TRANSFORM_SAME;
    cursor c = {in, r, room, hg_keep_prefix(in, room, r)};
    bool altered = false;
    while (c.r < in.len) {
        if (in.ptr[c.r] != '&') {
            *c.to++ = in.ptr[c.r++];
            continue;
        }
        size_t before = c.r;
        decode_entity(&c);
        altered |= c.r > before + 2;
    }
    size_t length = (size_t)(c.to - room);
    *out = hg_slice_of(room, length);
    if (length < in.len)
        return HG_TRANSFORM_CHANGED;
    /* A replacement as long as its escape is no change by itself, yet later transformers see it. */
    return altered ? HG_TRANSFORM_ALTERED : HG_TRANSFORM_SAME;
}
