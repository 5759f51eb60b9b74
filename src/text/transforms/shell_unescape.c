#include "text/transforms/transforms.h"

static inline bool is_dropped(uint8_t c)
{
    return c == '\\' || c == '"' || c == '\'' || c == '^';
}

/* Before one of these a separator is dropped. */
static inline bool is_glue(uint8_t c)
{
    return hg_is_space(c) || c == ',' || c == ';' || c == '(' || c == '/';
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

hg_transform_result hg_shell_unescape(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && !is_trigger(in, r))
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    for (; r < in.len; r++) {
        uint8_t c = (uint8_t)in.ptr[r];
        if (is_dropped(c))
            continue;
        if (hg_is_space(c) || c == ',' || c == ';') {
            if (r + 1 == in.len || !is_glue((uint8_t)in.ptr[r + 1]))
                *to++ = ' ';
            continue;
        }
        *to++ = (char)hg_to_lower(c);
    }
    return hg_changed(room, to, out);
}
