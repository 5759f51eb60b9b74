#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/checksum.h"
#include "text/exact.h"

static void members_are_found_with_their_expiry(void **state)
{
    (void)state;
    const hg_slice strings[] = {HG_SLICE("a"), HG_SLICE("b\0c"), HG_SLICE(""),
                                HG_SLICE("a"), HG_SLICE("d"),    HG_SLICE("d")};
    const uint64_t expirations[] = {5, 7, 9, 3, 4, 0};
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_exact *set = hg_exact_build(strings, expirations, 6, &arena);
    assert_non_null(set);
    assert_int_equal(hg_exact_find(set, HG_SLICE("a")), 5);
    assert_int_equal(hg_exact_find(set, HG_SLICE("b\0c")), 7);
    assert_int_equal(hg_exact_find(set, HG_SLICE("")), 9);
    assert_int_equal(hg_exact_find(set, HG_SLICE("d")), HG_NEVER_EXPIRES);
    assert_int_equal(hg_exact_find(set, HG_SLICE("b")), HG_ABSENT);
    hg_arena_close(&arena);
}

static void a_large_set_holds_its_members_only(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static char texts[2 * COUNT][8];
    static hg_slice strings[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++)
        strings[i] = hg_slice_of(texts[i], (size_t)snprintf(texts[i], sizeof texts[i], "%d", i));
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_exact *set = hg_exact_build(strings, NULL, COUNT, &arena);
    for (int i = 0; i < 2 * COUNT; i++)
        assert_int_equal(hg_exact_find(set, strings[i]), i < COUNT ? HG_NEVER_EXPIRES : HG_ABSENT);
    set = hg_exact_build(NULL, NULL, 0, &arena);
    assert_int_equal(hg_exact_find(set, HG_SLICE("x")), HG_ABSENT);
    hg_arena_close(&arena);
}

static void luhn_numbers_are_told_from_others(void **state)
{
    (void)state;
    assert_true(hg_checksum_luhn(HG_SLICE("4111 1111 1111 1111")));
    assert_true(hg_checksum_luhn(HG_SLICE("79927398713")));
    assert_true(hg_checksum_luhn(HG_SLICE("0")));
    assert_false(hg_checksum_luhn(HG_SLICE("79927398710")));
    assert_false(hg_checksum_luhn(HG_SLICE("no digits")));
    assert_false(hg_checksum_luhn(HG_SLICE("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_with_their_expiry),
        cmocka_unit_test(a_large_set_holds_its_members_only),
        cmocka_unit_test(luhn_numbers_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
