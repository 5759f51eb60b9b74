/* Cost grows in proportion to the input: strings made to be slow are worked on at 16 KiB and 256 KiB, and a byte of the
 * long one may not cost much more than a byte of the short one. CPU time, best of several runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "text/phrases.h"
#include "text/rasp/occurrences.h"
#include "text/rasp/shell_injection.h"
#include "text/rasp/sql_injection.h"
#include "text/transform.h"
#include "text/uri.h"

enum { SHORT = 1 << 14, LONG = 1 << 18, RUNS = 3 };

/* Quadratic cost would make a byte of the long string sixteen times as dear. */
static const double allowed = 5.0;

static hg_arena arena;

typedef void work(hg_slice text, int variant);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a byte. */
static double cost(hg_slice text, work *run, int variant)
{
    double best = 1e18;
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        for (size_t k = 0; k < LONG / text.len; k++) {
            run(text, variant);
            hg_arena_reset(&arena);
        }
        double spent = now() - start;
        best = spent < best ? spent : best;
    }
    return best / LONG;
}

static void expect_linear(const char *name, const char *piece, work *run, int variant)
{
    static char text[LONG + 64];
    size_t len = strlen(piece);
    for (size_t i = 0; i < LONG; i += len)
        memcpy(text + i, piece, len);
    double short_cost = cost(hg_slice_of(text, SHORT), run, variant);
    double long_cost = cost(hg_slice_of(text, LONG), run, variant);
    if (long_cost > allowed * short_cost + 1) {
        fprintf(stderr, "%s on \"%s\": %.1f ns a byte, then %.1f\n", name, piece, short_cost, long_cost);
        fail();
    }
}

static void transform(hg_slice text, int id)
{
    hg_transform_chain chain = {0};
    hg_slice out;
    bool changed;
    hg_transform_chain_add(&chain, id);
    assert_int_equal(hg_transform_apply(&chain, text, hg_text_survey(text), &arena, &out, &changed), HG_OK);
}

static void transformers_are_linear(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *piece;
    } slow[] = {
        {"url_decode_iis", "%25"},      {"url_decode_iis", "25"},   {"normalize_path", "a/../"},
        {"normalize_path", "/.."},      {"remove_comments", "<!-"}, {"remove_comments", "/**"},
        {"html_entity_decode", "&#0"},  {"css_decode", "\\0"},      {"js_decode", "\\ud83d"},
        {"shell_unescape", " \\"},      {"unicode_normalize", "ﷺ"}, {"base64_decode", "Q"},
        {"compress_whitespace", "  a"}, {"remove_nulls", "a"},
    };
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        expect_linear(slow[i].name, slow[i].piece, transform, hg_transform_find(hg_slice_from(slow[i].name)));
}

/* The statement with every other half of it as a parameter. */
static void judge_sql(hg_slice text, int dialect)
{
    hg_sql_statement s;
    if (hg_sql_statement_init(&s, text, (hg_sql_dialect)dialect, &arena) != HG_OK)
        return;
    hg_occurrences o = hg_occurrences_of(hg_slice_take(text, text.len / 2), text, &arena);
    size_t at;
    while (hg_occurrences_next(&o, &at))
        hg_sql_is_injected(&s, at, at + text.len / 2);
}

static void sql_is_linear(void **state)
{
    (void)state;
    static const char *const slow[] = {"1",  "1a",  "é",  "é;",   "1_",          "1,", "a ", "'",    "\"a", "@`",
                                       "$a", "-- ", "/*", "1.1e", "order by a,", "\\", "0x", "@a:.", "+1"};
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        for (int dialect = HG_SQL_GENERIC; dialect <= HG_SQL_SQLITE; dialect++)
            expect_linear("SQL", slow[i], judge_sql, dialect);
}

static void judge_shell(hg_slice text, int unused)
{
    (void)unused;
    hg_shell_line line;
    assert_int_equal(hg_shell_line_init(&line, text, &arena), HG_OK);
    hg_occurrences o = hg_occurrences_of(hg_slice_take(text, text.len / 2), text, &arena);
    size_t at;
    while (hg_occurrences_next(&o, &at))
        hg_shell_is_injected(&line, at, at + text.len / 2);
}

static void shell_is_linear(void **state)
{
    (void)state;
    static const char *const slow[] = {"a", "$(", "`", "\"", "$((", "${", "x=(", "{ ", "'", "1", "a;", "\\"};
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        expect_linear("shell", slow[i], judge_shell, 0);
}

static void find_phrases(hg_slice text, int words_only)
{
    static const hg_slice list[] = {HG_SLICE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), HG_SLICE("aaaaaaab"),
                                    HG_SLICE("abab")};
    hg_slice found;
    hg_phrases_find(hg_phrases_build(list, 3, words_only, &arena), text, &found);
}

static void parse_uri(hg_slice text, int unused)
{
    (void)unused;
    hg_uri uri;
    hg_uri_parse(text, &uri);
}

static void searches_are_linear(void **state)
{
    (void)state;
    for (int words_only = 0; words_only < 2; words_only++) {
        expect_linear("phrases", "a", find_phrases, words_only);
        expect_linear("phrases", "aba", find_phrases, words_only);
    }
    expect_linear("uri", "//", parse_uri, 0);
    expect_linear("uri", "/a?", parse_uri, 0);
}

static int open_arena(void **state)
{
    (void)state;
    hg_arena_init(&arena, NULL);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    hg_arena_close(&arena);
    return 0;
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("skipped: costs of sanitizers are not those of the code\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transformers_are_linear),
        cmocka_unit_test(sql_is_linear),
        cmocka_unit_test(shell_is_linear),
        cmocka_unit_test(searches_are_linear),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
