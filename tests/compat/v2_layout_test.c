/* Layouts and values of the version 2 ABI, written from its description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

static void an_object_has_16_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(ddwaf_object), 16);
    assert_int_equal(_Alignof(ddwaf_object), 8);
    assert_int_equal(offsetof(ddwaf_object, type), 0);
    assert_int_equal(sizeof(struct _ddwaf_object_bool), 2);
    assert_int_equal(offsetof(ddwaf_object, via.b8.val), 1);
    assert_int_equal(offsetof(ddwaf_object, via.i64.val), 8);
    assert_int_equal(offsetof(ddwaf_object, via.u64.val), 8);
    assert_int_equal(offsetof(ddwaf_object, via.f64.val), 8);
    assert_int_equal(offsetof(ddwaf_object, via.str.size), 4);
    assert_int_equal(offsetof(ddwaf_object, via.str.ptr), 8);
    assert_int_equal(offsetof(ddwaf_object, via.sstr.size), 1);
    assert_int_equal(offsetof(ddwaf_object, via.sstr.data), 2);
    assert_int_equal(offsetof(ddwaf_object, via.array.size), 2);
    assert_int_equal(offsetof(ddwaf_object, via.array.capacity), 4);
    assert_int_equal(offsetof(ddwaf_object, via.array.ptr), 8);
    assert_int_equal(offsetof(ddwaf_object, via.map.size), 2);
    assert_int_equal(offsetof(ddwaf_object, via.map.capacity), 4);
    assert_int_equal(offsetof(ddwaf_object, via.map.ptr), 8);
}

static void a_pair_has_32_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(ddwaf_object_kv), 32);
    assert_int_equal(offsetof(ddwaf_object_kv, key), 0);
    assert_int_equal(offsetof(ddwaf_object_kv, val), 16);
}

static void enumerations_have_their_values(void **state)
{
    (void)state;
    assert_int_equal(DDWAF_OBJ_INVALID, 0x00);
    assert_int_equal(DDWAF_OBJ_NULL, 0x01);
    assert_int_equal(DDWAF_OBJ_BOOL, 0x02);
    assert_int_equal(DDWAF_OBJ_SIGNED, 0x04);
    assert_int_equal(DDWAF_OBJ_UNSIGNED, 0x06);
    assert_int_equal(DDWAF_OBJ_FLOAT, 0x08);
    assert_int_equal(DDWAF_OBJ_STRING, 0x10);
    assert_int_equal(DDWAF_OBJ_LITERAL_STRING, 0x12);
    assert_int_equal(DDWAF_OBJ_SMALL_STRING, 0x14);
    assert_int_equal(DDWAF_OBJ_ARRAY, 0x20);
    assert_int_equal(DDWAF_OBJ_MAP, 0x40);
    assert_int_equal(DDWAF_OBJ_SSTR_SIZE, 14);
    assert_int_equal(DDWAF_ERR_INTERNAL, -3);
    assert_int_equal(DDWAF_ERR_INVALID_OBJECT, -2);
    assert_int_equal(DDWAF_ERR_INVALID_ARGUMENT, -1);
    assert_int_equal(DDWAF_OK, 0);
    assert_int_equal(DDWAF_MATCH, 1);
    assert_int_equal(DDWAF_LOG_TRACE, 0);
    assert_int_equal(DDWAF_LOG_OFF, 5);
}

static void the_version_is_2_0_1(void **state)
{
    (void)state;
    assert_string_equal(ddwaf_get_version(), "2.0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_has_16_bytes),
        cmocka_unit_test(a_pair_has_32_bytes),
        cmocka_unit_test(enumerations_have_their_values),
        cmocka_unit_test(the_version_is_2_0_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
