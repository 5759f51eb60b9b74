#include "text/transforms/transforms.h"

hg_transform_result hg_lowercase(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && !hg_is_upper((uint8_t)in.ptr[r]))
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    hg_keep_prefix(in, room, r);
    for (; r < in.len; r++)
        room[r] = (char)hg_to_lower((uint8_t)in.ptr[r]);
    return hg_changed(room, room + in.len, out);
}
