/* Plain lines of numbers, one measurement a line; text behind '#' is a comment. Ten million lines are an ordinary
 * size, so the common form (up to 19 digits, a small exponent) is read without strtod. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool parse_slow(hg_slice text, double *out)
{
    char copy[128], *end;
    if (text.len == 0 || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (strpbrk(copy, "xXnN") != NULL) /* no hexadecimal floats, nan, inf */
        return false;
    *out = strtod(copy, &end);
    return end == copy + text.len && isfinite(*out);
}

/* Exact while the digits fit 2^53 and the power of ten is exact: one rounding, as strtod's (Clinger 1990). */
bool number_parse(hg_slice text, double *out)
{
    size_t i = 0;
    bool negative = text.len > 0 && text.ptr[0] == '-';
    i += negative;
    uint64_t digits = 0;
    size_t significant = 0, fraction = 0;
    bool any = false, point = false;
    for (; i < text.len; i++) {
        unsigned digit = (unsigned char)text.ptr[i] - '0';
        if (digit < 10) {
            if (significant < 19) {
                digits = digits * 10 + digit;
                significant += digits != 0;
                fraction += point;
            } else {
                return parse_slow(text, out);
            }
            any = true;
        } else if (text.ptr[i] == '.' && !point) {
            point = true;
        } else {
            return any && parse_slow(text, out);
        }
    }
    if (!any)
        return false;
    if (digits > 1ull << 53 || fraction > 22)
        return parse_slow(text, out);
    double value = (double)digits / powers[fraction];
    *out = negative ? -value : value;
    return true;
}

static hg_status one_line(hg_slice line, double unit_ns, series *s, result_set *set, size_t number, read_error *error)
{
    const char *comment = line.len ? memchr(line.ptr, '#', line.len) : NULL;
    if (comment != NULL)
        line.len = (size_t)(comment - line.ptr);
    while (line.len > 0 && ((unsigned char)line.ptr[line.len - 1] <= ' ' || line.ptr[line.len - 1] == ',' ||
                            line.ptr[line.len - 1] == ';'))
        line.len--;
    while (line.len > 0 && (unsigned char)line.ptr[0] <= ' ')
        line = hg_slice_skip(line, 1);
    if (line.len == 0)
        return HG_OK;
    double value;
    if (!number_parse(line, &value)) {
        snprintf(error->message, sizeof error->message, "line %zu: '%.*s' is not a number", number,
                 (int)(line.len > 40 ? 40 : line.len), line.ptr);
        return HG_ERR_SYNTAX;
    }
    if (value < 0) {
        set->rejected++;
        return HG_OK;
    }
    return series_push(s, value * unit_ns);
}

hg_status read_numbers(hg_slice text, double unit_ns, const char *name, result_set *set, read_error *error)
{
    (void)name; /* both sides of a comparison must have the same key */
    measurement key = {.class = HG_SLICE("numbers"), .method = HG_SLICE("values")};
    series *s = set_series(set, &key);
    if (s == NULL)
        return HG_ERR_NOMEM;
    size_t number = 0;
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t length = end ? (size_t)(end - text.ptr) : text.len;
        hg_status status = one_line(hg_slice_take(text, length), unit_ns, s, set, ++number, error);
        if (status != HG_OK)
            return status;
        text = hg_slice_skip(text, length + 1);
    }
    return HG_OK;
}
