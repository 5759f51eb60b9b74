/* One pattern at a time: what compiles, what is refused and why, where it matches. */
#include "hotgate/regex.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static hg_regex *compile(const char *pattern, bool insensitive)
{
    hg_regex_options options = {.case_insensitive = insensitive};
    hg_regex *regex = hg_regex_compile(hg_slice_from(pattern), &options, NULL);
    assert_non_null(regex);
    return regex;
}

/* begin == SIZE_MAX: no match expected. */
static void expect_match(const char *pattern, bool insensitive, const char *text, size_t begin, size_t end)
{
    hg_regex *regex = compile(pattern, insensitive);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    hg_span span = {0, 0};
    bool expected = begin != SIZE_MAX;
    assert_int_equal(hg_regex_match(regex, scratch, hg_slice_from(text), 0, &span, 1), expected);
    assert_int_equal(hg_regex_test(regex, scratch, hg_slice_from(text)), expected);
    if (expected) {
        assert_int_equal(span.begin, begin);
        assert_int_equal(span.end, end);
    }
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
}

static void expect_refusal(const char *pattern, hg_regex_code code, const char *argument)
{
    hg_regex_error error;
    assert_null(hg_regex_compile(hg_slice_from(pattern), NULL, &error));
    assert_int_equal(error.code, code);
    assert_int_equal(error.argument.len, strlen(argument));
    assert_memory_equal(error.argument.ptr ? error.argument.ptr : "", argument, strlen(argument));
}

static void the_leftmost_first_alternative_wins(void **state)
{
    (void)state;
    expect_match("a|ab", false, "ab", 0, 1);
    expect_match("(?:a|ab)(?:c|bcd)", false, "abcd", 0, 4);
    expect_match("b|abc", false, "xabc", 1, 4);
}

static void lazy_and_greedy_repetition_differ(void **state)
{
    (void)state;
    expect_match("a*", false, "aaa", 0, 3);
    expect_match("a*?", false, "aaa", 0, 0);
    expect_match("(?U)a*", false, "aaa", 0, 0);
    expect_match("a{2,3}", false, "aaaa", 0, 3);
    expect_match("a{2,3}?", false, "aaaa", 0, 2);
}

static void an_empty_round_leaves_the_loop(void **state)
{
    (void)state;
    expect_match("(|a)*", false, "aa", 0, 0);
    expect_match("(|a)+", false, "aa", 0, 0);
    expect_match("(a|)+", false, "aa", 0, 2);
    expect_match("(a?\?)+", false, "aa", 0, 0);
    expect_match("(a*)+", false, "aa", 0, 2);
}

static void anchors_and_boundaries_look_at_bytes(void **state)
{
    (void)state;
    expect_match("a$", false, "a\n", SIZE_MAX, 0);
    expect_match("(?m)a$", false, "a\n", 0, 1);
    expect_match("(?m)^b", false, "a\nb", 2, 3);
    expect_match("\\B", false, "a\xC3\xA9", 2, 2);
    expect_match("\\bfoo\\b", false, "a foo.", 2, 5);
}

static void folding_reaches_beyond_ascii(void **state)
{
    (void)state;
    expect_match("k", true, "\xE2\x84\xAA", 0, 3);
    expect_match("(?i)[^k]", false, "\xE2\x84\xAA", SIZE_MAX, 0);
    expect_match("(?-i)a", true, "A", SIZE_MAX, 0);
    expect_match("\xC3\x9F", true, "\xE1\xBA\x9E", 0, 3);
}

static void bytes_outside_utf8_match_only_any_byte(void **state)
{
    (void)state;
    expect_match(".+", false, "\xFF\xFE" "ab", 2, 4);
    expect_match("\\C", false, "\xFF", 0, 1);
    expect_match("[^a]", false, "\xE0\x80\x80", 0, 3);
    expect_match("[^\xC3\xA9]", false, "\xE0\x80\x80", SIZE_MAX, 0);
}

static void groups_keep_their_last_round(void **state)
{
    (void)state;
    hg_regex *regex = compile("(?:(a)|b)*(c)?", false);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    hg_span spans[3];
    assert_int_equal(hg_regex_groups(regex), 2);
    assert_true(hg_regex_match(regex, scratch, HG_SLICE("ab"), 0, spans, 3));
    assert_int_equal(spans[0].end, 2);
    assert_int_equal(spans[1].begin, 0);
    assert_int_equal(spans[1].end, 1);
    assert_true(spans[2].begin == SIZE_MAX);
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
}

static void refusals_name_the_category_and_the_argument(void **state)
{
    (void)state;
    expect_refusal("a**", HG_REGEX_REPEAT_OP, "**");
    expect_refusal("a*?" "?", HG_REGEX_REPEAT_OP, "*?" "?");
    expect_refusal("*?", HG_REGEX_REPEAT_ARGUMENT, "*?");
    expect_refusal("x{2,1}", HG_REGEX_REPEAT_SIZE, "{2,1}");
    expect_refusal("((a{10}){10}){11}", HG_REGEX_REPEAT_SIZE, "{11}");
    expect_refusal("(?=a)", HG_REGEX_BAD_PERL_OP, "(?=");
    expect_refusal("[z-a]", HG_REGEX_BAD_CHAR_RANGE, "z-a");
    expect_refusal("\\pY", HG_REGEX_BAD_CHAR_RANGE, "\\pY");
    expect_refusal("[a", HG_REGEX_MISSING_BRACKET, "[a");
    expect_refusal("(a", HG_REGEX_MISSING_PAREN, "(a");
    expect_refusal("a)", HG_REGEX_UNEXPECTED_PAREN, "a)");
    expect_refusal("a\\", HG_REGEX_TRAILING_BACKSLASH, "");
    expect_refusal("\\8", HG_REGEX_BAD_ESCAPE, "\\8");
    expect_refusal("\xFF", HG_REGEX_BAD_UTF8, "");
    expect_refusal("(?P<>a)", HG_REGEX_BAD_NAMED_CAPTURE, "(?P<>");
    expect_refusal(".{1000}.{1000}.{1000}.{1000}", HG_REGEX_TOO_LARGE, "");
}

static void deep_nesting_is_no_problem(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *pattern = malloc(4 * DEPTH + 2);
    for (int i = 0; i < DEPTH; i++) {
        memcpy(pattern + 3 * i, "(?:", 3);
        pattern[3 * DEPTH + 1 + i] = ')';
    }
    pattern[3 * DEPTH] = 'a';
    pattern[4 * DEPTH + 1] = 0;
    expect_match(pattern, false, "ba", 1, 2);
    free(pattern);
}

static void an_assertion_that_failed_before_skipped_bytes_is_asked_again(void **state)
{
    (void)state;
    hg_regex *regex = hg_regex_compile(HG_SLICE("\\n??\\Bab"), NULL, NULL);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    hg_span span = {0, 0};
    assert_true(hg_regex_match(regex, scratch, HG_SLICE("\n1--_ab"), 0, &span, 1));
    assert_int_equal(span.begin, 5);
    assert_int_equal(span.end, 7);
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_assertion_that_failed_before_skipped_bytes_is_asked_again),
        cmocka_unit_test(the_leftmost_first_alternative_wins),
        cmocka_unit_test(lazy_and_greedy_repetition_differ),
        cmocka_unit_test(an_empty_round_leaves_the_loop),
        cmocka_unit_test(anchors_and_boundaries_look_at_bytes),
        cmocka_unit_test(folding_reaches_beyond_ascii),
        cmocka_unit_test(bytes_outside_utf8_match_only_any_byte),
        cmocka_unit_test(groups_keep_their_last_round),
        cmocka_unit_test(refusals_name_the_category_and_the_argument),
        cmocka_unit_test(deep_nesting_is_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
