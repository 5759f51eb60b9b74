/* Instances and contexts from JSON, results as JSON: what tests of the evaluator share. */
#ifndef TESTS_WAF_JUDGE_H
#define TESTS_WAF_JUDGE_H

#include "hotgate/waf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static hg_arena judge_arena; /* all input of a test */

static inline hg_value *judge_value(const char *json)
{
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_json_error error = {0};
    hg_value *value = hg_arena_alloc(&judge_arena, sizeof *value, _Alignof(hg_value));
    if (hg_json_read(hg_slice_from(json), &options, value, hg_arena_allocator(&judge_arena), &error) != HG_OK)
        fail_msg("%s at byte %zu of %s", error.message, error.offset, json);
    return value;
}

/* A ruleset with these rules (a list without brackets) and further sections (with a leading comma, or ""). */
static inline hg_waf *judge_load(const char *rules, const char *sections)
{
    hg_buffer text = {0};
    hg_buffer_printf(&text, "{\"rules\":[%s]%s}%c", rules, sections, 0);
    hg_builder *builder = hg_builder_new();
    hg_builder_set(builder, HG_SLICE("test"), judge_value(text.ptr), NULL, NULL);
    hg_waf *waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    hg_buffer_free(&text);
    assert_non_null(waf);
    return waf;
}

/* exact_match of `evil` on the address, in a collection of its own unless type says otherwise. */
#define RULE(id, type, address, more)                                                                       \
    "{\"id\":\"" id "\",\"name\":\"n\",\"tags\":{\"type\":\"" type "\"" more "},\"conditions\":"                    \
    "[{\"operator\":\"exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"" address "\"}],\"list\":[\"evil\"]}}]}"

static inline const hg_result *judge_for(hg_context *context, const char *json, uint64_t timeout)
{
    const hg_result *result = NULL;
    assert_int_equal(hg_context_eval(context, judge_value(json), timeout, &result), HG_OK);
    return result;
}

static inline const hg_result *judge(hg_context *context, const char *json)
{
    return judge_for(context, json, 10000000);
}

/* The ids of the rules of all events, in order, with commas. */
static inline const char *judge_events(const hg_result *result)
{
    static char text[512];
    const hg_value *events = hg_map_find(&result->value, HG_SLICE("events"));
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < hg_value_size(events); i++) {
        const hg_value *rule = hg_map_find(&hg_array_items(events)[i], HG_SLICE("rule"));
        hg_slice id = hg_value_string(hg_map_find(rule, HG_SLICE("id")));
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", i ? "," : "", (int)id.len, id.ptr);
    }
    return text;
}

/* One entry of the result as JSON. */
static inline const char *judge_entry(const hg_result *result, const char *key)
{
    static hg_buffer text;
    const hg_value *value = hg_map_find(&result->value, hg_slice_from(key));
    text.len = 0;
    if (value != NULL)
        hg_json_write(value, 0, &text);
    hg_buffer_byte(&text, 0);
    return text.ptr;
}

static inline int judge_setup(void **state)
{
    (void)state;
    hg_arena_init(&judge_arena, NULL);
    return 0;
}

static inline int judge_teardown(void **state)
{
    (void)state;
    hg_arena_close(&judge_arena);
    return 0;
}

#define JUDGE_TEST(f) cmocka_unit_test_setup_teardown(f, judge_setup, judge_teardown)

#endif
