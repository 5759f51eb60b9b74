/* Decoding trees that may be anything: what is broken is null and counted, what is well-made comes back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/encode.h"
#include "hotgate/msgpack.h"

#include <math.h>
#include <stdlib.h>

/* v as JSON and as MessagePack, with as many faults in both; the MessagePack must give the same JSON. */
static void expect(const hg_value *v, size_t faults, const char *expected)
{
    hg_buffer json = {0}, pack = {0};
    hg_value back;
    assert_int_equal(hg_json_write(v, 0, &json), faults);
    hg_buffer_byte(&json, 0);
    assert_string_equal(json.ptr, expected);
    assert_int_equal(hg_msgpack_write(v, &pack), faults);
    assert_int_equal(hg_msgpack_read(hg_slice_of(pack.ptr, pack.len), NULL, &back, NULL, hg_heap()), HG_OK);
    json.len = 0;
    assert_int_equal(hg_json_write(&back, 0, &json), 0);
    hg_buffer_byte(&json, 0);
    assert_string_equal(json.ptr, expected);
    hg_value_free(&back, hg_heap());
    hg_buffer_free(&json);
    hg_buffer_free(&pack);
}

static void invalid_is_null_and_no_fault(void **state)
{
    (void)state;
    hg_value v;
    hg_set_invalid(&v);
    expect(&v, 0, "null");
}

static void every_tag_that_is_none_is_a_fault(void **state)
{
    (void)state;
    static const uint8_t known[] = {HG_INVALID, HG_NULL,    HG_BOOL,         HG_SIGNED, HG_UNSIGNED,   HG_FLOAT,
                                    HG_STRING,  HG_LITERAL, HG_SMALL_STRING, HG_ARRAY,  HG_WIDE_ARRAY, HG_MAP,
                                    HG_WIDE_MAP};
    for (unsigned tag = 0; tag < 256; tag++) {
        hg_value v;
        memset(&v, 0xFF, sizeof v);
        v.type = (uint8_t)tag;
        if (memchr(known, (int)tag, sizeof known) == NULL)
            expect(&v, 1, "null");
    }
}

static void a_block_that_is_not_there_is_a_fault(void **state)
{
    (void)state;
    hg_value v;
    hg_set_invalid(&v);
    v.type = HG_STRING;
    v.str.size = 3;
    expect(&v, 1, "null");
    v.type = HG_LITERAL;
    expect(&v, 1, "null");
    v.str.size = 0;
    expect(&v, 0, "\"\"");
    hg_set_array(&v, 0, hg_heap());
    v.array.size = v.array.capacity = 5;
    expect(&v, 1, "null");
    v.type = HG_MAP;
    expect(&v, 1, "null");
    v.type = HG_WIDE_MAP;
    v.wide.head = HG_WIDE_MAP | UINT64_C(70000) << 8 | UINT64_C(70000) << 36;
    expect(&v, 1, "null");
}

static void a_size_beyond_the_capacity_is_a_fault(void **state)
{
    (void)state;
    hg_value items[2], v;
    hg_set_signed(&items[0], 1);
    hg_set_signed(&items[1], 2);
    hg_set_array(&v, 0, hg_heap());
    v.array.size = v.array.capacity = 2;
    v.array.ptr = items;
    expect(&v, 0, "[1,2]");
    v.array.capacity = 1;
    expect(&v, 1, "null");
    v.wide.head = HG_WIDE_ARRAY | 2 << 8 | UINT64_C(1) << 36;
    expect(&v, 1, "null");
    hg_set_invalid(&v);
    v.type = HG_SMALL_STRING;
    v.sstr.size = 15;
    expect(&v, 1, "null");
}

static void faults_are_counted_where_they_are_and_the_rest_is_kept(void **state)
{
    (void)state;
    hg_value v;
    hg_set_map(&v, 0, hg_heap());
    hg_set_bool(hg_map_append(&v, HG_SLICE("a"), hg_heap()), true);
    hg_map_append(&v, HG_SLICE("b"), hg_heap())->type = 0x77;
    hg_value *c = hg_map_append(&v, HG_SLICE("c"), hg_heap());
    hg_set_array(c, 2, hg_heap());
    hg_array_append(c, hg_heap())->type = 0x99;
    hg_set_null(hg_array_append(c, hg_heap()));
    hg_set_signed(hg_map_append(&v, HG_SLICE("d"), hg_heap()), -1);
    hg_set_signed(&hg_map_pairs(&v)[3].key, 7); /* a key that is no text */
    expect(&v, 3, "{\"a\":true,\"b\":null,\"c\":[null,null],\"\":-1}");
    hg_set_null(&hg_map_pairs(&v)[1].val);
    hg_set_null(&hg_array_items(c)[0]);
    hg_value_free(&v, hg_heap());
}

static void any_byte_but_zero_is_true(void **state)
{
    (void)state;
    hg_value v;
    for (int byte = 0; byte < 256; byte++) {
        hg_set_bool(&v, false);
        memcpy((char *)&v + 1, &byte, 1);
        expect(&v, 0, byte ? "true" : "false");
    }
}

static void nesting_beyond_the_cap_is_a_fault(void **state)
{
    (void)state;
    enum { LEVELS = 1200 };
    hg_value *levels = calloc(LEVELS, sizeof *levels);
    for (size_t i = 0; i < LEVELS; i++) {
        hg_set_array(&levels[i], 0, hg_heap());
        if (i + 1 == LEVELS)
            break;
        levels[i].array.size = levels[i].array.capacity = 1;
        levels[i].array.ptr = &levels[i + 1];
    }
    hg_buffer json = {0}, pack = {0};
    assert_int_equal(hg_json_write(levels, 0, &json), 1);
    assert_int_equal(json.len, 2 * 1024 + strlen("null"));
    assert_int_equal(hg_msgpack_write(levels, &pack), 1);
    assert_int_equal(pack.len, 1024 + 1);
    hg_buffer_free(&json);
    hg_buffer_free(&pack);
    free(levels);
}

/* The encoder's copy of an existing tree trusts it as little: faults count as unsupported. */
static void a_broken_tree_is_copied_without_its_faults(void **state)
{
    (void)state;
    hg_pair pairs[3];
    hg_value v, copy;
    for (size_t i = 0; i < 3; i++) {
        hg_set_borrowed(&pairs[i].key, HG_SLICE("key"));
        hg_set_signed(&pairs[i].val, (int64_t)i);
    }
    pairs[0].key.type = 0x33;
    pairs[1].val.type = 0x33;
    hg_set_map(&v, 0, hg_heap());
    v.map.size = v.map.capacity = 3;
    v.map.ptr = pairs;
    hg_report report;
    hg_report_init(&report);
    hg_source source = {.kind = HG_SOURCE_VALUE, .as.value = &v};
    assert_int_equal(hg_encode_source(&source, NULL, &copy, hg_heap(), &report), HG_OK);
    expect(&copy, 0, "{\"key\":null,\"key\":2}");
    assert_int_equal(hg_report_reason(&report, HG_REASON_UNSUPPORTED)->count, 2);
    hg_value_free(&copy, hg_heap());
}

static void numbers_are_exact_over_their_whole_range(void **state)
{
    (void)state;
    hg_value v;
    hg_set_signed(&v, INT64_MIN);
    expect(&v, 0, "-9223372036854775808");
    hg_set_unsigned(&v, UINT64_MAX);
    expect(&v, 0, "18446744073709551615");
    hg_set_float(&v, 0.1);
    expect(&v, 0, "0.1");
    hg_set_float(&v, (double)0.1f);
    expect(&v, 0, "0.10000000149011612");
    hg_set_float(&v, -0.0);
    expect(&v, 0, "-0.0");
}

static void numbers_that_json_lacks_are_null_there_only(void **state)
{
    (void)state;
    const double odd[] = {INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        hg_value v, back;
        hg_buffer json = {0}, pack = {0};
        hg_set_float(&v, odd[i]);
        assert_int_equal(hg_json_write(&v, 0, &json), 0);
        assert_memory_equal(json.ptr, "null", 4);
        hg_msgpack_write(&v, &pack);
        assert_int_equal(hg_msgpack_read(hg_slice_of(pack.ptr, pack.len), NULL, &back, NULL, hg_heap()), HG_OK);
        assert_int_equal(back.type, HG_FLOAT);
        assert_int_equal(isnan(back.f64.val), isnan(odd[i]));
        assert_int_equal(signbit(back.f64.val), signbit(odd[i]));
        hg_buffer_free(&json);
        hg_buffer_free(&pack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_is_null_and_no_fault),
        cmocka_unit_test(every_tag_that_is_none_is_a_fault),
        cmocka_unit_test(a_block_that_is_not_there_is_a_fault),
        cmocka_unit_test(a_size_beyond_the_capacity_is_a_fault),
        cmocka_unit_test(faults_are_counted_where_they_are_and_the_rest_is_kept),
        cmocka_unit_test(any_byte_but_zero_is_true),
        cmocka_unit_test(nesting_beyond_the_cap_is_a_fault),
        cmocka_unit_test(a_broken_tree_is_copied_without_its_faults),
        cmocka_unit_test(numbers_are_exact_over_their_whole_range),
        cmocka_unit_test(numbers_that_json_lacks_are_null_there_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
