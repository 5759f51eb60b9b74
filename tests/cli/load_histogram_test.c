/* Percentiles of hotgate load against sorted values. */
#include "cli/load/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 20000 };

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void an_empty_histogram_has_no_percentile(void **state)
{
    (void)state;
    static histogram h;
    assert_int_equal(histogram_at(&h, 0.99), 0);
}

static void small_values_are_exact(void **state)
{
    (void)state;
    static histogram h;
    for (uint64_t i = 1; i <= 100; i++)
        histogram_add(&h, i);
    assert_int_equal(histogram_at(&h, 0.5), 50);
    assert_int_equal(histogram_at(&h, 0.99), 99);
    assert_int_equal(histogram_at(&h, 1), 100);
    assert_int_equal(h.sum, 5050);
}

static void a_percentile_is_right_to_one_in_128_and_never_too_small(void **state)
{
    (void)state;
    static histogram h;
    static uint64_t values[VALUES];
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < VALUES; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        values[i] = x >> (24 + x % 40); /* all magnitudes up to 2^40 */
        histogram_add(&h, values[i]);
    }
    qsort(values, VALUES, sizeof *values, by_size);
    static const double shares[] = {0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        uint64_t exact = values[(size_t)(shares[i] * VALUES) - 1], found = histogram_at(&h, shares[i]);
        assert_true(found >= exact);
        assert_true(found - exact <= exact / 128);
    }
    assert_int_equal(histogram_at(&h, 1), values[VALUES - 1]);
}

static void values_beyond_the_last_bucket_keep_their_maximum(void **state)
{
    (void)state;
    static histogram h;
    histogram_add(&h, UINT64_MAX / 2);
    assert_true(histogram_at(&h, 0.5) == UINT64_MAX / 2);
}

static void merging_is_adding(void **state)
{
    (void)state;
    static histogram a, b, both;
    for (uint64_t i = 0; i < 1000; i++) {
        histogram_add(i % 2 ? &a : &b, i * i * i);
        histogram_add(&both, i * i * i);
    }
    histogram_merge(&a, &b);
    assert_memory_equal(&a, &both, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_histogram_has_no_percentile),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(a_percentile_is_right_to_one_in_128_and_never_too_small),
        cmocka_unit_test(values_beyond_the_last_bucket_keep_their_maximum),
        cmocka_unit_test(merging_is_adding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
