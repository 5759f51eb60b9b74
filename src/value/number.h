/* Decimal text to numbers and back, independent of the locale, correctly rounded. */
#ifndef VALUE_NUMBER_H
#define VALUE_NUMBER_H

#include "hotgate/value.h"

/* Length of the longest prefix of s that is a JSON number (RFC 8259 section 6), 0 if none. *integral is set when it
 * has neither fraction nor exponent. */
size_t number_scan(hg_slice s, bool *integral);

/* The double nearest to a number that number_scan accepted, ties to even; infinite when it overflows. */
double number_to_double(hg_slice text);

/* The magnitude of an integral number text without its sign; false when it exceeds 64 bits. */
bool number_magnitude(hg_slice digits, uint64_t *magnitude);

/* An integral number text as signed or unsigned; false when it fits neither. Non-negative ones are signed when they
 * fit, or always unsigned. */
bool number_to_integer(hg_slice text, bool always_unsigned, hg_value *v);

/* Shortest digits that read back as d (finite, not zero): d = digits * 10^exponent without trailing zeros. */
typedef struct number_decimal {
    uint64_t digits;
    int exponent;
} number_decimal;
number_decimal number_shortest(double d);

/* Decimal digits of x; returns the length (at most 20). */
size_t number_digits(uint64_t x, char out[20]);

/* The same for a signed number (at most 20). */
size_t number_signed(int64_t x, char out[20]);

#endif
