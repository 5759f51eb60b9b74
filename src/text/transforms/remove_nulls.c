#include "text/transforms/transforms.h"

hg_transform_result hg_remove_nulls(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find_byte(in, 0, 0);
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    for (; r < in.len; r++)
        if (in.ptr[r] != 0)
            *to++ = in.ptr[r];
    return hg_changed(room, to, out);
}
