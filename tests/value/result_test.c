/* Members of result maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/result.h"

static hg_value read_json(const char *text)
{
    hg_value v;
    hg_json_options options = {.dialect = HG_JSON_DDWAF}; /* makes numbers unsigned, as the library does */
    assert_int_equal(hg_json_read(hg_slice_from(text), &options, &v, hg_heap(), NULL), HG_OK);
    return v;
}

static void all_seven_members_are_found(void **state)
{
    (void)state;
    hg_value v = read_json("{\"events\":[{\"rule\":{}}],\"actions\":{\"block_request\":{}},\"duration\":1234,"
                           "\"timeout\":true,\"attributes\":{\"_dd.appsec.s.req.body\":[8]},\"keep\":true,\"evaluated\":2}");
    hg_result_map r;
    assert_int_equal(hg_result_map_read(&v, &r), HG_OK);
    assert_int_equal(hg_value_size(r.events), 1);
    assert_non_null(hg_map_find(r.actions, HG_SLICE("block_request")));
    assert_non_null(hg_map_find(r.attributes, HG_SLICE("_dd.appsec.s.req.body")));
    assert_int_equal(r.duration_ns, 1234);
    assert_int_equal(r.evaluated, 2);
    assert_true(r.timeout);
    assert_true(r.keep);
    hg_value_free(&v, hg_heap());
}

static void absent_members_are_empty_and_unknown_ones_ignored(void **state)
{
    (void)state;
    hg_value v = read_json("{\"attributes\":{\"a\":1},\"event\":[1],\"eventss\":[1],\"KEEP\":true,\"\":1}");
    hg_result_map r;
    assert_int_equal(hg_result_map_read(&v, &r), HG_OK);
    assert_int_equal(hg_value_size(r.attributes), 1);
    assert_null(r.events);
    assert_null(r.actions);
    assert_int_equal(r.duration_ns, 0);
    assert_false(r.timeout || r.keep);
    hg_value_free(&v, hg_heap());
}

static void members_of_another_kind_count_as_absent(void **state)
{
    (void)state;
    hg_value v = read_json("{\"events\":{},\"actions\":[],\"duration\":-5,\"timeout\":1,\"keep\":\"true\",\"attributes\":null,"
                           "\"evaluated\":1.5}");
    hg_result_map r;
    assert_int_equal(hg_result_map_read(&v, &r), HG_OK);
    assert_null(r.events);
    assert_null(r.actions);
    assert_null(r.attributes);
    assert_int_equal(r.duration_ns + r.evaluated, 0);
    assert_false(r.timeout || r.keep);
    hg_value_free(&v, hg_heap());
}

static void the_first_of_repeated_members_counts(void **state)
{
    (void)state;
    hg_value v = read_json("{\"duration\":1,\"duration\":2}");
    hg_result_map r;
    hg_result_map_read(&v, &r);
    assert_int_equal(r.duration_ns, 1);
    hg_value_free(&v, hg_heap());
}

static void what_is_no_map_is_refused(void **state)
{
    (void)state;
    hg_value v;
    hg_result_map r;
    hg_set_invalid(&v);
    assert_int_equal(hg_result_map_read(&v, &r), HG_ERR_ARGUMENT);
    assert_int_equal(hg_result_map_read(NULL, &r), HG_ERR_ARGUMENT);
    hg_set_array(&v, 0, hg_heap());
    assert_int_equal(hg_result_map_read(&v, &r), HG_ERR_ARGUMENT);
    hg_set_map(&v, 0, hg_heap());
    assert_int_equal(hg_result_map_read(&v, &r), HG_OK);
    v.map.size = v.map.capacity = 3; /* without a block */
    assert_int_equal(hg_result_map_read(&v, &r), HG_ERR_ARGUMENT);
    assert_null(r.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_seven_members_are_found),
        cmocka_unit_test(absent_members_are_empty_and_unknown_ones_ignored),
        cmocka_unit_test(members_of_another_kind_count_as_absent),
        cmocka_unit_test(the_first_of_repeated_members_counts),
        cmocka_unit_test(what_is_no_map_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
