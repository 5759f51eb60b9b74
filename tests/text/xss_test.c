/* Verdicts of the XSS detector in each of its contexts. Expected values are those of libinjection as the WAF
 * carries it. */
#include "hotgate/injection.h"

#include "guarded.h"
#include "text/xss/xss.h"

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
    const char *contexts; /* 1 = found: as page text, inside a tag, in '', in "", in `` */
} example;

static const example tags[] = {
    {LIT("<script>alert(1)</script>"), "10000"},
    {LIT("<ScRiPt>"), "10000"},
    {LIT("<script"), "10000"},
    {LIT("<scr\x00ipt>"), "10000"},
    {LIT("<script/x>"), "10000"},
    {LIT("</script>"), "00000"},
    {LIT("</script >"), "10000"},
    {LIT("<scripts>"), "00000"},
    {LIT("<b>x</b>"), "00000"},
    {LIT("<svg onload=x>"), "11000"},
    {LIT("<svg>"), "00000"},
    {LIT("<xml>"), "00000"},
    {LIT("<vmlframe src=x>"), "10000"},
    {LIT("<noscript>"), "10000"},
    {LIT("<form action=x>"), "00000"},
    {LIT("1 < 2 > 1"), "00000"},
    {LIT("a<script"), "10000"},
    {LIT("</a ><script>"), "01000"},
    {LIT("</><script>"), "01000"},
    {LIT("</ xml:x>"), "00000"},
    {LIT("\xff</a ><script>"), "00000"},
    {LIT("\xff<script>"), "10000"},
};

static const example handlers[] = {
    {LIT("<img src=x onerror=alert(1)>"), "11000"},
    {LIT("<img onerror>"), "00000"},
    {LIT("<img onerror=>"), "11000"},
    {LIT("<img onerror="), "00000"},
    {LIT("<img onerror = \"\">"), "11000"},
    {LIT("<img/onerror=x>"), "11000"},
    {LIT("<img onfoo=x>"), "11000"},
    {LIT("<img onbar=x>"), "00000"},
    {LIT("<img on=x>"), "00000"},
    {LIT("<a datasrc=x>"), "11000"},
    {LIT("<a xmlns=x>"), "00000"},
    {LIT("<x attributename=onclick>"), "11000"},
    {LIT("<x attributename=href>"), "11000"},
    {LIT("<x attributename=title>"), "00000"},
    {LIT("<img title=\"x\"onclick=x>"), "11000"},
};

static const example urls[] = {
    {LIT("<a href=javascript:alert(1)>"), "11000"},
    {LIT("<a href=\"JaVaScRiPt:alert(1)\">"), "11000"},
    {LIT("<a href=java>"), "11000"},
    {LIT("<a href='  data:text/html,x'>"), "11000"},
    {LIT("<a href=view-source:x>"), "11000"},
    {LIT("<a href=vbscript:x>"), "11000"},
    {LIT("<a href=&#106;avascript:x>"), "11000"},
    {LIT("<a href=&#x6A;avascript:x>"), "11000"},
    {LIT("<a href=&#x14A;AVASCRIPT:x>"), "11000"},
    {LIT("<a href=&#x6aavascript:x>"), "00000"},
    {LIT("<a href=\"jav\nascript:x\">"), "11000"},
    {LIT("<a href=\"jav\tascript:x\">"), "00000"},
    {LIT("<a href=\"\xe2\x80\x83java:x\">"), "11000"},
    {LIT("<a href=\"jav&#0;ascript:x\">"), "11000"},
    {LIT("<a href=http://x/>"), "00000"},
    {LIT("<a xlink:href=javascript:x>"), "11000"},
    {LIT("<animate values=javascript:x>"), "11000"},
    {LIT("<a hrefx=javascript:x>"), "00000"},
};

static const example styles[] = {
    {LIT("<b style=color:red>"), "00000"},
    {LIT("<b style=\"background:url(x)\">"), "11000"},
    {LIT("<b style=\"x:expression(1)\">"), "11000"},
    {LIT("<b style=\"x:ex/**/pression(1)\">"), "11000"},
    {LIT("<b style=\"x:URL(x)\">"), "00000"},
    {LIT("<b style=\"u*/rl\">"), "11000"},
    {LIT("<b style=\"/*url*/\">"), "00000"},
    {LIT("<b style=\"/*x:url\">"), "11000"},
    {LIT("<b filter=url>"), "11000"},
};

static const example declarations[] = {
    {LIT("<!-- x -->"), "00000"},
    {LIT("<!--[if IE]>x<![endif]-->"), "10000"},
    {LIT("<!--[if-->"), "00000"},
    {LIT("<!--[if>"), "10000"},
    {LIT("<?xml version=1>"), "10000"},
    {LIT("<?php x ?>"), "00000"},
    {LIT("<?import x>"), "10000"},
    {LIT("<!ENTITY x>"), "10000"},
    {LIT("<!DOCTYPE html>"), "10000"},
    {LIT("<!doctyp>"), "00000"},
    {LIT("<![CDATA[<script>]]>"), "00000"},
    {LIT("<![cdata[<script>]]>"), "00000"},
    {LIT("<%xml%>"), "00000"},
    {LIT("<!-- x --!><script>"), "11000"},
    {LIT("<!-- x -!><script>"), "11000"},
    {LIT("<!-- ` -->"), "00000"},
};

static const example contexts[] = {
    {LIT("onclick=x"), "01000"},
    {LIT("x onclick=x"), "01000"},
    {LIT("' onclick=x"), "01100"},
    {LIT("\" onclick=x "), "01010"},
    {LIT("` onclick=x "), "01001"},
    {LIT("x' onclick=x y='"), "01100"},
    {LIT("x' href='javascript:x"), "01100"},
    {LIT("href=javascript:x"), "01000"},
    {LIT("src=\"data:x"), "01000"},
    {LIT("x onclick"), "00000"},
    {LIT("/onclick=x"), "01000"},
    {LIT("><script>"), "11000"},
    {LIT("\xffonclick=x"), "00000"},
    {LIT("style=url"), "01000"},
};

static const example frames[] = {
    {LIT("<iframe src=x>"), "10000"},
    {LIT("<iframe src=\"https://www.youtube.com/embed/1\" width=1></iframe>"), "00000"},
    {LIT("<iframe src=\"https://www.youtube.com/embed/1\">"), "10000"},
    {LIT("<iframe src=\"http://www.youtube.com/embed/1\" width=1></iframe>"), "10000"},
    {LIT("<iframe width=1 src=\"https://www.youtube.com/embed/1\"></iframe>"), "00000"},
    {LIT("<iframe src='https://www.youtube.com/embed/1'></iframe>"), "10000"},
    {LIT("<iframe a src=\"https://www.youtube.com/embed/1\"></iframe>"), "10000"},
};

static void check(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        guarded input = guarded_new(examples[i].text);
        char got[HG_HTML_CONTEXTS + 1] = "";
        for (int context = 0; context < HG_HTML_CONTEXTS; context++)
            got[context] = hg_xss_in(input.bytes, (hg_html_context)context) ? '1' : '0';
        if (strcmp(got, examples[i].contexts) != 0)
            fail_msg("%s: %s, not %s", examples[i].text.ptr, got, examples[i].contexts);
        assert_int_equal(hg_xss(input.bytes), strchr(got, '1') != NULL);
        guarded_free(&input);
    }
}

static void bad_tags_are_found_and_closing_tags_are_not(void **state)
{
    (void)state;
    check(tags, sizeof tags / sizeof tags[0]);
}

static void event_handlers_need_a_value(void **state)
{
    (void)state;
    check(handlers, sizeof handlers / sizeof handlers[0]);
}

static void urls_with_a_script_scheme_are_found_behind_white_space_and_references(void **state)
{
    (void)state;
    check(urls, sizeof urls / sizeof urls[0]);
}

static void styles_that_load_or_run_are_found_outside_their_comments(void **state)
{
    (void)state;
    check(styles, sizeof styles / sizeof styles[0]);
}

static void declarations_and_conditional_comments_are_found(void **state)
{
    (void)state;
    check(declarations, sizeof declarations / sizeof declarations[0]);
}

static void every_quote_the_input_may_stand_in_is_tried(void **state)
{
    (void)state;
    check(contexts, sizeof contexts / sizeof contexts[0]);
}

static void a_frame_is_bad_unless_it_is_the_one_player(void **state)
{
    (void)state;
    check(frames, sizeof frames / sizeof frames[0]);
}

/* A reference needs a digit to be one, but no semicolon. */
static void a_character_reference_without_a_digit_is_none(void **state)
{
    (void)state;
    static const example cut[] = {
        {LIT("href=&#"), "00000"},     {LIT("href=&#x"), "00000"},      {LIT("href=&"), "00000"},
        {LIT("href=jav&#x"), "00000"}, {LIT("href=jav&#x61"), "01000"},
    };
    check(cut, sizeof cut / sizeof cut[0]);
}

static void empty_text_is_benign(void **state)
{
    (void)state;
    assert_false(hg_xss(hg_slice_of(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tags_are_found_and_closing_tags_are_not),
        cmocka_unit_test(event_handlers_need_a_value),
        cmocka_unit_test(urls_with_a_script_scheme_are_found_behind_white_space_and_references),
        cmocka_unit_test(styles_that_load_or_run_are_found_outside_their_comments),
        cmocka_unit_test(declarations_and_conditional_comments_are_found),
        cmocka_unit_test(every_quote_the_input_may_stand_in_is_tried),
        cmocka_unit_test(a_frame_is_bad_unless_it_is_the_one_player),
        cmocka_unit_test(a_character_reference_without_a_digit_is_none),
        cmocka_unit_test(empty_text_is_benign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
