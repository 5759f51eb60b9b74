/* The part of cmocka's interface that our tests use, for builds against musl: Debian's libcmocka is linked to
 * glibc. Everywhere else the real cmocka is used. */
#ifndef TESTS_MUSL_CMOCKA_H
#define TESTS_MUSL_CMOCKA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func;
    CMFixtureFunction teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(f) {#f, f, NULL, NULL, NULL}
#define cmocka_unit_test_setup_teardown(f, setup, teardown) {#f, f, setup, teardown, NULL}
#define cmocka_unit_test_prestate(f, state) {#f, f, NULL, NULL, state}

static jmp_buf cm_jump;
static bool cm_skipped;

static inline void cm_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    longjmp(cm_jump, 1);
}

static inline void cm_skip(void)
{
    cm_skipped = true;
    longjmp(cm_jump, 2);
}

#define skip() cm_skip()
#define fail() cm_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), cm_fail(__FILE__, __LINE__, "failed"))
#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define cm_check(ok, text) ((ok) ? (void)0 : cm_fail(__FILE__, __LINE__, text))
#define assert_true(c) cm_check((c) ? 1 : 0, "not true: " #c)
#define assert_false(c) cm_check((c) ? 0 : 1, "not false: " #c)
#define assert_int_equal(a, b) cm_check((uintmax_t)(a) == (uintmax_t)(b), #a " != " #b)
#define assert_int_not_equal(a, b) cm_check((uintmax_t)(a) != (uintmax_t)(b), #a " == " #b)
#define assert_float_equal(a, b, e) cm_check((a) - (b) <= (e) && (b) - (a) <= (e), #a " != " #b)
#define assert_double_equal(a, b, e) assert_float_equal(a, b, e)
#define assert_ptr_equal(a, b) cm_check((const void *)(a) == (const void *)(b), #a " != " #b)
#define assert_ptr_not_equal(a, b) cm_check((const void *)(a) != (const void *)(b), #a " == " #b)
#define assert_null(p) cm_check((p) == NULL, "not NULL: " #p)
#define assert_non_null(p) cm_check((p) != NULL, "NULL: " #p)
#define assert_string_equal(a, b) cm_check(strcmp(a, b) == 0, #a " != " #b)
#define assert_string_not_equal(a, b) cm_check(strcmp(a, b) != 0, #a " == " #b)
#define assert_memory_equal(a, b, n) cm_check(memcmp(a, b, n) == 0, #a " != " #b)
#define assert_memory_not_equal(a, b, n) cm_check(memcmp(a, b, n) != 0, #a " == " #b)
#define assert_in_range(v, lo, hi) cm_check((uintmax_t)(v) >= (uintmax_t)(lo) && (uintmax_t)(v) <= (uintmax_t)(hi), \
                                            #v " out of range")
#define assert_return_code(rc, e) cm_check((rc) >= 0, #rc " failed")

static inline int cm_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                         CMFixtureFunction teardown)
{
    volatile int failed = 0;
    void *group = NULL;
    if (setup != NULL && setup(&group) != 0)
        return (int)count;
    for (volatile size_t i = 0; i < count; i++) {
        void *state = tests[i].initial_state != NULL ? tests[i].initial_state : group;
        int jumped = setjmp(cm_jump);
        if (jumped == 0) {
            if (tests[i].setup_func != NULL && tests[i].setup_func(&state) != 0)
                longjmp(cm_jump, 1);
            tests[i].test_func(&state);
            if (tests[i].teardown_func != NULL)
                tests[i].teardown_func(&state);
        }
        printf("[ %s ] %s\n", jumped == 0 ? "      OK" : jumped == 2 ? " SKIPPED" : "  FAILED", tests[i].name);
        failed += jumped == 1;
    }
    if (teardown != NULL)
        teardown(&group);
    return failed;
}

#define cmocka_run_group_tests(tests, setup, teardown) \
    cm_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

#endif
