/* Each allocation of a life fails once: every call answers cleanly, nothing leaks, nothing is half applied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

#include "failing_malloc.h"
#include "hotgate/memory.h"

static const char rules[] =
    "{\"metadata\":{\"rules_version\":\"a version text of some length\"},\"rules\":[{\"id\":\"a rule with a long id\","
    "\"name\":\"n\",\"tags\":{\"type\":\"t\",\"category\":\"c\"},\"on_match\":[\"redir\",\"stack_trace\"],\"transformers\":"
    "[\"url_decode\",\"lowercase\"],\"conditions\":[{\"operator\":\"match_regex\",\"parameters\":{\"inputs\":[{\"address\":"
    "\"server.request.query\",\"key_path\":[\"k\",0]}],\"regex\":\"ev[a-z]l\"}},{\"operator\":\"phrase_match\",\"parameters\":"
    "{\"inputs\":[{\"address\":\"server.request.query\"}],\"list\":[\"evil\",\"other\"]}},{\"operator\":\"exact_match\","
    "\"parameters\":{\"inputs\":[{\"address\":\"usr.id\"}],\"data\":\"users\"}}],\"output\":{\"attributes\":{\"x\":{\"value\":"
    "\"a literal of some length\"},\"y\":{\"address\":\"usr.id\"}}}},{\"id\":\"broken\"},{\"id\":\"b\",\"name\":\"n\",\"tags\":"
    "{\"type\":\"u\"},\"conditions\":[{\"operator\":\"nope\",\"parameters\":{}}]}],\"actions\":[{\"id\":\"redir\",\"type\":"
    "\"redirect_request\",\"parameters\":{\"location\":\"https://example.com/blocked\"}}],\"rules_data\":[{\"id\":\"users\","
    "\"type\":\"data_with_expiration\",\"data\":[{\"value\":\"someone with a long name\"}]}],\"exclusions\":[{\"id\":\"e\","
    "\"inputs\":[{\"address\":\"server.request.query\",\"key_path\":[\"secret\",\"*\"]}]}],\"processors\":[{\"id\":\"p\","
    "\"generator\":\"uri_parse\",\"parameters\":{\"mappings\":[{\"inputs\":[{\"address\":\"u\"}],\"output\":\"o\"}]}}],"
    "\"obfuscator\":{\"key_regex\":\"passwd\",\"value_regex\":\"\"}}";
static const char more[] = "{\"rules_override\":[{\"rules_target\":[{\"tags\":{\"type\":\"t\"}}],\"tags\":{\"k\":\"v\"}}],"
                           "\"custom_rules\":[{\"id\":\"c\",\"name\":\"n\",\"tags\":{\"type\":\"v\"},\"conditions\":[{"
                           "\"operator\":\"ip_match\",\"parameters\":{\"list\":[\"10.0.0.0/8\"],\"inputs\":[{\"address\":"
                           "\"http.client_ip\"}]}}]}]}";
static const char input[] = "{\"server.request.query\":{\"k\":[\"some EV%49L text that is long\"],\"secret\":[\"x\"]},"
                            "\"usr.id\":\"someone with a long name\",\"http.client_ip\":\"10.1.2.3\"}";

static ddwaf_object parse(const char *text)
{
    ddwaf_object o;
    assert_true(ddwaf_object_from_json(&o, text, (uint32_t)strlen(text), ddwaf_get_default_allocator()));
    return o;
}

static void drop(ddwaf_object *o)
{
    ddwaf_object_destroy(o, ddwaf_get_default_allocator());
}

/* The blocks held, with the same instance as the last one: a thread keeps memory of it until it meets another. */
static size_t blocks_held(const ddwaf_object *ruleset)
{
    ddwaf_destroy(ddwaf_init(ruleset, NULL));
    return malloc_live;
}

static bool add(ddwaf_builder builder, const char *path, const ddwaf_object *config)
{
    ddwaf_object diagnostics = {.type = DDWAF_OBJ_INVALID};
    bool ok = ddwaf_builder_add_or_update_config(builder, path, (uint32_t)strlen(path), config, &diagnostics);
    drop(&diagnostics);
    return ok;
}

static DDWAF_RET_CODE judge(ddwaf_context context)
{
    ddwaf_object data = parse(input), result = {.type = DDWAF_OBJ_INVALID};
    DDWAF_RET_CODE code = ddwaf_context_eval(context, &data, NULL, &result, 10000000);
    if (code == DDWAF_MATCH)
        assert_int_equal(ddwaf_object_get_size(ddwaf_object_find(&result, "events", 6)), 1);
    drop(&result);
    ddwaf_context_destroy(context);
    drop(&data);
    return code;
}

/* A failed update leaves the builder as it was, and works when repeated. */
static void loading_is_all_or_nothing(void **state)
{
    (void)state;
    ddwaf_object first = parse(rules), second = parse(more);
    bool failed = true;
    size_t n = 0;
    blocks_held(&first);
    for (; failed; n++) {
        size_t before = blocks_held(&first);
        ddwaf_builder builder = ddwaf_builder_init();
        assert_true(add(builder, "p", &second));
        malloc_arm(n);
        bool ok = add(builder, "p", &first);
        failed = malloc_disarm();
        assert_true(failed || ok);
        ddwaf_handle handle = ddwaf_builder_build_instance(builder);
        assert_non_null(handle); /* of the old configuration, or of the new one */
        uint32_t count;
        const char *const *addresses = ddwaf_known_addresses(handle, &count);
        assert_int_equal(count, ok ? 3 : 1);
        assert_true(ok || strcmp(addresses[0], "http.client_ip") == 0);
        ddwaf_destroy(handle);
        assert_true(add(builder, "p", &first));
        ddwaf_builder_destroy(builder);
        assert_int_equal(blocks_held(&first), before);
    }
    assert_true(n > 20);
    drop(&first);
    drop(&second);
}

static void building_fails_cleanly(void **state)
{
    (void)state;
    ddwaf_object first = parse(rules), second = parse(more);
    ddwaf_builder builder = ddwaf_builder_init();
    assert_true(add(builder, "p", &first));
    assert_true(add(builder, "q", &second));
    ddwaf_destroy(ddwaf_builder_build_instance(builder)); /* data sets of a build are kept for the next one */
    bool failed = true;
    size_t n = 0;
    for (; failed; n++) {
        size_t before = blocks_held(&first);
        malloc_arm(n);
        ddwaf_handle handle = ddwaf_builder_build_instance(builder);
        failed = malloc_disarm();
        assert_true(failed ? handle == NULL || n > 0 : handle != NULL);
        ddwaf_destroy(handle);
        assert_int_equal(blocks_held(&first), before);
    }
    assert_true(n > 10);
    ddwaf_builder_destroy(builder);
    drop(&first);
    drop(&second);
}

/* A failed evaluation leaves the result alone, and the same call gives the full verdict afterwards. */
static void evaluating_fails_cleanly(void **state)
{
    (void)state;
    ddwaf_object first = parse(rules), second = parse(more), data = parse(input);
    ddwaf_builder builder = ddwaf_builder_init();
    add(builder, "p", &first);
    add(builder, "q", &second);
    ddwaf_handle handle = ddwaf_builder_build_instance(builder);
    bool failed = true;
    size_t n = 0;
    for (; failed; n++) {
        ddwaf_object result = {.type = DDWAF_OBJ_NULL};
        ddwaf_context context = ddwaf_context_init(handle, ddwaf_get_default_allocator());
        malloc_arm(n);
        DDWAF_RET_CODE code = ddwaf_context_eval(context, &data, NULL, &result, 10000000);
        failed = malloc_disarm();
        if (code == DDWAF_ERR_INTERNAL) {
            assert_true(failed);
            assert_int_equal(result.type, DDWAF_OBJ_NULL);
            assert_int_equal(ddwaf_context_eval(context, &data, NULL, &result, 10000000), DDWAF_MATCH);
        }
        assert_int_equal(ddwaf_object_get_size(ddwaf_object_find(&result, "events", 6)), 1);
        drop(&result);
        ddwaf_context_destroy(context);
    }
    assert_true(n > 5);
    ddwaf_destroy(handle);
    ddwaf_builder_destroy(builder);
    drop(&first);
    drop(&second);
    drop(&data);
}

static void contexts_fail_cleanly(void **state)
{
    (void)state;
    ddwaf_object first = parse(rules);
    ddwaf_builder builder = ddwaf_builder_init();
    add(builder, "p", &first);
    bool failed = true;
    for (size_t n = 0; failed; n++) {
        ddwaf_handle handle = ddwaf_builder_build_instance(builder); /* a new one: no shell of it is pooled yet */
        malloc_arm(n);
        ddwaf_context context = ddwaf_context_init(handle, ddwaf_get_default_allocator());
        failed = malloc_disarm();
        assert_true(failed ? context == NULL || n > 0 : context != NULL);
        if (context != NULL)
            judge(context);
        ddwaf_destroy(handle);
    }
    ddwaf_builder_destroy(builder);
    drop(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_is_all_or_nothing),
        cmocka_unit_test(building_fails_cleanly),
        cmocka_unit_test(evaluating_fails_cleanly),
        cmocka_unit_test(contexts_fail_cleanly),
    };
    hg_pool_retain(0); /* so that every need of memory reaches the heap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
