#include "base/base64.h"

static const char letters[2][65] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

int hg_b64_letter(char c, hg_b64_kind kind)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == letters[kind][62])
        return 62;
    return c == letters[kind][63] ? 63 : -1;
}

size_t hg_b64_encode(hg_slice s, hg_b64_kind kind, char *out)
{
    const char *abc = letters[kind];
    char *to = out;
    size_t i = 0;
    for (; s.len - i >= 3; i += 3) {
        uint32_t x = (uint32_t)(uint8_t)s.ptr[i] << 16 | (uint32_t)(uint8_t)s.ptr[i + 1] << 8 | (uint8_t)s.ptr[i + 2];
        *to++ = abc[x >> 18];
        *to++ = abc[x >> 12 & 63];
        *to++ = abc[x >> 6 & 63];
        *to++ = abc[x & 63];
    }
    size_t rest = s.len - i;
    if (rest == 0)
        return (size_t)(to - out);
    uint32_t x = (uint32_t)(uint8_t)s.ptr[i] << 16;
    if (rest == 2)
        x |= (uint32_t)(uint8_t)s.ptr[i + 1] << 8;
    *to++ = abc[x >> 18];
    *to++ = abc[x >> 12 & 63];
    if (rest == 2)
        *to++ = abc[x >> 6 & 63];
    if (kind == HG_BASE64_STANDARD) {
        *to++ = '=';
        if (rest == 1)
            *to++ = '=';
    }
    return (size_t)(to - out);
}

/* Length without its padding, or -1 when the padding is wrong. */
static ptrdiff_t without_padding(hg_slice s)
{
    size_t n = s.len;
    while (n > 0 && s.ptr[n - 1] == '=')
        n--;
    size_t padding = s.len - n;
    if (padding > 2 || (padding > 0 && s.len % 4 != 0) || n % 4 == 1)
        return -1;
    return (ptrdiff_t)n;
}

ptrdiff_t hg_b64_decode(hg_slice s, hg_b64_kind kind, char *out)
{
    ptrdiff_t n = without_padding(s);
    if (n < 0)
        return -1;
    char *to = out;
    uint32_t bits = 0;
    int have = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        int v = hg_b64_letter(s.ptr[i], kind);
        if (v < 0)
            return -1;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have >= 8) {
            have -= 8;
            *to++ = (char)(bits >> have);
            bits &= (1u << have) - 1;
        }
    }
    return bits == 0 ? to - out : -1;
}
