#include "text/block.h"
#include "text/transforms/transforms.h"

static inline bool is_dropped(uint8_t c)
{
    return c == '\\' || c == '"' || c == '\'' || c == '^';
}

static inline bool is_separator(uint8_t c)
{
    return hg_is_space(c) || c == ',' || c == ';';
}

/* Before one of these a separator is dropped. */
static inline bool is_glue(uint8_t c)
{
    return is_separator(c) || c == '(' || c == '/';
}

static inline bool is_trigger(hg_slice in, size_t r)
{
    uint8_t c = (uint8_t)in.ptr[r];
    if (is_dropped(c) || hg_is_upper(c))
        return true;
    if (r + 1 == in.len)
        return false;
    return c == ',' || c == ';' || (hg_is_space(c) && is_glue((uint8_t)in.ptr[r + 1]));
}

static char *rewrite_byte(hg_slice in, size_t r, char *to)
{
    uint8_t c = (uint8_t)in.ptr[r];
    if (is_dropped(c))
        return to;
    if (!is_separator(c)) {
        *to = (char)hg_to_lower(c);
        return to + 1;
    }
    if (r + 1 < in.len && is_glue((uint8_t)in.ptr[r + 1]))
        return to;
    *to = ' ';
    return to + 1;
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
            to = rewrite_byte(in, r, to);
    }
    for (; r < in.len; r++)
        to = rewrite_byte(in, r, to);
    return hg_changed(room, to, out);
}
