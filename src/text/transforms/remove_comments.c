#include "text/transforms/transforms.h"

static inline bool may_open(char c)
{
    return c == '-' || c == '/' || c == '#' || c == '<';
}

/* The end of the comment that starts at r, or r itself when none does. */
static size_t comment_end(hg_slice in, size_t r)
{
    hg_slice rest = hg_slice_skip(in, r);
    hg_slice closer;
    size_t opener;
    if (hg_starts_with(rest, HG_SLICE("<!--"))) {
        closer = HG_SLICE("-->");
        opener = 4;
    } else if (hg_starts_with(rest, HG_SLICE("/*"))) {
        closer = HG_SLICE("*/");
        opener = 2;
    } else if (in.ptr[r] == '#' || hg_starts_with(rest, HG_SLICE("--")) || hg_starts_with(rest, HG_SLICE("//"))) {
        return in.len;
    } else {
        return r;
    }
    size_t end = hg_find(in, r + opener, closer);
    return end == SIZE_MAX ? in.len : end + closer.len;
}

hg_transform_result hg_remove_comments(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && (!may_open(in.ptr[r]) || comment_end(in, r) == r))
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    while (r < in.len) {
        size_t end = may_open(in.ptr[r]) ? comment_end(in, r) : r;
        if (end == r)
            *to++ = in.ptr[end++];
        r = end;
    }
    return hg_changed(room, to, out);
}
