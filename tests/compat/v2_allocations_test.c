/* What a benign request costs in allocations through the version 2 facade, once a thread has judged one before: only
 * what handing over the result demands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

#include "benign_request.h"
#include "failing_malloc.h"

static void a_benign_request_takes_at_most_10(void **state)
{
    (void)state;
    ddwaf_allocator heap = ddwaf_get_default_allocator();
    ddwaf_object rules, data, result;
    assert_true(ddwaf_object_from_json(&rules, benign_rules, sizeof benign_rules - 1, heap));
    assert_true(ddwaf_object_from_json(&data, benign_input, sizeof benign_input - 1, heap));
    ddwaf_handle handle = ddwaf_init(&rules, NULL);
    assert_non_null(handle);
    for (int i = 0; i < 50; i++) {
        malloc_arm(SIZE_MAX);
        ddwaf_context context = ddwaf_context_init(handle, heap);
        assert_int_equal(ddwaf_context_eval(context, &data, NULL, &result, 10000000), DDWAF_MATCH);
        assert_int_equal(ddwaf_object_get_size(ddwaf_object_find(&result, "attributes", 10)), 4);
        ddwaf_object_destroy(&result, heap);
        ddwaf_context_destroy(context);
    }
    printf("version 2: %zu allocations for a benign request with four fingerprints\n", malloc_calls);
    assert_true(malloc_calls <= 10);
    ddwaf_destroy(handle);
    ddwaf_object_destroy(&rules, heap);
    ddwaf_object_destroy(&data, heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_benign_request_takes_at_most_10)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
