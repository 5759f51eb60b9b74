/* Percent escapes of a URI, with the oddities that a log wants to know. */
#include "http/chars.h"
#include "http/http.h"

/* Four hex digits at p, or -1. */
static int hex4(const char *p)
{
    int value = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = http_hex(p[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

size_t hg_http_unescape(hg_slice uri, char *out, uint32_t *flags)
{
    uint32_t odd = 0;
    size_t n = 0;
    for (size_t i = 0; i < uri.len; i++) {
        const char *p = uri.ptr + i;
        size_t left = uri.len - i - 1;
        if (*p != '%') {
            out[n++] = *p;
            continue;
        }
        if (left == 0) {
            odd |= HG_HTTP_PERCENT_AT_END;
            out[n++] = '%';
        } else if (p[1] == '%') {
            odd |= HG_HTTP_DOUBLE_PERCENT;
        } else if (left == 1) {
            odd |= HG_HTTP_PARTIAL_ESCAPE;
            out[n++] = '%';
        } else if (http_hex(p[1]) >= 0 && http_hex(p[2]) >= 0) {
            out[n++] = (char)(http_hex(p[1]) * 16 + http_hex(p[2]));
            i += 2;
        } else if (p[1] == 'u' && left >= 5 && hex4(p + 2) >= 0) {
            int code = hex4(p + 2);
            if (code >> 8)
                out[n++] = (char)(code >> 8);
            out[n++] = (char)code;
            i += 5;
        } else {
            odd |= HG_HTTP_BAD_ESCAPE;
            out[n++] = '%';
        }
    }
    if (flags != NULL)
        *flags |= odd;
    return n;
}
