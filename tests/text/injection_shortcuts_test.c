/* The shortcuts of the detectors change no verdict: every sequence of a few pieces is judged with and without. The
 * pieces stand for all types of tokens and for the words and marks that the shortcuts look at. */
#include "hotgate/injection.h"
#include "text/sqli/sqli.h"
#include "text/xss/xss.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define P(literal)                                                                                                     \
    {                                                                                                                  \
        literal, sizeof literal - 1                                                                                    \
    }

typedef void check_text(hg_slice text);

enum { ROOM = 256 };

static size_t append(char *out, size_t len, hg_slice piece, bool spaced)
{
    memcpy(out + len, piece.ptr, piece.len);
    len += piece.len;
    if (spaced)
        out[len++] = ' ';
    return len;
}

/* Calls check for every sequence of up to `depth` pieces that starts with text. */
static void each_sequence(const hg_slice *pieces, size_t count, size_t depth, bool spaced, char *text, size_t len,
                          check_text *check)
{
    if (len > 0)
        check(hg_slice_of(text, len));
    for (size_t i = 0; depth > 0 && i < count; i++)
        each_sequence(pieces, count, depth - 1, spaced, text, append(text, len, pieces[i], spaced), check);
}

/* ---- SQL ---- */

/* Brief folding may give up only when the full fingerprint starts like no listed one: a stronger claim than that it
 * is not listed, and so one that short sequences can refute. */
static void check_brief_folding(hg_slice text, char quote)
{
    hg_sqli_attempt full;
    hg_sqli_scan brief;
    hg_sqli_token slots[HG_SQLI_SLOTS];
    hg_sqli_try(&full, text, quote, false);
    hg_sqli_scan_start(&brief, text, quote, false);
    brief.brief = true;
    size_t count = hg_sqli_fold(&brief, slots);
    if (count == full.count || strcmp(full.fingerprint, "X") == 0)
        return;
    const char *letters = full.fingerprint;
    if (count != 0 || (letters[0] != '\0' && hg_sqli_starts_fingerprint(letters[0], letters[1])))
        fail_msg("%.*s: gave up, full fingerprint %s", (int)text.len, text.ptr, letters);
}

static void check_sqli(hg_slice text)
{
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    const char *full = "";
    hg_sqli_detection d;
    check_brief_folding(text, 0);
    check_brief_folding(text, '\'');
    hg_sqli_begin(&d, text);
    while (hg_sqli_step(&d))
        full = d.attempt.positive ? d.attempt.fingerprint : "";
    hg_sqli(text, fingerprint);
    if (strcmp(full, fingerprint) != 0)
        fail_msg("%.*s: %s in brief, %s in full", (int)text.len, text.ptr, fingerprint, full);
}

static void giving_up_early_misses_no_sql(void **state)
{
    (void)state;
    static const hg_slice all[] = {
        P("1"),    P("foo"),  P("'a'"), P("@v"),      P("sin"), P("union"), P("select"), P("order"), P("by"),
        P("not"),  P("like"), P("in"),  P("and"),     P("int"), P("="),     P("-"),      P("("),     P(")"),
        P(","),    P(";"),    P("{"),   P("}"),       P("."),   P(":"),     P("\\"),     P("?"),     P("user"),
        P("drop"), P("::"),   P("if"),  P("collate"), P("a_b"), P("into"),  P("--x\n"),  P("#"),     P("1a"),
    };
    char text[ROOM];
    each_sequence(all, sizeof all / sizeof all[0], 4, true, text, 0, check_sqli);
}

static void giving_up_early_misses_no_longer_sql(void **state)
{
    (void)state;
    static const hg_slice few[] = {
        P("1"),      P("foo"), P("'"), P("order"), P("like"), P("union"),
        P("select"), P("-"),   P("("), P(")"),     P(","),    P("{"),
    };
    char text[ROOM];
    each_sequence(few, sizeof few / sizeof few[0], 5, true, text, 0, check_sqli);
}

static void words_and_numbers_alone_hide_no_sql(void **state)
{
    (void)state;
    static const hg_slice plain[] = {
        P("0"), P("1"), P("x"), P("b"), P("e"), P("d"), P("n"), P("q"), P("u"), P("_"), P("union"), P("X"),
    };
    char text[ROOM];
    each_sequence(plain, sizeof plain / sizeof plain[0], 5, false, text, 0, check_sqli);
}

static void an_evil_token_far_behind_still_counts(void **state)
{
    (void)state;
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    assert_true(hg_sqli(HG_SLICE("foo bar /*!1*/"), fingerprint));
    assert_string_equal(fingerprint, "X");
    assert_true(hg_sqli(HG_SLICE("foo bar {`` 1"), fingerprint));
    assert_string_equal(fingerprint, "X");
}

/* ---- HTML ---- */

static void check_xss(hg_slice text)
{
    bool any = false;
    for (int context = 0; context < HG_HTML_CONTEXTS; context++)
        any |= hg_xss_in(text, (hg_html_context)context);
    if (hg_xss(text) != any)
        fail_msg("%.*s: %d in brief, %d in full", (int)text.len, text.ptr, !any, any);
}

static void skipping_contexts_misses_no_html(void **state)
{
    (void)state;
    static const hg_slice pieces[] = {
        P("<"),  P(">"),       P("="),       P("'"),     P("\""),  P("`"),    P("/"),   P(" "),  P("x"),
        P("by"), P("onclick"), P("<script"), P("style"), P("url"), P("data"), P("!--"), P("\0"), P("\xFF"),
    };
    char text[ROOM];
    each_sequence(pieces, sizeof pieces / sizeof pieces[0], 4, false, text, 0, check_xss);
}

static void names_of_all_attributes_are_seen(void **state)
{
    (void)state;
    static const char *const names[] = {
        "by",    "to",     "src",          "HREF",          "xlink:href", "attributename",
        "style", "action", "dataformatas", "onbeforeinput", "oncut"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "x %s \n=%s", names[i],
                 strcmp(names[i], "attributename") == 0 ? "src" : "java url");
        bool bad = hg_xss_in(hg_slice_from(text), HG_HTML_UNQUOTED);
        assert_int_equal(hg_xss(hg_slice_from(text)), bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(giving_up_early_misses_no_sql),         cmocka_unit_test(giving_up_early_misses_no_longer_sql),
        cmocka_unit_test(words_and_numbers_alone_hide_no_sql),
        cmocka_unit_test(an_evil_token_far_behind_still_counts), cmocka_unit_test(skipping_contexts_misses_no_html),
        cmocka_unit_test(names_of_all_attributes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
