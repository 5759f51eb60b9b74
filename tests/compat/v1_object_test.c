/* Objects of the version 1 ABI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

static void setters_overwrite_and_refuse_null(void **state)
{
    (void)state;
    ddwaf_object o;
    memset(&o, 0xAA, sizeof o);
    assert_ptr_equal(ddwaf_object_bool(&o, true), &o);
    assert_null(o.parameterName);
    assert_int_equal(o.parameterNameLength, 0);
    assert_int_equal(o.uintValue, 1); /* the other seven bytes are zero */
    assert_int_equal(o.nbEntries, 0);
    assert_int_equal(o.type, DDWAF_OBJ_BOOL);
    assert_null(ddwaf_object_null(NULL));
    assert_null(ddwaf_object_string(&o, NULL));
    assert_null(ddwaf_object_stringl(&o, NULL, 0));
    assert_null(ddwaf_object_stringl(&o, "x", SIZE_MAX));
    assert_null(ddwaf_object_stringl_nc(&o, NULL, 0));
    assert_int_equal(o.type, DDWAF_OBJ_BOOL);
}

static void strings_are_copied_and_terminated(void **state)
{
    (void)state;
    ddwaf_object o;
    ddwaf_object_stringl(&o, "a\0bc", 4);
    assert_memory_equal(o.stringValue, "a\0bc", 5);
    assert_int_equal(ddwaf_object_length(&o), 4);
    assert_int_equal(ddwaf_object_size(&o), 0);
    ddwaf_object_free(&o);
    assert_int_equal(o.type, DDWAF_OBJ_INVALID);
    ddwaf_object_stringl(&o, "", 0);
    assert_non_null(o.stringValue);
    assert_int_equal(o.stringValue[0], '\0');
    ddwaf_object_free(&o);
    ddwaf_object_string_from_signed(&o, INT64_MIN);
    assert_string_equal(o.stringValue, "-9223372036854775808");
    ddwaf_object_free(&o);
    ddwaf_object_string_from_unsigned(&o, UINT64_MAX);
    assert_string_equal(o.stringValue, "18446744073709551615");
    ddwaf_object_free(&o);
}

static void containers_grow_in_steps_of_8(void **state)
{
    (void)state;
    ddwaf_object list, item;
    ddwaf_object_array(&list);
    assert_null(list.array);
    for (int i = 0; i < 20; i++)
        assert_true(ddwaf_object_array_add(&list, ddwaf_object_signed(&item, i)));
    assert_int_equal(ddwaf_object_size(&list), 20);
    assert_int_equal(ddwaf_object_get_signed(ddwaf_object_get_index(&list, 19)), 19);
    assert_null(ddwaf_object_get_index(&list, 20));
    assert_false(ddwaf_object_array_add(&list, NULL));
    assert_false(ddwaf_object_map_add(&list, "k", &item));
    ddwaf_object_free(&list);
}

static void keys_are_copied_into_the_map_only(void **state)
{
    (void)state;
    ddwaf_object map, item;
    size_t length = 0;
    ddwaf_object_map(&map);
    ddwaf_object_unsigned(&item, 7);
    assert_true(ddwaf_object_map_addl(&map, "keyed", 3, &item));
    assert_null(item.parameterName);
    assert_true(ddwaf_object_map_addl(&map, "", 0, ddwaf_object_null(&item)));
    assert_true(ddwaf_object_map_addl(&map, "key", 3, ddwaf_object_unsigned(&item, 8)));
    assert_string_equal(ddwaf_object_get_key(ddwaf_object_get_index(&map, 0), &length), "key");
    assert_int_equal(length, 3);
    assert_non_null(ddwaf_object_get_key(ddwaf_object_get_index(&map, 1), NULL));
    assert_int_equal(ddwaf_object_get_unsigned(ddwaf_object_find(&map, "key", 3)), 7);
    assert_null(ddwaf_object_find(&map, "", 0));
    assert_null(ddwaf_object_find(&map, "ke", 2));
    assert_false(ddwaf_object_map_addl(&map, NULL, 0, &item));
    assert_false(ddwaf_object_map_addl(&map, "k", SIZE_MAX, &item));
    ddwaf_object_free(&map);
}

static void a_key_given_away_is_written_into_the_object(void **state)
{
    (void)state;
    ddwaf_object map, item;
    char *key = malloc(4);
    memcpy(key, "key", 4);
    ddwaf_object_map(&map);
    assert_true(ddwaf_object_map_addl_nc(&map, key, 3, ddwaf_object_null(&item)));
    assert_ptr_equal(item.parameterName, key);
    ddwaf_object_free(&map);
}

static void readers_do_not_convert(void **state)
{
    (void)state;
    ddwaf_object o;
    size_t length = 99;
    ddwaf_object_float(&o, 5.0);
    assert_int_equal(ddwaf_object_get_unsigned(&o), 0);
    assert_int_equal(ddwaf_object_get_signed(&o), 0);
    assert_true(ddwaf_object_get_float(&o) == 5.0);
    assert_false(ddwaf_object_get_bool(&o));
    assert_null(ddwaf_object_get_string(&o, &length));
    assert_int_equal(length, 99);
    assert_int_equal(ddwaf_object_type(NULL), DDWAF_OBJ_INVALID);
    assert_int_equal(ddwaf_object_size(NULL), 0);
    assert_null(ddwaf_object_get_key(NULL, NULL));
}

static void json_is_read_with_the_abis_types(void **state)
{
    (void)state;
    ddwaf_object o;
    static const char text[] = "{\"a\":[1,-1,1.5,true,null,\"x\"],\"\":{}}";
    assert_true(ddwaf_object_from_json(&o, text, sizeof text - 1));
    const ddwaf_object *list = ddwaf_object_get_index(&o, 0);
    static const DDWAF_OBJ_TYPE types[] = {DDWAF_OBJ_UNSIGNED, DDWAF_OBJ_SIGNED, DDWAF_OBJ_FLOAT, DDWAF_OBJ_BOOL,
                                           DDWAF_OBJ_NULL, DDWAF_OBJ_STRING};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(ddwaf_object_type(ddwaf_object_get_index(list, i)), types[i]);
    assert_non_null(ddwaf_object_get_index(&o, 1)->parameterName);
    ddwaf_object_free(&o);
    memset(&o, 0xAA, sizeof o);
    assert_false(ddwaf_object_from_json(&o, "[", 1));
    assert_int_equal(o.type, DDWAF_OBJ_INVALID);
    memset(&o, 0xAA, sizeof o);
    assert_false(ddwaf_object_from_json(&o, "1", 0));
    assert_int_equal(o.parameterNameLength, UINT64_C(0xAAAAAAAAAAAAAAAA));
}

static void a_tree_of_any_depth_is_freed(void **state)
{
    (void)state;
    ddwaf_object o;
    ddwaf_object_string(&o, "leaf");
    for (int i = 0; i < 200000; i++) {
        ddwaf_object outer;
        if (i % 2 == 0)
            assert_true(ddwaf_object_array_add(ddwaf_object_array(&outer), &o));
        else
            assert_true(ddwaf_object_map_add(ddwaf_object_map(&outer), "k", &o));
        o = outer;
    }
    ddwaf_object_free(&o);
    assert_int_equal(o.type, DDWAF_OBJ_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setters_overwrite_and_refuse_null),
        cmocka_unit_test(strings_are_copied_and_terminated),
        cmocka_unit_test(containers_grow_in_steps_of_8),
        cmocka_unit_test(keys_are_copied_into_the_map_only),
        cmocka_unit_test(a_key_given_away_is_written_into_the_object),
        cmocka_unit_test(readers_do_not_convert),
        cmocka_unit_test(json_is_read_with_the_abis_types),
        cmocka_unit_test(a_tree_of_any_depth_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
