/* Verdicts and fingerprints of the SQL detector. Expected values are those of libinjection as the WAF carries it. */
#include "hotgate/injection.h"

#include "guarded.h"
#include "text/sqli/sqli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LIT(literal)                                                                                                   \
    {                                                                                                                  \
        literal, sizeof literal - 1                                                                                    \
    }

typedef struct example {
    hg_slice text;
    const char *fingerprint; /* "" = benign */
} example;

static const example contexts[] = {
    {LIT("1 or 1=1"), "1&1"},
    {LIT("1' or '1'='1"), "s&sos"},
    {LIT("1\" or \"\"=\""), "s&sos"},
    {LIT("1 or 1=1 #"), "1&1c"},
    {LIT("admin' or 1=1 #"), "s&1c"},
    {LIT("` or 1=1 -- "), "s&1c"},
    {LIT("x` union select 1"), "nUE1"},
    {LIT("O'Reilly"), ""},
    {LIT("hello world"), ""},
    {LIT("SELECT name FROM users"), ""},
    {LIT("1 union select 1,2,3"), "1UE1"},
    {LIT("1;drop table users"), "1;Tnn"},
    {LIT("1; shutdown --"), ""},
    {LIT("x' union select password from users where '1'='1"), "sUEnk"},
};

static const example comments[] = {
    {LIT("1/**/union/**/select/**/1"), "1UE1"},
    {LIT("1/*!union*/select 1"), "X"},
    {LIT("1 /* a /* b */ union select 1"), "X"},
    {LIT("1 union /* open /* end"), "1Uc"},
    {LIT("1 union/*"), "1Uc"},
    {LIT("1 or 1=1-- tail"), "1&1c"},
    {LIT("1--x\nunion select 1"), "1UE1"},
    {LIT("1 #x\nunion select 1"), "1UE1"},
    {LIT("-- 1\n2 union select 3"), "1UE1"},
};

static const example numbers[] = {
    {LIT("0x1F union select 1"), "1UE1"},  {LIT("0x or 1=1"), ""},
    {LIT("0b101 union select 1"), "1UE1"}, {LIT("1.5e+3 union select 1"), "1UE1"},
    {LIT("1.e union select 1"), "nUE1"},   {LIT("1.2f union select 1"), "1UE1"},
    {LIT("1fUNION select 1"), ""},         {LIT("1. union select 1"), "1UE1"},
    {LIT(". union select 1"), ""},         {LIT("$1,000.00 union select 1"), "1UE1"},
    {LIT("\\N union select 1"), "1UE1"},   {LIT("\\1 union select 1"), "1UE1"},
    {LIT("\\%1 union select 1"), "1UE1"},  {LIT("x'41' union select 1"), "1UE1"},
    {LIT("b'01' union select 1"), "1UE1"},
};

static const example strings[] = {
    {LIT("'it''s' union select 1"), "sUE1"},
    {LIT("'it\\'s' union select 1"), "sUE1"},
    {LIT("n'a' union select 1"), "sUE1"},
    {LIT("e'a' union select 1"), "sUE1"},
    {LIT("u&'a' union select 1"), "sUE1"},
    {LIT("q'(a')b)' union select 1"), "sUE1"},
    {LIT("nq'!a!' union select 1"), "sUE1"},
    {LIT("$$a$$ union select 1"), "sUE1"},
    {LIT("$t$a$t$ union select 1"), "sUE1"},
    {LIT("1 or $t$a$t$ union select 1"), ""},
    {LIT("$t or 1=1"), ""},
    {LIT("'a' 'b' union select 1"), "sUE1"},
};

static const example names[] = {
    {LIT("select.1 from x"), "E1kn"},
    {LIT("select`a` from x"), ""},
    {LIT("a.b union select 1"), "nUE1"},
    {LIT("utl_http.request('x') union select 1"), "f(s)U"},
    {LIT("1 union select @@version"), "1UEv"},
    {LIT("@`a b` union select 1"), "vUE1"},
    {LIT("@'a' union select 1"), "vUE1"},
    {LIT("@ union select 1"), "vUE1"},
    {LIT("[a b] union select 1"), "nUE1"},
    {LIT("1 union select `sleep`(1)"), "1UEf("},
    {LIT("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx union select 1"), "nUE1"},
    {LIT("1\xa0union\xa0select\xa0"
         "1"),
     "1UE1"},
    {LIT("1\x00union\x00select\x00"
         "1"),
     "1UE1"},
};

static const example boundaries[] = {
    {LIT("1a"), ""},
    {LIT("1 or 2a"), ""},
    {LIT("select 1 2 3a"), ""},
    {LIT("1union select 1"), ""},
    {LIT("1 2union select 1"), ""},
    {LIT("a+b or 1=1"), ""},
    {LIT("a-b or 1=1"), ""},
    {LIT("a=b or 1=1"), ""},
    {LIT("1/x union select 1"), ""},
    {LIT("00119007249934829312950OR-240128165430155"), ""},
    {LIT("1)or(1)=(1"), "1)&(1"},
    {LIT("'a'or'b'='b'"), "s&sos"},
};

static const example folding[] = {
    {LIT("(((1))) union select 1"), "1)UE1"},
    {LIT("1 or -+-+1=1"), "1&1"},
    {LIT("1 or not not 1=1"), "1&1"},
    {LIT("1,2,3 union select 1"), "1UE1"},
    {LIT("1,-2 union select 1"), "1UE1"},
    {LIT("1,-sin(1) union select 1"), "1,f(1"},
    {LIT("1 limit -1 union select 1"), "1B1UE"},
    {LIT("1::int union select 1"), "1UE1"},
    {LIT("cast(1 as int) union select 1"), ""},
    {LIT("binary 1 union select 1"), "1UE1"},
    {LIT("1 or binary 1=1"), "1&1"},
    {LIT("1 collate utf8_bin union select 1"), "1AtUE"},
    {LIT("'; if (1=1) drop table x--"), "s;T(1"},
    {LIT("1 in (select 1)"), "1o(E1"},
    {LIT("1 not in (2) union select 1"), "1UE1"},
    {LIT("x in union select 1"), ""},
    {LIT("1 like(2) union select 1"), "1f(1)"},
    {LIT("password(1) union select 1"), "f(1)U"},
    {LIT("user(1) union select 1"), ""},
    {LIT("{fn now()} union select 1"), "f()UE"},
    {LIT("{``.``.id} union select 1"), "X"},
    {LIT("1;;;drop table x"), "1;Tnn"},
    {LIT("a.`b`.c union select 1"), "nUE1"},
    {LIT("1,(2) union select 1"), "1UE1"},
    {LIT("1=(2) union select 1"), "1UE1"},
    {LIT("foo=(bar) union select 1"), "nUE1"},
    {LIT("1),(2 union select 1"), "1UE1"},
    {LIT("1 or 1=1 `"), "1&1c"},
    {LIT("1 xor 1 is not null"), "1&1ov"},
    {LIT("x',\\%"), ""},
    {LIT("1=1 , \\% 0b1"), ""},
    {LIT("1::in@'a'\\%"), ""},
    {LIT("1 order by 2"), "1B1"},
    {LIT("1 having 1=1"), "1B1"},
    {LIT("1 procedure analyse(1)"), "1f(1)"},
    {LIT("1 /*a*/ or /*b*/ 2=2 /*c*/"), "1&1c"},
};

static const example exceptions[] = {
    {LIT("1 or 2"), ""},
    {LIT("1 or 2<3"), "1&1"},
    {LIT("sexy and 17"), ""},
    {LIT("1 union"), ""},
    {LIT("(1 union"), "1U"},
    {LIT("'--"), "sc"},
    {LIT("'-- x"), ""},
    {LIT("'/**/"), "sc"},
    {LIT("x'#"), ""},
    {LIT("1--"), ""},
    {LIT("foo/*x*/"), ""},
    {LIT("1 and 'a'"), ""},
    {LIT("1 and 'a'<'b'"), "1&sos"},
    {LIT("foo\" and \"bar"), "s&s"},
    {LIT("1 into outfile 'x'"), "1ks"},
    {LIT("1 into 'x'"), ""},
    {LIT("x' and 1 -- sp_password"), "s&1c"},
    {LIT("x' -- sp_password"), "sc"},
};

static void check(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        guarded input = guarded_new(examples[i].text);
        char fingerprint[HG_SQLI_FINGERPRINT_SIZE] = "?";
        bool found = hg_sqli(input.bytes, fingerprint);
        if (strcmp(fingerprint, examples[i].fingerprint) != 0 || found != (fingerprint[0] != '\0'))
            fail_msg("%s: '%s', not '%s'", examples[i].text.ptr, fingerprint, examples[i].fingerprint);
        assert_int_equal(hg_sqli(input.bytes, NULL), found);
        guarded_free(&input);
    }
}

static void each_context_is_tried_as_often_as_the_input_calls_for(void **state)
{
    (void)state;
    check(contexts, sizeof contexts / sizeof contexts[0]);
}

static void comments_separate_hide_and_betray(void **state)
{
    (void)state;
    check(comments, sizeof comments / sizeof comments[0]);
}

static void numbers_come_in_all_dialects(void **state)
{
    (void)state;
    check(numbers, sizeof numbers / sizeof numbers[0]);
}

static void strings_come_in_all_dialects(void **state)
{
    (void)state;
    check(strings, sizeof strings / sizeof strings[0]);
}

static void words_variables_and_bracketed_names_are_told_apart(void **state)
{
    (void)state;
    check(names, sizeof names / sizeof names[0]);
}

static void a_word_that_touches_a_number_ends_the_input(void **state)
{
    (void)state;
    check(boundaries, sizeof boundaries / sizeof boundaries[0]);
}

static void arithmetic_lists_and_phrases_fold_into_few_letters(void **state)
{
    (void)state;
    check(folding, sizeof folding / sizeof folding[0]);
}

static void what_ordinary_text_has_as_well_is_let_through(void **state)
{
    (void)state;
    check(exceptions, sizeof exceptions / sizeof exceptions[0]);
}

static void empty_text_is_benign(void **state)
{
    (void)state;
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE] = "?";
    assert_false(hg_sqli(hg_slice_of(NULL, 0), fingerprint));
    assert_string_equal(fingerprint, "");
}

static void attempts_are_made_in_order_until_one_is_positive(void **state)
{
    (void)state;
    hg_sqli_detection d;
    hg_sqli_begin(&d, HG_SLICE("admin' or 1=1 #"));
    assert_true(hg_sqli_step(&d));
    assert_string_equal(d.attempt.fingerprint, "ns");
    assert_true(hg_sqli_step(&d));
    assert_string_equal(d.attempt.fingerprint, "s&1o");
    assert_false(d.attempt.scan.mysql);
    assert_true(hg_sqli_step(&d));
    assert_string_equal(d.attempt.fingerprint, "s&1c");
    assert_true(d.attempt.scan.mysql);
    assert_true(d.attempt.positive);
    assert_false(hg_sqli_step(&d));
}

/* Where dropping tokens takes the last filled slots, not those of the window. */
static void a_backslash_behind_a_folded_comma_leaves_the_comma(void **state)
{
    (void)state;
    hg_sqli_attempt attempt;
    hg_sqli_try(&attempt, HG_SLICE("x',\\%"), '\'', false);
    assert_string_equal(attempt.fingerprint, "s,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_context_is_tried_as_often_as_the_input_calls_for),
        cmocka_unit_test(comments_separate_hide_and_betray),
        cmocka_unit_test(numbers_come_in_all_dialects),
        cmocka_unit_test(strings_come_in_all_dialects),
        cmocka_unit_test(words_variables_and_bracketed_names_are_told_apart),
        cmocka_unit_test(a_word_that_touches_a_number_ends_the_input),
        cmocka_unit_test(arithmetic_lists_and_phrases_fold_into_few_letters),
        cmocka_unit_test(what_ordinary_text_has_as_well_is_let_through),
        cmocka_unit_test(empty_text_is_benign),
        cmocka_unit_test(attempts_are_made_in_order_until_one_is_positive),
        cmocka_unit_test(a_backslash_behind_a_folded_comma_leaves_the_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
