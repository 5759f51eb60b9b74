/* Printing: the shortest decimal in a double's rounding interval, nearest to it among those (the method of
 * Giulietti, "The Schubfach way to render doubles", 2020). */
#include "value/number.h"
#include "value/powers.h"

#include <math.h>

/* floor(log10(2^e)) and floor(log10(3/4 * 2^e)) for |e| <= 1500 */
static int floor_log10_pow2(int e)
{
    return (int)(((int64_t)e * 1262611) >> 22);
}

static int floor_log10_three_quarters_pow2(int e)
{
    return (int)(((int64_t)e * 1262611 - 524031) >> 22);
}

/* High 64 bits of g * c, its last bit telling whether anything was cut. */
static uint64_t round_to_odd(__uint128_t g, uint64_t c)
{
    uint64_t carry = (uint64_t)(((__uint128_t)(uint64_t)g * c) >> 64);
    __uint128_t product = (__uint128_t)(uint64_t)(g >> 64) * c + carry;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

static number_decimal without_zeros(uint64_t digits, int exponent)
{
    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (number_decimal){digits, exponent};
}

number_decimal number_shortest(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7FF);
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    bool even = c % 2 == 0;
    bool narrow_below = fraction == 0 && biased > 1; /* the gap below a power of two is half as wide */

    int k = narrow_below ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 1;
    const uint64_t *power = hg_powers_of_ten[-k - HG_POWER_MIN];
    bool exact = -k >= 0 && -k <= 55;
    __uint128_t g = ((__uint128_t)power[0] << 64 | power[1]) + !exact; /* rounded up */
    uint64_t below = round_to_odd(g, (4 * c - 2 + narrow_below) << h);
    uint64_t value = round_to_odd(g, (4 * c) << h);
    uint64_t above = round_to_odd(g, (4 * c + 2) << h);
    below += !even;
    above -= !even;

    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10 * 40;
        bool down = below <= tens, up = tens + 40 <= above;
        if (down != up)
            return without_zeros(s / 10 + up, k + 1);
    }
    bool down = below <= 4 * s, up = 4 * s + 4 <= above;
    if (down != up)
        return without_zeros(s + up, k);
    uint64_t middle = 4 * s + 2;
    return without_zeros(s + (value > middle || (value == middle && s % 2 == 1)), k);
}

size_t number_digits(uint64_t x, char out[20])
{
    static const char pairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                   "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                   "8081828384858687888990919293949596979899";
    char text[20];
    size_t at = sizeof text;
    while (x >= 100) {
        at -= 2;
        memcpy(text + at, pairs + 2 * (x % 100), 2);
        x /= 100;
    }
    if (x >= 10) {
        at -= 2;
        memcpy(text + at, pairs + 2 * x, 2);
    } else {
        text[--at] = (char)('0' + x);
    }
    memcpy(out, text + at, sizeof text - at);
    return sizeof text - at;
}

size_t number_signed(int64_t x, char out[20])
{
    if (x >= 0)
        return number_digits((uint64_t)x, out);
    out[0] = '-';
    char digits[20];
    size_t n = number_digits(-(uint64_t)x, digits);
    memcpy(out + 1, digits, n);
    return n + 1;
}

static size_t put_zeros(char *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = '0';
    return (size_t)n;
}

/* digits with a point after the first `whole` of them; whole may exceed n (zeros follow) or be negative. */
static size_t put_positional(const char *digits, int n, int whole, char *out)
{
    size_t at = 0;
    if (whole <= 0) {
        memcpy(out, "0.", 2);
        at = 2 + put_zeros(out + 2, -whole);
        memcpy(out + at, digits, (size_t)n);
        return at + (size_t)n;
    }
    if (whole >= n) {
        memcpy(out, digits, (size_t)n);
        return (size_t)n + put_zeros(out + n, whole - n);
    }
    memcpy(out, digits, (size_t)whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, (size_t)(n - whole));
    return (size_t)n + 1;
}

static size_t put_scientific(const char *digits, int n, int exponent, char *out)
{
    size_t at = 0;
    out[at++] = digits[0];
    if (n > 1) {
        out[at++] = '.';
        memcpy(out + at, digits + 1, (size_t)n - 1);
        at += (size_t)n - 1;
    }
    out[at++] = 'e';
    out[at++] = exponent < 0 ? '-' : '+';
    unsigned e = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (e < 10)
        out[at++] = '0';
    char text[20];
    size_t len = number_digits(e, text);
    memcpy(out + at, text, len);
    return at + len;
}

size_t hg_float_text(double d, char out[32])
{
    if (isnan(d)) {
        memcpy(out, "nan", 3);
        return 3;
    }
    size_t sign = signbit(d) != 0;
    if (sign)
        out[0] = '-';
    if (isinf(d)) {
        memcpy(out + sign, "inf", 3);
        return sign + 3;
    }
    if (d == 0) {
        out[sign] = '0';
        return sign + 1;
    }
    number_decimal shortest = number_shortest(d);
    char digits[20];
    int n = (int)number_digits(shortest.digits, digits);
    int exponent = n + shortest.exponent - 1;
    if (exponent < -4 || exponent >= 16)
        return sign + put_scientific(digits, n, exponent, out + sign);
    return sign + put_positional(digits, n, exponent + 1, out + sign);
}
