#include "waf/scalar_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Significant decimal digits of a finite number without sign, and the exponent of the first one. */
typedef struct decimal {
    char digits[20];
    int count;
    int exponent;
} decimal;

/* Takes the digits out of the shortest round-trip text. */
static decimal decimal_of(double d)
{
    char text[32];
    size_t length = hg_float_text(d, text);
    decimal out = {.count = 0, .exponent = 0};
    bool point = false;
    size_t i = 0;
    for (; i < length && text[i] != 'e'; i++) {
        if (text[i] == '.') {
            point = true;
        } else if (out.count == 0 && text[i] == '0') {
            out.exponent -= point; /* leading zeros of 0.00012 */
        } else {
            if (out.count < (int)sizeof out.digits)
                out.digits[out.count++] = text[i];
            if (!point)
                out.exponent++;
        }
    }
    /* exponent counted digits before the point, or minus the zeros after it */
    out.exponent -= 1;
    if (i < length) {
        text[length] = '\0';
        out.exponent += atoi(text + i + 1);
    }
    while (out.count > 1 && out.digits[out.count - 1] == '0')
        out.count--;
    return out;
}

static size_t scientific(const decimal *d, char *room)
{
    size_t n = 0;
    room[n++] = d->digits[0];
    if (d->count > 1) {
        room[n++] = '.';
        memcpy(room + n, d->digits + 1, (size_t)d->count - 1);
        n += (size_t)d->count - 1;
    }
    return n + (size_t)sprintf(room + n, "e%c%02d", d->exponent < 0 ? '-' : '+', abs(d->exponent));
}

static size_t fixed(const decimal *d, double value, char *room)
{
    if (value == floor(value))
        return (size_t)snprintf(room, HG_SCALAR_TEXT_MAX - 1, "%.0f", value);
    size_t n = 0;
    int at = 0;
    if (d->exponent < 0) {
        room[n++] = '0';
    } else {
        for (; at <= d->exponent; at++)
            room[n++] = d->digits[at];
    }
    room[n++] = '.';
    for (int zeros = -1 - d->exponent; zeros > 0; zeros--)
        room[n++] = '0';
    for (; at < d->count; at++)
        room[n++] = d->digits[at];
    return n;
}

static size_t fixed_length(const decimal *d, double value)
{
    if (value == floor(value))
        return (size_t)d->exponent + 1;
    return d->exponent < 0 ? (size_t)(1 - d->exponent + d->count) : (size_t)d->count + 1;
}

static size_t shorter_text(double value, char *room)
{
    if (!isfinite(value) || value == 0)
        return hg_float_text(value, room);
    size_t n = 0;
    if (value < 0)
        room[n++] = '-';
    value = fabs(value);
    decimal d = decimal_of(value);
    char exponential[32];
    size_t length = scientific(&d, exponential);
    if (fixed_length(&d, value) <= length)
        return n + fixed(&d, value, room + n);
    memcpy(room + n, exponential, length);
    return n + length;
}

hg_slice hg_scalar_text(const hg_profile *profile, const hg_value *v, char room[HG_SCALAR_TEXT_MAX])
{
    switch (v->type) {
    case HG_BOOL:
        return v->b8.val ? HG_SLICE("true") : HG_SLICE("false");
    case HG_SIGNED:
        return hg_slice_of(room, (size_t)sprintf(room, "%lld", (long long)v->i64.val));
    case HG_UNSIGNED:
        return hg_slice_of(room, (size_t)sprintf(room, "%llu", (unsigned long long)v->u64.val));
    case HG_FLOAT:
        if (profile->float_style == HG_FLOAT_SHORTER)
            return hg_slice_of(room, shorter_text(v->f64.val, room));
        return hg_slice_of(room, hg_float_text(v->f64.val, room));
    default:
        return hg_value_string(v);
    }
}
