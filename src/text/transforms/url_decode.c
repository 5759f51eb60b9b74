#include "text/transforms/transforms.h"

/* The byte that an escape at r stands for, -1 when there is none. */
static int escape_at(hg_slice in, size_t r)
{
    if (in.len - r < 3 || in.ptr[r] != '%')
        return -1;
    return hg_hex_number((const uint8_t *)in.ptr + r + 1, 2);
}

hg_transform_result hg_url_decode(hg_slice in, char *room, hg_slice *out)
{
    size_t r = 0;
    while (r < in.len && in.ptr[r] != '+' && escape_at(in, r) < 0)
        r++;
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    while (r < in.len) {
        int byte = escape_at(in, r);
        if (byte >= 0) {
            *to++ = (char)byte;
            r += 3;
            continue;
        }
        *to++ = in.ptr[r] == '+' ? ' ' : in.ptr[r];
        r++;
    }
    return hg_changed(room, to, out);
}
