/* Time and memory: patterns that blow up backtrackers stay linear, hostile patterns compile or are refused quickly,
 * and running out of memory at any site leaves nothing behind. */
#include "failing_malloc.h"
#include "regex/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *repeated(const char *piece, size_t times, const char *tail)
{
    size_t len = strlen(piece);
    char *out = malloc(len * times + strlen(tail) + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(out + i * len, piece, len);
    strcpy(out + len * times, tail);
    return out;
}

/* Seconds for one existence test and one span of the fresh pattern. */
static double time_on(const char *pattern, hg_slice text)
{
    hg_regex *regex = hg_regex_compile(hg_slice_from(pattern), NULL, NULL);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    hg_span span;
    assert_non_null(regex);
    double begin = seconds();
    bool exists = hg_regex_test(regex, scratch, text);
    assert_int_equal(hg_regex_match(regex, scratch, text, 0, &span, 1), exists);
    double end = seconds();
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
    return end - begin;
}

/* Sixteen times the text may take at most forty times the time, whatever the machine is. */
static void time_is_linear_in_the_text(void **state)
{
    (void)state;
    static const char *const blow_ups[] = {"(a+)+$", "(a|a)*b", "(.*)*x", ".*.*=.*", "(?:a?){60}a{60}b", "(?:(?:a*)*)*c",
                                           "[ab]*a[ab]{12}c"};
    enum { SMALL = 16384, LARGE = 16 * SMALL };
    char *text = repeated("a", LARGE, "!");
    for (size_t i = 0; i < sizeof blow_ups / sizeof *blow_ups; i++) {
        double small = 1e9, large = 1e9;
        for (int round = 0; round < 3; round++) {
            double s = time_on(blow_ups[i], hg_slice_of(text + LARGE + 1 - SMALL, SMALL));
            double l = time_on(blow_ups[i], hg_slice_of(text, LARGE + 1));
            small = s < small ? s : small;
            large = l < large ? l : large;
        }
        if (large > 40 * small + 0.01)
            fail_msg("%s: %.4f s for %d bytes, %.4f s for %d", blow_ups[i], small, SMALL, large, LARGE);
    }
    free(text);
}

static void hostile_patterns_take_bounded_time(void **state)
{
    (void)state;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const double limit = 2;
#else
    const double limit = 20; /* the allocators of musl and of sanitizers take seconds for what glibc's does at once */
#endif
    char *hostile[] = {
        repeated("(?:", 20000, ""),          repeated("a{1000}", 2000, ""), repeated("[^a]", 10000, ""),
        repeated("\\pL", 10000, ""),         repeated("(?:a?){1000}", 20, ""), repeated("(a|", 5000, ""),
        repeated("[\\pL\\x{1f600}]", 2000, ""), repeated("a|", 20000, "b"),    repeated("\\x{10ffff}[", 500, ""),
        repeated("(?i:k|s)", 3000, ""),      repeated("(?:(?:x{10}){10}){10}", 40, ""),
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        double begin = seconds();
        hg_regex_unref(hg_regex_compile(hg_slice_from(hostile[i]), NULL, NULL));
        if (seconds() - begin > limit)
            fail_msg("%.20s... takes %.2f s", hostile[i], seconds() - begin);
        free(hostile[i]);
    }
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    static const char pattern[] = "(?i)(\\w+|[^k\\s]{2,3})*\\pN$|on(?:load)\\W*=|\\x{1f600}";
    for (size_t n = 0;; n++) {
        hg_regex_error error;
        size_t live = malloc_live;
        malloc_arm(n);
        hg_regex *regex = hg_regex_compile(hg_slice_from(pattern), NULL, &error);
        hg_regex *pair[2] = {regex, regex};
        hg_regex_set *set = regex != NULL ? hg_regex_set_new(pair, 2) : NULL;
        hg_regex_scratch *scratch = set != NULL ? hg_regex_scratch_new() : NULL;
        uint64_t hits = 0;
        bool found = scratch != NULL && hg_regex_set_scan(set, scratch, HG_SLICE("x onload ="), &hits);
        bool failed = malloc_disarm();
        if (regex == NULL)
            assert_int_equal(error.status, HG_ERR_NOMEM);
        if (scratch != NULL && !found)
            assert_int_equal(hg_regex_scratch_status(scratch), HG_ERR_NOMEM);
        hg_regex_scratch_free(scratch);
        hg_regex_set_free(set);
        hg_regex_unref(regex);
        assert_int_equal(malloc_live, live);
        if (!failed) {
            assert_int_equal(hits, 3);
            return;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_linear_in_the_text),
        cmocka_unit_test(hostile_patterns_take_bounded_time),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
