/* What contexts do, by the examples of the specification. */
#include "judge.h"

static void a_match_is_reported_with_its_place(void **state)
{
    (void)state;
    hg_waf *waf = judge_load("{\"id\":\"r1\",\"name\":\"rule one\",\"tags\":{\"type\":\"t1\",\"category\":\"c1\"},"
                             "\"transformers\":[\"lowercase\"],\"on_match\":[\"block\"],\"conditions\":[{\"operator\":"
                             "\"match_regex\",\"parameters\":{\"regex\":\"ev.l\",\"inputs\":[{\"address\":\"q\","
                             "\"key_path\":[\"x\"]}]}}]}", "");
    hg_context *context = hg_context_new(waf);
    const hg_result *result = judge(context, "{\"q\":{\"x\":[0,\"EVIL x\"],\"y\":1}}");
    assert_true(result->match);
    assert_true(result->keep);
    assert_int_equal(result->evaluated, 1);
    hg_slice text = hg_slice_from(judge_entry(result, "events"));
    static const char head[] =
        "[{\"rule\":{\"id\":\"r1\",\"name\":\"rule one\",\"on_match\":[\"block\"],\"tags\":{\"type\":\"t1\",\"category\":"
        "\"c1\"}},\"rule_matches\":[{\"operator\":\"match_regex\",\"operator_value\":\"ev.l\",\"parameters\":[{"
        "\"address\":\"q\",\"value\":\"evil x\",\"key_path\":[\"x\",1],\"highlight\":[\"evil\"]}]}],"
        "\"security_response_id\":\"";
    assert_true(text.len > sizeof head);
    assert_memory_equal(text.ptr, head, sizeof head - 1);
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void a_context_may_hide_by_patterns_of_its_own(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), ",\"obfuscator\":{\"key_regex\":\"^theirs$\"}");
    hg_obfuscator *ours = hg_obfuscator_new(HG_SLICE("^ours$"), HG_SLICE("^zzz"));
    hg_obfuscator *defaults = hg_obfuscator_new(HG_SLICE(""), HG_SLICE("("));
    static const struct {
        const char *text;
        bool own, standard, ruleset; /* hidden by whom? */
    } cases[] = {{"{\"a\":{\"ours\":\"evil\"}}", true, false, false},
                 {"{\"a\":{\"theirs\":\"evil\"}}", false, false, true},
                 {"{\"a\":{\"password\":\"evil\"}}", false, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hg_obfuscator *by[] = {ours, defaults, NULL};
        const bool hidden[] = {cases[i].own, cases[i].standard, cases[i].ruleset};
        for (int k = 0; k < 3; k++) {
            hg_context *context = hg_context_new(waf);
            hg_context_obfuscate(context, by[k]);
            hg_context *sub = hg_subcontext_new(context);
            const char *events = judge_entry(judge(sub, cases[i].text), "events");
            assert_true((strstr(events, "Redacted") != NULL) == hidden[k]);
            hg_context_free(sub);
            hg_context_free(context);
        }
    }
    hg_obfuscator_free(ours);
    hg_obfuscator_free(defaults);
    hg_waf_unref(waf);
}

static void a_rule_matches_once_in_a_context(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_context *context = hg_context_new(waf);
    assert_string_equal(judge_events(judge(context, "{\"a\":\"fine\"}")), "");
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\"}")), "r");
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\"}")), "");
    hg_context_free(context);
    context = hg_context_new(waf);
    assert_string_equal(judge_events(judge(context, "{\"a\":[\"x\",[\"evil\"]]}")), "r");
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void conditions_may_come_true_in_different_calls(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(
        "{\"id\":\"r\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"conditions\":["
        "{\"operator\":\"exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],\"list\":[\"evil\"]}},"
        "{\"operator\":\"exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"b\"}],\"list\":[\"bad\"]}}]}", "");
    hg_context *context = hg_context_new(waf);
    assert_string_equal(judge_events(judge(context, "{\"b\":\"bad\"}")), "");
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\",\"b\":\"no\"}")), "");
    assert_string_equal(judge_events(judge(context, "{\"b\":\"bad\"}")), "r");
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void no_time_leaves_all_but_the_acl_modules_out(void **state)
{
    (void)state;
    static const char acl[] = RULE("acl", "t", "a", ",\"module\":\"network-acl\"");
    static const char both[] = RULE("acl", "t", "a", ",\"module\":\"network-acl\"") "," RULE("w", "t", "a", "");
    hg_waf *waf = judge_load(RULE("w", "t", "a", ""), "");
    hg_context *context = hg_context_new(waf);
    const hg_result *result = judge_for(context, "{\"a\":\"evil\"}", 0);
    assert_true(!result->match && result->timeout && result->evaluated == 0);
    assert_int_equal(result->unrun & HG_UNRUN_RULES, HG_UNRUN_RULES);
    assert_int_equal(result->unrun_rules, 1);
    assert_memory_equal(result->first_unrun.ptr, "w", 1);
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\"}")), "w");
    hg_context_free(context);
    hg_waf_unref(waf);

    waf = judge_load(acl, "");
    context = hg_context_new(waf);
    result = judge_for(context, "{\"a\":\"evil\"}", 0);
    assert_true(result->events == 1 && result->timeout && result->evaluated == 1);
    hg_context_free(context);
    hg_waf_unref(waf);

    waf = judge_load(both, "");
    context = hg_context_new(waf);
    result = judge_for(context, "{\"a\":\"evil\"}", 0);
    assert_string_equal(judge_events(result), "acl");
    assert_true(result->timeout && result->evaluated == 0);
    hg_context_free(context);
    hg_waf_unref(waf);

    waf = judge_load(acl, ",\"exclusions\":[{\"id\":\"x\",\"rules_target\":[{\"rule_id\":\"other\"}]}]");
    context = hg_context_new(waf);
    result = judge_for(context, "{\"a\":\"evil\"}", 0);
    assert_true(result->events == 0 && result->timeout && result->evaluated == 0);
    hg_context_free(context);

    context = hg_context_new(waf);
    result = judge_for(context, "{\"other\":1}", 0);
    assert_true(result->timeout && result->evaluated == 1);
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void batches_stop_at_a_block(void **state)
{
    (void)state;
    hg_waf *waf = judge_load("{\"id\":\"b\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"on_match\":[\"block\"],\"conditions\":["
                             "{\"operator\":\"exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],\"list\":"
                             "[\"evil\"]}}]}," RULE("m", "u", "c", ""), "");
    hg_context *context = hg_context_new(waf);
    const hg_result *result;
    hg_value *batches = judge_value("[{\"a\":\"fine\"},{\"a\":\"evil\"},{\"c\":\"evil\"}]");
    assert_int_equal(hg_context_multieval(context, batches, 10000000, &result), HG_OK);
    assert_string_equal(judge_events(result), "b");
    assert_int_equal(result->evaluated, 2);
    /* The batch that was left out is known, but was not judged. */
    assert_string_equal(judge_events(judge(context, "{\"a\":1}")), "m");
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void negated_conditions_want_something_tested(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"x\":\"y\"}", "r"},          {"{\"x\":[\"evil\",\"y\"]}", ""}, {"{\"x\":[\"y\"]}", "r"}, {"{\"x\":{}}", ""},
        {"{\"x\":[]}", ""},              {"{\"x\":1}", ""},              {"{\"x\":null}", ""},     {"{\"x\":true}", ""},
        {"{\"x\":[\"y\",\"z\"]}", "r"},
    };
    hg_waf *waf = judge_load("{\"id\":\"r\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"conditions\":[{\"operator\":"
                             "\"!exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"x\"}],\"list\":[\"evil\"]}}]}", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hg_context *context = hg_context_new(waf);
        assert_string_equal(judge_events(judge(context, cases[i][0])), cases[i][1]);
        hg_context_free(context);
    }
    hg_waf_unref(waf);
}

static void subcontexts_go_their_own_way(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("p", "t", "a", "") "," RULE("s", "u", "b", ""), "");
    hg_context *parent = hg_context_new(waf);
    assert_string_equal(judge_events(judge(parent, "{\"a\":\"evil\"}")), "p");
    hg_context *one = hg_subcontext_new(parent), *two = hg_subcontext_new(parent);
    assert_string_equal(judge_events(judge(one, "{\"a\":\"evil\",\"b\":\"evil\"}")), "s");
    assert_string_equal(judge_events(judge(parent, "{\"c\":1}")), "");
    hg_context_free(parent);
    assert_string_equal(judge_events(judge(two, "{\"b\":\"evil\"}")), "s");
    assert_string_equal(judge_events(judge(one, "{\"b\":\"evil\"}")), "");
    hg_context_free(one);
    hg_context_free(two);
    hg_waf_unref(waf);
}

static void attributes_wait_for_their_address(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(
        "{\"id\":\"r\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"output\":{\"event\":false,\"keep\":false,\"attributes\":"
        "{\"k\":{\"address\":\"later\",\"key_path\":[\"v\"]},\"l\":{\"value\":1.5}}},\"conditions\":[{\"operator\":"
        "\"exact_match\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],\"list\":[\"evil\"]}}]}", "");
    hg_context *context = hg_context_new(waf);
    const hg_result *result = judge(context, "{\"a\":\"evil\"}");
    assert_true(result->match && !result->keep && result->events == 0);
    assert_string_equal(judge_entry(result, "attributes"), "{\"l\":1.5}");
    assert_string_equal(judge_entry(judge(context, "{\"a\":1}"), "attributes"), "{}");
    assert_string_equal(judge_entry(judge(context, "{\"later\":{\"v\":[\"x\",\"y\"]}}"), "attributes"), "{\"k\":\"x\"}");
    assert_string_equal(judge_entry(judge(context, "{\"later\":{\"v\":\"z\"}}"), "attributes"), "{}");
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void wrong_shapes_are_refused_untouched(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_context *context = hg_context_new(waf);
    const hg_result *result = NULL;
    assert_int_equal(hg_context_eval(NULL, judge_value("{}"), 1, &result), HG_ERR_ARGUMENT);
    assert_int_equal(hg_context_eval(context, NULL, 1, &result), HG_ERR_ARGUMENT);
    assert_int_equal(hg_context_eval(context, judge_value("[1]"), 1, &result), HG_ERR_SYNTAX);
    assert_int_equal(hg_context_multieval(context, judge_value("{}"), 1, &result), HG_ERR_SYNTAX);
    assert_int_equal(hg_context_multieval(context, judge_value("[{\"a\":\"evil\"},1]"), 1, &result), HG_ERR_SYNTAX);
    assert_null(result);
    assert_int_equal(hg_context_multieval(context, judge_value("[]"), 1000000, &result), HG_OK);
    assert_int_equal(result->evaluated, 0);
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\"}")), "r");
    assert_null(hg_context_new(NULL));
    hg_context_free(NULL);
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void an_instance_may_be_dropped_while_contexts_use_it(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_context *context = hg_context_new(waf);
    hg_waf_unref(waf);
    assert_string_equal(judge_events(judge(context, "{\"a\":\"evil\"}")), "r");
    hg_context_free(context);
}

static unsigned steps_seen[HG_STEP_RESULT + 1];
static char last_text[32];

static void count_step(void *state, const hg_trace_step *step)
{
    (void)state;
    steps_seen[step->kind]++;
    assert_true(hg_slice_equal(step->rule, HG_SLICE("r")));
    if (step->kind != HG_STEP_RULE && step->kind != HG_STEP_RESULT)
        assert_true(hg_slice_equal(step->operator_name, HG_SLICE("exact_match")));
    if (step->kind == HG_STEP_ELEMENT)
        snprintf(last_text, sizeof last_text, "%.*s", (int)step->text.len, step->text.ptr);
}

static void each_step_of_a_traced_context_names_rule_and_operator(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_context *context = hg_context_traced(waf, count_step, NULL);
    memset(steps_seen, 0, sizeof steps_seen);
    assert_string_equal(judge_events(judge(context, "{\"a\":[\"x\",\"evil\",\"y\"]}")), "r");
    assert_int_equal(steps_seen[HG_STEP_RULE], 1);
    assert_int_equal(steps_seen[HG_STEP_CONDITION], 1);
    assert_int_equal(steps_seen[HG_STEP_ELEMENT], 2);
    assert_string_equal(last_text, "evil");
    hg_context_free(context);
    hg_waf_unref(waf);
}

static void values_of_any_depth_are_walked(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_value *nest = hg_arena_alloc(&judge_arena, (DEPTH + 1) * sizeof *nest, 8);
    hg_set_literal(&nest[DEPTH], HG_SLICE("evil"));
    for (int i = DEPTH - 1; i >= 0; i--) {
        hg_set_null(&nest[i]);
        nest[i].array.type = HG_ARRAY;
        nest[i].array.size = nest[i].array.capacity = 1;
        nest[i].array.ptr = &nest[i + 1];
    }
    hg_context *context = hg_context_new(waf);
    const hg_result *result;
    hg_entry entry = {HG_SLICE("a"), nest, false};
    hg_batch batch = {&entry, 1};
    assert_int_equal(hg_context_run(context, &batch, 1, 10000000, &result), HG_OK);
    assert_string_equal(judge_events(result), "r");
    hg_context_free(context);
    hg_waf_unref(waf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JUDGE_TEST(a_match_is_reported_with_its_place),
        JUDGE_TEST(a_context_may_hide_by_patterns_of_its_own),
        JUDGE_TEST(a_rule_matches_once_in_a_context),
        JUDGE_TEST(conditions_may_come_true_in_different_calls),
        JUDGE_TEST(no_time_leaves_all_but_the_acl_modules_out),
        JUDGE_TEST(batches_stop_at_a_block),
        JUDGE_TEST(negated_conditions_want_something_tested),
        JUDGE_TEST(subcontexts_go_their_own_way),
        JUDGE_TEST(attributes_wait_for_their_address),
        JUDGE_TEST(wrong_shapes_are_refused_untouched),
        JUDGE_TEST(an_instance_may_be_dropped_while_contexts_use_it),
        JUDGE_TEST(each_step_of_a_traced_context_names_rule_and_operator),
        JUDGE_TEST(values_of_any_depth_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
