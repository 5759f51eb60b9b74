#include "text/transforms/transforms.h"

/* The digits at r (r < in.len, a digit is there) as a codepoint; moves r past them and past one space byte. *slack is
 * what lies between the cursors once the digits are read. */
static uint32_t read_codepoint(hg_slice in, size_t *r)
{
    uint32_t cp = 0;
    for (int i = 0; i < 6 && *r < in.len; i++) {
        int digit = hg_hex_value((uint8_t)in.ptr[*r]);
        if (digit < 0)
            break;
        cp = cp << 4 | (uint32_t)digit;
        ++*r;
    }
    return cp;
}

hg_transform_result hg_css_decode(hg_slice in, char *room, hg_slice *out)
{
    size_t r = hg_find_byte(in, 0, '\\');
    if (r == in.len)
        return HG_TRANSFORM_SAME;
    char *to = hg_keep_prefix(in, room, r);
    while (r < in.len) {
        char c = in.ptr[r++];
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        if (r == in.len)
            break;
        if (!hg_is_hex((uint8_t)in.ptr[r])) {
            if (in.ptr[r] != '\n')
                *to++ = in.ptr[r];
            r++;
            continue;
        }
        uint32_t cp = read_codepoint(in, &r);
        bool swallow = r < in.len && hg_is_space((uint8_t)in.ptr[r]);
        to = hg_write_checked(to, cp, r - (size_t)(to - room));
        r += swallow;
    }
    return hg_changed(room, to, out);
}
