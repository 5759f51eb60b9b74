/* Decoding passes repeated until one changes nothing: escapes never overlap, so the order of decoding does not matter
 * and one pass does it. The output is a stack: whenever its top spells an escape, the escape is replaced, and the
 * bytes it stands for are pushed in turn. Every replacement shrinks the whole, so the time is linear. */
#include "text/block.h"
#include "text/transforms/transforms.h"

/* %HH at the top of the output: its byte, else -1. */
static int byte_escape(const uint8_t *begin, const uint8_t *end)
{
    return end - begin >= 3 && end[-3] == '%' ? hg_hex_number(end - 2, 2) : -1;
}

/* %uHHHH at the top: its codepoint, else -1. */
static int32_t wide_escape(const uint8_t *begin, const uint8_t *end)
{
    if (end - begin < 6 || end[-6] != '%' || (end[-5] | 0x20) != 'u')
        return -1;
    return hg_hex_number(end - 4, 4);
}

static uint8_t *push(const uint8_t *begin, uint8_t *end, uint8_t byte)
{
    for (;;) {
        *end++ = byte == '+' ? ' ' : byte;
        if (!hg_is_hex(byte))
            return end;
        int value = byte_escape(begin, end);
        if (value >= 0) {
            end -= 3;
            byte = (uint8_t)value;
            continue;
        }
        value = wide_escape(begin, end);
        if (value < 0)
            return end;
        end -= 6;
        if (value >= 0x80)
            return (uint8_t *)hg_write_checked((char *)end, (uint32_t)value, 6);
        byte = (uint8_t)value;
    }
}

/* Copies a block in which no escape can end: it has no percent sign, and none waits in what an escape reaches back to. */
static bool copy_block(const uint8_t *begin, uint8_t *end, const char *from)
{
    enum { REACH = 5 };
    const hg_block b = hg_block_load(from), plus = hg_block_is(b, '+');
    const uint8_t *reach = end - begin < REACH ? begin : end - REACH;
    if (hg_block_any(hg_block_is(b, '%')) || memchr(reach, '%', (size_t)(end - reach)) != NULL)
        return false;
    hg_block_store((char *)end, (b & ~plus) | (plus & ' '));
    return true;
}

/* The first byte of `in` that is a plus sign or starts an escape. */
static size_t first_escape(hg_slice in)
{
    for (size_t r = 0; r < in.len; r++) {
        if (in.ptr[r] == '+')
            return r;
        if (in.ptr[r] != '%')
            continue;
        const uint8_t *p = (const uint8_t *)in.ptr + r;
        size_t left = in.len - r;
        if (left >= 3 && hg_hex_number(p + 1, 2) >= 0)
            return r;
        if (left >= 6 && (p[1] | 0x20) == 'u' && hg_hex_number(p + 2, 4) >= 0)
            return r;
    }
    return in.len;
}

hg_transform_result hg_url_decode_iis(hg_slice in, char *room, hg_slice *out)
{
    size_t r = first_escape(in);
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    const uint8_t *begin = (uint8_t *)room;
    uint8_t *end = (uint8_t *)hg_keep_prefix(in, room, r);
    /* Blocks may be written in place: what they cover has been read. */
    while (r < in.len) {
        if (in.len - r >= HG_BLOCK && copy_block(begin, end, in.ptr + r)) {
            end += HG_BLOCK;
            r += HG_BLOCK;
            continue;
        }
        for (size_t stop = in.len - r < HG_BLOCK ? in.len : r + HG_BLOCK; r < stop; r++)
            end = push(begin, end, (uint8_t)in.ptr[r]);
    }
    return hg_changed(room, (char *)end, out);
}
