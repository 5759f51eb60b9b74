/* Contexts of the version 2 ABI: who owns what, batches, subcontexts, the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

static ddwaf_allocator heap;

/* ---- Help ---- */

static ddwaf_object parse_with(const char *json, ddwaf_allocator a)
{
    char text[2048];
    ddwaf_object o;
    size_t length = strlen(json);
    for (size_t i = 0; i <= length; i++)
        text[i] = json[i] == '\'' ? '"' : json[i];
    assert_true(ddwaf_object_from_json(&o, text, (uint32_t)length, a));
    return o;
}

static ddwaf_object parse(const char *json)
{
    return parse_with(json, heap);
}

static const char rules[] =
    "{'rules':[{'id':'r','name':'n','tags':{'type':'t'},'conditions':[{'operator':'exact_match','parameters':{'inputs':"
    "[{'address':'a'}],'list':['evil']}}]},{'id':'s','name':'n','tags':{'type':'u'},'on_match':['block'],'conditions':"
    "[{'operator':'exact_match','parameters':{'inputs':[{'address':'b'}],'list':['evil']}}]}]}";

static ddwaf_handle load(void)
{
    ddwaf_object ruleset = parse(rules);
    ddwaf_handle handle = ddwaf_init(&ruleset, NULL);
    ddwaf_object_destroy(&ruleset, heap);
    assert_non_null(handle);
    return handle;
}

static size_t count_of(const ddwaf_object *result, const char *key)
{
    return ddwaf_object_get_size(ddwaf_object_find(result, key, strlen(key)));
}

static uint64_t number_of(const ddwaf_object *result, const char *key)
{
    return ddwaf_object_get_unsigned(ddwaf_object_find(result, key, strlen(key)));
}

typedef struct counter {
    size_t allocations;
    size_t frees;
} counter;

static void *counted_alloc(void *udata, size_t size, size_t alignment)
{
    (void)alignment;
    ((counter *)udata)->allocations++;
    return malloc(size ? size : 1);
}

static void counted_free(void *udata, void *ptr, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    ((counter *)udata)->frees++;
    free(ptr);
}

/* ---- Tests ---- */

static void arguments_that_are_missing(void **state)
{
    (void)state;
    ddwaf_handle handle = load();
    ddwaf_object data = parse("{}");
    assert_null(ddwaf_context_init(NULL, heap));
    assert_null(ddwaf_context_init(handle, NULL));
    assert_null(ddwaf_subcontext_init(NULL));
    ddwaf_context context = ddwaf_context_init(handle, heap);
    assert_int_equal(ddwaf_context_eval(NULL, &data, NULL, NULL, 1000), DDWAF_ERR_INVALID_ARGUMENT);
    assert_int_equal(ddwaf_context_eval(context, NULL, heap, NULL, 1000), DDWAF_ERR_INVALID_ARGUMENT);
    assert_int_equal(ddwaf_context_multieval(context, NULL, heap, NULL, 1000), DDWAF_ERR_INVALID_ARGUMENT);
    ddwaf_context_destroy(context);
    ddwaf_context_destroy(NULL);
    ddwaf_subcontext_destroy(NULL);
    ddwaf_destroy(handle);
    ddwaf_destroy(NULL);
    uint32_t size = 9;
    assert_null(ddwaf_known_addresses(NULL, &size));
    assert_int_equal(size, 0);
    assert_null(ddwaf_init(NULL, &data));
    ddwaf_object_destroy(&data, heap);
}

static void the_result_has_its_seven_entries(void **state)
{
    (void)state;
    ddwaf_handle handle = load();
    ddwaf_context context = ddwaf_context_init(handle, heap);
    ddwaf_object data = parse("{'a':'evil','b':'fine'}"), result;
    assert_int_equal(ddwaf_context_eval(context, &data, NULL, &result, 10000000), DDWAF_MATCH);
    static const char *const keys[] = {"events", "actions", "duration", "timeout", "attributes", "keep", "evaluated"};
    static const DDWAF_OBJ_TYPE types[] = {DDWAF_OBJ_ARRAY, DDWAF_OBJ_MAP, DDWAF_OBJ_UNSIGNED, DDWAF_OBJ_BOOL,
                                           DDWAF_OBJ_MAP,   DDWAF_OBJ_BOOL, DDWAF_OBJ_UNSIGNED};
    assert_int_equal(ddwaf_object_get_size(&result), 7);
    for (size_t i = 0; i < 7; i++) {
        size_t length;
        const char *key = ddwaf_object_get_string(ddwaf_object_at_key(&result, i), &length);
        assert_int_equal(length, strlen(keys[i]));
        assert_memory_equal(key, keys[i], length);
        assert_int_equal(ddwaf_object_get_type(ddwaf_object_at_value(&result, i)), types[i]);
    }
    const ddwaf_object *event = ddwaf_object_at_value(ddwaf_object_find(&result, "events", 6), 0);
    size_t length;
    assert_memory_equal(ddwaf_object_get_string(ddwaf_object_at_key(ddwaf_object_find(event, "rule", 4), 2), &length),
                        "on_match", 8);
    ddwaf_object_destroy(&result, heap);
    ddwaf_context_destroy(context);
    ddwaf_object_destroy(&data, heap);
    ddwaf_destroy(handle);
}

static void results_come_from_the_output_allocator_and_input_goes_to_its_own(void **state)
{
    (void)state;
    counter in = {0, 0}, out = {0, 0};
    ddwaf_allocator input = ddwaf_user_allocator_init(counted_alloc, counted_free, &in, NULL);
    ddwaf_allocator output = ddwaf_user_allocator_init(counted_alloc, counted_free, &out, NULL);
    ddwaf_handle handle = load();
    ddwaf_context context = ddwaf_context_init(handle, output);
    ddwaf_object data = parse_with("{'a':'evil','long':'a text of more than fourteen bytes'}", input), result;
    assert_int_equal(ddwaf_context_eval(context, &data, input, &result, 10000000), DDWAF_MATCH);
    assert_true(out.allocations > 0);
    assert_int_equal(in.frees, 0);
    ddwaf_object_destroy(&result, output);
    assert_int_equal(out.allocations, out.frees);
    ddwaf_context_destroy(context);
    assert_int_equal(in.allocations, in.frees);
    ddwaf_allocator_destroy(input);
    ddwaf_allocator_destroy(output);
    ddwaf_destroy(handle);
}

static void data_of_the_wrong_shape_is_owned_all_the_same(void **state)
{
    (void)state;
    counter in = {0, 0};
    ddwaf_allocator input = ddwaf_user_allocator_init(counted_alloc, counted_free, &in, NULL);
    ddwaf_handle handle = load();
    ddwaf_context context = ddwaf_context_init(handle, heap);
    ddwaf_object list = parse_with("[1]", input), mixed = parse_with("[{},5]", input), result = {.type = 0x7F};
    assert_int_equal(ddwaf_context_eval(context, &list, input, &result, 1000), DDWAF_ERR_INVALID_OBJECT);
    assert_int_equal(ddwaf_context_multieval(context, &mixed, input, &result, 1000), DDWAF_ERR_INVALID_OBJECT);
    assert_int_equal(result.type, 0x7F);
    assert_int_equal(in.frees, 0);
    ddwaf_context_destroy(context);
    assert_int_equal(in.allocations, in.frees);
    ddwaf_allocator_destroy(input);
    ddwaf_destroy(handle);
}

static void batches_run_until_one_blocks(void **state)
{
    (void)state;
    ddwaf_handle handle = load();
    ddwaf_context context = ddwaf_context_init(handle, heap);
    ddwaf_object data = parse("[{'x':1},{'b':'evil'},{'a':'evil'}]"), result;
    assert_int_equal(ddwaf_context_multieval(context, &data, NULL, &result, 10000000), DDWAF_MATCH);
    assert_int_equal(count_of(&result, "events"), 1);
    assert_int_equal(number_of(&result, "evaluated"), 2);
    ddwaf_object_destroy(&result, heap);
    ddwaf_object none = parse("[]");
    assert_int_equal(ddwaf_context_multieval(context, &none, NULL, &result, 10000000), DDWAF_OK);
    assert_int_equal(number_of(&result, "evaluated"), 0);
    ddwaf_object_destroy(&result, heap);
    ddwaf_context_destroy(context);
    ddwaf_object_destroy(&data, heap);
    ddwaf_object_destroy(&none, heap);
    ddwaf_destroy(handle);
}

static void subcontexts_go_their_own_way_and_may_outlive_the_context(void **state)
{
    (void)state;
    counter in = {0, 0};
    ddwaf_allocator input = ddwaf_user_allocator_init(counted_alloc, counted_free, &in, NULL);
    ddwaf_handle handle = load();
    ddwaf_context context = ddwaf_context_init(handle, heap);
    ddwaf_object first = parse_with("{'x':'a text of more than fourteen bytes'}", input);
    assert_int_equal(ddwaf_context_eval(context, &first, input, NULL, 10000000), DDWAF_OK);
    ddwaf_subcontext one = ddwaf_subcontext_init(context), two = ddwaf_subcontext_init(context);
    ddwaf_destroy(handle);
    ddwaf_object evil = parse("{'a':'evil'}");
    ddwaf_object owned = parse_with("{'a':'evil'}", input);
    assert_int_equal(ddwaf_subcontext_eval(one, &owned, input, NULL, 10000000), DDWAF_MATCH);
    assert_int_equal(ddwaf_subcontext_eval(one, &evil, NULL, NULL, 10000000), DDWAF_OK);
    assert_int_equal(ddwaf_context_eval(context, &evil, NULL, NULL, 10000000), DDWAF_MATCH);
    ddwaf_context_destroy(context);
    assert_int_equal(in.frees, 0);
    ddwaf_subcontext_destroy(one);
    assert_true(in.frees < in.allocations); /* the second one may still look at the context's input */
    assert_int_equal(ddwaf_subcontext_eval(two, &evil, NULL, NULL, 10000000), DDWAF_MATCH);
    ddwaf_subcontext_destroy(two);
    assert_int_equal(in.allocations, in.frees);
    ddwaf_object_destroy(&evil, heap);
    ddwaf_allocator_destroy(input);
}

static size_t lines;
static char last_line[256];

static void keep_line(DDWAF_LOG_LEVEL level, const char *function, const char *file, unsigned line,
                      const char *message, uint64_t length)
{
    (void)level;
    assert_non_null(function);
    assert_non_null(file);
    assert_true(line > 0);
    assert_int_equal(message[length], '\0');
    lines++;
    strncpy(last_line, message, sizeof last_line - 1);
}

static void the_log_announces_itself(void **state)
{
    (void)state;
    assert_true(ddwaf_set_log_cb(keep_line, DDWAF_LOG_INFO));
    assert_string_equal(last_line, "Sending log messages to binding, min level info");
    size_t before = lines;
    assert_true(ddwaf_set_log_cb(keep_line, DDWAF_LOG_OFF));
    assert_int_equal(lines, before);
    assert_true(ddwaf_set_log_cb(NULL, DDWAF_LOG_TRACE));
    assert_int_equal(lines, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_that_are_missing),
        cmocka_unit_test(the_result_has_its_seven_entries),
        cmocka_unit_test(results_come_from_the_output_allocator_and_input_goes_to_its_own),
        cmocka_unit_test(data_of_the_wrong_shape_is_owned_all_the_same),
        cmocka_unit_test(batches_run_until_one_blocks),
        cmocka_unit_test(subcontexts_go_their_own_way_and_may_outlive_the_context),
        cmocka_unit_test(the_log_announces_itself),
    };
    heap = ddwaf_get_default_allocator();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
