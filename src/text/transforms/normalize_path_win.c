#include "text/transforms/transforms.h"

hg_transform_result hg_normalize_path_win(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find_byte(in, 0, '\\');
    if (r == in.len)
        return hg_normalize_path(in, room, out);
    hg_keep_prefix(in, room, r);
    for (; r < in.len; r++)
        room[r] = in.ptr[r] == '\\' ? '/' : in.ptr[r];
    hg_slice slashed = hg_slice_of(room, in.len);
    if (hg_normalize_path(slashed, room, out) == HG_TRANSFORM_SAME)
        *out = slashed;
    return HG_TRANSFORM_CHANGED;
}
