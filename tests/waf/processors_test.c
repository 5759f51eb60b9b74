/* Generators by themselves: JSON in, JSON out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "waf/processors/processor.h"

static hg_arena arena;
static uint64_t fields[64];

static bool never(hg_generation *g)
{
    (void)g;
    return false;
}

static bool at_once(hg_generation *g)
{
    (void)g;
    return true;
}

/* The output for inputs in JSON, in the order of the generator's parameters (NULL: absent); "nothing" for none. What
 * the generator remembers stays from call to call. */
static const char *made_in(const hg_profile *profile, const char *name, const char *const inputs[HG_MAPPING_MAX])
{
    static char shown[1024];
    static hg_value values[HG_MAPPING_MAX];
    const hg_generator *generator = hg_generator_find(hg_slice_from(name));
    assert_non_null(generator);
    assert_true(generator->fields_size <= sizeof fields);
    hg_match_env env = {.arena = &arena};
    hg_generation g = {.profile = profile, .arena = &arena, .env = &env, .fields = fields, .expired = never};
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    for (int i = 0; i < HG_MAPPING_MAX; i++) {
        if (inputs[i] == NULL)
            continue;
        assert_int_equal(hg_json_read(hg_slice_from(inputs[i]), &options, &values[i], hg_arena_allocator(&arena), NULL),
                         HG_OK);
        g.inputs[i] = &values[i];
    }
    hg_value out;
    if (generator->generate(&g, &out) != HG_GENERATED_VALUE)
        return "nothing";
    hg_buffer b = {0};
    hg_json_write(&out, 0, &b);
    snprintf(shown, sizeof shown, "%.*s", (int)b.len, b.ptr);
    hg_buffer_free(&b);
    return shown;
}

static const char *made(const char *name, const char *const inputs[HG_MAPPING_MAX])
{
    memset(fields, 0, sizeof fields);
    return made_in(&hg_profile_native, name, inputs);
}

#define INPUTS(...) ((const char *const[HG_MAPPING_MAX]){__VA_ARGS__})

static void schemas_tell_the_types(void **state)
{
    (void)state;
    assert_string_equal(made("extract_schema", INPUTS("[1,\"a\",1.5,null,true,-1,[],{}]")),
                        "[[[4],[8],[16],[1],[2],[[],{\"len\":0}],[{}]],{\"len\":8}]");
    assert_string_equal(made("extract_schema", INPUTS("{}")), "[{}]");
    assert_string_equal(made("extract_schema", INPUTS("\"x\"")), "[8]");
    assert_string_equal(made("extract_schema", INPUTS("[1,2,3,4,5,6,7,8,9,10,11,12]")),
                        "[[[4]],{\"len\":12,\"truncated\":true}]");
    assert_string_equal(made("extract_schema", INPUTS("{\"a\":[{\"b\":1,\"c\":2},{\"c\":3,\"b\":4}],\"a\":1,\"\":1}")),
                        "[{\"a\":[[[{\"b\":[4],\"c\":[4]}]],{\"len\":2}]}]");
    assert_string_equal(made_in(&hg_profile_ddwaf1, "extract_schema", INPUTS("{\"\":1}")), "[{\"\":[4]}]");
}

static void schemas_end_at_eighteen_containers(void **state)
{
    (void)state;
    hg_value value;
    hg_set_null(&value);
    for (int i = 0; i < 20; i++) {
        hg_value outer;
        assert_int_equal(hg_set_array(&outer, 1, hg_arena_allocator(&arena)), HG_OK);
        *hg_array_append(&outer, hg_arena_allocator(&arena)) = value;
        value = outer;
    }
    hg_match_env env = {.arena = &arena};
    hg_generation g = {
        .profile = &hg_profile_native, .inputs = {&value}, .arena = &arena, .env = &env, .expired = never};
    hg_value out;
    assert_int_equal(hg_generator_find(HG_SLICE("extract_schema"))->generate(&g, &out), HG_GENERATED_VALUE);
    const hg_value *at = &out;
    int depth = 1;
    for (; hg_value_size(&hg_array_items(at)[0]) > 0; depth++)
        at = &hg_array_items(&hg_array_items(at)[0])[0];
    assert_int_equal(depth, 18);
    g.expired = at_once;
    assert_int_equal(hg_generator_find(HG_SLICE("extract_schema"))->generate(&g, &out), HG_GENERATED_LATER);
}

static void an_endpoint_is_method_path_and_keys(void **state)
{
    (void)state;
    assert_string_equal(made("http_endpoint_fingerprint",
                             INPUTS("\"GeT\"", "\"/Path/Some?x#y\"", "{\"K,ey\":1,\"a\":2,\"B\":3}", "{}")),
                        "\"http-get-aafb163b-75428aa3-\"");
    assert_string_equal(made("http_endpoint_fingerprint", INPUTS("\"\"", "\"?x\"")), "\"http----\"");
    assert_string_equal(made("http_endpoint_fingerprint", INPUTS("\"a\"", "\"\"", "{\"\":1}")),
                        "\"http-a--e3b0c442-\"");
}

static void fields_once_made_stay(void **state)
{
    (void)state;
    memset(fields, 0, sizeof fields);
    made_in(&hg_profile_native, "http_endpoint_fingerprint", INPUTS("\"GET\"", "\"/Path/Some\""));
    assert_string_equal(made_in(&hg_profile_native, "http_endpoint_fingerprint",
                                INPUTS("\"POST\"", "\"/other\"", "{\"a\":1,\"b\":1,\"k,ey\":1}")),
                        "\"http-get-aafb163b-75428aa3-\"");
}

static void headers_are_bits_and_names(void **state)
{
    (void)state;
    assert_string_equal(made("http_header_fingerprint", INPUTS("{}")), "\"hdr-0000000000--0-\"");
    /* sha256sum of "a" and of "host,x-other" */
    assert_string_equal(
        made("http_header_fingerprint", INPUTS("{\"Referer\":1,\"TE\":1,\"Accept_Language\":1,"
                                               "\"User-Agent\":[\"A\"],\"x-datadog-id\":1,\"X-Real-IP\":1}")),
        "\"hdr-1000010001-ca978112-0-\"");
    assert_string_equal(made("http_header_fingerprint", INPUTS("{\"X_Other\":1,\"HOST\":2}")),
                        "\"hdr-0000000000--2-ea8ccf1a\"");
}

static void networks_count_addresses(void **state)
{
    (void)state;
    assert_string_equal(
        made("http_network_fingerprint", INPUTS("{\"x-real-ip\":\"1.1.1.1,2.2.2.2\",\"x-forwarded-for\":\"1,2,3\"}")),
        "\"net-3-1100000000\"");
    assert_string_equal(made("http_network_fingerprint", INPUTS("{\"x-real-ip\":\"1.1.1.1\",\"x-forwarded-for\":[]}")),
                        "\"net-0-1100000000\"");
    assert_string_equal(made("http_network_fingerprint", INPUTS("{\"x-forwarded-for\":[],\"x-real-ip\":\"1.1.1.1\"}")),
                        "\"net-1-1100000000\"");
    assert_string_equal(made("http_network_fingerprint", INPUTS("{}")), "\"net-0-0000000000\"");
}

static void sessions_are_user_cookies_and_id(void **state)
{
    (void)state;
    /* sha256sum of "a", of "a,b", of "x," (the other value is no string), of "s" */
    assert_string_equal(made("session_fingerprint", INPUTS("{\"B\":5,\"a\":[\"x\"]}", "\"S\"", "\"A\"")),
                        "\"ssn-ca978112-1eb7c54d-516fc10a-043a7187\"");
    assert_string_equal(made("session_fingerprint", INPUTS("{}")), "\"ssn----\"");
    assert_string_equal(made("session_fingerprint", INPUTS(NULL, "\"\"")), "\"ssn----\"");
}

static void tokens_are_taken_apart(void **state)
{
    (void)state;
    assert_string_equal(made("jwt_decode", INPUTS("\"Bearer eyJhIjoxfQ.eyJiIjpbMl19.x\"")),
                        "{\"header\":{\"a\":1},\"payload\":{\"b\":[2]},\"signature\":{\"available\":true}}");
    assert_string_equal(made("jwt_decode", INPUTS("[\"BearereyJhIjoxfQ.e30.\"]")),
                        "{\"header\":{\"a\":1},\"payload\":{},\"signature\":{\"available\":false}}");
    assert_string_equal(made("jwt_decode", INPUTS("\"Bearer ...\"")),
                        "{\"header\":null,\"payload\":null,\"signature\":{\"available\":true}}");
    assert_string_equal(made("jwt_decode", INPUTS("\"Bearer ..\"")),
                        "{\"header\":null,\"payload\":null,\"signature\":{\"available\":false}}");
    static const char *const none[] = {
        "\"bearer a.b.c\"", "\"Bearer a.b\"", "\"Bearer .\"", "\"Bearer   \"", "[]", "5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_string_equal(made("jwt_decode", INPUTS(none[i])), "nothing");
}

static void uris_are_taken_apart(void **state)
{
    (void)state;
    assert_string_equal(
        made("uri_parse", INPUTS("\"http://usr:pw@host:80/p/a?x=1&x=2&y&z=&arr[]=1&arr[1]=2&=q&&k=a=b#frag\"")),
        "{\"scheme\":\"http\",\"userinfo\":\"usr:pw\",\"host\":\"host\",\"port\":80,\"path\":\"/p/"
        "a\",\"query\":{\"x\":["
        "\"1\",\"2\"],\"y\":true,\"z\":\"\",\"arr\":\"1\",\"arr[1]\":\"2\",\"k\":\"a=b\"},\"fragment\":\"frag\"}");
    assert_string_equal(made("uri_parse", INPUTS("\"x\"")), "nothing");
}

static int open_arena(void **state)
{
    (void)state;
    hg_arena_init(&arena, NULL);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    hg_arena_close(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_tell_the_types),
        cmocka_unit_test(schemas_end_at_eighteen_containers),
        cmocka_unit_test(an_endpoint_is_method_path_and_keys),
        cmocka_unit_test(fields_once_made_stay),
        cmocka_unit_test(headers_are_bits_and_names),
        cmocka_unit_test(networks_count_addresses),
        cmocka_unit_test(sessions_are_user_cookies_and_id),
        cmocka_unit_test(tokens_are_taken_apart),
        cmocka_unit_test(uris_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
