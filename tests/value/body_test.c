/* Multipart, XML, text, and the choice by content type. */
#include "value_expect.h"
#include "failing.h"
#include "guarded.h"
#include "hotgate/body.h"

#include <stdio.h>

static hg_body decode(const char *type, const char *text, unsigned flags)
{
    guarded g = guarded_new(hg_slice_from(text));
    hg_body_options options = {.flags = flags};
    hg_body body;
    assert_int_equal(hg_body_decode(hg_slice_from(type), g.bytes, &options, &body, hg_heap()), HG_OK);
    guarded_free(&g);
    return body;
}

static void check(int line, const char *type, const char *text, unsigned flags, const char *expected)
{
    hg_body body = decode(type, text, flags);
    expect_json_at(__FILE__, line, &body.value, expected);
    hg_body_free(&body, hg_heap());
}

#define expect_body(type, text, expected) check(__LINE__, type, text, 0, expected)

static void the_content_type_decides(void **state)
{
    (void)state;
    expect_body("application/json; charset=utf-8", "{\"a\":1}", "{\"a\":1}");
    expect_body("application/problem+json", "[1", "[1]");
    expect_body("application/x-www-form-urlencoded", "a=b", "{\"a\":\"b\"}");
    expect_body("Text/Plain", "hello", "\"hello\"");
    expect_body("text/plain; charset=\"ISO-8859-1\"", "caf\xe9", "\"caf\xC3\xA9\"");
    expect_body("application/octet-stream", "x", "null");
    expect_body("application/json", "", "null");
    expect_body("application/msgpack", "\x81\xa1k\x01", "{\"k\":1}");
    assert_int_equal(hg_body_kind_of(HG_SLICE("image/svg+xml")), HG_BODY_XML);
    assert_int_equal(hg_body_kind_of(HG_SLICE("")), HG_BODY_UNKNOWN);
}

static void unknown_and_unreadable_bodies_are_reported(void **state)
{
    (void)state;
    hg_report report;
    hg_report_init(&report);
    hg_body_options options = {.report = &report};
    hg_body body;
    hg_body_decode(HG_SLICE("image/png"), HG_SLICE("x"), &options, &body, hg_heap());
    assert_int_equal(report.reasons, HG_REASON_UNSUPPORTED);
    hg_report_init(&report);
    hg_body_decode(HG_SLICE("application/json"), HG_SLICE("<x>"), &options, &body, hg_heap());
    assert_int_equal(report.reasons, HG_REASON_PARTIAL_INPUT);
    assert_int_equal(body.value.type, HG_INVALID);
    hg_report_init(&report);
    hg_body_decode(HG_SLICE("application/json"), HG_SLICE("[1,"), &options, &body, hg_heap());
    assert_int_equal(report.reasons, HG_REASON_PARTIAL_INPUT);
    expect_json(&body.value, "[1]");
}

static void header_parameters_are_found(void **state)
{
    (void)state;
    hg_slice h = HG_SLICE("form-data; name=\"a;b=\\\"c\\\"\"; FileName = x.txt ; empty=\"\"; x");
    assert_true(hg_slice_equal(hg_header_parameter(h, HG_SLICE("name")), HG_SLICE("a;b=\\\"c\\\"")));
    assert_true(hg_slice_equal(hg_header_parameter(h, HG_SLICE("filename")), HG_SLICE("x.txt")));
    assert_non_null(hg_header_parameter(h, HG_SLICE("empty")).ptr);
    assert_null(hg_header_parameter(h, HG_SLICE("x")).ptr);
    assert_null(hg_header_parameter(h, HG_SLICE("b")).ptr);
    assert_null(hg_header_parameter(HG_SLICE("form-data; name=\"open"), HG_SLICE("x")).ptr);
    assert_true(hg_slice_equal(hg_header_parameter(HG_SLICE("a; n=\"op"), HG_SLICE("n")), HG_SLICE("op")));
}

#define FORM "multipart/form-data; boundary=XX"

static void multipart_fields_are_read(void **state)
{
    (void)state;
    expect_body(FORM,
                "preamble\r\n--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\ntwo\r\n"
                "--XX\r\ncontent-disposition: form-data; name=b\r\n\r\n\r\n"
                "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nthree\r\n--XX--\r\nepilogue",
                "{\"a\":[\"one\\r\\ntwo\",\"three\"],\"b\":\"\"}");
    expect_body(FORM, "--XX\nContent-Disposition: form-data; name=a\n\nx\n--XX--", "{\"a\":\"x\"}");
    expect_body(FORM, "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n--XXY\r\n--XX--", "{\"a\":\"--XXY\"}");
}

static void multipart_names_are_unescaped(void **state)
{
    (void)state;
    expect_body(FORM, "--XX\r\nContent-Disposition: form-data; name=\"a\\\"%22b\"\r\n\r\nx\r\n--XX--", "{\"a\\\"\\\"b\":\"x\"}");
    expect_body(FORM, "--XX\r\nContent-Disposition: form-data; name=x; name*=UTF-8''%C3%A9\r\n\r\nx\r\n--XX--",
                "{\"\xC3\xA9\":\"x\"}");
}

static void multipart_parts_may_be_json_or_forms(void **state)
{
    (void)state;
    expect_body(FORM,
                "--XX\r\nContent-Disposition: form-data; name=j\r\nContent-Type: application/json\r\n\r\n{\"k\":[1]}\r\n"
                "--XX\r\nContent-Disposition: form-data; name=f\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
                "a=b\r\n--XX--",
                "{\"j\":{\"k\":[1]},\"f\":{\"a\":\"b\"}}");
    expect_body(FORM,
                "--XX\r\nContent-Disposition: form-data; name=j\r\nContent-Type: application/json\r\n\r\nnot json\r\n--XX--",
                "{\"j\":\"not json\"}");
}

static const char upload[] = "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"../a.php\"\r\n"
                             "Content-Type: text/plain\r\n\r\n<?php ?>\r\n--XX--";

/* Two parts of one name, one of another; the JSON is `json`. */
static char *judged_under(const hg_limits *limits, const char *json)
{
    char text[512];
    snprintf(text, sizeof text,
             "--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Type: application/json\r\n\r\n%s\r\n"
             "--XX\r\nContent-Disposition: form-data; name=c\r\nContent-Type: application/json\r\n\r\n%s\r\n"
             "--XX\r\nContent-Disposition: form-data; name=c\r\n\r\ny\r\n"
             "--XX\r\nContent-Disposition: form-data; name=b\r\n\r\nx\r\n--XX--",
             json, json);
    hg_report report;
    hg_report_init(&report);
    hg_body_options options = {.limits = limits, .report = &report};
    failing held;
    failing_init(&held, SIZE_MAX);
    hg_body body;
    assert_int_equal(hg_body_decode(HG_SLICE(FORM), hg_slice_from(text), &options, &body, &held.allocator), HG_OK);
    hg_buffer out = {0};
    assert_int_equal(hg_json_write(&body.value, 0, &out), 0);
    char *copy = strndup(out.ptr, out.len);
    hg_buffer_free(&out);
    hg_body_free(&body, &held.allocator);
    assert_int_equal(held.live_blocks, 0);
    return copy;
}

static void a_cut_document_that_limits_drop_is_not_read_again_as_text(void **state)
{
    (void)state;
    for (int deep = HG_DEEP_EMPTY; deep <= HG_DEEP_CHILDREN_MAP; deep++) {
        for (uint32_t depth = 0; depth <= 4; depth++) {
            for (uint32_t entries = 1; entries <= 4; entries++) {
                hg_limits limits = hg_limits_of(HG_LIMITS_NONE);
                limits.deep = (uint8_t)deep;
                limits.max_depth = depth;
                limits.max_entries = entries;
                char *whole = judged_under(&limits, "{\"k\":[1]}"), *cut = judged_under(&limits, "{\"k\":[1");
                assert_string_equal(cut, whole);
                free(whole);
                free(cut);
            }
        }
    }
}

static void multipart_files_give_their_names(void **state)
{
    (void)state;
    hg_body body = decode(FORM, upload, 0);
    expect_json(&body.value, "{}");
    expect_json(&body.filenames, "[\"../a.php\"]");
    expect_json(&body.files, "{}");
    body = decode(FORM, upload, HG_BODY_FILE_CONTENT);
    expect_json(&body.files, "{\"../a.php\":\"<?php ?>\"}");
    hg_body_free(&body, hg_heap());
}

static void cut_multipart_keeps_the_open_part(void **state)
{
    (void)state;
    expect_body(FORM, "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nunfini", "{\"a\":\"unfini\"}");
    expect_body(FORM, "--XX\r\nContent-Disposition: form-data; na", "{}");
    expect_body(FORM, "--XX", "{}");
    expect_body(FORM, "no boundary", "{}");
    expect_body("multipart/form-data", "x", "null");
}

static void xml_elements_become_arrays_of_their_content(void **state)
{
    (void)state;
    expect_body("text/xml", "<?xml version=\"1.0\"?><!-- c --><a x='1' y=\"&lt;2\">t1<b/> \n <c>t2</c>t3</a>\n",
                "{\"a\":[{\"@x\":\"1\",\"@y\":\"<2\"},\"t1\",{\"b\":[]},{\"c\":[\"t2\"]},\"t3\"]}");
    expect_body("text/xml", "<a><![CDATA[<x>&amp;]]></a>", "{\"a\":[\"<x>&amp;\"]}");
    expect_body("text/xml", "<a>x&amp;<![CDATA[y]]>&#65;&#x42;</a>", "{\"a\":[\"x&yAB\"]}");
    expect_body("text/xml", "\xEF\xBB\xBF<a/>", "{\"a\":[]}");
}

static void xml_in_the_compact_shape(void **state)
{
    (void)state;
    check(__LINE__, "text/xml", "<a x='1'>t<b/><b>1</b><b>2</b><c k='v'>w</c></a>", HG_BODY_XML_COMPACT,
          "{\"a\":{\"@x\":\"1\",\"#text\":\"t\",\"b\":[null,\"1\",\"2\"],\"c\":{\"@k\":\"v\",\"#text\":\"w\"}}}");
}

static void xml_entities_are_internal_and_capped(void **state)
{
    (void)state;
    expect_body("text/xml", "<!DOCTYPE a [<!ENTITY e \"v\"><!ENTITY f \"&e;&e;\">]><a>&f;&unknown;&</a>",
                "{\"a\":[\"vv&unknown;&\"]}");
    expect_body("text/xml", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>", "{\"a\":[\"&x;\"]}");
    hg_body body = decode("text/xml",
                          "<!DOCTYPE a [<!ENTITY a \"0123456789\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
                          "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">"
                          "<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">"
                          "]><a>&f;&f;&f;&f;</a>",
                          0);
    const hg_value *text = hg_array_items(hg_map_find(&body.value, HG_SLICE("a")));
    assert_true(hg_value_string(text).len <= 4096);
    hg_body_free(&body, hg_heap());
}

static void cut_xml_keeps_the_open_elements(void **state)
{
    (void)state;
    expect_body("text/xml", "<a><b>x", "{\"a\":[{\"b\":[\"x\"]}]}");
    expect_body("text/xml", "<a><b>x</b><c y='", "{\"a\":[{\"b\":[\"x\"]},{\"c\":[]}]}");
    expect_body("text/xml", "<a>x</b>", "{\"a\":[\"x\"]}");
    expect_body("text/xml", "just text", "null");
    expect_body("text/xml", "<", "null");
}

static void deep_xml_is_survived(void **state)
{
    (void)state;
    hg_buffer text = {0};
    for (int i = 0; i < 100000; i++)
        hg_buffer_append(&text, HG_SLICE("<a>"));
    hg_body body;
    hg_report report;
    hg_report_init(&report);
    hg_body_options options = {.report = &report};
    assert_int_equal(hg_body_decode(HG_SLICE("text/xml"), hg_slice_of(text.ptr, text.len), &options, &body, hg_heap()), HG_OK);
    assert_true(report.reasons & HG_REASON_OBJECT_TOO_DEEP);
    hg_body_free(&body, hg_heap());
    hg_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_content_type_decides),
        cmocka_unit_test(unknown_and_unreadable_bodies_are_reported),
        cmocka_unit_test(header_parameters_are_found),
        cmocka_unit_test(multipart_fields_are_read),
        cmocka_unit_test(multipart_names_are_unescaped),
        cmocka_unit_test(multipart_parts_may_be_json_or_forms),
        cmocka_unit_test(a_cut_document_that_limits_drop_is_not_read_again_as_text),
        cmocka_unit_test(multipart_files_give_their_names),
        cmocka_unit_test(cut_multipart_keeps_the_open_part),
        cmocka_unit_test(xml_elements_become_arrays_of_their_content),
        cmocka_unit_test(xml_in_the_compact_shape),
        cmocka_unit_test(xml_entities_are_internal_and_capped),
        cmocka_unit_test(cut_xml_keeps_the_open_elements),
        cmocka_unit_test(deep_xml_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
