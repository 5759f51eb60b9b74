/* The address map of HTTP exchanges, as JSON written by hand. Inputs end at an unreadable page. */
#include "guarded.h"
#include "hotgate/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static hg_arena arena;

static int start(void **state)
{
    (void)state;
    hg_arena_init(&arena, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    hg_arena_close(&arena);
    return 0;
}

static void expect(const hg_request *request, const char *json)
{
    hg_value map;
    assert_int_equal(hg_request_addresses(request, &arena, &map), HG_OK);
    hg_buffer text = {0};
    hg_json_write(&map, 0, &text);
    hg_buffer_byte(&text, '\0');
    assert_string_equal(text.ptr, json);
    hg_buffer_free(&text);
}

static void nothing_known_is_an_empty_map(void **state)
{
    (void)state;
    expect(&(hg_request){0}, "{}");
}

static void a_target_gives_raw_uri_and_decoded_query(void **state)
{
    (void)state;
    static const struct {
        const char *uri, *json;
    } cases[] = {
        {"/a?b=c", "{\"server.request.uri.raw\":\"/a?b=c\",\"server.request.query\":{\"b\":\"c\"}}"},
        {"/%41?x=%3Cb%3E+c&y=%zz&=v&z", "{\"server.request.uri.raw\":\"/%41?x=%3Cb%3E+c&y=%zz&=v&z\","
                                        "\"server.request.query\":{\"x\":\"<b> c\",\"y\":\"%zz\",\"\":\"v\",\"z\":\"\"}}"},
        {"/?a=1&b=2&a=3&&a=4", "{\"server.request.uri.raw\":\"/?a=1&b=2&a=3&&a=4\","
                               "\"server.request.query\":{\"a\":[\"1\",\"3\",\"4\"],\"b\":\"2\"}}"},
        {"https://h.example:8080/p?q=1#f", "{\"server.request.uri.raw\":\"/p?q=1\",\"server.request.query\":{\"q\":\"1\"}}"},
        {"http://h", "{}"},
        {"/p#x?y=1", "{\"server.request.uri.raw\":\"/p\"}"},
        {"/p?", "{\"server.request.uri.raw\":\"/p?\"}"},
        {"/p?&&", "{\"server.request.uri.raw\":\"/p?&&\"}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].uri));
        expect(&(hg_request){.uri = g.bytes}, cases[i].json);
        guarded_free(&g);
    }
}

static void headers_are_lower_case_and_cookies_apart(void **state)
{
    (void)state;
    const hg_field headers[] = {
        {HG_SLICE("Host"), HG_SLICE("a.example ")},
        {HG_SLICE("X-Long-Header-Name"), HG_SLICE("1")},
        {HG_SLICE("Cookie"), HG_SLICE("sid=abc; theme=\"dark\";;flag; sid=def")},
        {HG_SLICE("x-long-header-name"), HG_SLICE("2")},
        {HG_SLICE("Folded"), HG_SLICE("one ")},
        {HG_SLICE(""), HG_SLICE("two")},
        {HG_SLICE("cookie"), HG_SLICE("more=a=b")},
    };
    expect(&(hg_request){.headers = headers, .header_count = sizeof headers / sizeof *headers},
           "{\"server.request.headers.no_cookies\":{\"host\":\"a.example\",\"x-long-header-name\":[\"1\",\"2\"],"
           "\"folded\":\"one two\"},\"server.request.cookies\":{\"sid\":[\"abc\",\"def\"],\"theme\":\"dark\",\"flag\":\"\","
           "\"more\":\"a=b\"}}");
}

static void expect_body(const char *type, const char *body, const char *json)
{
    const hg_field header = {HG_SLICE("Content-Type"), hg_slice_from(type)};
    guarded g = guarded_new(hg_slice_from(body));
    hg_value map;
    hg_request request = {.headers = &header, .header_count = type != NULL, .body = g.bytes};
    assert_int_equal(hg_request_addresses(&request, &arena, &map), HG_OK);
    const hg_value *value = hg_map_find(&map, HG_SLICE("server.request.body"));
    hg_buffer text = {0};
    if (value != NULL)
        hg_json_write(value, 0, &text);
    hg_buffer_byte(&text, '\0');
    assert_string_equal(text.ptr, json);
    hg_buffer_free(&text);
    guarded_free(&g);
}

static void bodies_are_read_by_content_type(void **state)
{
    (void)state;
    expect_body("application/json; charset=utf-8", "{\"a\":[1,\"x\"]}", "{\"a\":[1,\"x\"]}");
    expect_body("Application/Vnd.Api+JSON", "[true]", "[true]");
    expect_body("application/x-www-form-urlencoded", "a=1+2&b=%20", "{\"a\":\"1 2\",\"b\":\" \"}");
    expect_body("text/plain", "a=1", "\"a=1\"");
    expect_body("application/xml", "<a/>", "\"<a/>\"");
    expect_body("application/octet-stream", "\x01\x02", "");
    expect_body(NULL, " {\"a\":1}", "{\"a\":1}");
    expect_body(NULL, "hello", "\"hello\"");
}

static void multipart_gives_fields_and_file_names(void **state)
{
    (void)state;
    const hg_field header = {HG_SLICE("Content-Type"), HG_SLICE("multipart/form-data; boundary=\"b\"")};
    hg_slice body = HG_SLICE("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                             "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.php\"\r\n\r\nhi\r\n--b--\r\n");
    hg_value map;
    hg_request request = {.headers = &header, .header_count = 1, .body = body};
    assert_int_equal(hg_request_addresses(&request, &arena, &map), HG_OK);
    const hg_value *fields = hg_map_find(&map, HG_SLICE("server.request.body"));
    const hg_value *names = hg_map_find(&map, HG_SLICE("server.request.body.filenames"));
    assert_non_null(fields);
    assert_non_null(names);
    assert_true(hg_slice_equal(hg_value_string(hg_map_find(fields, HG_SLICE("a"))), HG_SLICE("1")));
    assert_int_equal(hg_value_size(names), 1);
    assert_true(hg_slice_equal(hg_value_string(&hg_array_items(names)[0]), HG_SLICE("x.php")));
}

static void json_that_cannot_be_read_is_text(void **state)
{
    (void)state;
    expect_body("application/json", "}{", "\"}{\"");
}

static void the_rest_is_strings(void **state)
{
    (void)state;
    expect(&(hg_request){.method = HG_SLICE("GET"), .status = 404, .client_ip = HG_SLICE("192.0.2.1")},
           "{\"server.request.method\":\"GET\",\"server.response.status\":\"404\",\"http.client_ip\":\"192.0.2.1\"}");
    expect(&(hg_request){.status = 7}, "{}");
}

/* Many names, many of them repeated: every value is there once, under its name, in order. */
static void no_value_is_lost_however_many_there_are(void **state)
{
    (void)state;
    enum { NAMES = 700, VALUES = 20000 };
    uint32_t seed = 7;
    hg_buffer uri = {0};
    size_t counts[NAMES] = {0};
    hg_buffer_byte(&uri, '?');
    for (size_t i = 0; i < VALUES; i++) {
        seed = seed * 1664525u + 1013904223u;
        size_t name = (seed >> 8) % NAMES;
        hg_buffer_printf(&uri, "n%zu=%zu&", name, counts[name]++);
    }
    hg_value map;
    assert_int_equal(hg_request_addresses(&(hg_request){.uri = {uri.ptr, uri.len}}, &arena, &map), HG_OK);
    const hg_value *query = hg_map_find(&map, HG_SLICE("server.request.query"));
    assert_int_equal(hg_value_size(query), NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        const hg_pair *pair = &hg_map_pairs(query)[i];
        char name[24] = {0};
        memcpy(name, hg_value_string(&pair->key).ptr, hg_value_string(&pair->key).len);
        size_t n = hg_is_array(&pair->val) ? hg_value_size(&pair->val) : 1;
        assert_int_equal(n, counts[strtoul(name + 1, NULL, 10)]);
        for (size_t k = 0; hg_is_array(&pair->val) && k < n; k++) {
            char expected[24];
            snprintf(expected, sizeof expected, "%zu", k);
            assert_true(hg_slice_equal(hg_value_string(&hg_array_items(&pair->val)[k]), hg_slice_from(expected)));
        }
    }
    hg_buffer_free(&uri);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_is_an_empty_map),
        cmocka_unit_test(a_target_gives_raw_uri_and_decoded_query),
        cmocka_unit_test(headers_are_lower_case_and_cookies_apart),
        cmocka_unit_test(bodies_are_read_by_content_type),
        cmocka_unit_test(multipart_gives_fields_and_file_names),
        cmocka_unit_test(json_that_cannot_be_read_is_text),
        cmocka_unit_test(the_rest_is_strings),
        cmocka_unit_test(no_value_is_lost_however_many_there_are),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
