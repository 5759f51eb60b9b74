/* Query strings and form bodies. */
#include "value_expect.h"
#include "failing.h"
#include "guarded.h"
#include "hotgate/body.h"

#include <stdio.h>

static void check(int line, const char *text, unsigned flags, const char *expected)
{
    guarded g = guarded_new(hg_slice_from(text));
    hg_body_options options = {.flags = flags};
    hg_value v;
    assert_int_equal(hg_form_read(g.bytes, &options, &v, hg_heap()), HG_OK);
    expect_json_at(__FILE__, line, &v, expected);
    guarded_free(&g);
}

#define expect_form(text, flags, expected) check(__LINE__, text, flags, expected)

static void pairs_are_split_and_decoded(void **state)
{
    (void)state;
    expect_form("a=1&b=two+words&c=%41%zz%4", 0, "{\"a\":\"1\",\"b\":\"two words\",\"c\":\"A%zz%4\"}");
    expect_form("a&b=&=c&&d==e&", 0, "{\"a\":\"\",\"b\":\"\",\"\":\"c\",\"d\":\"=e\"}");
    expect_form("", 0, "{}");
    expect_form("a%3Db=c%26d", 0, "{\"a=b\":\"c&d\"}");
    expect_form("%00=x", 0, "{\"\\u0000\":\"x\"}");
}

static void repeats_become_an_array_in_order(void **state)
{
    (void)state;
    expect_form("a=1&b=2&a=3&%61=4", 0, "{\"a\":[\"1\",\"3\",\"4\"],\"b\":\"2\"}");
    expect_form("a=1", HG_BODY_ALWAYS_ARRAY, "{\"a\":[\"1\"]}");
}

static void brackets_nest_when_asked(void **state)
{
    (void)state;
    expect_form("a[b][]=1&a[b][]=2&a[c]=3", 0, "{\"a[b][]\":[\"1\",\"2\"],\"a[c]\":\"3\"}");
    expect_form("a[b][]=1&a[b][]=2&a[c]=3", HG_BODY_PHP_BRACKETS, "{\"a\":{\"b\":[\"1\",\"2\"],\"c\":\"3\"}}");
    expect_form("a=0&a[b]=1", HG_BODY_PHP_BRACKETS, "{\"a\":[\"0\",{\"b\":\"1\"}]}");
    expect_form("a[b=1&[c]=2&a]=3", HG_BODY_PHP_BRACKETS, "{\"a\":\"1\",\"[c]\":\"2\",\"a]\":\"3\"}");
}

static void invalid_utf8_is_replaced(void **state)
{
    (void)state;
    expect_form("a=%ff%C3%A9%C3", 0, "{\"a\":\"\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\"}");
}

static void the_charset_field_names_the_charset(void **state)
{
    (void)state;
    expect_form("a=%e9&_charset_=iso-8859-1", 0, "{\"a\":\"\xC3\xA9\",\"_charset_\":\"iso-8859-1\"}");
    expect_form("a=%80&_charset_=windows-1252", 0, "{\"a\":\"\xE2\x82\xAC\",\"_charset_\":\"windows-1252\"}");
}

static void entries_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    hg_buffer text = {0};
    for (int i = 0; i < 300; i++)
        hg_buffer_printf(&text, "k%d=%d&", i, i);
    for (int i = 0; i < 300; i++)
        hg_buffer_printf(&text, "k0=x&");
    hg_report report;
    hg_report_init(&report);
    hg_body_options options = {.report = &report};
    hg_value v;
    assert_int_equal(hg_form_read(hg_slice_of(text.ptr, text.len), &options, &v, hg_heap()), HG_OK);
    assert_int_equal(hg_value_size(&v), 256);
    assert_int_equal(hg_value_size(&hg_map_pairs(&v)[0].val), 256);
    const hg_truncation *t = hg_report_reason(&report, HG_REASON_CONTAINER_TOO_LARGE);
    assert_int_equal(t->count, 2);
    assert_int_equal(t->max, 301);
    assert_int_equal(t->sum, 300 + 301);
    hg_value_free(&v, hg_heap());
    hg_buffer_free(&text);
}

static void borrowed_text_points_into_the_source(void **state)
{
    (void)state;
    hg_slice text = HG_SLICE("name=a value of some length&other=an+escaped value of some length");
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_body_options options = {.flags = HG_BODY_BORROW};
    hg_value v;
    assert_int_equal(hg_form_read(text, &options, &v, hg_arena_allocator(&arena)), HG_OK);
    assert_ptr_equal(hg_map_pairs(&v)[0].val.str.ptr, text.ptr + 5);
    assert_true(hg_slice_equal(hg_value_string(&hg_map_pairs(&v)[1].val), HG_SLICE("an escaped value of some length")));
    hg_arena_close(&arena);
}

static void a_failing_allocator_leaks_nothing(void **state)
{
    (void)state;
    hg_slice text = HG_SLICE("a rather long name=a rather long value&a rather long name=again&b=c%20d");
    for (size_t n = 0;; n++) {
        failing f;
        failing_init(&f, n);
        hg_value v;
        hg_status status = hg_form_read(text, NULL, &v, &f.allocator);
        assert_int_equal(status, f.calls <= n ? HG_OK : HG_ERR_NOMEM);
        hg_value_free(&v, &f.allocator);
        assert_int_equal(f.live_blocks, 0);
        if (f.calls <= n)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_split_and_decoded),
        cmocka_unit_test(repeats_become_an_array_in_order),
        cmocka_unit_test(brackets_nest_when_asked),
        cmocka_unit_test(invalid_utf8_is_replaced),
        cmocka_unit_test(the_charset_field_names_the_charset),
        cmocka_unit_test(entries_beyond_the_limit_are_counted),
        cmocka_unit_test(borrowed_text_points_into_the_source),
        cmocka_unit_test(a_failing_allocator_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
