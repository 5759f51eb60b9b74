#include "text/hidden_ascii.h"

#include "text/bytes.h"

bool hg_has_hidden_ascii(hg_slice s)
{
    for (size_t r = hg_find_byte(s, 0, 0xF3); r + 3 < s.len; r = hg_find_byte(s, r + 1, 0xF3)) {
        const uint8_t *p = (const uint8_t *)s.ptr + r;
        if (p[1] == 0xA0 && (p[2] == 0x80 || p[2] == 0x81) && (p[3] & 0xC0) == 0x80)
            return true;
    }
    return false;
}
