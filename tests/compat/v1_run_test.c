/* Call sequences of the version 1 ABI with their answers, as its description works them out (W1 to W13). Results are
 * compared as text: JSON with apostrophes for quotes, durations as 0 or ns, identifiers as U. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ddwaf.h>

/* ---- Text to objects and back ---- */

static ddwaf_object parse(const char *json)
{
    char text[4096];
    ddwaf_object o;
    snprintf(text, sizeof text, "%s", json);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_true(ddwaf_object_from_json(&o, text, (uint32_t)strlen(text)));
    return o;
}

static char shown[8192];
static size_t shown_length;

static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    shown_length += (size_t)vsnprintf(shown + shown_length, sizeof shown - shown_length, format, args);
    va_end(args);
}

static bool is_id(const ddwaf_object *o)
{
    return o->parameterName != NULL && (strcmp(o->parameterName, "stack_id") == 0 ||
                                        strcmp(o->parameterName, "security_response_id") == 0);
}

static void put_object(const ddwaf_object *o)
{
    bool map = o->type == DDWAF_OBJ_MAP;
    switch (o->type) {
    case DDWAF_OBJ_STRING:
        assert_non_null(o->stringValue);
        assert_int_equal(o->stringValue[o->nbEntries], '\0');
        put(is_id(o) && o->nbEntries == 36 ? "'U'" : "'%s'", o->stringValue);
        break;
    case DDWAF_OBJ_BOOL:
        put(o->boolean ? "true" : "false");
        break;
    case DDWAF_OBJ_SIGNED:
        put("%lld", (long long)o->intValue);
        break;
    case DDWAF_OBJ_UNSIGNED:
        if (o->parameterName != NULL && strcmp(o->parameterName, "duration") == 0 && o->uintValue > 0)
            put("ns");
        else
            put("%llu", (unsigned long long)o->uintValue);
        break;
    case DDWAF_OBJ_FLOAT:
        put("%g", o->f64);
        break;
    case DDWAF_OBJ_ARRAY:
    case DDWAF_OBJ_MAP:
        put(map ? "{" : "[");
        for (uint64_t i = 0; i < o->nbEntries; i++) {
            put(i > 0 ? "," : "");
            if (map)
                put("'%s':", o->array[i].parameterName);
            put_object(&o->array[i]);
        }
        put(map ? "}" : "]");
        break;
    default:
        put(o->type == DDWAF_OBJ_NULL ? "null" : "invalid");
    }
}

static const char *text_of(ddwaf_object *o)
{
    shown_length = 0;
    shown[0] = '\0';
    put_object(o);
    ddwaf_object_free(o);
    return shown;
}

#define EMPTY(duration) \
    "{'events':[],'actions':{},'duration':" duration ",'timeout':false,'attributes':{},'keep':false}"
#define ATTRIBUTES(attributes) \
    "{'events':[],'actions':{},'duration':ns,'timeout':false,'attributes':{" attributes "},'keep':false}"

/* ---- Calls ---- */

static size_t frees;

static void count_free(ddwaf_object *o)
{
    frees++;
    ddwaf_object_free(o);
}

static const ddwaf_config counting = {.free_fn = count_free};

static ddwaf_handle load(const char *ruleset, const ddwaf_config *config)
{
    ddwaf_object rules = parse(ruleset);
    ddwaf_handle handle = ddwaf_init(&rules, config, NULL);
    ddwaf_object_free(&rules);
    assert_non_null(handle);
    return handle;
}

/* The answer to a run: its code, a blank, and the result. */
static const char *run(ddwaf_context context, const char *persistent, const char *ephemeral, uint64_t timeout)
{
    static char answer[sizeof shown + 8];
    ddwaf_object p, e, result;
    if (persistent != NULL)
        p = parse(persistent);
    if (ephemeral != NULL)
        e = parse(ephemeral);
    DDWAF_RET_CODE code = ddwaf_run(context, persistent != NULL ? &p : NULL, ephemeral != NULL ? &e : NULL, &result,
                                    timeout);
    snprintf(answer, sizeof answer, "%d %s", code, text_of(&result));
    return answer;
}

#define RUN(context, persistent, ephemeral) run(context, persistent, ephemeral, 10000000)
#define CODE(context, persistent, ephemeral) atoi(RUN(context, persistent, ephemeral))

#define MATCH(operator_, parameters) "{'operator':'" operator_ "','parameters':{" parameters "}}"
#define EXACT(address, value) MATCH("exact_match", "'inputs':[{'address':'" address "'}],'list':['" value "']")
#define RULE(id, tags, members, conditions) \
    "{'id':'" id "','name':'" id "','tags':{'type':'" id "'" tags "}," members "'conditions':[" conditions "]}"
#define ONE_RULE(id, conditions) "{'rules':[" RULE(id, "", "", conditions) "]}"

static void w1_a_match_is_remembered(void **state)
{
    (void)state;
    ddwaf_handle handle = load(
        "{'metadata':{'rules_version':'1.2.3'},'rules':[{'id':'r1','name':'rule one','tags':{'type':'t1','category':'c1'},"
        "'transformers':['lowercase'],'on_match':['block','stack_trace'],'conditions':[" MATCH(
            "match_regex", "'inputs':[{'address':'http.q','key_path':['x']}],'regex':'ev.l'") "]}]}",
        NULL);
    ddwaf_context context = ddwaf_context_init(handle);
    static const char data[] = "{'http.q':{'x':[0,'EVIL x'],'y':1}}";
    assert_string_equal(
        RUN(context, data, NULL),
        "1 {'events':[{'rule':{'id':'r1','name':'rule one','tags':{'type':'t1','category':'c1'},"
        "'on_match':['block','stack_trace']},'rule_matches':[{'operator':'match_regex','operator_value':'ev.l',"
        "'parameters':[{'address':'http.q','key_path':['x','1'],'value':'evil x','highlight':['evil']}]}],"
        "'security_response_id':'U','stack_id':'U'}],'actions':{'block_request':{'status_code':403,'type':'auto',"
        "'grpc_status_code':10,'security_response_id':'U'},'generate_stack':{'stack_id':'U'}},'duration':ns,"
        "'timeout':false,'attributes':{},'keep':true}");
    assert_string_equal(RUN(context, data, NULL), "0 " EMPTY("ns"));
    ddwaf_context_destroy(context);
    /* W2 */
    context = ddwaf_context_init(handle);
    assert_string_equal(RUN(context, "{'http.q':{'x':'fine'}}", NULL), "0 " EMPTY("ns"));
    assert_string_equal(RUN(context, "{'other':'evil'}", NULL), "0 " EMPTY("ns"));
    assert_string_equal(RUN(context, "{}", NULL), "0 " EMPTY("0"));
    ddwaf_destroy(handle); /* the context keeps the rules */
    assert_int_equal(CODE(context, data, NULL), DDWAF_MATCH);
    ddwaf_context_destroy(context);
}

static void w3_persistent_and_ephemeral_data_meet(void **state)
{
    (void)state;
    ddwaf_handle handle = load(ONE_RULE("mix", EXACT("p", "evil") "," EXACT("e", "bad")), &counting);
    ddwaf_context context = ddwaf_context_init(handle);
    frees = 0;
    assert_int_equal(CODE(context, "{'p':'evil'}", NULL), DDWAF_OK);
    assert_int_equal(frees, 0);
    assert_int_equal(CODE(context, NULL, "{'e':'bad'}"), DDWAF_MATCH);
    assert_int_equal(frees, 1);
    assert_int_equal(CODE(context, NULL, "{'e':'bad'}"), DDWAF_MATCH);
    assert_int_equal(frees, 2);
    assert_int_equal(CODE(context, "{'e':'bad'}", NULL), DDWAF_MATCH);
    assert_int_equal(frees, 2);
    assert_string_equal(RUN(context, NULL, "{'e':'bad'}"), "0 " EMPTY("0"));
    assert_int_equal(frees, 3);
    ddwaf_context_destroy(context);
    assert_int_equal(frees, 5);
    /* W4: an ephemeral value never shadows a persistent one */
    context = ddwaf_context_init(handle);
    assert_int_equal(CODE(context, "{'e':'ok'}", NULL), DDWAF_OK);
    assert_string_equal(RUN(context, "{'p':'evil'}", "{'e':'bad'}"), "0 " EMPTY("ns"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void w5_no_time_at_all(void **state)
{
    (void)state;
    ddwaf_handle handle = load(
        "{'rules':[" RULE("acl", ",'module':'network-acl'", "",
                          MATCH("ip_match", "'inputs':[{'address':'ip'}],'list':['1.2.3.4']")) ","
        RULE("w", "", "", EXACT("a", "evil")) "]}",
        NULL);
    ddwaf_context context = ddwaf_context_init(handle);
    const char *answer = run(context, "{'ip':'1.2.3.4','a':'evil'}", NULL, 0);
    assert_non_null(strstr(answer, "'id':'acl'"));
    assert_null(strstr(answer, "'id':'w'"));
    assert_non_null(strstr(answer, "'timeout':true"));
    answer = RUN(context, "{'a':'evil'}", NULL);
    assert_non_null(strstr(answer, "'id':'w'"));
    assert_non_null(strstr(answer, "'timeout':false"));
    assert_non_null(strstr(run(context, "{'other':1}", NULL, 0), "'timeout':false"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void w6_roots_that_are_no_maps(void **state)
{
    (void)state;
    ddwaf_handle handle = load(ONE_RULE("r", EXACT("a", "evil")), &counting);
    ddwaf_context context = ddwaf_context_init(handle);
    ddwaf_object result;
    memset(&result, 0xAA, sizeof result);
    frees = 0;
    assert_int_equal(ddwaf_run(context, NULL, NULL, &result, 1000), DDWAF_ERR_INVALID_ARGUMENT);
    assert_int_equal(result.nbEntries, UINT64_C(0xAAAAAAAAAAAAAAAA));
    ddwaf_object list = parse("['x']"), good = parse("{'a':'evil'}");
    assert_int_equal(ddwaf_run(context, &list, &good, &result, 1000), DDWAF_ERR_INVALID_OBJECT);
    assert_int_equal(result.type, DDWAF_OBJ_INVALID);
    assert_int_equal(result.nbEntries, 0);
    assert_int_equal(frees, 0); /* the ephemeral map stays the caller's */
    ddwaf_object_free(&good);
    assert_string_equal(RUN(context, "{'b':1}", "'x'"), "-2 invalid");
    assert_int_equal(frees, 1);
    assert_int_equal(CODE(context, "{'a':'evil'}", NULL), DDWAF_MATCH);
    ddwaf_context_destroy(context);
    assert_int_equal(frees, 4);
    ddwaf_destroy(handle);
}

static void w7_limits(void **state)
{
    (void)state;
    static const ddwaf_config config = {{2, 2, 4}, {NULL, NULL}, ddwaf_object_free};
    ddwaf_handle handle =
        load(ONE_RULE("r", MATCH("match_regex", "'inputs':[{'address':'a'}],'regex':'evil|\xc3\xa9'")), &config);
    static const struct {
        const char *data;
        DDWAF_RET_CODE code;
        const char *shows;
    } cases[] = {
        {"{'a':[0,1,'evil']}", DDWAF_OK, ""},
        {"{'a':[0,['evil']]}", DDWAF_MATCH, "'key_path':['1','0']"},
        {"{'a':[[['evil']]]}", DDWAF_OK, ""},
        {"{'a':'xevil'}", DDWAF_OK, ""},
        {"{'a':'abc\xc3\xa9'}", DDWAF_OK, ""},
        {"{'a':'evilabc'}", DDWAF_MATCH, "'value':'evil'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ddwaf_context context = ddwaf_context_init(handle);
        const char *answer = RUN(context, cases[i].data, NULL);
        assert_int_equal(atoi(answer), cases[i].code);
        assert_non_null(strstr(answer, cases[i].shows));
        ddwaf_context_destroy(context);
    }
    ddwaf_destroy(handle);
}

static bool add(ddwaf_builder builder, const char *path, const char *json, const char **diagnostics)
{
    ddwaf_object config = parse(json), report;
    bool ok = ddwaf_builder_add_or_update_config(builder, path, (uint32_t)strlen(path), &config, &report);
    ddwaf_object_free(&config);
    *diagnostics = text_of(&report);
    return ok;
}

static void w8_diagnostics(void **state)
{
    (void)state;
#define GOOD "'conditions':[" EXACT("a", "x") "],'tags':{'type':'t'}"
    const char *report;
    ddwaf_builder builder = ddwaf_builder_init(NULL);
    assert_true(add(builder, "cfg/1",
                    "{'metadata':{'rules_version':'7'},'rules':[{'id':'ok','name':'n'," GOOD "},{'id':'noname'," GOOD
                    "},{'name':'n'},{'id':'op','conditions':[{'operator':'zap','parameters':{}}]},"
                    "{'id':'re','conditions':[{'operator':'match_regex','parameters':{'regex':'(a'}}]},"
                    "{'id':'new','min_version':'2.0.0'},{'id':'ok'}],'exclusions':5,'obfuscator':{}}",
                    &report));
    assert_string_equal(report,
                        "{'exclusions':{'error':'bad cast, expected 'array', obtained 'unsigned''},"
                        "'rules':{'loaded':['ok'],'failed':['noname','index:2','op','re','ok'],'skipped':['new'],"
                        "'errors':{'missing key 'name'':['noname'],'missing key 'id'':['index:2'],"
                        "'invalid regular expression: (a':['re'],'duplicate rule':['ok']},"
                        "'warnings':{'unknown operator: 'zap'':['op']}},'ruleset_version':'7'}");
    assert_false(add(builder, "cfg/2", "{'version':'3.0'}", &report));
    assert_string_equal(report, "{'error':'unsupported schema version: 3.x'}");
    assert_false(add(builder, "cfg/3", "7", &report));
    assert_string_equal(report, "{'error':'invalid configuration type, expected 'map', obtained 'unsigned''}");
    ddwaf_object paths;
    assert_int_equal(ddwaf_builder_get_config_paths(builder, &paths, NULL, 0), 2);
    assert_string_equal(text_of(&paths), "['cfg/1','cfg/2']");
    assert_int_equal(ddwaf_builder_get_config_paths(builder, NULL, "1$", 2), 1);
    ddwaf_handle handle = ddwaf_builder_build_instance(builder);
    assert_non_null(handle);
    ddwaf_destroy(handle);
    ddwaf_builder_destroy(builder);
}

static void w9_actions(void **state)
{
    (void)state;
    ddwaf_handle handle = load(
        "{'actions':[{'id':'redir','type':'redirect_request','parameters':{'location':'/blocked','status_code':302}},"
        "{'id':'log','type':'my_log','parameters':{'level':3}}],"
        "'rules':[" RULE("r1", ",'module':'rasp'", "'on_match':['log','stack_trace','nope'],", EXACT("a", "evil")) ","
        RULE("r2", "", "'on_match':['block'],", EXACT("a", "evil")) "],"
        "'exclusions':[{'id':'e','on_match':'redir','rules_target':[{'rule_id':'r2'}],'conditions':[" EXACT("u", "me")
        "]}]}",
        NULL);
    uint32_t count;
    ddwaf_known_actions(handle, &count);
    assert_int_equal(count, 4);
    ddwaf_context context = ddwaf_context_init(handle);
    const char *answer = RUN(context, "{'a':'evil','u':'me'}", NULL);
    assert_non_null(strstr(answer, "'on_match':['log','stack_trace','nope']"));
    assert_non_null(strstr(answer, "'on_match':['redir']"));
    assert_non_null(strstr(answer, "'actions':{'redirect_request':{'location':'/blocked','status_code':302,"
                                   "'security_response_id':'U'},"));
    assert_non_null(strstr(answer, "'generate_stack':{'stack_id':'U'}"));
    assert_non_null(strstr(answer, "'my_log':{'level':3}"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void w10_obfuscation_by_the_config(void **state)
{
    (void)state;
    ddwaf_config config = {{0, 0, 0}, {"(?i)pass|token", "sec[0-9]+"}, ddwaf_object_free};
#define EVIL(address) MATCH("match_regex", "'inputs':[{'address':'" address "'}],'regex':'evil'")
    static const char rules[] = "{'rules':[" RULE("r1", "", "", EVIL("a")) "," RULE("r2", "", "", EVIL("b")) "]}";
    static const char data[] = "{'a':{'Password':['evil']},'b':'x=sec42 evil'}";
    ddwaf_handle handle = load(rules, &config);
    ddwaf_context context = ddwaf_context_init(handle);
    const char *answer = RUN(context, data, NULL);
    assert_non_null(strstr(answer, "'key_path':['Password','0'],'value':'<Redacted>','highlight':['<Redacted>']"));
    assert_non_null(strstr(answer, "'key_path':[],'value':'<Redacted>','highlight':['<Redacted>']"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
    handle = load(rules, NULL);
    context = ddwaf_context_init(handle);
    answer = RUN(context, data, NULL);
    assert_non_null(strstr(answer, "'value':'x=sec42 evil'"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void w12_legacy_rules(void **state)
{
    (void)state;
    ddwaf_handle handle =
        load("{'version':'1.1','events':[{'id':'old','name':'legacy','tags':{'type':'flow','category':'x'},"
             "'transformers':['lowercase'],'conditions':[{'operation':'match_regex','parameters':{'inputs':['arg:k'],"
             "'regex':'^evil'}}]}]}",
             NULL);
    ddwaf_context context = ddwaf_context_init(handle);
    const char *answer = RUN(context, "{'arg':{'k':'EVIL'}}", NULL);
    assert_int_equal(atoi(answer), DDWAF_MATCH);
    assert_non_null(strstr(answer, "'address':'arg','key_path':['k'],'value':'evil','highlight':['evil']"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void w13_a_schema_of_ephemeral_data_is_made_each_time(void **state)
{
    (void)state;
    ddwaf_handle handle = load("{'processors':[{'id':'p','generator':'extract_schema','evaluate':false,'output':true,"
                               "'parameters':{'mappings':[{'inputs':[{'address':'in'}],'output':'s'}]}}]}",
                               NULL);
    ddwaf_context context = ddwaf_context_init(handle);
    assert_string_equal(RUN(context, "{'in':{'a':1}}", NULL), "0 " ATTRIBUTES("'s':[{'a':[4]}]"));
    assert_string_equal(RUN(context, "{'in':{'b':1}}", NULL), "0 " EMPTY("ns"));
    ddwaf_context_destroy(context);
    context = ddwaf_context_init(handle);
    assert_string_equal(RUN(context, NULL, "{'in':{'a':1}}"), "0 " ATTRIBUTES("'s':[{'a':[4]}]"));
    assert_string_equal(RUN(context, NULL, "{'in':{'b':'x'}}"), "0 " ATTRIBUTES("'s':[{'b':[8]}]"));
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

/* ---- What clients do to structures ---- */

static void odd_objects_do_no_harm(void **state)
{
    (void)state;
    ddwaf_handle handle = load(ONE_RULE("r", EXACT("a", "evil")), &(ddwaf_config){.free_fn = NULL});
    ddwaf_object entries[4] = {
        {.parameterName = NULL, .type = DDWAF_OBJ_STRING, .stringValue = "x", .nbEntries = 1},
        {.parameterName = "a", .parameterNameLength = 1, .type = DDWAF_OBJ_STRING, .stringValue = NULL, .nbEntries = 3},
        {.parameterName = "a", .parameterNameLength = 1, .type = DDWAF_OBJ_MAP, .array = NULL, .nbEntries = 9},
        {.parameterName = "a", .parameterNameLength = 1, .type = (DDWAF_OBJ_TYPE)77, .nbEntries = 9},
    };
    for (uint64_t n = 1; n <= 4; n++) {
        ddwaf_object data = {.type = DDWAF_OBJ_MAP, .array = entries, .nbEntries = n};
        ddwaf_context context = ddwaf_context_init(handle);
        ddwaf_object result;
        assert_int_equal(ddwaf_run(context, &data, NULL, &result, 10000000), DDWAF_OK);
        ddwaf_object_free(&result);
        ddwaf_context_destroy(context);
    }
    ddwaf_object broken = {.type = DDWAF_OBJ_MAP, .array = NULL, .nbEntries = 2};
    ddwaf_context context = ddwaf_context_init(handle);
    assert_int_equal(ddwaf_run(context, &broken, NULL, NULL, 1000), DDWAF_ERR_INVALID_OBJECT);
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

static void a_text_without_bytes_is_no_string_in_a_config(void **state)
{
    (void)state;
    ddwaf_object rules = parse("{'rules':[{'id':'x'}]}"), report;
    ddwaf_object *id = &rules.array[0].array[0].array[0];
    free((char *)id->stringValue);
    id->stringValue = NULL;
    assert_null(ddwaf_init(&rules, NULL, &report));
    assert_non_null(strstr(text_of(&report), "invalid type 'string' for key 'id', expected 'string'"));
    ddwaf_object_free(&rules);
}

static void a_text_without_bytes_equals_nothing(void **state)
{
    (void)state;
    const ddwaf_config config = {.free_fn = NULL};
    ddwaf_object rules = parse("{'version':'2.2','rules':[{'id':'r','name':'n','tags':{'type':'t'},'conditions':[{'operator':"
                               "'equals','parameters':{'inputs':[{'address':'a'}],'type':'string','value':''}}]}]}");
    ddwaf_handle handle = ddwaf_init(&rules, &config, NULL);
    assert_non_null(handle);
    for (int with_bytes = 0; with_bytes < 2; with_bytes++) {
        ddwaf_object data = parse("{'a':['x']}"), result;
        ddwaf_object *text = &data.array[0].array[0];
        char *kept = (char *)text->stringValue;
        text->nbEntries = 0;
        text->stringValue = with_bytes ? kept : NULL;
        ddwaf_context context = ddwaf_context_init(handle);
        assert_int_equal(ddwaf_run(context, &data, NULL, &result, 10000000), with_bytes ? DDWAF_MATCH : DDWAF_OK);
        ddwaf_object_free(&result);
        ddwaf_context_destroy(context);
        text->stringValue = kept;
        ddwaf_object_free(&data);
    }
    ddwaf_destroy(handle);
    ddwaf_object_free(&rules);
}

static void persistent_input_may_be_gone_when_the_context_is_destroyed(void **state)
{
    (void)state;
    ddwaf_handle handle = load(ONE_RULE("r", EXACT("a", "evil")), &(ddwaf_config){.free_fn = NULL});
    ddwaf_context context = ddwaf_context_init(handle);
    ddwaf_object data = parse("{'a':'some longer text'}"), result;
    assert_int_equal(ddwaf_run(context, &data, NULL, &result, 10000000), DDWAF_OK);
    ddwaf_object_free(&result);
    ddwaf_object_free(&data);
    ddwaf_context_destroy(context);
    ddwaf_destroy(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w1_a_match_is_remembered),
        cmocka_unit_test(w3_persistent_and_ephemeral_data_meet),
        cmocka_unit_test(w5_no_time_at_all),
        cmocka_unit_test(w6_roots_that_are_no_maps),
        cmocka_unit_test(w7_limits),
        cmocka_unit_test(w8_diagnostics),
        cmocka_unit_test(w9_actions),
        cmocka_unit_test(w10_obfuscation_by_the_config),
        cmocka_unit_test(w12_legacy_rules),
        cmocka_unit_test(w13_a_schema_of_ephemeral_data_is_made_each_time),
        cmocka_unit_test(odd_objects_do_no_harm),
        cmocka_unit_test(a_text_without_bytes_is_no_string_in_a_config),
        cmocka_unit_test(a_text_without_bytes_equals_nothing),
        cmocka_unit_test(persistent_input_may_be_gone_when_the_context_is_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
