/* Layouts and values of the version 1 ABI, written from its description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

static void an_object_has_40_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(ddwaf_object), 40);
    assert_int_equal(_Alignof(ddwaf_object), 8);
    assert_int_equal(offsetof(ddwaf_object, parameterName), 0);
    assert_int_equal(offsetof(ddwaf_object, parameterNameLength), 8);
    assert_int_equal(offsetof(ddwaf_object, stringValue), 16);
    assert_int_equal(offsetof(ddwaf_object, uintValue), 16);
    assert_int_equal(offsetof(ddwaf_object, intValue), 16);
    assert_int_equal(offsetof(ddwaf_object, array), 16);
    assert_int_equal(offsetof(ddwaf_object, boolean), 16);
    assert_int_equal(offsetof(ddwaf_object, f64), 16);
    assert_int_equal(offsetof(ddwaf_object, nbEntries), 24);
    assert_int_equal(offsetof(ddwaf_object, type), 32);
    assert_int_equal(sizeof(DDWAF_OBJ_TYPE), 4);
}

static void a_config_has_40_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(ddwaf_config), 40);
    assert_int_equal(offsetof(ddwaf_config, limits.max_container_size), 0);
    assert_int_equal(offsetof(ddwaf_config, limits.max_container_depth), 4);
    assert_int_equal(offsetof(ddwaf_config, limits.max_string_length), 8);
    assert_int_equal(offsetof(ddwaf_config, obfuscator.key_regex), 16);
    assert_int_equal(offsetof(ddwaf_config, obfuscator.value_regex), 24);
    assert_int_equal(offsetof(ddwaf_config, free_fn), 32);
}

static void enumerations_have_their_values(void **state)
{
    (void)state;
    assert_int_equal(DDWAF_OBJ_INVALID, 0);
    assert_int_equal(DDWAF_OBJ_SIGNED, 1);
    assert_int_equal(DDWAF_OBJ_UNSIGNED, 2);
    assert_int_equal(DDWAF_OBJ_STRING, 4);
    assert_int_equal(DDWAF_OBJ_ARRAY, 8);
    assert_int_equal(DDWAF_OBJ_MAP, 16);
    assert_int_equal(DDWAF_OBJ_BOOL, 32);
    assert_int_equal(DDWAF_OBJ_FLOAT, 64);
    assert_int_equal(DDWAF_OBJ_NULL, 128);
    assert_int_equal(DDWAF_ERR_INTERNAL, -3);
    assert_int_equal(DDWAF_ERR_INVALID_OBJECT, -2);
    assert_int_equal(DDWAF_ERR_INVALID_ARGUMENT, -1);
    assert_int_equal(DDWAF_OK, 0);
    assert_int_equal(DDWAF_MATCH, 1);
    assert_int_equal(DDWAF_LOG_TRACE, 0);
    assert_int_equal(DDWAF_LOG_OFF, 5);
    assert_int_equal(DDWAF_MAX_STRING_LENGTH, 4096);
    assert_int_equal(DDWAF_MAX_CONTAINER_DEPTH, 20);
    assert_int_equal(DDWAF_MAX_CONTAINER_SIZE, 256);
    assert_int_equal(DDWAF_RUN_TIMEOUT, 5000);
}

static void the_version_is_the_one_built_in(void **state)
{
    (void)state;
    assert_string_equal(ddwaf_get_version(), HG_DDWAF_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_has_40_bytes),
        cmocka_unit_test(a_config_has_40_bytes),
        cmocka_unit_test(enumerations_have_their_values),
        cmocka_unit_test(the_version_is_the_one_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
