/* Objects and allocators of the version 2 ABI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

#define LONG "a text of more than fourteen bytes"
enum { LONG_SIZE = sizeof LONG - 1 };

/* ---- A counting allocator ---- */

typedef struct counter {
    size_t allocations;
    size_t frees;
    size_t live; /* bytes */
    size_t fail_at;
    bool destroyed;
} counter;

static void *counted_alloc(void *udata, size_t size, size_t alignment)
{
    counter *c = udata;
    assert_true(alignment == 1 || alignment == 8);
    if (c->allocations == c->fail_at)
        return NULL;
    c->allocations++;
    c->live += size;
    return malloc(size ? size : 1);
}

static void counted_free(void *udata, void *ptr, size_t size, size_t alignment)
{
    counter *c = udata;
    assert_true(alignment == 1 || alignment == 8);
    c->frees++;
    c->live -= size;
    free(ptr);
}

static void counted_destroy(void *udata)
{
    ((counter *)udata)->destroyed = true;
}

static ddwaf_allocator counting(counter *c)
{
    *c = (counter){.fail_at = SIZE_MAX};
    return ddwaf_user_allocator_init(counted_alloc, counted_free, c, counted_destroy);
}

/* ---- Tests ---- */

static void short_strings_live_inside(void **state)
{
    (void)state;
    ddwaf_object o;
    ddwaf_allocator a = ddwaf_get_default_allocator();
    assert_ptr_equal(ddwaf_object_set_string(&o, "12345678901234", 14, a), &o);
    assert_int_equal(ddwaf_object_get_type(&o), DDWAF_OBJ_SMALL_STRING);
    assert_int_equal(ddwaf_object_get_length(&o), 14);
    ddwaf_object_set_string(&o, "ab", 2, a);
    static const char zeroes[12];
    assert_memory_equal(o.via.sstr.data + 2, zeroes, 12);
    ddwaf_object_set_string(&o, NULL, 0, a);
    assert_int_equal(o.type, DDWAF_OBJ_SMALL_STRING);
    assert_null(ddwaf_object_set_string(&o, NULL, 1, a));
    assert_null(ddwaf_object_set_string(&o, "x", 1, NULL));
    assert_null(ddwaf_object_set_string_literal(&o, NULL, 0));
    assert_null(ddwaf_object_set_string_nocopy(&o, NULL, 0));
    ddwaf_object_set_string_literal(&o, "lit", 3);
    assert_int_equal(o.type, DDWAF_OBJ_LITERAL_STRING);
    assert_true(ddwaf_object_is_string(&o));
}

static void every_block_is_freed_with_its_size(void **state)
{
    (void)state;
    counter c;
    ddwaf_allocator a = counting(&c);
    ddwaf_object map;
    ddwaf_object_set_map(&map, 1, a);
    for (int i = 0; i < 20; i++)
        ddwaf_object_set_string(ddwaf_object_insert_key(&map, LONG, LONG_SIZE, a), LONG, LONG_SIZE, a);
    ddwaf_object_set_array(ddwaf_object_insert_literal_key(&map, "l", 1, a), 3, a);
    char *key = ddwaf_allocator_alloc(a, 3, 1);
    memcpy(key, "abc", 3);
    ddwaf_object_set_null(ddwaf_object_insert_key_nocopy(&map, key, 3, a));
    assert_int_equal(ddwaf_object_get_size(&map), 22);
    assert_int_equal(map.via.map.capacity, 32); /* 1, 2, 4, ... */
    assert_int_equal(ddwaf_object_at_key(&map, 21)->type, DDWAF_OBJ_STRING);
    ddwaf_object_destroy(&map, a);
    assert_int_equal(map.type, DDWAF_OBJ_INVALID);
    assert_int_equal(c.allocations, c.frees);
    assert_int_equal(c.live, 0);
    ddwaf_allocator_destroy(a);
    assert_true(c.destroyed);
}

static void an_empty_container_grows_to_8(void **state)
{
    (void)state;
    ddwaf_allocator a = ddwaf_get_default_allocator();
    ddwaf_object list;
    ddwaf_object_set_array(&list, 0, a);
    assert_null(list.via.array.ptr);
    ddwaf_object *slot = ddwaf_object_insert(&list, a);
    assert_true(ddwaf_object_is_invalid(slot));
    assert_int_equal(list.via.array.capacity, 8);
    assert_null(ddwaf_object_insert_key(&list, "k", 1, a));
    assert_null(ddwaf_object_insert(&list, NULL));
    ddwaf_object_destroy(&list, a);
}

static void a_container_refuses_entry_65536(void **state)
{
    (void)state;
    ddwaf_allocator a = ddwaf_get_default_allocator();
    ddwaf_object list;
    ddwaf_object_set_array(&list, 0, a);
    for (int i = 0; i < 65535; i++)
        assert_non_null(ddwaf_object_set_unsigned(ddwaf_object_insert(&list, a), 1));
    assert_int_equal(list.via.array.capacity, 65535);
    assert_null(ddwaf_object_insert(&list, a));
    assert_int_equal(list.type, DDWAF_OBJ_ARRAY);
    assert_int_equal(ddwaf_object_get_size(&list), 65535);
    ddwaf_object_destroy(&list, a);
}

static void a_clone_owns_its_strings_and_keys(void **state)
{
    (void)state;
    ddwaf_allocator a = ddwaf_get_default_allocator();
    ddwaf_object map, copy;
    char *heap = ddwaf_allocator_alloc(a, 2, 1);
    memcpy(heap, "hi", 2);
    ddwaf_object_set_map(&map, 4, a);
    ddwaf_object_set_string_nocopy(ddwaf_object_insert_literal_key(&map, "key", 3, a), heap, 2);
    ddwaf_object_set_string_literal(ddwaf_object_insert_key(&map, "lit", 3, a), LONG, LONG_SIZE);
    assert_ptr_equal(ddwaf_object_clone(&map, &copy, a), &copy);
    assert_int_equal(copy.via.map.capacity, 2);
    assert_int_equal(ddwaf_object_at_key(&copy, 0)->type, DDWAF_OBJ_SMALL_STRING);
    assert_int_equal(ddwaf_object_at_value(&copy, 0)->type, DDWAF_OBJ_SMALL_STRING);
    assert_int_equal(ddwaf_object_at_value(&copy, 1)->type, DDWAF_OBJ_LITERAL_STRING);
    assert_null(ddwaf_object_clone(NULL, &copy, a));
    assert_null(ddwaf_object_clone(&map, NULL, a));
    assert_null(ddwaf_object_clone(&map, &map, NULL));
    ddwaf_object_destroy(&map, a);
    ddwaf_object_destroy(&copy, a);
}

static void look_ups_find_the_first_and_never_an_empty_key(void **state)
{
    (void)state;
    ddwaf_allocator a = ddwaf_get_default_allocator();
    ddwaf_object map;
    ddwaf_object_set_map(&map, 0, a);
    ddwaf_object_set_unsigned(ddwaf_object_insert_key(&map, "k", 1, a), 1);
    ddwaf_object_set_unsigned(ddwaf_object_insert_key(&map, "k", 1, a), 2);
    ddwaf_object_set_unsigned(ddwaf_object_insert_key(&map, NULL, 0, a), 3);
    assert_int_equal(ddwaf_object_get_unsigned(ddwaf_object_find(&map, "k", 1)), 1);
    assert_null(ddwaf_object_find(&map, "", 0));
    assert_null(ddwaf_object_find(&map, NULL, 1));
    assert_null(ddwaf_object_at_value(&map, 3));
    assert_int_equal(ddwaf_object_get_signed(ddwaf_object_at_value(&map, 0)), 0);
    assert_false(ddwaf_object_is_invalid(NULL));
    assert_int_equal(ddwaf_object_get_type(NULL), DDWAF_OBJ_INVALID);
    ddwaf_object_destroy(&map, a);
}

static void json_that_fails_leaves_nothing(void **state)
{
    (void)state;
    counter c;
    ddwaf_allocator a = counting(&c);
    ddwaf_object o;
    assert_false(ddwaf_object_from_json(&o, "[\"" LONG "\",", LONG_SIZE + 4, a));
    assert_int_equal(o.type, DDWAF_OBJ_INVALID);
    assert_int_equal(c.live, 0);
    assert_true(ddwaf_object_from_json(&o, "null", 4, a));
    assert_true(ddwaf_object_is_null(&o));
    assert_false(ddwaf_object_from_json(&o, "1", 1, NULL));
    assert_true(ddwaf_object_is_null(&o));
    ddwaf_allocator_destroy(a);
}

static void allocators_answer_as_described(void **state)
{
    (void)state;
    counter c;
    assert_ptr_equal(ddwaf_get_default_allocator(), ddwaf_get_default_allocator());
    assert_null(ddwaf_user_allocator_init(NULL, counted_free, NULL, NULL));
    assert_null(ddwaf_user_allocator_init(counted_alloc, NULL, &c, counted_destroy));
    assert_null(ddwaf_allocator_alloc(NULL, 1, 1));
    ddwaf_allocator_free(NULL, NULL, 0, 1);
    ddwaf_allocator_destroy(NULL);
    ddwaf_allocator_destroy(ddwaf_get_default_allocator());
    void *p = ddwaf_allocator_alloc(ddwaf_get_default_allocator(), 0, 8);
    assert_non_null(p);
    ddwaf_allocator_free(ddwaf_get_default_allocator(), p, 0, 8);
    ddwaf_allocator (*const kinds[])(void) = {ddwaf_synchronized_pool_allocator_init,
                                             ddwaf_unsynchronized_pool_allocator_init, ddwaf_monotonic_allocator_init};
    for (int i = 0; i < 3; i++) {
        ddwaf_allocator a = kinds[i]();
        char *kept = ddwaf_allocator_alloc(a, 100, 8), *given_back = ddwaf_allocator_alloc(a, 7, 64);
        assert_int_equal((uintptr_t)kept % 8, 0);
        assert_int_equal((uintptr_t)given_back % 64, 0);
        memset(kept, 1, 100);
        memset(given_back, 2, 7);
        ddwaf_allocator_free(a, given_back, 7, 64);
        ddwaf_allocator_destroy(a); /* with what is still out */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_strings_live_inside),
        cmocka_unit_test(every_block_is_freed_with_its_size),
        cmocka_unit_test(an_empty_container_grows_to_8),
        cmocka_unit_test(a_container_refuses_entry_65536),
        cmocka_unit_test(a_clone_owns_its_strings_and_keys),
        cmocka_unit_test(look_ups_find_the_first_and_never_an_empty_key),
        cmocka_unit_test(json_that_fails_leaves_nothing),
        cmocka_unit_test(allocators_answer_as_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
