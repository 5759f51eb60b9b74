#include "base/utf.h"

size_t hg_latin1_utf8_length(hg_slice s)
{
    size_t length = s.len;
    for (size_t i = 0; i < s.len; i++)
        length += (uint8_t)s.ptr[i] >> 7;
    return length;
}

hg_transcoded hg_latin1_to_utf8(hg_slice s, char *out, size_t room)
{
    hg_transcoded t = {0, 0, 0};
    while (t.read < s.len) {
        uint8_t c = (uint8_t)s.ptr[t.read];
        size_t need = c < 0x80 ? 1 : 2;
        if (need > room - t.written)
            break;
        t.written += hg_utf8_encode(c, out + t.written);
        t.read++;
    }
    return t;
}
