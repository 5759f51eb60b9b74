/* MessagePack in and out. */
#include "value_expect.h"
#include "failing.h"
#include "guarded.h"
#include "hotgate/msgpack.h"

#include <math.h>
#include <stdio.h>

static hg_status read_bytes(hg_slice bytes, const hg_msgpack_options *options, hg_value *v, size_t *used)
{
    guarded g = guarded_new(bytes);
    hg_status status = hg_msgpack_read(g.bytes, options, v, used, hg_heap());
    guarded_free(&g);
    return status;
}

static void expect_read_at(int line, hg_slice bytes, const char *expected)
{
    hg_value v;
    size_t used = 0;
    hg_status status = read_bytes(bytes, NULL, &v, &used);
    if (status != HG_OK)
        fail_msg("line %d: status %d", line, status);
    assert_int_equal(used, bytes.len);
    expect_json_at(__FILE__, line, &v, expected);
}

#define expect_read(bytes, expected) expect_read_at(__LINE__, HG_SLICE(bytes), expected)

static void every_format_is_read(void **state)
{
    (void)state;
    expect_read("\xc0", "null");
    expect_read("\xc2", "false");
    expect_read("\xc3", "true");
    expect_read("\x7f", "127");
    expect_read("\xe0", "-32");
    expect_read("\xcc\xff", "255");
    expect_read("\xcd\xff\xff", "65535");
    expect_read("\xce\xff\xff\xff\xff", "4294967295");
    expect_read("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615");
    expect_read("\xd0\x80", "-128");
    expect_read("\xd0\x05", "5");
    expect_read("\xd1\x80\x00", "-32768");
    expect_read("\xd2\x80\x00\x00\x00", "-2147483648");
    expect_read("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "-9223372036854775808");
    expect_read("\xca\x3f\x00\x00\x00", "0.5");
    expect_read("\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", "0.1");
    expect_read("\xa3" "abc", "\"abc\"");
    expect_read("\xd9\x03" "abc", "\"abc\"");
    expect_read("\xda\x00\x03" "abc", "\"abc\"");
    expect_read("\xdb\x00\x00\x00\x03" "abc", "\"abc\"");
    expect_read("\xc4\x03" "abc", "\"abc\"");
    expect_read("\xc5\x00\x03" "abc", "\"abc\"");
    expect_read("\xc6\x00\x00\x00\x03" "abc", "\"abc\"");
    expect_read("\x92\x01\x91\xc0", "[1,[null]]");
    expect_read("\xdc\x00\x01\x01", "[1]");
    expect_read("\xdd\x00\x00\x00\x01\x01", "[1]");
    expect_read("\x81\xa1" "a\x80", "{\"a\":{}}");
    expect_read("\xde\x00\x01\xa1" "a\x01", "{\"a\":1}");
    expect_read("\xdf\x00\x00\x00\x01\xa1" "a\x01", "{\"a\":1}");
    expect_read("\xd4\x05\x00", "null");
    expect_read("\xc7\x03\x05" "abc", "null");
}

static void timestamps_become_text(void **state)
{
    (void)state;
    expect_read("\xd6\xff\x00\x00\x00\x00", "\"1970-01-01T00:00:00Z\"");
    expect_read("\xd6\xff\x65\xe0\x5f\x00", "\"2024-02-29T10:40:00Z\"");
    expect_read("\xd7\xff\x77\x35\x94\x00\x00\x00\x00\x01", "\"1970-01-01T00:00:01.500000000Z\"");
    expect_read("\xc7\x0c\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff", "\"1969-12-31T23:59:59Z\"");
}

static void keys_become_text(void **state)
{
    (void)state;
    expect_read("\x87\x01\x00\xff\x01\xc3\x02\xc0\x03\xca\x3f\x00\x00\x00\x04\xc4\x01" "b\x05\x91\x09\x06",
                "{\"1\":0,\"-1\":1,\"true\":2,\"\":3,\"0.5\":4,\"b\":5}");
    expect_read("\x82\x81\xa1" "x\x93\x01\x02\x03\x92\x01\x02\xa1" "y\x01", "{\"y\":1}");
}

static void broken_data_is_refused(void **state)
{
    (void)state;
    hg_value v;
    assert_int_equal(read_bytes(HG_SLICE("\xc1"), NULL, &v, NULL), HG_ERR_SYNTAX);
    assert_int_equal(v.type, HG_INVALID);
    assert_int_equal(read_bytes(HG_SLICE(""), NULL, &v, NULL), HG_NEED_MORE);
    assert_int_equal(read_bytes(HG_SLICE("\xdd\xff\xff\xff\xff\x01"), NULL, &v, NULL), HG_NEED_MORE);
    assert_int_equal(read_bytes(HG_SLICE("\xdb\xff\xff\xff\xff" "abc"), NULL, &v, NULL), HG_NEED_MORE);
    char deep[40];
    memset(deep, 0x91, sizeof deep);
    deep[39] = 1;
    assert_int_equal(read_bytes(hg_slice_of(deep, sizeof deep), NULL, &v, NULL), HG_ERR_LIMIT);
    hg_msgpack_options options = {.max_nesting = 64};
    assert_int_equal(read_bytes(hg_slice_of(deep, sizeof deep), &options, &v, NULL), HG_OK);
    hg_value_free(&v, hg_heap());
}

static const char sample[] = "\x83\xa1" "a\x92\x01\xa3" "xyz\xa1" "b\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a\xa1" "c\xc3";

static void every_prefix_needs_more_or_is_kept_as_far_as_it_goes(void **state)
{
    (void)state;
    hg_msgpack_options partial = {.partial = true};
    for (size_t len = 0; len < sizeof sample - 1; len++) {
        hg_value v;
        size_t used;
        assert_int_equal(read_bytes(hg_slice_of(sample, len), NULL, &v, NULL), HG_NEED_MORE);
        assert_int_equal(hg_msgpack_length(hg_slice_of(sample, len), &used), HG_NEED_MORE);
        hg_status status = read_bytes(hg_slice_of(sample, len), &partial, &v, NULL);
        assert_int_equal(status, len == 0 ? HG_NEED_MORE : HG_OK);
        hg_value_free(&v, hg_heap());
    }
    hg_value v;
    assert_int_equal(read_bytes(hg_slice_of(sample, 14), &partial, &v, NULL), HG_OK);
    expect_json(&v, "{\"a\":[1,\"xyz\"]}");
}

static void a_stream_gives_one_object_after_the_other(void **state)
{
    (void)state;
    hg_slice data = HG_SLICE("\x01\x91\x02\xa1" "x");
    const size_t lengths[] = {1, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        hg_value v;
        size_t used, length;
        assert_int_equal(hg_msgpack_length(data, &length), HG_OK);
        assert_int_equal(hg_msgpack_read(data, NULL, &v, &used, hg_heap()), HG_OK);
        assert_int_equal(used, lengths[i]);
        assert_int_equal(length, lengths[i]);
        hg_value_free(&v, hg_heap());
        data = hg_slice_skip(data, used);
    }
}

static void expect_bytes(const hg_value *v, hg_slice expected)
{
    hg_buffer out = {0};
    hg_msgpack_write(v, &out);
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(out.ptr, expected.ptr, out.len);
    hg_buffer_free(&out);
}

static void integers_take_their_smallest_form(void **state)
{
    (void)state;
    struct {
        int64_t i;
        hg_slice bytes;
    } cases[] = {
        {0, HG_SLICE("\x00")}, {127, HG_SLICE("\x7f")}, {128, HG_SLICE("\xcc\x80")}, {255, HG_SLICE("\xcc\xff")},
        {256, HG_SLICE("\xcd\x01\x00")}, {65536, HG_SLICE("\xce\x00\x01\x00\x00")}, {-1, HG_SLICE("\xff")}, {-32, HG_SLICE("\xe0")},
        {-33, HG_SLICE("\xd0\xdf")}, {-128, HG_SLICE("\xd0\x80")}, {-129, HG_SLICE("\xd1\xff\x7f")},
        {-32769, HG_SLICE("\xd2\xff\xff\x7f\xff")}, {INT64_MIN, HG_SLICE("\xd3\x80\x00\x00\x00\x00\x00\x00\x00")},
        {INT64_MAX, HG_SLICE("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hg_value v;
        hg_set_signed(&v, cases[i].i);
        expect_bytes(&v, cases[i].bytes);
    }
    hg_value v;
    hg_set_borrowed(&v, HG_SLICE("a\xff"));
    expect_bytes(&v, HG_SLICE("\xc4\x02" "a\xff"));
    hg_set_invalid(&v);
    expect_bytes(&v, HG_SLICE("\xc0"));
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const char *const texts[] = {"{\"a\":[1.5,-2,\"x\",true,null,{}],\"a\":\"again\",\"long\":\"0123456789012345678901234567890123456789\"}",
                                 "[[[[[[]]]]]]", "\"é\"", "-5", "0.1", "{}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hg_value v, back;
        hg_buffer out = {0};
        hg_json_options options = {.dialect = HG_JSON_DDWAF};
        assert_int_equal(hg_json_read(hg_slice_from(texts[i]), &options, &v, hg_heap(), NULL), HG_OK);
        hg_msgpack_write(&v, &out);
        assert_int_equal(hg_msgpack_read(hg_slice_of(out.ptr, out.len), NULL, &back, NULL, hg_heap()), HG_OK);
        assert_true(hg_value_equal(&v, &back));
        hg_value_free(&v, hg_heap());
        hg_value_free(&back, hg_heap());
        hg_buffer_free(&out);
    }
}

static void a_failing_allocator_leaks_nothing(void **state)
{
    (void)state;
    hg_slice data = HG_SLICE("\x82\xb4" "01234567890123456789\x91\xb4" "01234567890123456789\xa1" "b\x90");
    for (size_t n = 0;; n++) {
        failing f;
        failing_init(&f, n);
        hg_value v;
        hg_status status = hg_msgpack_read(data, NULL, &v, NULL, &f.allocator);
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
        cmocka_unit_test(every_format_is_read),
        cmocka_unit_test(timestamps_become_text),
        cmocka_unit_test(keys_become_text),
        cmocka_unit_test(broken_data_is_refused),
        cmocka_unit_test(every_prefix_needs_more_or_is_kept_as_far_as_it_goes),
        cmocka_unit_test(a_stream_gives_one_object_after_the_other),
        cmocka_unit_test(integers_take_their_smallest_form),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_failing_allocator_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
