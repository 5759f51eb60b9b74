/* What a benign request costs in calls of malloc through the version 1 facade, once a thread has judged one before: only
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

static ddwaf_object parse(const char *json)
{
    ddwaf_object o;
    assert_true(ddwaf_object_from_json(&o, json, (uint32_t)strlen(json)));
    return o;
}

static void a_benign_request_takes_at_most_16(void **state)
{
    (void)state;
    const ddwaf_config config = {.free_fn = NULL};
    ddwaf_object rules = parse(benign_rules), data = parse(benign_input), result;
    ddwaf_handle handle = ddwaf_init(&rules, &config, NULL);
    assert_non_null(handle);
    for (int i = 0; i < 50; i++) {
        malloc_arm(SIZE_MAX);
        ddwaf_context context = ddwaf_context_init(handle);
        assert_int_equal(ddwaf_run(context, &data, NULL, &result, 10000000), DDWAF_OK);
        assert_int_equal(ddwaf_object_size(ddwaf_object_find(&result, "attributes", 10)), 4);
        ddwaf_object_free(&result);
        ddwaf_context_destroy(context);
    }
    printf("version 1: %zu allocations for a benign request with four fingerprints\n", malloc_calls);
    assert_true(malloc_calls <= 16);
    ddwaf_destroy(handle);
    ddwaf_object_free(&rules);
    ddwaf_object_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_benign_request_takes_at_most_16)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
