#include "text/transforms/transforms.h"

hg_transform_result hg_compress_whitespace(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find(in, 0, HG_SLICE("  "));
    if (r == SIZE_MAX)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, ++r);
    for (; r < in.len; r++)
        if (in.ptr[r] != ' ' || in.ptr[r - 1] != ' ')
            *to++ = in.ptr[r];
    return hg_changed(room, to, out);
}
