/* Reading: the exact product of small numbers, then a 64 x 128-bit product whose error bound decides nearly every
 * case (the method of Lemire, "Number parsing at a gigabyte per second", 2021), then the C library for the rest. */
#include "value/number.h"
#include "value/powers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static size_t digits_from(hg_slice s, size_t i)
{
    while (i < s.len && is_digit(s.ptr[i]))
        i++;
    return i;
}

size_t number_scan(hg_slice s, bool *integral)
{
    size_t i = s.len > 0 && s.ptr[0] == '-';
    size_t end = i < s.len && s.ptr[i] == '0' ? i + 1 : digits_from(s, i);
    *integral = true;
    if (end == i)
        return 0;
    if (end < s.len && s.ptr[end] == '.') {
        size_t fraction = digits_from(s, end + 1);
        if (fraction == end + 1)
            return end;
        end = fraction;
        *integral = false;
    }
    if (end < s.len && (s.ptr[end] | 0x20) == 'e') {
        i = end + 1;
        if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
            i++;
        size_t exponent = digits_from(s, i);
        if (exponent == i)
            return end;
        end = exponent;
        *integral = false;
    }
    return end;
}

bool number_magnitude(hg_slice digits, uint64_t *magnitude)
{
    uint64_t x = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)(digits.ptr[i] - '0');
        if (i >= 19 && (x > UINT64_MAX / 10 || (x == UINT64_MAX / 10 && digit > UINT64_MAX % 10)))
            return false;
        x = x * 10 + digit;
    }
    *magnitude = x;
    return true;
}

bool number_to_integer(hg_slice text, bool always_unsigned, hg_value *v)
{
    bool negative = text.ptr[0] == '-';
    uint64_t magnitude;
    if (!number_magnitude(hg_slice_skip(text, negative), &magnitude))
        return false;
    if (negative) {
        if (magnitude > UINT64_C(1) << 63)
            return false;
        hg_set_signed(v, (int64_t)-magnitude);
    } else if (always_unsigned || magnitude > INT64_MAX) {
        hg_set_unsigned(v, magnitude);
    } else {
        hg_set_signed(v, (int64_t)magnitude);
    }
    return true;
}

typedef struct decimal {
    uint64_t mantissa; /* first 19 significant digits */
    int64_t exponent;  /* value = mantissa * 10^exponent, when not cut */
    bool negative;
    bool cut; /* more non-zero digits follow */
} decimal;

enum { EXPONENT_CAP = 1000000000, MANTISSA_DIGITS = 19 };

static int64_t read_exponent(hg_slice s, size_t i)
{
    bool negative = s.ptr[i] == '-';
    if (s.ptr[i] == '-' || s.ptr[i] == '+')
        i++;
    int64_t e = 0;
    for (; i < s.len; i++) {
        if (e < EXPONENT_CAP)
            e = e * 10 + (s.ptr[i] - '0');
    }
    return negative ? -e : e;
}

static decimal read_decimal(hg_slice s)
{
    decimal d = {0, 0, s.ptr[0] == '-', false};
    int taken = 0;
    bool fraction = false;
    for (size_t i = d.negative; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '.') {
            fraction = true;
        } else if (is_digit(c)) {
            if (taken < MANTISSA_DIGITS) {
                d.mantissa = d.mantissa * 10 + (uint64_t)(c - '0');
                taken += d.mantissa != 0;
                d.exponent -= fraction;
            } else {
                d.cut |= c != '0';
                d.exponent += !fraction;
            }
        } else {
            d.exponent += read_exponent(s, i + 1);
            break;
        }
    }
    return d;
}

/* Small mantissa and power are both exact doubles, so one operation rounds correctly. */
static bool exact_product(const decimal *d, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->cut || d->mantissa > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22)
        return false;
    double m = (double)d->mantissa;
    *out = d->exponent < 0 ? m / powers[-d->exponent] : m * powers[d->exponent];
    return true;
}

static double make_double(uint64_t mantissa, int exponent)
{
    uint64_t bits = (mantissa & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent + 1023) << 52;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* mantissa * 10^exponent rounded to nearest; false when the product's error leaves the rounding open, or the result
 * is subnormal or overflows. */
static bool scaled_product(uint64_t mantissa, int exponent, double *out)
{
    const uint64_t *power = hg_powers_of_ten[exponent - HG_POWER_MIN];
    bool exact = exponent >= 0 && exponent <= 55;
    int shift = __builtin_clzll(mantissa);
    uint64_t w = mantissa << shift;
    __uint128_t low = (__uint128_t)w * power[1];
    __uint128_t high = (__uint128_t)w * power[0] + (uint64_t)(low >> 64);
    uint64_t tail = (uint64_t)low;
    int top = (int)((uint64_t)(high >> 64) >> 63); /* 1: the product has 192 bits, 0: 191 */
    int drop = 74 + top;
    uint64_t m = (uint64_t)(high >> drop);
    __uint128_t rest = high & (((__uint128_t)1 << drop) - 1);
    __uint128_t half = (__uint128_t)1 << (drop - 1);
    if (!exact && rest == half - 1 && tail + w < tail)
        return false; /* the true product may reach the half */
    bool tie = exact && rest == half && tail == 0;
    m += tie ? m & 1 : rest >= half;
    int binary = 63 + top + floor_log2_pow10(exponent) - shift;
    if (m >> 53) {
        m >>= 1;
        binary++;
    }
    if (binary < -1022 || binary > 1023)
        return false;
    *out = make_double(m, binary);
    return true;
}

/* 768 significant digits decide any double, more only say "a bit above"; beyond the exponent all is 0 or infinite. */
enum { SLOW_DIGITS = 770, SLOW_EXPONENT = 9999 };

/* Digits and exponent without a decimal point, so that the locale has no say. */
static double slow_product(hg_slice s)
{
    char text[SLOW_DIGITS + 32];
    size_t n = 0;
    int64_t exponent = 0;
    bool fraction = false, more = false;
    for (size_t i = s.ptr[0] == '-'; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '.') {
            fraction = true;
        } else if (is_digit(c)) {
            bool kept = n < SLOW_DIGITS;
            if (kept && (n > 0 || c != '0'))
                text[n++] = c;
            more |= !kept && c != '0';
            exponent += kept ? -(int64_t)fraction : !fraction;
        } else {
            exponent += read_exponent(s, i + 1);
            break;
        }
    }
    if (more) {
        text[n++] = '1';
        exponent--;
    }
    if (exponent > SLOW_EXPONENT)
        exponent = SLOW_EXPONENT;
    if (exponent < -SLOW_EXPONENT)
        exponent = -SLOW_EXPONENT;
    snprintf(text + n, sizeof text - n, "e%lld", (long long)exponent);
    int saved = errno;
    double d = strtod(text, NULL);
    errno = saved;
    return d;
}

static double magnitude_of(const decimal *d, hg_slice text)
{
    double result, above;
    if (d->mantissa == 0 || exact_product(d, &result))
        return d->mantissa == 0 ? 0.0 : result;
    if (d->exponent > 308)
        return HUGE_VAL;
    if (d->exponent < HG_POWER_MIN)
        return slow_product(text);
    if (!scaled_product(d->mantissa, (int)d->exponent, &result))
        return slow_product(text);
    if (d->cut && (!scaled_product(d->mantissa + 1, (int)d->exponent, &above) || above != result))
        return slow_product(text);
    return result;
}

double number_to_double(hg_slice text)
{
    decimal d = read_decimal(text);
    double magnitude = magnitude_of(&d, text);
    return d.negative ? -magnitude : magnitude;
}
