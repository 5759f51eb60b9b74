/* Cost grows in proportion to the input: inputs made to be slow are judged at 1 KiB, 64 KiB and 1 MiB, and a byte of
 * the longest may not cost much more than a byte of the shorter ones. CPU time, best of several runs. */
#include "hotgate/injection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { SHORT = 1 << 10, MIDDLE = 1 << 16, LONG = 1 << 20, RUNS = 3 };

/* Quadratic cost would make a byte of 1 MiB sixteen times as dear as one of 64 KiB. */
static const double allowed = 4.0;

typedef void judge(hg_slice text);

static void judge_sqli(hg_slice text)
{
    hg_sqli(text, NULL);
}

static void judge_xss(hg_slice text)
{
    hg_xss(text);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a byte. */
static double cost(const char *text, size_t len, judge *run)
{
    size_t repeats = MIDDLE / len + 1;
    double best = 1e18;
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        for (size_t k = 0; k < repeats; k++)
            run(hg_slice_of(text, len));
        double spent = now() - start;
        best = spent < best ? spent : best;
    }
    return best / (double)(len * repeats);
}

typedef struct slow {
    hg_slice head;
    hg_slice again; /* repeated to the length wanted */
} slow;

#define S(head, again)                                                                                                 \
    {                                                                                                                  \
        {head, sizeof head - 1},                                                                                       \
        {                                                                                                              \
            again, sizeof again - 1                                                                                    \
        }                                                                                                              \
    }

static void check(const slow *inputs, size_t count, judge *run)
{
    char *text = malloc(LONG);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        hg_slice head = inputs[i].head, again = inputs[i].again;
        memcpy(text, head.ptr, head.len);
        for (size_t at = head.len; at < LONG; at++)
            text[at] = again.ptr[(at - head.len) % again.len];
        double middle = cost(text, MIDDLE, run), short_one = cost(text, SHORT, run), base = middle;
        if (short_one > base)
            base = short_one;
        double longest = cost(text, LONG, run);
        /* A tenth of a nanosecond is what the clock and the caches leave in doubt. */
        if (longest > base * allowed + 0.1)
            fail_msg("%s%s...: %.2f ns a byte at 1 KiB, %.2f at 64 KiB, %.2f at 1 MiB", head.ptr, again.ptr, short_one,
                     middle, longest);
    }
    free(text);
}

static void sql_costs_the_same_for_each_byte(void **state)
{
    (void)state;
    static const slow inputs[] = {
        S("1 ", "/*"), S("1 ", "/**/"),     S("1", "/*/*/"),   S("1 /*", "/* "),   S("", "'"),
        S("'", "\\'"), S("'", "''"),        S("'", "\\\\\\'"), S("", "\""),        S("", "`"),
        S("", "'\"`"), S("", "a"),          S("", "a.a"),      S("", "a`"),        S("", "select."),
        S("", "1,"),   S("1", "+1"),        S("", "("),        S("1 or ", "not "), S("1", "--x\n"),
        S("", "#\n"),  S("1 or", " 1 #\n"), S("", "$a$"),      S("", "$ab$x"),     S("$", "a"),
        S("", "$$"),   S("", "$1"),         S("$", "1,"),      S("", "q'(a "),     S("", "q'!!'"),
        S("", "@"),    S("", "@`"),         S("", "@'"),       S("", "["),         S("", "[a]"),
        S("", "{a "),  S("", "\\"),         S("", "x'"),       S("x'", "0"),       S("0x", "a"),
        S("", "1e"),   S("", "."),          S("1 ", ";"),      S("'a'", "'b'"),    S("'a' ", "-- sp_password"),
        S("", " "),    S("a ", "in "),
    };
    check(inputs, sizeof inputs / sizeof inputs[0], judge_sqli);
}

static void html_costs_the_same_for_each_byte(void **state)
{
    (void)state;
    static const slow inputs[] = {
        S("", "<"),
        S("", "<a"),
        S("", "<a "),
        S("", "<a>"),
        S("<a", "/"),
        S("<a ", "/ "),
        S("<a ", "="),
        S("<a ", "x="),
        S("<a ", "x=y "),
        S("<a ", "x='"),
        S("", "='"),
        S("", "'\"`="),
        S("<!--", "-"),
        S("<!--", "--"),
        S("", "<!--"),
        S("<!--", "-\0"),
        S("<!--", "-!"),
        S("<![CDATA[", "]]"),
        S("", "<!["),
        S("<?", "?"),
        S("<%", "%"),
        S("", "</"),
        S("", "</a "),
        S("<a ", "\0"),
        S("<", "\0"),
        S("", "<\0"),
        S("<a href=\"", " "),
        S("<a href=", "&#0"),
        S("<a href=", "&#1;"),
        S("<a href=&#", "0"),
        S("<a href=\"&#x", "0"),
        S("<a href=\"j", "\n"),
        S("<a ", "href=j "),
        S("<a ", "style=u "),
        S("<a style='", "/*"),
        S("<a style='", "expre"),
        S("<a style='", "*/"),
        S("<a ", "attributename=o "),
        S("<a attributename='", "\0"),
        S("<iframe ", " "),
        S("<iframe ", "\\"),
        S("<iframe ", " src"),
        S("<iframe ", "'"),
        S("", "="),
        S("", " ="),
        S("", "on="),
        S("x", "\0="),
        S("", "by= "),
        S("by", " "),
    };
    check(inputs, sizeof inputs / sizeof inputs[0], judge_xss);
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    /* Their memmem() looks at the whole haystack in each call, however near the needle is. */
    printf("skipped: costs of sanitizers are not those of the code\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sql_costs_the_same_for_each_byte),
        cmocka_unit_test(html_costs_the_same_for_each_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
