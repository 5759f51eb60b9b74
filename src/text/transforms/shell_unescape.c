#include "text/block.h"
#include "text/transforms/transforms.h"

enum { DROPPED = 1, SEPARATOR = 2, GLUE = 4 }; /* before GLUE a separator is dropped */

#define IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define IS_SEPARATOR(c) (IN(c, '\t', '\r') || (c) == ' ' || (c) == ',' || (c) == ';')
#define CLASS(c)                                                                                                     \
    (((c) == '\\' || (c) == '"' || (c) == '\'' || (c) == '^' ? DROPPED : 0) |                                        \
     (IS_SEPARATOR(c) ? SEPARATOR | GLUE : (c) == '(' || (c) == '/' ? GLUE : 0))
#define WRITTEN(c) (IS_SEPARATOR(c) ? ' ' : IN(c, 'A', 'Z') ? (c) + 32 : (c))

#define ROW1(c) {CLASS(c), (uint8_t)(WRITTEN(c))},
#define ROW4(c) ROW1(c) ROW1((c) + 1) ROW1((c) + 2) ROW1((c) + 3)
#define ROW16(c) ROW4(c) ROW4((c) + 4) ROW4((c) + 8) ROW4((c) + 12)
#define ROW64(c) ROW16(c) ROW16((c) + 16) ROW16((c) + 32) ROW16((c) + 48)

static const struct {
    uint8_t class;
    uint8_t written;
} bytes[256] = {ROW64(0) ROW64(64) ROW64(128) ROW64(192)};

static inline unsigned class_at(hg_slice in, size_t r)
{
    return bytes[(uint8_t)in.ptr[r]].class;
}

static inline bool is_trigger(hg_slice in, size_t r)
{
    uint8_t c = (uint8_t)in.ptr[r];
    if (class_at(in, r) == DROPPED || hg_is_upper(c))
        return true;
    if (r + 1 == in.len || !(class_at(in, r) & SEPARATOR))
        return false;
    return c == ',' || c == ';' || (class_at(in, r + 1) & GLUE);
}

/* The byte at r is written whether it stays or not, and then only stepped over if it does: no branch to guess. */
static inline char *rewrite_byte(hg_slice in, size_t r, unsigned next, char *to)
{
    unsigned class = class_at(in, r);
    *to = (char)bytes[(uint8_t)in.ptr[r]].written;
    return to + !((class & DROPPED) | ((class & SEPARATOR) << 1 & next));
}

static inline hg_block separators(hg_block b)
{
    return hg_block_is(b, ' ') | hg_block_in(b, '\t', 5) | hg_block_is(b, ',') | hg_block_is(b, ';');
}

/* Writes a block in which nothing is dropped; false: something is. `after` is the block one byte further on. */
static bool rewrite_block(hg_block b, hg_block after, char *to)
{
    hg_block separator = separators(b);
    hg_block glue = separators(after) | hg_block_is(after, '(') | hg_block_is(after, '/');
    hg_block dropped = hg_block_is(b, '\\') | hg_block_is(b, '"') | hg_block_is(b, '\'') | hg_block_is(b, '^');
    if (hg_block_any(dropped | (separator & glue)))
        return false;
    hg_block lower = b | (hg_block_in(b, 'A', 26) & 0x20);
    hg_block_store(to, (lower & ~separator) | (separator & ' '));
    return true;
}

hg_transform_result hg_shell_unescape(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && !is_trigger(in, r))
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    /* A block written in place may run into what is still to be read, but only by bytes that have been read. */
    while (in.len - r > HG_BLOCK) {
        hg_block b = hg_block_load(in.ptr + r);
        if (rewrite_block(b, hg_block_load(in.ptr + r + 1), to)) {
            r += HG_BLOCK;
            to += HG_BLOCK;
            continue;
        }
        for (size_t end = r + HG_BLOCK; r < end; r++)
            to = rewrite_byte(in, r, class_at(in, r + 1), to);
    }
    for (; r < in.len; r++)
        to = rewrite_byte(in, r, r + 1 < in.len ? class_at(in, r + 1) : 0, to);
    return hg_changed(room, to, out);
}
