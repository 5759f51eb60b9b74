/* What reading a configuration says: one test a message of the format's catalogue, expected values written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

/* ---- Help ---- */

static char shown[4096];

/* Loads configurations, apostrophes standing for quotes, under the paths "0", "1", ... of one builder; the diagnostics
 * of the last one as JSON with apostrophes. */
static const char *load(const hg_profile *profile, size_t count, const char *const *configs)
{
    hg_builder *builder = hg_builder_new_with(profile, HG_SLICE(""), HG_SLICE(""));
    hg_arena arena;
    hg_value diagnostics = {.type = HG_INVALID};
    hg_arena_init(&arena, NULL);
    for (size_t i = 0; i < count; i++) {
        char text[4096], path[8];
        hg_value root;
        const hg_json_options options = {.dialect = HG_JSON_DDWAF};
        snprintf(text, sizeof text, "%s", configs[i]);
        for (char *c = text; *c != '\0'; c++)
            *c = *c == '\'' ? '"' : *c == '`' ? '\'' : *c;
        assert_int_equal(hg_json_read(hg_slice_from(text), &options, &root, hg_arena_allocator(&arena), NULL), HG_OK);
        int length = snprintf(path, sizeof path, "%zu", i);
        hg_builder_set(builder, hg_slice_of(path, (size_t)length), &root, &diagnostics, hg_arena_allocator(&arena));
    }
    hg_buffer out = {0};
    hg_json_write(&diagnostics, 0, &out);
    snprintf(shown, sizeof shown, "%.*s", (int)out.len, out.ptr);
    for (char *c = shown; *c != '\0'; c++)
        *c = *c == '"' ? '\'' : *c == '\'' ? '`' : *c;
    hg_buffer_free(&out);
    hg_arena_close(&arena);
    hg_builder_free(builder);
    return shown;
}

#define DIAGNOSTICS(...) \
    load(&hg_profile_ddwaf2, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

#define ITEM(section, id, message) \
    "{'" section "':{'loaded':[],'failed':['" id "'],'skipped':[],'errors':{'" message "':['" id "']},'warnings':{}}}"
#define WARNED(section, id, message) \
    "{'" section "':{'loaded':[],'failed':['" id "'],'skipped':[],'errors':{},'warnings':{'" message "':['" id "']}}}"
#define LOADED(section, id) "{'" section "':{'loaded':['" id "'],'failed':[],'skipped':[],'errors':{},'warnings':{}}}"
#define SKIPPED(section, id) "{'" section "':{'loaded':[],'failed':[],'skipped':['" id "'],'errors':{},'warnings':{}}}"

#define CONDITION(operator_, parameters) "{'operator':'" operator_ "','parameters':{" parameters "}}"
#define INPUTS "'inputs':[{'address':'a'}]"
#define CONDITIONS "'conditions':[" CONDITION("match_regex", "'regex':'x'," INPUTS) "]"
#define RULE(members) "{'rules':[{'id':'r','name':'n','tags':{'type':'t'}," members "}]}"
#define WITH(condition) RULE("'conditions':[" condition "]")

#define assert_rule_fails(config, message) assert_string_equal(DIAGNOSTICS(config), ITEM("rules", "r", message))

/* ---- Root and sections ---- */

static void a_root_that_is_no_map_is_refused(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("[]"),
                        "{'error':'invalid configuration type, expected `map`, obtained `array`'}");
    assert_string_equal(DIAGNOSTICS("7"),
                        "{'error':'invalid configuration type, expected `map`, obtained `unsigned`'}");
}

static void only_major_version_2_is_read(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'version':'3.0'}"), "{'error':'unsupported schema version: 3.x'}");
    assert_string_equal(DIAGNOSTICS("{'version':'1.2'}"), "{'error':'unsupported schema version: 1.x'}");
    assert_string_equal(DIAGNOSTICS("{'version':'2x.1','rules':[]}"),
                        "{'rules':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
    assert_string_equal(DIAGNOSTICS("{'version':'','rules':[]}"),
                        "{'rules':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
}

static void malformed_versions_give_no_text(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'version':'2','rules':[]}"), "{}");
    assert_string_equal(DIAGNOSTICS("{'version':5,'metadata':{'rules_version':'1.2'}}"), "{'ruleset_version':'1.2'}");
    assert_string_equal(DIAGNOSTICS("{'metadata':5}"), "{}");
    assert_string_equal(DIAGNOSTICS("{'metadata':{'rules_version':5}}"), "{}");
}

static void a_section_must_be_an_array(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules':5,'custom_rules':{}}"),
                        "{'custom_rules':{'error':'bad cast, expected `array`, obtained `map`'},"
                        "'rules':{'error':'bad cast, expected `array`, obtained `unsigned`'}}");
}

static void an_element_that_is_no_map_fails_alone_or_ends_the_section(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules':[5]}"),
                        ITEM("rules", "index:0", "bad cast, expected `map`, obtained `unsigned`"));
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'x','type':'y','parameters':{}},null]}"),
                        "{'actions':{'error':'bad cast, expected `map`, obtained `null`'}}");
}

static void sections_are_sorted_and_unknown_keys_ignored(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'scanners':[],'actions':[],'what':5,'exclusions':[]}"),
                        "{'actions':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}},"
                        "'exclusions':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}},"
                        "'scanners':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
    assert_string_equal(DIAGNOSTICS("{}"), "{}");
}

static void empty_keys_are_refused(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules':[{'':1}]}"),
                        ITEM("rules", "index:0", "malformed object, invalid key on map entry"));
}

/* ---- Rules ---- */

static void required_keys_of_rules(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules':[{}]}"), ITEM("rules", "index:0", "missing key `id`"));
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':'r'}]}"), ITEM("rules", "r", "missing key `conditions`"));
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':'r'," CONDITIONS "}]}"), ITEM("rules", "r", "missing key `tags`"));
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':'r','tags':{}," CONDITIONS "}]}"),
                        ITEM("rules", "r", "missing key `type`"));
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':'r','tags':{'type':1}," CONDITIONS "}]}"),
                        ITEM("rules", "r", "missing key `name`"));
}

static void wrong_types_name_the_key(void **state)
{
    (void)state;
    assert_rule_fails(RULE("'conditions':5"), "invalid type `unsigned` for key `conditions`, expected `array`");
    assert_rule_fails(RULE("'enabled':'x'," CONDITIONS), "invalid type `string` for key `enabled`, expected `bool`");
    assert_rule_fails(RULE("'enabled':null," CONDITIONS), "invalid type `null` for key `enabled`, expected `bool`");
    assert_rule_fails(RULE("'on_match':[[]]," CONDITIONS), "invalid type `array` for key `on_match`, expected `string`");
    assert_rule_fails(RULE("'transformers':5," CONDITIONS),
                      "invalid type `unsigned` for key `transformers`, expected `array`");
    assert_rule_fails(RULE("'transformers':[5]," CONDITIONS), "bad cast, expected `string_view`, obtained `unsigned`");
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':[]}]}"),
                        ITEM("rules", "index:0", "invalid type `array` for key `id`, expected `string`"));
}

static void numbers_and_words_are_converted(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':5,'name':true,'tags':{'type':1.5},'enabled':'TRUE'," CONDITIONS
                                    "}]}"),
                        LOADED("rules", "5"));
    assert_string_equal(DIAGNOSTICS("{'rules':[{'id':100000.0,'name':'n','tags':{'type':'t'}," CONDITIONS "}]}"),
                        LOADED("rules", "100000"));
}

static void limits_and_outputs_of_rules(void **state)
{
    (void)state;
    assert_rule_fails(RULE("'conditions':[]"), "rule has no valid conditions");
    assert_rule_fails(RULE("'transformers':['lowercase','lowercase','lowercase','lowercase','lowercase','lowercase',"
                           "'lowercase','lowercase','lowercase','lowercase','keys_only']," CONDITIONS),
                      "number of transformers beyond allowed limit");
    assert_rule_fails(RULE("'output':{'event':false}," CONDITIONS), "rule generates no events or attributes");
    assert_rule_fails(RULE("'output':{'attributes':{'a':{'value':[]}}}," CONDITIONS),
                      "invalid type for `value`, expected scalar");
    assert_rule_fails(RULE("'output':{'attributes':{'a':5}}," CONDITIONS),
                      "bad cast, expected `map`, obtained `unsigned`");
    assert_rule_fails(RULE("'output':{'attributes':{'a':{}}}," CONDITIONS), "missing key `address`");
}

static void unknown_names_are_warnings(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS(RULE("'transformers':['nope']," CONDITIONS)),
                        WARNED("rules", "r", "unknown transformer: `nope`"));
    assert_string_equal(DIAGNOSTICS(WITH(CONDITION("nope@v3", INPUTS))),
                        WARNED("rules", "r", "unknown operator: `nope`"));
    assert_string_equal(DIAGNOSTICS(WITH(CONDITION("!is_xss", INPUTS))),
                        WARNED("rules", "r", "unknown operator: `is_xss`"));
    assert_string_equal(DIAGNOSTICS("{'processors':[{'id':'p','generator':'nope','parameters':{}}]}"),
                        WARNED("processors", "p", "unknown generator: `nope`"));
}

static void versions_gate(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS(RULE("'min_version':'2.0.2'," CONDITIONS)), SKIPPED("rules", "r"));
    assert_string_equal(DIAGNOSTICS(RULE("'max_version':'2.0.0'," CONDITIONS)), SKIPPED("rules", "r"));
    assert_string_equal(DIAGNOSTICS(RULE("'min_version':'2.0.1-rc.1','max_version':'2.0.1'," CONDITIONS)),
                        LOADED("rules", "r"));
    assert_rule_fails(RULE("'min_version':'1.2'," CONDITIONS), "invalid version syntax");
    assert_rule_fails(RULE("'min_version':'a.2.3'," CONDITIONS), "invalid major version: a");
    assert_rule_fails(RULE("'min_version':'1.1000.3'," CONDITIONS), "invalid minor version: 1000");
    assert_rule_fails(RULE("'max_version':'1.2.3.4'," CONDITIONS), "invalid patch version: 3.4");
    assert_rule_fails(RULE("'max_version':5," CONDITIONS),
                      "invalid type `unsigned` for key `max_version`, expected `string`");
    assert_string_equal(DIAGNOSTICS(WITH(CONDITION("shi_detector@v2", INPUTS))), SKIPPED("rules", "r"));
}

static void ids_are_unique_over_all_paths(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS(RULE(CONDITIONS), "{'custom_rules':[{'id':'r'}]}"),
                        ITEM("custom_rules", "r", "duplicate rule"));
    assert_string_equal(DIAGNOSTICS("{'exclusions':[{'id':'e','rules_target':[{}]}]}", "{'exclusions':[{'id':'e'}]}"),
                        ITEM("exclusions", "e", "duplicate filter"));
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'x','type':'y','parameters':{}}]}", "{'actions':[{'id':'x'}]}"),
                        ITEM("actions", "x", "duplicate action"));
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'block','type':'y','parameters':{}}]}"),
                        LOADED("actions", "block"));
}

/* ---- Conditions ---- */

static void inputs_of_conditions(void **state)
{
    (void)state;
#define WITH_INPUTS(inputs) WITH(CONDITION("is_xss", inputs))
    assert_rule_fails(WITH_INPUTS(""), "missing key `inputs`");
    assert_rule_fails(WITH_INPUTS("'inputs':5"), "invalid type `unsigned` for key `inputs`, expected `array`");
    assert_rule_fails(WITH_INPUTS("'inputs':[]"), "empty non-optional argument");
    assert_rule_fails(WITH_INPUTS("'inputs':[5]"), "bad cast, expected `map`, obtained `unsigned`");
    assert_rule_fails(WITH_INPUTS("'inputs':[{}]"), "missing key `address`");
    assert_rule_fails(WITH_INPUTS("'inputs':[{'address':''}]"), "empty address");
    assert_rule_fails(WITH_INPUTS("'inputs':[{'address':'a','key_path':['']}]"), "empty key_path");
    assert_rule_fails(WITH_INPUTS("'inputs':[{'address':'a','key_path':5}]"),
                      "invalid type `unsigned` for key `key_path`, expected `array`");
    assert_rule_fails(WITH_INPUTS("'inputs':[{'address':'a','transformers':5}]"),
                      "bad cast, expected `array`, obtained `unsigned`");
    assert_string_equal(DIAGNOSTICS(WITH_INPUTS("'inputs':[{'address':'a','key_path':['k',0,-1,null,{}]}]")),
                        LOADED("rules", "r"));
    assert_rule_fails(WITH(CONDITION("!exists", "'inputs':[{'address':'a'},{'address':'b'}]")),
                      "multiple targets for non-variadic argument");
}

static void parameters_of_matchers(void **state)
{
    (void)state;
#define WITH_PARAMETERS(operator_, parameters) WITH(CONDITION(operator_, parameters "," INPUTS))
    assert_rule_fails(WITH(CONDITION("match_regex", INPUTS)), "missing key `regex`");
    assert_rule_fails(WITH_PARAMETERS("match_regex", "'regex':'(a'"), "invalid regular expression: (a");
    assert_rule_fails(WITH_PARAMETERS("match_regex", "'regex':'a','options':{'min_length':-1}"),
                      "min_length is a negative number");
    assert_rule_fails(WITH_PARAMETERS("match_regex_with_checksum", "'regex':'a','checksum':'crc'"),
                      "unknown checksum algorithm: `crc`");
    assert_rule_fails(WITH_PARAMETERS("phrase_match", "'list':['a',5]"),
                      "phrase_match list item not a string or empty");
    assert_rule_fails(WITH_PARAMETERS("phrase_match", "'list':['']"), "phrase_match list item not a string or empty");
    assert_rule_fails(WITH(CONDITION("exact_match", INPUTS)), "missing key `data`");
    assert_rule_fails(WITH_PARAMETERS("exact_match", "'list':[[]]"), "bad cast, expected `string`, obtained `array`");
    assert_rule_fails(WITH_PARAMETERS("ip_match", "'list':[5]"),
                      "malformed object, item in array not a string, can`t cast to string_view vector");
    assert_rule_fails(WITH_PARAMETERS("equals", "'type':'map','value':5"), "invalid type for matcher equals map");
    assert_rule_fails(WITH_PARAMETERS("greater_than", "'type':'string','value':5"),
                      "invalid type for matcher greater_than string");
    assert_rule_fails(WITH_PARAMETERS("lower_than", "'type':'boolean','value':5"),
                      "invalid type for matcher lower_than boolean");
    assert_rule_fails(WITH_PARAMETERS("equals", "'type':'unsigned','value':-5"),
                      "invalid type `signed` for key `value`, expected `unsigned`");
    assert_rule_fails(WITH_PARAMETERS("equals", "'type':'float','value':5"),
                      "invalid type `unsigned` for key `value`, expected `double`");
    assert_string_equal(DIAGNOSTICS(WITH_PARAMETERS("equals", "'type':'float','value':'4.5e1','delta':'inf'")),
                        LOADED("rules", "r"));
    assert_string_equal(DIAGNOSTICS(WITH_PARAMETERS("equals", "'type':'signed','value':'-9223372036854775808'")),
                        LOADED("rules", "r"));
}

/* ---- Other sections ---- */

static void overrides(void **state)
{
    (void)state;
#define OVERRIDE(members) "{'rules_override':[{" members "}]}"
#define OVERRIDE_FAILS(message) ITEM("rules_override", "index:0", message)
    assert_string_equal(DIAGNOSTICS(OVERRIDE("'enabled':true")), OVERRIDE_FAILS("missing key `id`"));
    assert_string_equal(DIAGNOSTICS(OVERRIDE("'id':'r'")), OVERRIDE_FAILS("rule override without side-effects"));
    assert_string_equal(DIAGNOSTICS(OVERRIDE("'rules_target':[{}],'enabled':true")),
                        OVERRIDE_FAILS("rule override with no targets"));
    assert_string_equal(
        DIAGNOSTICS(OVERRIDE("'rules_target':[{'rule_id':'r'},{'tags':{'a':'b'}}],'enabled':true")),
        OVERRIDE_FAILS("rule override targets rules and tags"));
    assert_string_equal(DIAGNOSTICS(OVERRIDE("'id':'r','enabled':5")),
                        OVERRIDE_FAILS("bad cast, expected `bool`, obtained `unsigned`"));
    assert_string_equal(DIAGNOSTICS(OVERRIDE("'id':'r','enabled':true")), LOADED("rules_override", "index:0"));
}

static void exclusions(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'exclusions':[{'id':'e'}]}"),
                        ITEM("exclusions", "e", "empty exclusion filter"));
    assert_string_equal(DIAGNOSTICS("{'exclusions':[{'id':'e','inputs':[]}]}"),
                        ITEM("exclusions", "e", "empty exclusion filter"));
    assert_string_equal(DIAGNOSTICS("{'exclusions':[{'id':'e','rules_target':[{'id':'r'}],'on_match':''}]}"),
                        ITEM("exclusions", "e", "empty on_match value"));
    assert_string_equal(DIAGNOSTICS("{'exclusions':[{'id':'e','inputs':[{'address':'','key_path':['','*']}]}]}"),
                        LOADED("exclusions", "e"));
}

static void data(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'rules_data':[{'id':'d','type':'x','data':[]}]}"),
                        ITEM("rules_data", "d", "unknown type: `x`"));
    assert_string_equal(DIAGNOSTICS("{'rules_data':[{'id':'d','type':'x'}]}"),
                        ITEM("rules_data", "d", "missing key `data`"));
    assert_string_equal(DIAGNOSTICS("{'exclusion_data':[{'id':'d','type':'ip_with_expiration','data':5}]}"),
                        ITEM("exclusion_data", "d", "bad cast, expected `array`, obtained `unsigned`"));
    assert_string_equal(
        DIAGNOSTICS("{'rules_data':[{'id':'d','type':'data_with_expiration','data':[{'value':5,'expiration':-1}]}]}"),
        ITEM("rules_data", "d", "invalid type `signed` for key `expiration`, expected `unsigned`"));
    assert_string_equal(DIAGNOSTICS("{'rules_data':[{'id':'d','type':'data_with_expiration','data':[]},"
                                    "{'id':'d','type':'ip_with_expiration','data':[{'value':1}]}]}"),
                        "{'rules_data':{'loaded':['d','d'],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
}

static void actions(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'x','type':'y'}]}"),
                        ITEM("actions", "x", "missing key `parameters`"));
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'x','type':'y','parameters':{'a':[]}}]}"),
                        ITEM("actions", "x", "malformed object, item in scalar map not a valid scalar"));
    assert_string_equal(DIAGNOSTICS("{'actions':[{'id':'x','type':'y','parameters':{'':1}}]}"), LOADED("actions", "x"));
}

static void processors(void **state)
{
    (void)state;
#define PROCESSOR(members) "{'processors':[{'id':'p','generator':'uri_parse'," members "}]}"
#define MAPPED "'parameters':{'mappings':[{'inputs':[{'address':'a'}],'output':'o'}]}"
    assert_string_equal(DIAGNOSTICS("{'processors':[{'id':'p'}]}"),
                        ITEM("processors", "p", "missing key `generator`"));
    assert_string_equal(DIAGNOSTICS(PROCESSOR("'parameters':{'mappings':[]}")),
                        ITEM("processors", "p", "empty mappings"));
    assert_string_equal(DIAGNOSTICS(PROCESSOR("'parameters':{'mappings':[{'inputs':[],'output':'o'}]}")),
                        ITEM("processors", "p", "empty processor input mapping"));
    assert_string_equal(DIAGNOSTICS(PROCESSOR("'evaluate':false," MAPPED)),
                        ITEM("processors", "p", "processor not used for evaluation or output"));
    assert_string_equal(DIAGNOSTICS(PROCESSOR(MAPPED), PROCESSOR(MAPPED)),
                        ITEM("processors", "p", "duplicate processor"));
    assert_string_equal(DIAGNOSTICS("{'processor_overrides':[{'target':[],'scanners':{}}]}"),
                        ITEM("processor_overrides", "index:0", "processor override without targets"));
    assert_string_equal(DIAGNOSTICS("{'processor_overrides':[{'target':[{'tags':{'a':'b'}}],'scanners':{}}]}"),
                        ITEM("processor_overrides", "index:0", "processor override with target by tags not supported"));
}

static void scanners(void **state)
{
    (void)state;
#define SCANNER(members) "{'scanners':[{'id':'s','tags':{}" members "}]}"
    assert_string_equal(DIAGNOSTICS(SCANNER("")), ITEM("scanners", "s", "scanner has no key or value matcher"));
    assert_string_equal(DIAGNOSTICS(SCANNER(",'key':{'operator':'exact_match','parameters':{'data':'d'}}")),
                        ITEM("scanners", "s", "dynamic data on scanner condition"));
    assert_string_equal(DIAGNOSTICS(SCANNER(",'key':{'operator':'!is_xss','parameters':{}}")),
                        WARNED("scanners", "s", "unknown operator: `!is_xss`"));
    assert_string_equal(DIAGNOSTICS(SCANNER(",'key':{'operator':'is_xss','parameters':{}}"),
                                    SCANNER(",'key':{'operator':'is_xss','parameters':{}}")),
                        ITEM("scanners", "s", "duplicate scanner"));
}

static void the_obfuscator_reports_under_scanners(void **state)
{
    (void)state;
    assert_string_equal(DIAGNOSTICS("{'obfuscator':{}}"),
                        "{'scanners':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
    assert_string_equal(DIAGNOSTICS("{'obfuscator':{}}", "{'obfuscator':{}}"),
                        "{'scanners':{'error':'duplicate obfuscator configuration'}}");
    assert_string_equal(
        DIAGNOSTICS("{'obfuscator':{'key_regex':5}}"),
        "{'scanners':{'error':'invalid type `unsigned` for key `key_regex`, expected `string_view`'}}");
    assert_string_equal(DIAGNOSTICS("{'obfuscator':{'key_regex':'('}}"),
                        "{'scanners':{'loaded':[],'failed':[],'skipped':[],'errors':{},'warnings':{}}}");
}

static void messages_group_the_ids(void **state)
{
    (void)state;
    assert_string_equal(
        DIAGNOSTICS("{'exclusions':[{'id':'e1','rules_target':[{}]}],'metadata':{'rules_version':'1.13.0'},"
                    "'rules':[{'id':'r1','name':'n','tags':{'type':'t'}," CONDITIONS "},"
                    "{'id':'r2','tags':{'type':'t'}," CONDITIONS "},"
                    "{'id':'r3','conditions':[{'operator':'foo','parameters':{}}]},{'name':'x'},"
                    "{'id':'r4','min_version':'3.0.0'}]}"),
        "{'exclusions':{'loaded':['e1'],'failed':[],'skipped':[],'errors':{},'warnings':{}},"
        "'rules':{'loaded':['r1'],'failed':['r2','r3','index:3'],'skipped':['r4'],"
        "'errors':{'missing key `name`':['r2'],'missing key `id`':['index:3']},"
        "'warnings':{'unknown operator: `foo`':['r3']}},'ruleset_version':'1.13.0'}");
}

/* ---- Version 1 ---- */

static void legacy_rulesets_are_read_by_the_old_profile(void **state)
{
    (void)state;
    static const char config[] =
        "{'version':'1.1','events':[{'id':'old','name':'l','tags':{'type':'flow'},'transformers':['lowercase'],"
        "'conditions':[{'operation':'match_regex','parameters':{'inputs':['arg:k'],'regex':'^evil'}}]},"
        "{'id':'bad','conditions':[{'operation':'ip_match','parameters':{}}]},"
        "{'id':'odd','transformers':['keys_only'],'conditions':[]}]}";
    assert_string_equal(load(&hg_profile_ddwaf1, 1, (const char *const[]){config}),
                        "{'rules':{'loaded':['old'],'failed':['bad','odd'],'skipped':[],"
                        "'errors':{'unknown matcher: ip_match':['bad'],'invalid transformerkeys_only':['odd']},"
                        "'warnings':{}}}");
}

static void the_old_profile_words_some_things_differently(void **state)
{
    (void)state;
    assert_string_equal(load(&hg_profile_ddwaf1, 1, (const char *const[]){WITH_PARAMETERS("phrase_match", "'list':[5]")}),
                        ITEM("rules", "r", "phrase_match list item not a string"));
    assert_string_equal(load(&hg_profile_ddwaf1, 1, (const char *const[]){WITH_PARAMETERS("phrase_match", "'list':['']")}),
                        LOADED("rules", "r"));
    assert_string_equal(load(&hg_profile_ddwaf1, 1, (const char *const[]){
                            "{'rules':[{'id':100000.0,'name':'n','tags':{'type':'t'}," CONDITIONS "}]}"}),
                        LOADED("rules", "1e+05"));
    assert_string_equal(load(&hg_profile_ddwaf1, 1, (const char *const[]){RULE("'min_version':'2.0.0'," CONDITIONS)}),
                        SKIPPED("rules", "r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_that_is_no_map_is_refused),
        cmocka_unit_test(only_major_version_2_is_read),
        cmocka_unit_test(malformed_versions_give_no_text),
        cmocka_unit_test(a_section_must_be_an_array),
        cmocka_unit_test(an_element_that_is_no_map_fails_alone_or_ends_the_section),
        cmocka_unit_test(sections_are_sorted_and_unknown_keys_ignored),
        cmocka_unit_test(empty_keys_are_refused),
        cmocka_unit_test(required_keys_of_rules),
        cmocka_unit_test(wrong_types_name_the_key),
        cmocka_unit_test(numbers_and_words_are_converted),
        cmocka_unit_test(limits_and_outputs_of_rules),
        cmocka_unit_test(unknown_names_are_warnings),
        cmocka_unit_test(versions_gate),
        cmocka_unit_test(ids_are_unique_over_all_paths),
        cmocka_unit_test(inputs_of_conditions),
        cmocka_unit_test(parameters_of_matchers),
        cmocka_unit_test(overrides),
        cmocka_unit_test(exclusions),
        cmocka_unit_test(data),
        cmocka_unit_test(actions),
        cmocka_unit_test(processors),
        cmocka_unit_test(scanners),
        cmocka_unit_test(the_obfuscator_reports_under_scanners),
        cmocka_unit_test(messages_group_the_ids),
        cmocka_unit_test(legacy_rulesets_are_read_by_the_old_profile),
        cmocka_unit_test(the_old_profile_words_some_things_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
