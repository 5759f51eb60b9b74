#include "text/transforms/transforms.h"

size_t hg_base64_encode_room(hg_slice in)
{
    return (in.len + 2) / 3 * 4;
}

hg_transform_result hg_base64_encode(hg_slice in, char *room, hg_slice *out)
{
    /* Digit 63 is "-" here, not "/": what rules are written against. */
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    char *to = room;
    for (size_t r = 0; r < in.len; r += 3) {
        size_t k = in.len - r < 3 ? in.len - r : 3;
        uint32_t group = 0;
        for (size_t i = 0; i < 3; i++)
            group = group << 8 | (i < k ? (uint8_t)in.ptr[r + i] : 0);
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = k > 1 ? digits[group >> 6 & 63] : '=';
        *to++ = k > 2 ? digits[group & 63] : '=';
    }
    return hg_changed(room, to, out);
}
