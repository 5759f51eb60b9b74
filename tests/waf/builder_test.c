/* The builder: what loading, replacing and removing configurations does, and the ruleset that comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

/* ---- Help ---- */

typedef struct fixture {
    hg_arena arena;
    hg_builder *builder;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    hg_arena_init(&f.arena, NULL);
    f.builder = hg_builder_new();
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    hg_builder_free(f->builder);
    hg_arena_close(&f->arena);
    return 0;
}

/* A configuration from JSON with apostrophes for quotes. */
static const hg_value *config(fixture *f, const char *json)
{
    bool ok;
    hg_slice text = hg_arena_copy(&f->arena, hg_slice_from(json), &ok);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\'')
            ((char *)text.ptr)[i] = '"';
    hg_value *root = hg_arena_alloc(&f->arena, sizeof *root, 8);
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    assert_int_equal(hg_json_read(text, &options, root, hg_arena_allocator(&f->arena), NULL), HG_OK);
    return root;
}

static hg_status set(fixture *f, const char *path, const char *json)
{
    return hg_builder_set(f->builder, hg_slice_from(path), config(f, json), NULL, NULL);
}

static hg_ruleset *ruleset(fixture *f)
{
    hg_status status;
    return hg_builder_ruleset(f->builder, &status);
}

static size_t paths(fixture *f, const char *filter)
{
    return hg_builder_paths(f->builder, hg_slice_from(filter), NULL, NULL);
}

#define CONDITIONS "'conditions':[{'operator':'match_regex','parameters':{'regex':'x','inputs':[{'address':'a'}]}}]"
#define RULE(id, members) "{'id':'" id "','name':'n','tags':{'type':'t'}," members CONDITIONS "}"
#define TAGGED(id, tags, members) "{'id':'" id "','name':'n','tags':{" tags "}," members CONDITIONS "}"

#define assert_text(slice, expected) \
    do { \
        assert_int_equal((slice).len, sizeof(expected) - 1); \
        assert_memory_equal((slice).ptr, expected, sizeof(expected) - 1); \
    } while (0)

/* ---- Loading ---- */

static void a_config_is_refused_only_if_nothing_in_it_loads(void **state)
{
    fixture *f = *state;
    assert_int_equal(set(f, "1", "{'rules':[" RULE("r", "") ",{}]}"), HG_OK);
    assert_int_equal(set(f, "2", "{'rules':[{}]}"), HG_ERR_SYNTAX);
    assert_int_equal(set(f, "3", "{}"), HG_OK);
    assert_int_equal(set(f, "4", "{'rules':[{'id':'s','min_version':'9.0.0'}]}"), HG_OK);
    assert_int_equal(set(f, "5", "{'rules':[{}],'actions':[{'id':'x','type':'y','parameters':{}}]}"), HG_OK);
    assert_int_equal(set(f, "", "{}"), HG_ERR_ARGUMENT);
    assert_int_equal(paths(f, ""), 4);
}

static void a_root_that_is_no_map_leaves_the_old_config(void **state)
{
    fixture *f = *state;
    set(f, "p", "{'rules':[" RULE("r", "") "]}");
    assert_int_equal(set(f, "p", "[]"), HG_ERR_SYNTAX);
    hg_ruleset *r = ruleset(f);
    assert_int_equal(r->rule_count, 1);
    hg_ruleset_unref(r);
}

static void a_refused_config_takes_the_old_one_with_it(void **state)
{
    fixture *f = *state;
    set(f, "p", "{'rules':[" RULE("r", "") "]}");
    assert_int_equal(set(f, "p", "{'rules':[{}]}"), HG_ERR_SYNTAX);
    assert_int_equal(paths(f, ""), 0);
    assert_null(ruleset(f));
}

static void an_unsupported_version_keeps_the_path(void **state)
{
    fixture *f = *state;
    set(f, "p", "{'rules':[" RULE("r", "") "]}");
    assert_int_equal(set(f, "p", "{'version':'3.0'}"), HG_ERR_SYNTAX);
    assert_int_equal(set(f, "q", "{'version':'x'}"), HG_ERR_SYNTAX);
    assert_int_equal(paths(f, ""), 2);
    assert_null(ruleset(f));
}

static void an_update_may_use_its_own_ids_again(void **state)
{
    fixture *f = *state;
    assert_int_equal(set(f, "p", "{'rules':[" RULE("r", "") "]}"), HG_OK);
    assert_int_equal(set(f, "p", "{'rules':[" RULE("r", "'enabled':false,") "," RULE("r2", "") "]}"), HG_OK);
    hg_ruleset *r = ruleset(f);
    assert_int_equal(r->rule_count, 1);
    assert_text(r->rules[0].id, "r2");
    hg_ruleset_unref(r);
}

static void paths_are_filtered_by_a_pattern(void **state)
{
    fixture *f = *state;
    set(f, "cfg/1", "{}");
    set(f, "cfg/2", "{}");
    assert_int_equal(paths(f, "1$"), 1);
    assert_int_equal(paths(f, "cfg"), 2);
    assert_int_equal(paths(f, "("), 0);
    hg_value list;
    assert_int_equal(hg_builder_paths(f->builder, HG_SLICE("2"), &list, NULL), 1);
    assert_text(hg_value_string(hg_array_items(&list)), "cfg/2");
    hg_value_free(&list, hg_heap());
    assert_int_equal(hg_builder_remove(f->builder, HG_SLICE("cfg/2")), HG_OK);
    assert_int_equal(hg_builder_remove(f->builder, HG_SLICE("cfg/2")), HG_ERR_ARGUMENT);
}

/* ---- What comes out ---- */

static void a_ruleset_needs_a_rule_or_a_postprocessor(void **state)
{
    fixture *f = *state;
#define PROCESSOR(evaluate) \
    "{'processors':[{'id':'p','generator':'uri_parse','evaluate':" evaluate \
    ",'output':true,'parameters':{'mappings':[{'inputs':[{'address':'u'}],'output':'o'}]}}]}"
    set(f, "1", "{'rules':[" RULE("r", "'enabled':false,") "]}");
    set(f, "2", PROCESSOR("true"));
    assert_null(ruleset(f));
    set(f, "2", PROCESSOR("false"));
    hg_ruleset *r = ruleset(f);
    assert_non_null(r);
    assert_int_equal(r->postprocessor_count, 1);
    hg_ruleset_unref(r);
}

static void rules_come_in_order_of_evaluation(void **state)
{
    fixture *f = *state;
    set(f, "1",
        "{'rules':[" TAGGED("w2", "'type':'b'", "") "," TAGGED("w1", "'type':'a'", "") ","
        TAGGED("wb", "'type':'z'", "'on_match':['block'],") "," TAGGED("n", "'type':'t','module':'network-acl'", "") ","
        TAGGED("ra", "'type':'t','module':'rasp'", "") "],"
        "'custom_rules':[" TAGGED("cw", "'type':'zz'", "") "," TAGGED("cn", "'type':'t','module':'network-acl'", "") "]}");
    static const char *const order[] = {"n", "cn", "ra", "wb", "cw", "w1", "w2"};
    hg_ruleset *r = ruleset(f);
    assert_int_equal(r->rule_count, 7);
    for (int i = 0; i < 7; i++)
        assert_memory_equal(r->rules[i].id.ptr, order[i], strlen(order[i]));
    assert_int_equal(r->module_begin[HG_MODULE_NETWORK_ACL], 0);
    assert_int_equal(r->module_begin[HG_MODULE_AUTHENTICATION_ACL], 2);
    assert_int_equal(r->module_begin[HG_MODULE_RASP], 2);
    assert_int_equal(r->module_begin[HG_MODULE_WAF], 3);
    assert_int_equal(r->module_begin[HG_MODULES], 7);
    hg_ruleset_unref(r);
}

static void overrides_change_base_rules_only(void **state)
{
    fixture *f = *state;
    set(f, "rules", "{'rules':[" TAGGED("a", "'type':'t','k':'own'", "") "," RULE("b", "'enabled':false,") "],"
                    "'custom_rules':[" RULE("c", "") "]}");
    set(f, "overrides",
        "{'rules_override':[{'rules_target':[{'tags':{'type':'t'}}],'on_match':['block'],'tags':{'k':'new','m':'added'}},"
        "{'id':'b','enabled':true},{'id':'c','on_match':['block']},{'id':'nobody','enabled':true},"
        "{'id':'a','on_match':[],'tags':{'module':'rasp'}}]}");
    hg_ruleset *r = ruleset(f);
    assert_int_equal(r->rule_count, 3);
    assert_text(r->rules[0].id, "a"); /* moved to module rasp; its own override came after the one by tags */
    assert_int_equal(r->rules[0].module, HG_MODULE_RASP);
    assert_int_equal(r->rules[0].verdict, HG_VERDICT_MONITOR);
    assert_text(hg_tags_find(r->rules[0].tags, HG_SLICE("k"))->value, "own");
    assert_text(hg_tags_find(r->rules[0].tags, HG_SLICE("m"))->value, "added");
    assert_text(r->rules[1].id, "b");
    assert_int_equal(r->rules[1].verdict, HG_VERDICT_BLOCK);
    assert_text(r->rules[2].id, "c");
    assert_int_equal(r->rules[2].verdict, HG_VERDICT_MONITOR);
    hg_ruleset_unref(r);
}

static void filters_are_resolved_to_rules(void **state)
{
    fixture *f = *state;
    set(f, "1",
        "{'rules':[" RULE("a", "") "," TAGGED("b", "'type':'u','k':'v'", "") "],"
        "'exclusions':[{'id':'all','rules_target':[],'inputs':[{'address':'q'}]},"
        "{'id':'one','rules_target':[{'rule_id':'b'},{'id':'nobody'}]},"
        "{'id':'tags','rules_target':[{'tags':{'type':'u','k':'v'}}],'on_match':'monitor'},"
        "{'id':'none','rules_target':[{}],'on_match':'redir'}]}");
    hg_ruleset *r = ruleset(f);
    assert_int_equal(r->input_filter_count, 1);
    assert_int_equal(r->input_filters[0].rule_count, 2);
    assert_int_equal(r->rule_filter_count, 3);
    assert_int_equal(r->rule_filters[0].rule_count, 1);
    assert_text(r->rules[r->rule_filters[0].rules[0]].id, "b");
    assert_int_equal(r->rule_filters[0].mode, HG_EXCLUDE_BYPASS);
    assert_int_equal(r->rule_filters[1].rule_count, 1);
    assert_text(r->rule_filters[1].action, "monitor");
    assert_int_equal(r->rule_filters[2].rule_count, 0);
    assert_int_equal(r->rule_filters[2].mode, HG_EXCLUDE_CUSTOM);
    hg_ruleset_unref(r);
}

static const hg_action_parameter *parameter(const hg_action *action, const char *key)
{
    for (uint32_t i = 0; i < action->parameter_count; i++)
        if (hg_slice_equal(action->parameters[i].key, hg_slice_from(key)))
            return &action->parameters[i];
    return NULL;
}

static void actions_are_normalised(void **state)
{
    fixture *f = *state;
    set(f, "1",
        "{'rules':[" RULE("r", "") "],'actions':["
        "{'id':'b1','type':'block_request','parameters':{'status_code':'418','type':7,'stack_id':'x','o':true}},"
        "{'id':'b2','type':'block_request','parameters':{'status_code':1000,'grpc_status_code':-1}},"
        "{'id':'r1','type':'redirect_request','parameters':{'location':'//h/x','status_code':'307'}},"
        "{'id':'r2','type':'redirect_request','parameters':{'location':'http://h','status_code':200}},"
        "{'id':'r3','type':'redirect_request','parameters':{'location':'ftp://h','x':'y'}},"
        "{'id':'block','type':'mine','parameters':{}}]}");
    hg_ruleset *r = ruleset(f);
    const hg_action *b1 = hg_ruleset_action(r, HG_SLICE("b1")), *b2 = hg_ruleset_action(r, HG_SLICE("b2"));
    assert_int_equal(parameter(b1, "status_code")->value.u64.val, 418);
    assert_int_equal(parameter(b1, "grpc_status_code")->value.u64.val, 10);
    assert_int_equal(parameter(b1, "type")->value.type, HG_UNSIGNED);
    assert_int_equal(parameter(b1, "o")->value.type, HG_BOOL);
    assert_null(parameter(b1, "stack_id"));
    assert_int_equal(parameter(b2, "status_code")->value.u64.val, 403);
    assert_int_equal(parameter(b2, "grpc_status_code")->value.u64.val, 10);
    assert_text(hg_value_string(&parameter(b2, "type")->value), "auto");
    assert_int_equal(parameter(hg_ruleset_action(r, HG_SLICE("r1")), "status_code")->value.u64.val, 307);
    assert_int_equal(parameter(hg_ruleset_action(r, HG_SLICE("r2")), "status_code")->value.u64.val, 303);
    const hg_action *r3 = hg_ruleset_action(r, HG_SLICE("r3"));
    assert_text(r3->type, "block_request");
    assert_null(parameter(r3, "x"));
    assert_int_equal(hg_ruleset_action(r, HG_SLICE("block"))->kind, HG_ACTION_OTHER);
    assert_int_equal(hg_ruleset_action(r, HG_SLICE("stack_trace"))->kind, HG_ACTION_STACK);
    assert_null(hg_ruleset_action(r, HG_SLICE("nope")));
    hg_ruleset_unref(r);
    set(f, "1", "{'rules':[" RULE("r", "") "]}");
    r = ruleset(f);
    assert_int_equal(hg_ruleset_action(r, HG_SLICE("block"))->kind, HG_ACTION_BLOCK);
    hg_ruleset_unref(r);
}

static const hg_condition *dynamic_condition(const hg_ruleset *r)
{
    return &r->rules[0].conditions.items[0];
}

static void data_keeps_the_type_it_first_had(void **state)
{
    fixture *f = *state;
#define DATA(type, value) "{'rules_data':[{'id':'d','type':'" type "','data':[{'value':'" value "'}]}]}"
    set(f, "rules", "{'rules':[{'id':'r','name':'n','tags':{'type':'t'},'conditions':[{'operator':'exact_match',"
                    "'parameters':{'data':'d','inputs':[{'address':'a'}]}}]}]}");
    hg_matcher m;
    hg_ruleset *r = ruleset(f);
    assert_false(hg_condition_matcher(r, dynamic_condition(r), &m)); /* not defined yet */
    hg_ruleset_unref(r);
    set(f, "1", DATA("ip_with_expiration", "1.2.3.4"));
    set(f, "2", DATA("data_with_expiration", "10.0.0.0/8"));
    hg_builder_remove(f->builder, HG_SLICE("1"));
    r = ruleset(f);
    assert_true(hg_condition_matcher(r, dynamic_condition(r), &m));
    assert_ptr_equal(m.op, &hg_operator_ip_match);
    hg_value v;
    hg_slice highlight;
    hg_set_literal(&v, HG_SLICE("10.1.1.1"));
    assert_true(m.op->match(&m, &v, NULL, &highlight));
    hg_set_literal(&v, HG_SLICE("1.2.3.4"));
    assert_false(m.op->match(&m, &v, NULL, &highlight));
    hg_ruleset_unref(r);
    hg_builder_remove(f->builder, HG_SLICE("2"));
    r = ruleset(f);
    assert_true(hg_condition_matcher(r, dynamic_condition(r), &m)); /* defined, empty */
    assert_false(m.op->match(&m, &v, NULL, &highlight));
    hg_ruleset_unref(r);
}

static void the_latest_expiry_of_a_value_counts(void **state)
{
    fixture *f = *state;
    set(f, "1", "{'rules':[{'id':'r','name':'n','tags':{'type':'t'},'conditions':[{'operator':'exact_match',"
                "'parameters':{'data':'d','inputs':[{'address':'a'}]}}]}],"
                "'rules_data':[{'id':'d','type':'data_with_expiration','data':["
                "{'value':'old','expiration':5},{'value':'both','expiration':5},{'value':'both','expiration':0},"
                "{'value':'later','expiration':99999999999},{'value':'later','expiration':7}]}]}");
    hg_ruleset *r = ruleset(f);
    hg_matcher m;
    hg_value v;
    hg_slice highlight;
    assert_true(hg_condition_matcher(r, dynamic_condition(r), &m));
    hg_set_literal(&v, HG_SLICE("old"));
    assert_false(m.op->match(&m, &v, NULL, &highlight));
    hg_set_literal(&v, HG_SLICE("both"));
    assert_true(m.op->match(&m, &v, NULL, &highlight));
    hg_set_literal(&v, HG_SLICE("later"));
    assert_true(m.op->match(&m, &v, NULL, &highlight));
    hg_ruleset_unref(r);
}

static void unchanged_parts_are_shared_between_builds(void **state)
{
    fixture *f = *state;
    set(f, "rules", "{'rules':[" RULE("r", "") "]}");
    set(f, "data", "{'rules_data':[{'id':'d','type':'ip_with_expiration','data':[{'value':'1.2.3.4'}]}]}");
    hg_ruleset *before = ruleset(f);
    set(f, "rules", "{'rules':[" RULE("r", "") "," RULE("new", "") "]}");
    hg_ruleset *after = ruleset(f);
    const hg_regex_params *one = before->rules[0].conditions.items[0].matcher.params;
    const hg_regex_params *two = after->rules[0].conditions.items[0].matcher.params;
    assert_ptr_equal(one->regex, two->regex);
    hg_ruleset_unref(before);
    hg_ruleset_unref(after);
}

static void sources_leak_from_input_to_input(void **state)
{
    fixture *f = *state;
#define SOURCES(rule, inputs) \
    "{'rules':[{'id':'r','name':'n','tags':{'type':'t'}," rule "'conditions':[{'operator':'is_xss','parameters':{" \
    "'inputs':[" inputs "]}}]}]}"
    static const struct {
        const char *config;
        bool keys[2];
    } cases[] = {
        {SOURCES("", "{'address':'a','transformers':['keys_only']},{'address':'b'}"), {true, true}},
        {SOURCES("", "{'address':'b'},{'address':'a','transformers':['keys_only']}"), {false, true}},
        {SOURCES("'transformers':['keys_only','lowercase'],", "{'address':'a','transformers':[]},{'address':'b'}"),
         {false, false}},
        {SOURCES("'transformers':['keys_only'],", "{'address':'a'},{'address':'b','transformers':['lowercase']}"),
         {true, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(f, "1", cases[i].config);
        hg_ruleset *r = ruleset(f);
        const hg_input *inputs = r->rules[0].conditions.items[0].arguments[0].inputs;
        assert_int_equal(inputs[0].keys, cases[i].keys[0]);
        assert_int_equal(inputs[1].keys, cases[i].keys[1]);
        hg_ruleset_unref(r);
    }
}

static void scanners_are_selected_by_precedence(void **state)
{
    fixture *f = *state;
#define SCANNER(id, tag) "{'id':'" id "','tags':{'k':'" tag "'},'value':{'operator':'is_xss','parameters':{}}}"
    set(f, "1", "{'rules':[" RULE("r", "") "],'scanners':[" SCANNER("s1", "a") "," SCANNER("s2", "a") "," SCANNER("s3", "b")
                "," SCANNER("s4", "c") "],'processors':[{'id':'p','generator':'extract_schema','parameters':{"
                "'mappings':[{'inputs':[{'address':'x'}],'output':'o'}],'scanners':[{'tags':{'k':'a'}},{'id':'s3'}]}}],"
                "'processor_overrides':[{'target':[{'id':'p'}],'scanners':{'exclude':[{'id':'s2'},{'tags':{'k':'b'}}],"
                "'include':[{'id':'s2'}]}}]}");
    hg_ruleset *r = ruleset(f);
    const hg_processor *p = &r->preprocessors[0];
    assert_int_equal(p->scanner_count, 2);
    assert_text(p->scanners[0]->id, "s1"); /* by tags */
    assert_text(p->scanners[1]->id, "s3"); /* by id, stronger than excluded by tags */
    hg_ruleset_unref(r);
}

static bool knows(const char *const *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static void known_names_are_those_that_can_matter(void **state)
{
    fixture *f = *state;
    set(f, "1",
        "{'rules':[" RULE("r", "'on_match':['block','nope'],'output':{'attributes':{'k':{'address':'attr'}}},") ","
        "{'id':'off','name':'n','tags':{'type':'t'},'enabled':false,'on_match':['stack_trace'],'conditions':[{'operator':"
        "'is_xss','parameters':{'inputs':[{'address':'disabled'}]}}]}],"
        "'exclusions':[{'id':'e','inputs':[{'address':'excluded'}],'conditions':[{'operator':'is_xss','parameters':{"
        "'inputs':[{'address':'cond'}]}}]}],"
        "'processors':[{'id':'p','generator':'uri_parse','parameters':{'mappings':[{'inputs':[{'address':'in'}],"
        "'output':'out'}]}}]}");
    hg_ruleset *r = ruleset(f);
    static const char *const expected[] = {"a", "attr", "excluded", "cond", "in"};
    assert_int_equal(r->address_count, 5);
    for (int i = 0; i < 5; i++)
        assert_true(knows(r->addresses, r->address_count, expected[i]));
    assert_int_equal(r->action_type_count, 1);
    assert_string_equal(r->action_types[0], "block_request");
    hg_ruleset_unref(r);
}

/* ---- Complaints ---- */

typedef struct complaint {
    size_t count;
    size_t index;
    char text[128];
    const hg_value *where;
} complaint;

static void note(void *state, const hg_diagnostic *d)
{
    complaint *c = state;
    c->count++;
    c->index = d->index;
    c->where = d->where;
    snprintf(c->text, sizeof c->text, "%s %.*s %.*s: %.*s", d->severity == HG_SEVERITY_ERROR ? "error" : "warning",
             (int)d->section.len, d->section.ptr, (int)d->id.len, d->id.ptr, (int)d->message.len, d->message.ptr);
}

static void complaints_point_at_the_value(void **state)
{
    fixture *f = *state;
    complaint c = {0};
    const hg_value *root = config(f, "{'rules':[{'id':'r','conditions':[{'operator':'match_regex','parameters':{"
                                     "'inputs':[{'address':'a'}],'regex':'(a'}}]}]}");
    hg_builder_report(f->builder, note, &c);
    hg_builder_set(f->builder, HG_SLICE("p"), root, NULL, NULL);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.index, 0);
    assert_string_equal(c.text, "error rules r: invalid regular expression: (a");
    assert_text(hg_value_string(c.where), "(a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_config_is_refused_only_if_nothing_in_it_loads),
        TEST(a_root_that_is_no_map_leaves_the_old_config),
        TEST(a_refused_config_takes_the_old_one_with_it),
        TEST(an_unsupported_version_keeps_the_path),
        TEST(an_update_may_use_its_own_ids_again),
        TEST(paths_are_filtered_by_a_pattern),
        TEST(a_ruleset_needs_a_rule_or_a_postprocessor),
        TEST(rules_come_in_order_of_evaluation),
        TEST(overrides_change_base_rules_only),
        TEST(filters_are_resolved_to_rules),
        TEST(actions_are_normalised),
        TEST(data_keeps_the_type_it_first_had),
        TEST(the_latest_expiry_of_a_value_counts),
        TEST(unchanged_parts_are_shared_between_builds),
        TEST(sources_leak_from_input_to_input),
        TEST(scanners_are_selected_by_precedence),
        TEST(known_names_are_those_that_can_matter),
        TEST(complaints_point_at_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
