#include "base/percent.h"

bool hg_percent_needed(hg_slice s, bool plus)
{
    if (s.len == 0)
        return false;
    return memchr(s.ptr, '%', s.len) != NULL || (plus && memchr(s.ptr, '+', s.len) != NULL);
}

size_t hg_percent_decode(hg_slice s, bool plus, char *out)
{
    char *to = out;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '%' && s.len - i > 2) {
            int high = hg_hex_digit(s.ptr[i + 1]), low = hg_hex_digit(s.ptr[i + 2]);
            if (high >= 0 && low >= 0) {
                *to++ = (char)(high << 4 | low);
                i += 2;
                continue;
            }
        }
        *to++ = c == '+' && plus ? ' ' : c;
    }
    return (size_t)(to - out);
}
