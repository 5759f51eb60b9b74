#include "text/transforms/transforms.h"

/* 0-63, or 0xFF. The last two digits of the alphabet are its own. */
static inline uint8_t value_of(uint8_t c, char digit62, char digit63)
{
    if ((uint8_t)(c - 'A') < 26)
        return c - 'A';
    if ((uint8_t)(c - 'a') < 26)
        return c - 'a' + 26;
    if (hg_is_digit(c))
        return c - '0' + 52;
    return c == (uint8_t)digit62 ? 62 : c == (uint8_t)digit63 ? 63 : 0xFF;
}

/* The number of digits when `in` is digits and then as much padding as they may have, else SIZE_MAX. */
static size_t count_digits(hg_slice in, char digit62, char digit63)
{
    size_t n = 0;
    while (n < in.len && value_of((uint8_t)in.ptr[n], digit62, digit63) != 0xFF)
        n++;
    size_t padding = in.len - n;
    for (size_t i = n; i < in.len; i++)
        if (in.ptr[i] != '=')
            return SIZE_MAX;
    if (padding > 0 && (n % 4 == 1 || padding > 4 - n % 4))
        return SIZE_MAX;
    return n;
}

/* A last group of k digits. Zero bytes that only missing digits made are left out. */
static char *write_partial(char *to, const uint8_t bytes[3], size_t k)
{
    *to++ = (char)bytes[0];
    if (k >= 2 && (bytes[1] | bytes[2]) != 0)
        *to++ = (char)bytes[1];
    if (k == 3 && bytes[2] != 0)
        *to++ = (char)bytes[2];
    return to;
}

static hg_transform_result decode(hg_slice in, char *room, hg_slice *out, char digit62, char digit63)
{
    size_t n = count_digits(in, digit62, digit63);
    if (n == SIZE_MAX)
        return HG_TRANSFORM_SAME;
    char *to = room;
    for (size_t r = 0; r < n; r += 4) {
        size_t k = n - r < 4 ? n - r : 4;
        uint32_t group = 0;
        for (size_t i = 0; i < 4; i++)
            group = group << 6 | (i < k ? value_of((uint8_t)in.ptr[r + i], digit62, digit63) : 0);
        const uint8_t bytes[3] = {(uint8_t)(group >> 16), (uint8_t)(group >> 8), (uint8_t)group};
        if (k < 4) {
            to = write_partial(to, bytes, k);
            break;
        }
        memcpy(to, bytes, 3);
        to += 3;
    }
    return hg_changed(room, to, out);
}

hg_transform_result hg_base64_decode(hg_slice in, char *room, hg_slice *out)
{
    return decode(in, room, out, '+', '/');
}

hg_transform_result hg_base64url_decode(hg_slice in, char *room, hg_slice *out)
{
    return decode(in, room, out, '-', '_');
}
