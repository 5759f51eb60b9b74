/* Reading and printing doubles; the oracle is the C library's correctly rounded conversion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/value.h"
#include "value/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void expect_text(double d, const char *expected)
{
    char out[33];
    out[hg_float_text(d, out)] = 0;
    assert_string_equal(out, expected);
}

static void floats_print_as_specified(void **state)
{
    (void)state;
    expect_text(1.0, "1");
    expect_text(42.42, "42.42");
    expect_text(0.1, "0.1");
    expect_text(123456789.125, "123456789.125");
    expect_text(1e15, "1000000000000000");
    expect_text(1e16, "1e+16");
    expect_text(123456789012345680.0, "1.2345678901234568e+17");
    expect_text(0.0001, "0.0001");
    expect_text(0.00001, "1e-05");
    expect_text(1.5e-07, "1.5e-07");
    expect_text(1e100, "1e+100");
    expect_text(-0.0, "-0");
    expect_text(HUGE_VAL, "inf");
    expect_text(-HUGE_VAL, "-inf");
    expect_text(NAN, "nan");
    expect_text(5e-324, "5e-324");
    expect_text(1.7976931348623157e308, "1.7976931348623157e+308");
    expect_text(9007199254740993.0, "9007199254740992");
    expect_text(2.2250738585072014e-308, "2.2250738585072014e-308");
    expect_text(-123.456, "-123.456");
}

/* The shortest text that the C library finds by trying 1 to 17 digits; next to a power of two a shorter one may exist
 * that is in the rounding interval without being the nearest of its length. */
static int shortest_digits(double d)
{
    for (int n = 1; n <= 17; n++) {
        char text[40];
        snprintf(text, sizeof text, "%.*e", n - 1, d);
        if (strtod(text, NULL) == d)
            return n;
    }
    return 17;
}

static void check_round_trip(double d)
{
    char text[40], digits[20];
    text[hg_float_text(d, text)] = 0;
    if (strtod(text, NULL) != d)
        fail_msg("%a prints as %s", d, text);
    if (number_to_double(hg_slice_from(text)) != d)
        fail_msg("%s reads as %a instead of %a", text, number_to_double(hg_slice_from(text)), d);
    number_decimal shortest = number_shortest(fabs(d));
    int n = (int)number_digits(shortest.digits, digits), wanted = shortest_digits(d);
    if (n > wanted)
        fail_msg("%a takes %d digits instead of %d", d, n, wanted);
}

static void printing_is_shortest_and_reads_back(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 60000; i++) {
        uint64_t bits = next_random(&seed);
        if (i % 4 == 0)
            bits &= UINT64_C(0xFFF0000000000000); /* powers of two */
        if (i % 4 == 1)
            bits &= UINT64_C(0x800FFFFFFFFFFFFF); /* subnormal */
        double d;
        memcpy(&d, &bits, sizeof d);
        if (isfinite(d) && d != 0)
            check_round_trip(d);
    }
    for (int i = 1; i < 3000; i++) {
        check_round_trip((double)i);
        check_round_trip((double)i / 100);
        check_round_trip((double)i / 1000000007.0);
    }
}

static void check_read(const char *text)
{
    double mine = number_to_double(hg_slice_from(text)), theirs = strtod(text, NULL);
    if (memcmp(&mine, &theirs, sizeof mine) != 0)
        fail_msg("%s reads as %a instead of %a", text, mine, theirs);
}

static void reading_is_correctly_rounded(void **state)
{
    (void)state;
    static const char *const hard[] = {
        "9007199254740993", "9007199254740992.999999999999999999999999999999", "9007199254740993.00000000000000001",
        "2.2250738585072011e-308", "2.2250738585072012e-308", "4.9406564584124654e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e-400", "0e999999999999",
        "-0.0", "0.000000000000000000000000000000000000000000000000000000000000001e63", "6.02214076e23",
        "8.98846567431158e307", "1448997445238699", "0.3", "123456789012345678901234567890", "5e-324", "1e23", "8.5e23",
        "7.2057594037927933e16", "36028797018963969", "1e-999999999999999999999", "1e99999999999999999999"};
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++)
        check_read(hard[i]);
    uint64_t seed = 7;
    for (int i = 0; i < 100000; i++) {
        char text[80];
        uint64_t a = next_random(&seed), b = next_random(&seed), c = next_random(&seed);
        int digits = (int)(c % 30) + 1;
        int n = snprintf(text, sizeof text, "%llu", (unsigned long long)a);
        if (digits > n)
            n += snprintf(text + n, sizeof text - (size_t)n, ".%llu", (unsigned long long)b);
        snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)(c >> 40 & 1023) - 500);
        check_read(text);
    }
    /* exactly between two doubles, then a hair above, by digits that only the slow path sees */
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = next_random(&seed) >> 2;
        double d;
        memcpy(&d, &bits, sizeof d);
        char text[1200];
        int n = snprintf(text, sizeof text, "%.1100g", d);
        if (strchr(text, 'e') != NULL || n > 800)
            continue;
        check_read(text);
    }
}

static void a_thousand_digits_still_round_correctly(void **state)
{
    (void)state;
    char text[1400] = "9007199254740993.";
    size_t n = strlen(text);
    memset(text + n, '0', 1200);
    text[n + 1200] = 0;
    check_read(text);
    text[n + 1199] = '1';
    check_read(text);
    memset(text, '0', 1300);
    memcpy(text, "0.", 2);
    strcpy(text + 1300, "17e1310");
    check_read(text);
}

static void scanning_finds_the_longest_number(void **state)
{
    (void)state;
    struct {
        const char *text;
        size_t len;
        bool integral;
    } cases[] = {{"12", 2, true},  {"-0", 2, true},   {"01", 1, true},   {"1.5e+3x", 6, false}, {"1.", 1, true},
                 {"1e", 1, true},  {"1.5e", 3, false}, {"-", 0, true},    {".5", 0, true},       {"+1", 0, true},
                 {"1e-", 1, true}, {"", 0, true},      {"-1.0", 4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool integral;
        assert_int_equal(number_scan(hg_slice_from(cases[i].text), &integral), cases[i].len);
        assert_int_equal(integral, cases[i].integral);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_print_as_specified),          cmocka_unit_test(printing_is_shortest_and_reads_back),
        cmocka_unit_test(reading_is_correctly_rounded),       cmocka_unit_test(a_thousand_digits_still_round_correctly),
        cmocka_unit_test(scanning_finds_the_longest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
