/* Building, finding, copying, comparing and freeing values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing.h"
#include "hotgate/value.h"

static const hg_slice long_text = {"a text that is longer than fourteen bytes", 41};

static void fourteen_bytes_live_inside(void **state)
{
    (void)state;
    failing f;
    failing_init(&f, SIZE_MAX);
    hg_value v;
    assert_int_equal(hg_set_string(&v, HG_SLICE("12345678901234"), &f.allocator), HG_OK);
    assert_int_equal(v.type, HG_SMALL_STRING);
    assert_int_equal(f.calls, 0);
    assert_int_equal(hg_set_string(&v, HG_SLICE("123456789012345"), &f.allocator), HG_OK);
    assert_int_equal(v.type, HG_STRING);
    assert_int_equal(f.live_bytes, 15);
    hg_value_free(&v, &f.allocator);
    assert_int_equal(f.live_blocks, 0);
    hg_set_string(&v, hg_slice_of(NULL, 0), &f.allocator);
    assert_int_equal(v.type, HG_SMALL_STRING);
    assert_int_equal(hg_value_string(&v).len, 0);
}

static void containers_grow_by_8_then_double_then_65535(void **state)
{
    (void)state;
    hg_value v;
    hg_set_array(&v, 0, hg_heap());
    size_t last = 0, seen[32], n = 0;
    for (size_t i = 0; i < 70000; i++) {
        hg_set_unsigned(hg_array_append(&v, hg_heap()), i);
        if (hg_value_capacity(&v) != last)
            seen[n++] = last = hg_value_capacity(&v);
    }
    size_t expected[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65535, 131070};
    assert_int_equal(n, sizeof expected / sizeof expected[0]);
    assert_memory_equal(seen, expected, sizeof expected);
    assert_int_equal(v.type, HG_WIDE_ARRAY);
    assert_int_equal(hg_value_size(&v), 70000);
    for (size_t i = 0; i < 70000; i++)
        assert_int_equal(hg_array_items(&v)[i].u64.val, i);
    hg_value_free(&v, hg_heap());
}

static void the_65535th_entry_is_narrow_and_the_next_is_wide(void **state)
{
    (void)state;
    hg_value v;
    hg_set_map(&v, 65535, hg_heap());
    for (size_t i = 0; i < 65535; i++)
        assert_non_null(hg_map_append_literal(&v, HG_SLICE("k"), hg_heap()));
    assert_int_equal(v.type, HG_MAP);
    assert_int_equal(v.map.size, 65535);
    assert_non_null(hg_map_append_literal(&v, HG_SLICE("last"), hg_heap()));
    assert_int_equal(v.type, HG_WIDE_MAP);
    assert_int_equal(hg_value_size(&v), 65536);
    assert_ptr_equal(hg_map_find(&v, HG_SLICE("last")), &hg_map_pairs(&v)[65535].val);
    hg_value_free(&v, hg_heap());
}

static void append_refuses_other_kinds(void **state)
{
    (void)state;
    hg_value v;
    hg_set_map(&v, 0, hg_heap());
    assert_null(hg_array_append(&v, hg_heap()));
    hg_set_array(&v, 0, hg_heap());
    assert_null(hg_map_append(&v, HG_SLICE("k"), hg_heap()));
    hg_set_unsigned(&v, 1);
    assert_null(hg_array_append(&v, hg_heap()));
}

static void find_returns_the_first_of_equal_keys(void **state)
{
    (void)state;
    hg_value v;
    hg_set_map(&v, 0, hg_heap());
    hg_set_unsigned(hg_map_append(&v, HG_SLICE("a"), hg_heap()), 1);
    hg_set_unsigned(hg_map_append(&v, HG_SLICE("a"), hg_heap()), 2);
    hg_set_unsigned(hg_map_append_literal(&v, HG_SLICE(""), hg_heap()), 3);
    assert_int_equal(hg_map_find(&v, HG_SLICE("a"))->u64.val, 1);
    assert_int_equal(hg_map_find(&v, HG_SLICE(""))->u64.val, 3);
    assert_null(hg_map_find(&v, HG_SLICE("b")));
    hg_value_free(&v, hg_heap());
    assert_null(hg_map_find(&v, HG_SLICE("a")));
}

/* {"key": [long, literal, {"long key": null}], "n": -1.5} */
static void build_sample(hg_value *v, const hg_allocator *a)
{
    hg_set_map(v, 0, a);
    hg_value *list = hg_map_append(v, HG_SLICE("key"), a);
    hg_set_array(list, 1, a);
    hg_set_string(hg_array_append(list, a), long_text, a);
    hg_set_literal(hg_array_append(list, a), long_text);
    hg_value *inner = hg_array_append(list, a);
    hg_set_map(inner, 0, a);
    hg_set_null(hg_map_append(inner, long_text, a));
    hg_set_float(hg_map_append_literal(v, HG_SLICE("n"), a), -1.5);
}

static void a_clone_is_equal_and_independent(void **state)
{
    (void)state;
    failing f;
    failing_init(&f, SIZE_MAX);
    hg_value v, copy;
    build_sample(&v, &f.allocator);
    assert_int_equal(hg_value_clone(&v, &copy, &f.allocator), HG_OK);
    assert_true(hg_value_equal(&v, &copy));
    const hg_value *list = hg_map_find(&copy, HG_SLICE("key"));
    assert_int_equal(hg_value_capacity(list), 3);
    assert_int_equal(hg_array_items(list)[1].type, HG_LITERAL);
    assert_int_equal(hg_map_pairs(&copy)[1].key.type, HG_SMALL_STRING);
    hg_value_free(&v, &f.allocator);
    assert_int_equal(hg_array_items(list)[0].str.size, 41);
    assert_memory_equal(hg_array_items(list)[0].str.ptr, long_text.ptr, 41);
    hg_value_free(&copy, &f.allocator);
    assert_int_equal(f.live_bytes, 0);
}

static void a_failed_clone_leaks_nothing(void **state)
{
    (void)state;
    hg_value v;
    build_sample(&v, hg_heap());
    for (size_t n = 0;; n++) {
        failing f;
        failing_init(&f, n);
        hg_value copy;
        hg_status status = hg_value_clone(&v, &copy, &f.allocator);
        if (f.calls <= n) {
            assert_int_equal(status, HG_OK);
            hg_value_free(&copy, &f.allocator);
            break;
        }
        assert_int_equal(status, HG_ERR_NOMEM);
        assert_int_equal(copy.type, HG_INVALID);
        assert_int_equal(f.live_blocks, 0);
    }
    hg_value_free(&v, hg_heap());
}

static void equality_ignores_string_kind_and_width_but_not_order(void **state)
{
    (void)state;
    hg_value a, b;
    hg_set_literal(&a, HG_SLICE("x"));
    hg_set_string(&b, HG_SLICE("x"), hg_heap());
    assert_true(hg_value_equal(&a, &b));
    hg_set_unsigned(&a, 1);
    hg_set_float(&b, 1);
    assert_false(hg_value_equal(&a, &b));
    hg_set_array(&a, 70000, hg_heap());
    hg_set_array(&b, 0, hg_heap());
    hg_set_null(hg_array_append(&a, hg_heap()));
    hg_set_null(hg_array_append(&b, hg_heap()));
    assert_int_not_equal(a.type, b.type);
    assert_true(hg_value_equal(&a, &b));
    hg_set_bool(hg_array_append(&a, hg_heap()), true);
    assert_false(hg_value_equal(&a, &b));
    hg_value_free(&a, hg_heap());
    hg_value_free(&b, hg_heap());
    hg_set_map(&a, 0, hg_heap());
    hg_set_map(&b, 0, hg_heap());
    hg_set_null(hg_map_append(&a, HG_SLICE("x"), hg_heap()));
    hg_set_null(hg_map_append(&a, HG_SLICE("y"), hg_heap()));
    hg_set_null(hg_map_append(&b, HG_SLICE("y"), hg_heap()));
    hg_set_null(hg_map_append(&b, HG_SLICE("x"), hg_heap()));
    assert_false(hg_value_equal(&a, &b));
    hg_value_free(&a, hg_heap());
    hg_value_free(&b, hg_heap());
}

/* [[[...]]], or {"k":{"k":...}}, one entry and a string a level */
static void build_deep(hg_value *v, size_t depth, bool maps, const hg_allocator *a)
{
    for (size_t i = 0; i < depth; i++) {
        hg_value *child;
        if (maps) {
            hg_set_map(v, 0, a);
            hg_set_string(hg_map_append(v, HG_SLICE("s"), a), long_text, a);
            child = hg_map_append(v, long_text, a);
        } else {
            hg_set_array(v, 0, a);
            hg_array_append(v, a);
            hg_set_string(hg_array_append(v, a), long_text, a);
            child = hg_array_items(v);
        }
        v = child;
    }
    hg_set_null(v);
}

static void depth_costs_no_stack(void **state)
{
    (void)state;
    for (int maps = 0; maps < 2; maps++) {
        failing f;
        failing_init(&f, SIZE_MAX);
        hg_value v, copy;
        build_deep(&v, 60000, maps, &f.allocator);
        assert_int_equal(hg_value_clone(&v, &copy, &f.allocator), HG_OK);
        assert_true(hg_value_equal(&v, &copy));
        hg_value_free(&v, &f.allocator);
        hg_value_free(&copy, &f.allocator);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.live_bytes, 0);
    }
}

static void a_failed_append_changes_nothing(void **state)
{
    (void)state;
    failing f;
    failing_init(&f, 1);
    hg_value v;
    hg_set_map(&v, 0, &f.allocator);
    assert_null(hg_map_append(&v, long_text, &f.allocator)); /* the key fits, the slots do not */
    assert_int_equal(hg_value_size(&v), 0);
    assert_int_equal(f.live_blocks, 0);
}

static void buffers_grow_and_format(void **state)
{
    (void)state;
    hg_buffer b = {0};
    for (int i = 0; i < 1000; i++)
        hg_buffer_printf(&b, "%d,", i);
    hg_buffer_append(&b, HG_SLICE("end"));
    hg_buffer_byte(&b, 0);
    assert_string_equal(b.ptr + b.len - 8, "999,end");
    assert_false(b.failed);
    hg_buffer_free(&b);
    failing f;
    failing_init(&f, 1);
    b.a = &f.allocator;
    hg_buffer_append(&b, HG_SLICE("kept"));
    hg_buffer_append(&b, hg_slice_of("0123456789012345678901234567890123456789012345678901234567890123456789", 70));
    assert_true(b.failed);
    assert_int_equal(b.len, 4);
    hg_buffer_free(&b);
    assert_int_equal(f.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fourteen_bytes_live_inside),
        cmocka_unit_test(containers_grow_by_8_then_double_then_65535),
        cmocka_unit_test(the_65535th_entry_is_narrow_and_the_next_is_wide),
        cmocka_unit_test(append_refuses_other_kinds),
        cmocka_unit_test(find_returns_the_first_of_equal_keys),
        cmocka_unit_test(a_clone_is_equal_and_independent),
        cmocka_unit_test(a_failed_clone_leaks_nothing),
        cmocka_unit_test(equality_ignores_string_kind_and_width_but_not_order),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(a_failed_append_changes_nothing),
        cmocka_unit_test(buffers_grow_and_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
