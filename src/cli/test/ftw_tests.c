/* go-ftw files: tests with stages, each an HTTP request and what the log must or must not name. */
#include "cli/event.h"
#include "cli/test/rule_tests.h"

#include "hotgate/request.h"

#include <stdio.h>

enum { HEADERS_MAX = 256 };

static const uint64_t time_budget = 10000000; /* microseconds a run */

static const hg_value *at(const hg_value *map, const char *key)
{
    return map != NULL ? hg_map_find(map, hg_slice_from(key)) : NULL;
}

/* Newer files put input and output under "stage". */
static const hg_value *stage_part(const hg_value *stage, const char *name)
{
    const hg_value *inner = at(stage, "stage");
    return at(inner != NULL ? inner : stage, name);
}

static hg_status judge(rule_tests *tests, const hg_value *input, hg_arena *arena, hg_context **context,
                       const hg_result **result)
{
    hg_field fields[HEADERS_MAX];
    const hg_value *headers = at(input, "headers");
    hg_request request = {.method = cli_text_at(input, "method"),
                          .uri = cli_text_at(input, "uri"),
                          .body = cli_text_at(input, "data"),
                          .headers = fields};
    if (request.method.len == 0)
        request.method = HG_SLICE("GET");
    if (request.uri.len == 0)
        request.uri = HG_SLICE("/");
    for (size_t i = 0; headers != NULL && i < hg_value_size(headers) && i < HEADERS_MAX; i++) {
        const hg_pair *pair = &hg_map_pairs(headers)[i];
        fields[request.header_count++] = (hg_field){hg_value_string(&pair->key), hg_value_string(&pair->val)};
    }
    hg_value *map = hg_arena_alloc(arena, sizeof *map, _Alignof(hg_value));
    hg_status status = map != NULL ? hg_request_addresses(&request, arena, map) : HG_ERR_NOMEM;
    *context = status == HG_OK ? hg_context_new(tests->all.waf) : NULL;
    if (*context == NULL)
        return status == HG_OK ? HG_ERR_NOMEM : status;
    return hg_context_eval(*context, map, time_budget, result);
}

static bool hit(const hg_result *result, hg_slice id)
{
    for (size_t i = 0; i < result->events; i++)
        if (hg_slice_equal(cli_event_at(&result->value, i).id, id))
            return true;
    return false;
}

/* The id inside a text such as: id "942100". */
static hg_slice logged_id(hg_slice text)
{
    const char *open = text.len > 0 ? memchr(text.ptr, '"', text.len) : NULL;
    if (open == NULL)
        return text;
    hg_slice rest = hg_slice_skip(text, (size_t)(open - text.ptr) + 1);
    const char *close = memchr(rest.ptr, '"', rest.len);
    return close != NULL ? hg_slice_take(rest, (size_t)(close - rest.ptr)) : rest;
}

static void expect(const hg_result *result, hg_slice id, bool wanted, char *text, size_t room)
{
    if (id.len > 0 && hit(result, id) != wanted)
        snprintf(text, room, "rule %.*s %s", (int)id.len, id.ptr, wanted ? "did not hit" : "hit");
}

static void expect_all(const hg_result *result, const hg_value *ids, bool wanted, char *text, size_t room)
{
    for (size_t i = 0; ids != NULL && text[0] == '\0' && i < hg_value_size(ids); i++)
        expect(result, hg_value_string(&hg_array_items(ids)[i]), wanted, text, room);
}

static void check_output(const hg_value *output, const hg_result *result, char *text, size_t room)
{
    const hg_value *log = at(output, "log");
    expect_all(result, at(log, "expect_ids"), true, text, room);
    expect_all(result, at(log, "no_expect_ids"), false, text, room);
    if (text[0] == '\0')
        expect(result, logged_id(cli_text_at(output, "log_contains")), true, text, room);
    if (text[0] == '\0')
        expect(result, logged_id(cli_text_at(output, "no_log_contains")), false, text, room);
}

static void run_test(rule_tests *tests, const char *path, const hg_value *test)
{
    char text[256] = "";
    const hg_value *stages = at(test, "stages");
    hg_slice name = cli_text_at(test, "test_title");
    name = name.len > 0 ? name : cli_text_at(test, "test_id");
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    for (size_t i = 0; stages != NULL && text[0] == '\0' && i < hg_value_size(stages); i++) {
        const hg_value *stage = &hg_array_items(stages)[i];
        hg_context *context = NULL;
        const hg_result *result = NULL;
        hg_status status = judge(tests, stage_part(stage, "input"), &arena, &context, &result);
        if (status != HG_OK) {
            snprintf(text, sizeof text, "%s", hg_strerror(status));
        } else {
            for (size_t k = 0; k < result->events; k++)
                rule_coverage_hit(&tests->coverage, cli_event_at(&result->value, k).id);
            check_output(stage_part(stage, "output"), result, text, sizeof text);
        }
        hg_context_free(context);
    }
    hg_arena_close(&arena);
    rule_tests_count(tests, path, name, text[0] != '\0' ? "%s" : NULL, text);
}

void rule_tests_yaml(rule_tests *tests, const char *path, hg_slice text)
{
    hg_arena arena;
    hg_value tree;
    size_t line;
    hg_arena_init(&arena, NULL);
    hg_status status = rule_yaml_read(text, &arena, &tree, &line);
    const hg_value *list = status == HG_OK ? at(&tree, "tests") : NULL;
    if (list == NULL) {
        fprintf(stderr, "%s:%zu: %s\n", path, line,
                status == HG_ERR_UNSUPPORTED ? "this build cannot read it (no libyaml, or it uses aliases)"
                                             : "not a YAML file with tests");
        tests->broken = true;
    }
    for (size_t i = 0; list != NULL && i < hg_value_size(list); i++)
        run_test(tests, path, &hg_array_items(list)[i]);
    hg_arena_close(&arena);
}
