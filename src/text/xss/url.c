/* URLs that run script or hold a page of their own, behind white space, character references and NULs. */
#include "text/xss/xss.h"

enum { LARGEST_REFERENCE = 0x1000FF };

/* The value of a digit, or a number that is no digit of any base. */
static unsigned digit_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16u;
}

/* The character at the start of value, which is not empty; *used is set to the bytes it takes. What is no numeric
 * character reference stands for itself. */
static uint32_t decode(const unsigned char *value, size_t len, size_t *used)
{
    *used = 1;
    if (value[0] != '&' || len < 3 || value[1] != '#')
        return value[0];
    unsigned base = (value[2] | 32) == 'x' ? 16 : 10;
    size_t first = base == 16 ? 3 : 2, i = first;
    uint32_t code = 0;
    for (; i < len; i++) {
        unsigned digit = digit_value(value[i]);
        if (digit >= base)
            break;
        code = code * base + digit;
        if (code > LARGEST_REFERENCE)
            return '&';
    }
    if (i == first)
        return '&';
    *used = i + (i < len && value[i] == ';');
    return code;
}

static bool starts_with_scheme(const unsigned char *value, size_t len, const char *scheme)
{
    const char *next = scheme;
    for (size_t used = 0; len > 0; value += used, len -= used) {
        if (*next == '\0')
            return true;
        uint32_t code = decode(value, len, &used);
        if (next == scheme ? code <= 32 : code == 0 || code == 10)
            continue;
        if (code >= 'a' && code <= 'z')
            code -= 32;
        /* Only the low byte counts: a reference to U+014A passes for a J. */
        if ((code & 0xFF) != (unsigned char)*next)
            return false;
        next++;
    }
    return *next == '\0';
}

bool hg_xss_url(const unsigned char *value, size_t len)
{
    static const char *const schemes[] = {"DATA", "VIEW-SOURCE", "JAVA", "VBSCRIPT"};
    while (len > 0 && (value[0] <= 0x20 || value[0] >= 0x7F)) {
        value++;
        len--;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (starts_with_scheme(value, len, schemes[i]))
            return true;
    return false;
}
