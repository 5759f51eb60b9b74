/* The JSON reader and writer, by behaviour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing.h"
#include "guarded.h"
#include "hotgate/value.h"

#include <stdio.h>

static hg_status read_text(const char *text, size_t len, hg_json_dialect dialect, hg_buffer *json, hg_json_error *error)
{
    guarded g = guarded_new(hg_slice_of(text, len));
    hg_json_options options = {.dialect = dialect};
    hg_value v;
    hg_json_error mine;
    hg_status status = hg_json_read(g.bytes, &options, &v, hg_heap(), error ? error : &mine);
    json->len = 0;
    if (status == HG_OK) {
        hg_json_write(&v, 0, json);
        hg_value_free(&v, hg_heap());
    } else {
        assert_int_equal(v.type, HG_INVALID);
    }
    guarded_free(&g);
    return status;
}

static void expect(hg_json_dialect dialect, const char *text, const char *expected)
{
    hg_buffer json = {0};
    hg_status status = read_text(text, strlen(text), dialect, &json, NULL);
    hg_buffer_byte(&json, 0);
    if (status != HG_OK || strcmp(json.ptr, expected) != 0)
        fail_msg("%s gives status %d, %s instead of %s", text, status, json.ptr, expected);
    hg_buffer_free(&json);
}

static void expect_error(hg_json_dialect dialect, const char *text, hg_status wanted, size_t offset)
{
    hg_buffer json = {0};
    hg_json_error error;
    hg_status status = read_text(text, strlen(text), dialect, &json, &error);
    if (status != wanted || error.offset != offset)
        fail_msg("%s gives status %d at %zu instead of %d at %zu", text, status, error.offset, wanted, offset);
    hg_buffer_free(&json);
}

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    expect(HG_JSON_STRICT, " {\"a\" : [1, -2, 3.5, true, false, null, \"x\", {}, []]} ",
           "{\"a\":[1,-2,3.5,true,false,null,\"x\",{},[]]}");
    expect(HG_JSON_STRICT, "\"\\u00e9\\ud83d\\ude00\\n\\/\"", "\"é😀\\n/\"");
    expect(HG_JSON_STRICT, "[[[[1],2],3],4]", "[[[[1],2],3],4]");
    expect(HG_JSON_STRICT, "{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}");
    expect(HG_JSON_STRICT, "\xEF\xBB\xBF[1]", "[1]");
}

static void numbers_keep_their_kind(void **state)
{
    (void)state;
    struct {
        const char *text;
        hg_json_dialect dialect;
        uint8_t type;
    } cases[] = {
        {"1", HG_JSON_STRICT, HG_SIGNED},
        {"9223372036854775807", HG_JSON_STRICT, HG_SIGNED},
        {"9223372036854775808", HG_JSON_STRICT, HG_UNSIGNED},
        {"18446744073709551615", HG_JSON_STRICT, HG_UNSIGNED},
        {"18446744073709551616", HG_JSON_STRICT, HG_FLOAT},
        {"-9223372036854775808", HG_JSON_STRICT, HG_SIGNED},
        {"-9223372036854775809", HG_JSON_STRICT, HG_FLOAT},
        {"1.0", HG_JSON_STRICT, HG_FLOAT},
        {"1e400", HG_JSON_STRICT, HG_SMALL_STRING},
        {"1", HG_JSON_DDWAF, HG_UNSIGNED},
        {"-0", HG_JSON_DDWAF, HG_SIGNED},
        {"-1", HG_JSON_DDWAF, HG_SIGNED},
        {"1e2", HG_JSON_DDWAF, HG_FLOAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hg_json_options options = {.dialect = cases[i].dialect};
        hg_value v;
        assert_int_equal(hg_json_read(hg_slice_from(cases[i].text), &options, &v, hg_heap(), NULL), HG_OK);
        if (v.type != cases[i].type)
            fail_msg("%s has type %d instead of %d", cases[i].text, v.type, cases[i].type);
        hg_value_free(&v, hg_heap());
    }
}

static void errors_say_where(void **state)
{
    (void)state;
    expect_error(HG_JSON_STRICT, "[1,]", HG_ERR_SYNTAX, 3);
    expect_error(HG_JSON_STRICT, "{\"a\" 1}", HG_ERR_SYNTAX, 5);
    expect_error(HG_JSON_STRICT, "[1", HG_ERR_TRUNCATED, 2);
    expect_error(HG_JSON_STRICT, "", HG_ERR_TRUNCATED, 0);
    expect_error(HG_JSON_STRICT, "[1] 2", HG_ERR_SYNTAX, 4);
    expect_error(HG_JSON_STRICT, "01", HG_ERR_SYNTAX, 1);
    expect_error(HG_JSON_STRICT, "\"a\x01\"", HG_ERR_SYNTAX, 2);
    expect_error(HG_JSON_STRICT, "\"\\ud800x\"", HG_ERR_SYNTAX, 1);
    expect_error(HG_JSON_STRICT, "[\"a\xff\"]", HG_ERR_SYNTAX, 3);
    expect_error(HG_JSON_DDWAF, "1e400", HG_ERR_SYNTAX, 0);
    hg_buffer json = {0};
    hg_json_error error;
    read_text("{\n  \"a\": 1,\n  b\n}", 17, HG_JSON_STRICT, &json, &error);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 3);
    hg_buffer_free(&json);
}

static void nul_ends_the_ddwaf_dialect(void **state)
{
    (void)state;
    hg_buffer json = {0};
    assert_int_equal(read_text("1\0garbage", 9, HG_JSON_DDWAF, &json, NULL), HG_OK);
    assert_int_equal(read_text("[1,\0", 4, HG_JSON_DDWAF, &json, NULL), HG_ERR_TRUNCATED);
    assert_int_equal(read_text("1\0", 2, HG_JSON_STRICT, &json, NULL), HG_ERR_SYNTAX);
    hg_buffer_free(&json);
}

static void the_21st_ddwaf_level_is_empty(void **state)
{
    (void)state;
    char text[512] = "", expected[512] = "";
    for (int i = 0; i < 30; i++)
        strcat(text, "[1,");
    strcat(text, "2");
    for (int i = 0; i < 30; i++)
        strcat(text, "]");
    for (int i = 0; i < 20; i++)
        strcat(expected, "[1,");
    strcat(expected, "[]");
    for (int i = 0; i < 20; i++)
        strcat(expected, "]");
    expect(HG_JSON_DDWAF, text, expected);
    text[strlen(text) - 1] = 0;
    expect_error(HG_JSON_DDWAF, text, HG_ERR_TRUNCATED, strlen(text));
}

static void a_million_levels_are_survived(void **state)
{
    (void)state;
    size_t n = 1000000;
    char *text = malloc(n);
    memset(text, '[', n);
    hg_buffer json = {0};
    assert_int_equal(read_text(text, n, HG_JSON_STRICT, &json, NULL), HG_ERR_LIMIT);
    assert_int_equal(read_text(text, n, HG_JSON_DDWAF, &json, NULL), HG_ERR_TRUNCATED);
    assert_int_equal(read_text(text, n, HG_JSON_LENIENT, &json, NULL), HG_OK);
    hg_buffer_free(&json);
    free(text);
}

static void lenient_takes_what_bodies_contain(void **state)
{
    (void)state;
    expect(HG_JSON_LENIENT, "/* c */ {\"a\":[1,2,], // x\n \"b\":'", "{\"a\":[1,2]}");
    expect(HG_JSON_LENIENT, "[NaN,Infinity,-Infinity,\"it\\'s\",]", "[null,null,null,\"it's\"]");
    expect(HG_JSON_LENIENT, "[\"\\ud800x\",\"a\xff\"]", "[\"\xEF\xBF\xBDx\",\"a\xEF\xBF\xBD\"]");
    expect(HG_JSON_LENIENT, "[\"a\tb\"]", "[\"a\\tb\"]");
}

static void lenient_keeps_what_was_complete(void **state)
{
    (void)state;
    expect(HG_JSON_LENIENT, "{\"a\":1,\"b\":[1,2", "{\"a\":1,\"b\":[1,2]}");
    expect(HG_JSON_LENIENT, "{\"a\":\"unfinis", "{\"a\":\"unfinis\"}");
    expect(HG_JSON_LENIENT, "{\"a\":\"x\xC3", "{\"a\":\"x\"}");
    expect(HG_JSON_LENIENT, "{\"a\":1,\"unfinis", "{\"a\":1}");
    expect(HG_JSON_LENIENT, "{\"a\":1,\"b\"", "{\"a\":1}");
    expect(HG_JSON_LENIENT, "{\"a\":1,\"b\":", "{\"a\":1}");
    expect(HG_JSON_LENIENT, "[1,2.", "[1]");
    expect(HG_JSON_LENIENT, "[1,tru", "[1]");
    expect(HG_JSON_LENIENT, "[1] x", "[1]");
    hg_json_error error;
    hg_buffer json = {0};
    assert_int_equal(read_text("[1,2", 4, HG_JSON_LENIENT, &json, &error), HG_OK);
    assert_true(error.partial);
    assert_int_equal(read_text("[1,2]", 5, HG_JSON_LENIENT, &json, &error), HG_OK);
    assert_false(error.partial);
    assert_int_equal(read_text("<a>", 3, HG_JSON_LENIENT, &json, &error), HG_ERR_SYNTAX);
    hg_buffer_free(&json);
}

static void offsets_point_at_keys_and_values(void **state)
{
    (void)state;
    hg_slice text = HG_SLICE("{\"a\": [10, {\"b\": 1}],\n \"c\": \"x\"}");
    hg_json_options options = {.dialect = HG_JSON_STRICT, .offsets = hg_json_offsets_new()};
    hg_value v;
    assert_int_equal(hg_json_read(text, &options, &v, hg_heap(), NULL), HG_OK);
    const hg_pair *pairs = hg_map_pairs(&v);
    const hg_value *list = hg_array_items(&pairs[0].val);
    assert_int_equal(hg_json_offset_of(options.offsets, &v), 0);
    assert_int_equal(hg_json_offset_of(options.offsets, &pairs[0].key), 1);
    assert_int_equal(hg_json_offset_of(options.offsets, &pairs[0].val), 6);
    assert_int_equal(hg_json_offset_of(options.offsets, &list[0]), 7);
    assert_int_equal(hg_json_offset_of(options.offsets, &list[1]), 11);
    assert_int_equal(hg_json_offset_of(options.offsets, &hg_map_pairs(&list[1])[0].val), 17);
    assert_int_equal(hg_json_offset_of(options.offsets, &pairs[1].val), 28);
    uint32_t line, column;
    hg_json_position(text, 28, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 7);
    hg_json_offsets_free(options.offsets);
    hg_value_free(&v, hg_heap());
}

static void a_failing_allocator_leaks_nothing(void **state)
{
    (void)state;
    hg_slice text = HG_SLICE("{\"a long key for the heap\":[1,{\"b\":\"a long value for the heap\"},"
                             "\"an \\n escaped value, long\"],\"c\":[]}");
    for (size_t n = 0;; n++) {
        failing f;
        failing_init(&f, n);
        hg_value v;
        hg_status status = hg_json_read(text, NULL, &v, &f.allocator, NULL);
        if (status == HG_OK)
            hg_value_free(&v, &f.allocator);
        else
            assert_int_equal(status, HG_ERR_NOMEM);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.live_bytes, 0);
        if (f.calls <= n)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(numbers_keep_their_kind),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(nul_ends_the_ddwaf_dialect),
        cmocka_unit_test(the_21st_ddwaf_level_is_empty),
        cmocka_unit_test(a_million_levels_are_survived),
        cmocka_unit_test(lenient_takes_what_bodies_contain),
        cmocka_unit_test(lenient_keeps_what_was_complete),
        cmocka_unit_test(offsets_point_at_keys_and_values),
        cmocka_unit_test(a_failing_allocator_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
