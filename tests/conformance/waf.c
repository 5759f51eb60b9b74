/* Conformance cases of the rule engine: a file holds a ruleset and cases; a case is a series of runs in one context. */
#include "conformance/conformance.h"
#include "conformance/waf_driver.h"
#include "hotgate/regex.h"
#include "waf/profile.h"
#include "waf/scalar_text.h"

#include <stdarg.h>
#include <stdio.h>

static const waf_driver *const drivers[] = {&waf_native, &waf_v1, &waf_v2, NULL};
static const waf_driver *driver = &waf_native;

static bool take_option(const char *name, const char *value)
{
    for (int i = 0; strcmp(name, "--through") == 0 && drivers[i] != NULL; i++) {
        if (strcmp(drivers[i]->name, value) == 0) {
            driver = drivers[i];
            return true;
        }
    }
    return false;
}

/* ---- Why a case fails ---- */

static char reason[512];

static bool differs(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return false;
}

#define SHOW(s) (int)(s).len, (s).ptr

static const hg_value *get(const hg_value *map, const char *key)
{
    return map != NULL ? hg_map_find(map, hg_slice_from(key)) : NULL;
}

static hg_slice text_of(const hg_value *v, char room[HG_SCALAR_TEXT_MAX])
{
    return v != NULL ? hg_scalar_text(&hg_profile_native, v, room) : (hg_slice){NULL, 0};
}

/* ---- Comparison ---- */

static bool matches_pattern(hg_slice pattern, hg_slice text)
{
    char whole[1024];
    hg_regex_options options = {.case_insensitive = true};
    int len = snprintf(whole, sizeof whole, "^(?:%.*s)$", SHOW(pattern));
    hg_regex *regex = hg_regex_compile(hg_slice_of(whole, (size_t)len), &options, NULL);
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    bool found = regex != NULL && hg_regex_test(regex, scratch, text);
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
    return found;
}

static bool scalars_agree(const hg_value *expected, const hg_value *actual)
{
    char room[HG_SCALAR_TEXT_MAX], other[HG_SCALAR_TEXT_MAX];
    hg_slice want = text_of(expected, room), got = text_of(actual, other);
    static const char prefix[] = "regex:";
    if (want.len >= 6 && memcmp(want.ptr, prefix, 6) == 0)
        return matches_pattern(hg_slice_skip(want, 6), got);
    return hg_slice_equal(want, got);
}

static bool agree(const hg_value *expected, const hg_value *actual);

/* Every expected item has its own equal actual one. */
static bool lists_agree(const hg_value *expected, const hg_value *actual)
{
    size_t size = hg_value_size(expected);
    bool used[256] = {false};
    if (size != hg_value_size(actual) || size > 256)
        return false;
    for (size_t i = 0; i < size; i++) {
        size_t k = 0;
        while (k < size && (used[k] || !agree(&hg_array_items(expected)[i], &hg_array_items(actual)[k])))
            k++;
        if (k == size)
            return false;
        used[k] = true;
    }
    return true;
}

static bool maps_agree(const hg_value *expected, const hg_value *actual)
{
    size_t size = hg_value_size(expected);
    if (size != hg_value_size(actual))
        return false;
    for (size_t i = 0; i < size; i++) {
        const hg_pair *pair = &hg_map_pairs(expected)[i];
        const hg_value *found = hg_map_find(actual, hg_value_string(&pair->key));
        if (found == NULL || !agree(&pair->val, found))
            return false;
    }
    return true;
}

static bool agree(const hg_value *expected, const hg_value *actual)
{
    if (hg_is_container(expected) && hg_is_container(actual) && hg_value_size(expected) + hg_value_size(actual) == 0)
        return true; /* the suite writes "none" as an empty list, whatever the kind */
    if (hg_is_map(expected) || hg_is_map(actual))
        return hg_is_map(expected) && hg_is_map(actual) && maps_agree(expected, actual);
    if (hg_is_array(expected) || hg_is_array(actual))
        return hg_is_array(expected) && hg_is_array(actual) && lists_agree(expected, actual);
    return scalars_agree(expected, actual);
}

/* ---- Events ---- */

static const hg_value *find_rule(const hg_value *ruleset, hg_slice id)
{
    static const char *const sections[] = {"rules", "rules_compat", "custom_rules"};
    char room[HG_SCALAR_TEXT_MAX];
    for (int s = 0; s < 3; s++) {
        const hg_value *rules = get(ruleset, sections[s]);
        for (size_t i = 0; rules != NULL && i < hg_value_size(rules); i++)
            if (hg_slice_equal(text_of(get(&hg_array_items(rules)[i], "id"), room), id))
                return &hg_array_items(rules)[i];
    }
    return NULL;
}

static bool same_field(const hg_value *expected, const hg_value *actual, const char *key)
{
    const hg_value *want = get(expected, key), *got = get(actual, key);
    if (want == NULL)
        return true;
    if (got != NULL && agree(want, got))
        return true;
    char room[HG_SCALAR_TEXT_MAX], other[HG_SCALAR_TEXT_MAX];
    return differs("%s is '%.*s', not '%.*s'", key, SHOW(text_of(got, room)), SHOW(text_of(want, other)));
}

static bool same_place(const hg_value *expected, const hg_value *actual)
{
    return same_field(expected, actual, "address") && same_field(expected, actual, "key_path") &&
           same_field(expected, actual, "value");
}

/* Detectors name their arguments, other operators have one. */
static bool same_match(const hg_value *expected, const hg_value *match)
{
    const hg_value *list = get(match, "parameters");
    if (list == NULL || hg_value_size(list) != 1)
        return differs("a match has no parameters");
    const hg_value *parameters = hg_array_items(list);
    if (get(parameters, "address") != NULL)
        return same_place(expected, parameters);
    for (size_t i = 0; i < hg_value_size(expected); i++) {
        const hg_pair *pair = &hg_map_pairs(expected)[i];
        const hg_value *argument = hg_map_find(parameters, hg_value_string(&pair->key));
        if (argument == NULL || !same_place(&pair->val, argument))
            return argument != NULL || differs("an argument is missing");
    }
    return true;
}

static bool same_operator(const hg_value *condition, const hg_value *match)
{
    char room[HG_SCALAR_TEXT_MAX], other[HG_SCALAR_TEXT_MAX];
    hg_slice want = text_of(get(condition, "operator"), room), got = text_of(get(match, "operator"), other);
    const char *version = memmem(want.ptr, want.len, "@v", 2);
    if (version != NULL)
        want.len = (size_t)(version - want.ptr);
    if (!hg_slice_equal(want, got))
        return differs("operator is '%.*s', not '%.*s'", SHOW(got), SHOW(want));
    const hg_value *regex = get(get(condition, "parameters"), "regex");
    if (regex != NULL && !scalars_agree(regex, get(match, "operator_value")))
        return differs("operator_value is not the regex");
    return true;
}

static bool only_monitor(const hg_value *on_match)
{
    char room[HG_SCALAR_TEXT_MAX];
    return hg_value_size(on_match) == 1 &&
           hg_slice_equal(text_of(hg_array_items(on_match), room), HG_SLICE("monitor"));
}

static bool same_rule(const hg_value *configured, const hg_value *rule)
{
    hg_value empty;
    const hg_value *tags = get(configured, "tags"), *on_match = get(configured, "on_match");
    const hg_value *reported = get(rule, "on_match");
    hg_set_array(&empty, 0, hg_heap());
    if (!same_field(configured, rule, "id") || !same_field(configured, rule, "name") ||
        !same_field(tags, get(rule, "tags"), "type") || !same_field(tags, get(rule, "tags"), "category"))
        return false;
    if (reported == NULL || (!only_monitor(reported) && !agree(on_match != NULL ? on_match : &empty, reported)))
        return differs("on_match differs");
    return true;
}

static bool same_event(const hg_value *ruleset, hg_slice id, const hg_value *expected, const hg_value *event)
{
    const hg_value *configured = find_rule(ruleset, id), *matches = get(event, "rule_matches");
    const hg_value *conditions = get(configured, "conditions");
    if (configured == NULL || !same_rule(configured, get(event, "rule")))
        return configured != NULL || differs("the ruleset has no such rule");
    if (hg_value_size(expected) != hg_value_size(matches) || hg_value_size(conditions) != hg_value_size(matches))
        return differs("%zu matches instead of %zu", hg_value_size(matches), hg_value_size(expected));
    for (size_t i = 0; i < hg_value_size(matches); i++) {
        const hg_value *match = &hg_array_items(matches)[i];
        if (!same_operator(&hg_array_items(conditions)[i], match) ||
            !same_match(&hg_array_items(expected)[i], match))
            return false;
    }
    return true;
}

static bool same_events(const hg_value *ruleset, const hg_value *expected, const hg_value *events)
{
    char room[HG_SCALAR_TEXT_MAX];
    size_t wanted = expected != NULL ? hg_value_size(expected) : 0;
    if (hg_value_size(events) != wanted)
        return differs("%zu events instead of %zu", hg_value_size(events), wanted);
    for (size_t i = 0; i < wanted; i++) {
        const hg_pair *pair = hg_map_pairs(&hg_array_items(expected)[i]);
        hg_slice id = hg_value_string(&pair->key);
        const hg_value *event = NULL;
        for (size_t k = 0; k < wanted && event == NULL; k++) {
            const hg_value *rule = get(&hg_array_items(events)[k], "rule");
            if (hg_slice_equal(text_of(get(rule, "id"), room), id))
                event = &hg_array_items(events)[k];
        }
        if (event == NULL)
            return differs("no event of rule %.*s", SHOW(id));
        if (!same_event(ruleset, id, &pair->val, event))
            return false;
    }
    return true;
}

/* ---- Runs and cases ---- */

static bool run_one(const hg_value *ruleset, const hg_value *run, void *context, bool sub)
{
    hg_value nothing;
    char room[HG_SCALAR_TEXT_MAX];
    bool match = false;
    const hg_value *input = get(run, "input");
    hg_set_map(&nothing, 0, hg_heap());
    const hg_value *result =
        driver->run(context, sub, input != NULL && hg_is_map(input) ? input : &nothing, &match);
    if (result == NULL)
        return differs("the engine failed");
    bool expected = hg_slice_equal(text_of(get(run, "code"), room), HG_SLICE("match"));
    if (match != expected)
        return differs("the verdict is %s", match ? "match" : "ok");
    if (!same_events(ruleset, get(run, "rules"), get(result, "events")))
        return false;
    if (sub && !match)
        return true;
    if (get(run, "actions") != NULL && !agree(get(run, "actions"), get(result, "actions")))
        return differs("actions differ");
    if (get(run, "attributes") != NULL && !agree(get(run, "attributes"), get(result, "attributes")))
        return differs("attributes differ");
    return true;
}

static bool run_sequence(const hg_value *ruleset, const hg_value *runs, void *context, bool sub)
{
    for (size_t i = 0; i < hg_value_size(runs); i++) {
        const hg_value *run = &hg_array_items(runs)[i];
        if (!hg_is_array(run)) {
            if (!run_one(ruleset, run, context, sub))
                return false;
            continue;
        }
        void *inner = driver->subcontext(context);
        bool passed = inner != NULL && run_sequence(ruleset, run, inner, true);
        driver->release(inner, true);
        if (!passed)
            return false;
    }
    return true;
}

static void run_case(const hg_value *ruleset, const hg_value *one, void *instance, conformance_tally *tally)
{
    char room[HG_SCALAR_TEXT_MAX];
    hg_slice name = text_of(get(one, "file"), room);
    reason[0] = 0;
    void *context = driver->context(instance);
    if (context != NULL && run_sequence(ruleset, get(one, "runs"), context, false))
        conformance_pass(tally);
    else
        conformance_fail(tally, name, "%s", reason);
    driver->release(context, false);
}

static bool run_content(hg_slice content, conformance_tally *tally)
{
    hg_value root;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_value *ruleset = NULL, *cases = NULL;
    if (hg_json_read(content, &options, &root, hg_arena_allocator(&arena), NULL) == HG_OK) {
        ruleset = get(&root, "ruleset");
        cases = get(&root, "cases");
    }
    bool known = ruleset != NULL && cases != NULL && hg_is_array(cases);
    void *instance = known ? driver->load(ruleset) : NULL;
    if (known && instance == NULL)
        conformance_fail(tally, HG_SLICE("ruleset"), "is refused");
    for (size_t i = 0; instance != NULL && i < hg_value_size(cases); i++)
        run_case(ruleset, &hg_array_items(cases)[i], instance, tally);
    if (instance != NULL)
        driver->unload(instance);
    hg_arena_close(&arena);
    return known;
}

const conformance_kind conformance_waf = {"waf", "rulesets and requests, with the events they give", run_content,
                                          NULL, take_option};
