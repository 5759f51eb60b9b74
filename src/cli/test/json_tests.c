/* Cases in JSON, in the shape of the WAF conformance files. */
#include "cli/event.h"
#include "cli/test/rule_tests.h"

#include <stdio.h>

static const uint64_t time_budget = 10000000; /* microseconds a run */

static const hg_value *item(const hg_value *array, size_t i)
{
    return array != NULL && hg_is_array(array) && i < hg_value_size(array) ? &hg_array_items(array)[i] : NULL;
}

/* Is what was expected of one condition what was found? Only the fields that are given count. */
static bool same_match(const hg_value *expected, const cli_match *found)
{
    const hg_value *address = hg_map_find(expected, HG_SLICE("address"));
    const hg_value *value = hg_map_find(expected, HG_SLICE("value"));
    const hg_value *path = hg_map_find(expected, HG_SLICE("key_path"));
    if (address != NULL && !hg_slice_equal(hg_value_string(address), found->address))
        return false;
    if (value != NULL && hg_is_string(value) && !hg_slice_equal(hg_value_string(value), found->value))
        return false;
    if (path == NULL || found->key_path == NULL)
        return path == NULL || hg_value_size(path) == 0;
    if (hg_value_size(path) != hg_value_size(found->key_path))
        return false;
    for (size_t i = 0; i < hg_value_size(path); i++) {
        const hg_value *a = item(path, i), *b = item(found->key_path, i);
        bool strings = hg_is_string(a) && hg_is_string(b);
        if (strings ? !hg_slice_equal(hg_value_string(a), hg_value_string(b)) : a->u64.val != b->u64.val)
            return false;
    }
    return true;
}

/* The event of a rule, or false. */
static bool find_event(const hg_result *result, hg_slice id, cli_event *event)
{
    for (size_t i = 0; i < result->events; i++) {
        *event = cli_event_at(&result->value, i);
        if (hg_slice_equal(event->id, id))
            return true;
    }
    return false;
}

/* The first complaint about the events, written to text; empty when they are as expected. */
static void compare_rules(const hg_value *expected, const hg_result *result, char *text, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < hg_value_size(expected); i++) {
        const hg_value *one = item(expected, i);
        for (size_t k = 0; k < hg_value_size(one); k++, count++) {
            const hg_pair *pair = &hg_map_pairs(one)[k];
            hg_slice id = hg_value_string(&pair->key);
            cli_event event;
            if (!find_event(result, id, &event)) {
                snprintf(text, room, "rule %.*s did not hit", (int)id.len, id.ptr);
                return;
            }
            for (size_t c = 0; c < hg_value_size(&pair->val); c++) {
                cli_match match = cli_match_at(&event, c);
                if (!same_match(item(&pair->val, c), &match)) {
                    snprintf(text, room, "rule %.*s hit, but condition %zu matched elsewhere", (int)id.len, id.ptr, c + 1);
                    return;
                }
            }
        }
    }
    if (count != result->events)
        snprintf(text, room, "%zu rules were expected to hit, %zu did", count, (size_t)result->events);
}

static void check_run(rule_tests *tests, const hg_value *run, hg_context *context, char *text, size_t room)
{
    static const hg_value empty = {.map = {.type = HG_MAP}};
    const hg_value *input = hg_map_find(run, HG_SLICE("input"));
    const hg_value *rules = hg_map_find(run, HG_SLICE("rules"));
    bool expected = hg_slice_equal(cli_text_at(run, "code"), HG_SLICE("match"));
    const hg_result *result;
    if (input == NULL || !hg_is_map(input))
        input = &empty;
    hg_status status = hg_context_eval(context, input, time_budget, &result);
    if (status != HG_OK) {
        snprintf(text, room, "%s", hg_strerror(status));
        return;
    }
    for (size_t i = 0; i < result->events; i++)
        rule_coverage_hit(&tests->coverage, cli_event_at(&result->value, i).id);
    if (result->match != expected) {
        cli_event first = cli_event_at(&result->value, 0);
        snprintf(text, room, "expected %s, got %s%s%.*s", expected ? "match" : "ok", result->match ? "match" : "ok",
                 result->events > 0 ? " of rule " : "", result->events > 0 ? (int)first.id.len : 0,
                 first.id.ptr != NULL ? first.id.ptr : "");
        return;
    }
    if (rules != NULL && hg_is_array(rules))
        compare_rules(rules, result, text, room);
}

static void run_case(rule_tests *tests, const char *path, const hg_value *one, hg_waf *waf)
{
    char text[256] = "";
    const hg_value *runs = hg_map_find(one, HG_SLICE("runs"));
    hg_context *context = hg_context_new(waf);
    if (runs == NULL || !hg_is_array(runs) || context == NULL)
        snprintf(text, sizeof text, context == NULL ? "out of memory" : "no runs");
    for (size_t i = 0; text[0] == '\0' && i < hg_value_size(runs); i++) {
        const hg_value *run = item(runs, i);
        if (hg_is_map(run)) {
            check_run(tests, run, context, text, sizeof text);
            continue;
        }
        hg_context *inner = hg_subcontext_new(context);
        for (size_t k = 0; inner != NULL && text[0] == '\0' && k < hg_value_size(run); k++)
            check_run(tests, item(run, k), inner, text, sizeof text);
        hg_context_free(inner);
    }
    hg_context_free(context);
    rule_tests_count(tests, path, cli_text_at(one, "name"), text[0] != '\0' ? "%s" : NULL, text);
}

static hg_waf *own_ruleset(const hg_value *ruleset)
{
    hg_builder *builder = hg_builder_new();
    hg_waf *waf = NULL;
    if (builder != NULL && hg_builder_set(builder, HG_SLICE("test"), ruleset, NULL, NULL) == HG_OK)
        waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    return waf;
}

void rule_tests_json(rule_tests *tests, const char *path, const hg_value *tree)
{
    const hg_value *cases = hg_map_find(tree, HG_SLICE("cases"));
    const hg_value *ruleset = hg_map_find(tree, HG_SLICE("ruleset"));
    hg_slice rule = cli_text_at(tree, "rule");
    hg_waf *waf = NULL;
    if (ruleset != NULL) {
        waf = own_ruleset(ruleset);
    } else if (rule.len > 0) {
        cli_rules one;
        cli_rules_load_only(tests->files, tests->file_count, rule, &one);
        waf = one.waf;
    } else {
        waf = hg_waf_ref(tests->all.waf);
    }
    if (waf == NULL)
        rule_tests_count(tests, path, rule, "there is no such usable rule");
    for (size_t i = 0; waf != NULL && i < hg_value_size(cases); i++)
        run_case(tests, path, item(cases, i), waf);
    hg_waf_unref(waf);
}
