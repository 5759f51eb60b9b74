/* What the HTTP/1 tokenizer must read, by hand-written expectations; every input ends at an unreadable page. */
#include "guarded.h"
#include "http/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define assert_text(slice, text)                                                                                       \
    do {                                                                                                               \
        hg_slice got_ = (slice);                                                                                       \
        assert_int_equal(got_.len, strlen(text));                                                                      \
        assert_memory_equal(got_.ptr, text, got_.len);                                                                 \
    } while (0)

static void lines_end_at_crlf_lf_and_cr(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        const char *text;
        size_t used;
        hg_http_line_end end;
    } cases[] = {
        {"abc\r\ndef", "abc", 5, HG_HTTP_CRLF},   {"abc\ndef", "abc", 4, HG_HTTP_LF},
        {"abc\rdef", "abc", 4, HG_HTTP_CR},       {"abc\r", "abc", 4, HG_HTTP_CR},
        {"abc", "abc", 3, HG_HTTP_CUT},           {"\r\n", "", 2, HG_HTTP_CRLF},
        {"0123456789abcdefXYZ\r\n", "0123456789abcdefXYZ", 21, HG_HTTP_CRLF},
        {"0123456789abcde\r\n", "0123456789abcde", 17, HG_HTTP_CRLF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        hg_http_line line;
        assert_int_equal(hg_http_line_next(g.bytes, 0, true, &line), HG_OK);
        assert_text(line.text, cases[i].text);
        assert_int_equal(line.used, cases[i].used);
        assert_int_equal(line.end, cases[i].end);
        guarded_free(&g);
    }
}

static void a_line_without_end_wants_more(void **state)
{
    (void)state;
    hg_http_line line;
    assert_int_equal(hg_http_line_next(HG_SLICE("abc"), 0, false, &line), HG_NEED_MORE);
    assert_int_equal(hg_http_line_next(HG_SLICE("abc\r"), 0, false, &line), HG_NEED_MORE);
    assert_int_equal(hg_http_line_next(HG_SLICE("abc\r\n"), 3, false, &line), HG_OK);
    assert_int_equal(line.used, 5);
    assert_int_equal(hg_http_line_next(HG_SLICE(""), 0, false, &line), HG_NEED_MORE);
    assert_int_equal(hg_http_line_next(HG_SLICE(""), 0, true, &line), HG_ERR_TRUNCATED);
}

static void request_lines_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *in, *method, *uri;
        uint8_t major, minor;
        uint32_t flags;
    } cases[] = {
        {"GET / HTTP/1.1", "GET", "/", 1, 1, 0},
        {"GET  /a?b=c  HTTP/1.0", "GET", "/a?b=c", 1, 0, 0},
        {"GET /a b c HTTP/1.1", "GET", "/a b c", 1, 1, 0},
        {"GET /a<b HTTP/1.1", "GET", "/a<b", 1, 1, 0},
        {"POST /x http/1.1", "POST", "/x", 1, 1, HG_HTTP_LOWERCASE_KEYWORD},
        {"GET HTTP/1.1", "GET", "", 1, 1, HG_HTTP_MISSING_URI},
        {"GET /old", "GET", "/old", 0, 9, HG_HTTP_NO_VERSION},
        {"GET /old ", "GET", "/old", 0, 9, HG_HTTP_NO_VERSION},
        {"GET / HTTP/11", "GET", "/", 0, 0, HG_HTTP_BAD_VERSION},
        {"GET / HTTP/1.1 more", "GET", "/", 1, 1, HG_HTTP_TRAILING_TEXT},
        {"GET /?q=HTTP/1.0 HTTP/1.1", "GET", "/?q=HTTP/1.0", 1, 1, 0},
        {"GET /\xc3\xa9 HTTP/1.1", "GET", "/\xc3\xa9", 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        hg_http_request_line line;
        assert_int_equal(hg_http_request_line_read(g.bytes, &line), HG_OK);
        assert_text(line.method, cases[i].method);
        assert_text(line.uri, cases[i].uri);
        assert_int_equal(line.version.major, cases[i].major);
        assert_int_equal(line.version.minor, cases[i].minor);
        assert_int_equal(line.flags, cases[i].flags);
        guarded_free(&g);
    }
}

static void what_is_no_request_line_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        uint32_t flags;
    } cases[] = {
        {"", HG_HTTP_BAD_REQUEST},
        {"/ HTTP/1.1", HG_HTTP_BAD_REQUEST_WITH_VERSION},
        {" GET / HTTP/1.1", HG_HTTP_BAD_REQUEST_WITH_VERSION},
        {"GET", HG_HTTP_BAD_REQUEST},
        {"GET{x", HG_HTTP_BAD_REQUEST},
        {"GO /x", HG_HTTP_BAD_REQUEST | HG_HTTP_NO_VERSION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        hg_http_request_line line;
        assert_int_equal(hg_http_request_line_read(g.bytes, &line), HG_ERR_SYNTAX);
        assert_int_equal(line.flags, cases[i].flags);
        guarded_free(&g);
    }
}

static void status_lines_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        unsigned status;
        const char *reason;
        uint32_t flags;
    } cases[] = {
        {"HTTP/1.1 200 OK", 200, "OK", 0},
        {"http/1.0 404 Not Found", 404, "Not Found", HG_HTTP_LOWERCASE_KEYWORD},
        {"HTTP/1.1 200", 200, "", HG_HTTP_MISSING_REASON},
        {"HTTP/1.1 2x0 Hm", 0, "Hm", HG_HTTP_BAD_STATUS},
        {"HTTP/1.1 20 Hm", 0, "Hm", HG_HTTP_BAD_STATUS},
        {"HTTP/1.1 200x Odd one", 200, "Odd one", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        hg_http_status_line line;
        assert_int_equal(hg_http_status_line_read(g.bytes, &line), HG_OK);
        assert_int_equal(line.status, cases[i].status);
        assert_text(line.reason, cases[i].reason);
        assert_int_equal(line.flags, cases[i].flags);
        guarded_free(&g);
    }
    hg_http_status_line line;
    assert_int_equal(hg_http_status_line_read(HG_SLICE("HTTP/1.1"), &line), HG_ERR_SYNTAX);
    assert_int_equal(hg_http_status_line_read(HG_SLICE("SIP/2.0 200 OK"), &line), HG_ERR_SYNTAX);
}

static void escapes_are_undone_and_odd_ones_noted(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
        uint32_t flags;
    } cases[] = {
        {"/a%20b%2Fc", "/a b/c", 0},        {"%u0041%u4142", "AAB", 0},
        {"a%%20", "a ", HG_HTTP_DOUBLE_PERCENT}, {"a%", "a%", HG_HTTP_PERCENT_AT_END},
        {"a%2", "a%2", HG_HTTP_PARTIAL_ESCAPE},  {"a%zz", "a%zz", HG_HTTP_BAD_ESCAPE},
        {"%u12", "%u12", HG_HTTP_BAD_ESCAPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        char out[64];
        uint32_t flags = 0;
        size_t n = hg_http_unescape(g.bytes, out, &flags);
        assert_text(hg_slice_of(out, n), cases[i].out);
        assert_int_equal(flags, cases[i].flags);
        guarded_free(&g);
    }
}

static void header_lines_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *in, *name, *value;
    } cases[] = {
        {"Host: example.org", "Host", "example.org"},
        {"A:b ", "A", "b "},
        {"X-Empty:", "X-Empty", ""},
        {"Name : v", "Name", "v"},
        {"(a (nested) comment) Name: v", "Name", "v"},
        {"\tfolded on", "", "folded on"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        guarded g = guarded_new(hg_slice_from(cases[i].in));
        hg_http_header header;
        assert_int_equal(hg_http_header_read(g.bytes, &header), HG_OK);
        assert_text(header.name, cases[i].name);
        assert_text(header.value, cases[i].value);
        guarded_free(&g);
    }
    hg_http_header header;
    assert_int_equal(hg_http_header_read(HG_SLICE("no colon here"), &header), HG_ERR_SYNTAX);
    assert_int_equal(hg_http_header_read(HG_SLICE("(open: x"), &header), HG_OK);
    assert_int_equal(hg_http_header_read(HG_SLICE(": no name"), &header), HG_ERR_SYNTAX);
}

static void values_give_tokens_parameters_and_numbers(void **state)
{
    (void)state;
    hg_slice rest;
    assert_text(hg_http_first_token(HG_SLICE(" chunked, gzip"), &rest), "chunked");
    assert_text(rest, ", gzip");
    hg_slice type = HG_SLICE("multipart/form-data; charset=utf-8; Boundary=\"a;b\"; x");
    assert_text(hg_http_parameter(type, HG_SLICE("boundary")), "a;b");
    assert_text(hg_http_parameter(type, HG_SLICE("CHARSET")), "utf-8");
    assert_text(hg_http_parameter(type, HG_SLICE("absent")), "");
    uint64_t n;
    assert_true(hg_http_decimal(HG_SLICE(" 9223372036854775807 "), &n));
    assert_true(n == INT64_MAX);
    assert_false(hg_http_decimal(HG_SLICE("9223372036854775808"), &n));
    assert_false(hg_http_decimal(HG_SLICE("-1"), &n));
    assert_false(hg_http_decimal(HG_SLICE(""), &n));
}

static void known_methods_start_a_request(void **state)
{
    (void)state;
    assert_text(hg_http_known_method(HG_SLICE("\r\n GETx")), "GET");
    assert_text(hg_http_known_method(HG_SLICE("MKCALENDAR /")), "MKCALENDAR");
    assert_text(hg_http_known_method(HG_SLICE("get /")), "");
    assert_true(hg_http_is_status_line(HG_SLICE("hTTp/1")));
    assert_false(hg_http_is_status_line(HG_SLICE("HTTP/x")));
}

static const char message[] = "\r\nPOST /p HTTP/1.1\r\nHost: a\r\nNo colon\r\nX: 1\r\n 2\r\nHost: b\r\n\r\nbody";

static void a_head_is_read_whole(void **state)
{
    (void)state;
    guarded g = guarded_new(hg_slice_of(message, sizeof message - 1));
    hg_http_header headers[8];
    hg_http_head head = {.headers = headers, .capacity = 8};
    hg_http_progress progress = {0};
    assert_int_equal(hg_http_head_read(g.bytes, &progress, false, &head), HG_OK);
    assert_int_equal(head.used, sizeof message - 1 - strlen("body"));
    assert_text(head.request.method, "POST");
    assert_int_equal(head.count, 4);
    assert_int_equal(head.flags, HG_HTTP_NO_COLON | HG_HTTP_FOLDED);
    assert_text(headers[2].value, "2");
    assert_text(hg_http_head_find(&head, HG_SLICE("HOST"))->value, "b");
    guarded_free(&g);
}

static void a_head_may_come_byte_by_byte(void **state)
{
    (void)state;
    hg_http_header headers[8];
    hg_http_head head = {.headers = headers, .capacity = 8};
    hg_http_progress progress = {0};
    size_t end = sizeof message - 1 - strlen("body");
    for (size_t i = 0; i < end; i++) {
        guarded g = guarded_new(hg_slice_of(message, i));
        assert_int_equal(hg_http_head_read(g.bytes, &progress, false, &head), HG_NEED_MORE);
        guarded_free(&g);
    }
    assert_int_equal(hg_http_head_read(hg_slice_of(message, end), &progress, false, &head), HG_OK);
    assert_int_equal(head.used, end);
    assert_int_equal(head.count, 4);
}

static void a_cut_head_counts_as_far_as_it_goes(void **state)
{
    (void)state;
    hg_http_header headers[1];
    hg_http_head head = {.headers = headers, .capacity = 1};
    hg_http_progress progress = {0};
    assert_int_equal(hg_http_head_read(HG_SLICE("HTTP/1.1 200 OK\nA: 1\nB: 2"), &progress, true, &head), HG_OK);
    assert_true(head.is_response);
    assert_int_equal(head.count, 1);
    assert_int_equal(head.flags,
                     HG_HTTP_BARE_LF | HG_HTTP_CUT_LINE | HG_HTTP_CUT_HEAD | HG_HTTP_TOO_MANY_HEADERS);
    progress = (hg_http_progress){0};
    assert_int_equal(hg_http_head_read(HG_SLICE("\r\n\r\n"), &progress, true, &head), HG_ERR_TRUNCATED);
    progress = (hg_http_progress){0};
    assert_int_equal(hg_http_head_read(HG_SLICE("\x16\x03\x01\r\n\r\n"), &progress, true, &head), HG_ERR_SYNTAX);
}

/* Decodes with `step` bytes arriving at a time; returns the body's length, SIZE_MAX on failure. */
static size_t decode(hg_slice in, size_t step, char *out, hg_http_chunked *chunked)
{
    size_t n = 0, begin = 0, end = 0;
    *chunked = (hg_http_chunked){0};
    while (chunked->state != HG_HTTP_CHUNK_DONE) {
        size_t used;
        hg_slice data;
        guarded g = guarded_new(hg_slice_of(in.ptr + begin, end - begin));
        hg_status status = hg_http_chunked_next(chunked, g.bytes, &used, &data);
        if (data.len > 0)
            memcpy(out + n, data.ptr, data.len);
        n += data.len;
        begin += used;
        guarded_free(&g);
        if (status == HG_NEED_MORE && end == in.len)
            return SIZE_MAX;
        if (status == HG_NEED_MORE)
            end = in.len - end < step ? in.len : end + step;
        else if (status != HG_OK)
            return SIZE_MAX;
    }
    return n;
}

static void chunks_join_however_they_arrive(void **state)
{
    (void)state;
    hg_slice in = HG_SLICE("5;x=y\r\nhello\r\n06\r\n world\r\n0\r\nTrailer: 1\r\n\r\n");
    for (size_t step = 1; step <= in.len; step++) {
        char out[64];
        hg_http_chunked chunked;
        assert_int_equal(decode(in, step, out, &chunked), 11);
        assert_memory_equal(out, "hello world", 11);
        assert_int_equal(chunked.flags, 0);
    }
}

static void broken_chunks_end_the_body(void **state)
{
    (void)state;
    char out[64];
    hg_http_chunked chunked;
    assert_int_equal(decode(HG_SLICE("3\r\nabcJUNK\r\nzz\r\n\r\n"), 4, out, &chunked), 3);
    assert_int_equal(chunked.flags, HG_HTTP_CHUNK_JUNK | HG_HTTP_BAD_CHUNK_SIZE);
    assert_int_equal(decode(HG_SLICE("ffffffffffffffff\r\n\r\n"), 4, out, &chunked), 0);
    assert_int_equal(chunked.flags, HG_HTTP_BAD_CHUNK_SIZE);
    assert_int_equal(decode(HG_SLICE("5\r\nab"), 4, out, &chunked), SIZE_MAX);
    char longline[HG_HTTP_MAX_CHUNK_LINE];
    memset(longline, '1', sizeof longline);
    assert_int_equal(decode(hg_slice_of(longline, sizeof longline), sizeof longline, out, &chunked), SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_at_crlf_lf_and_cr),
        cmocka_unit_test(a_line_without_end_wants_more),
        cmocka_unit_test(request_lines_are_read),
        cmocka_unit_test(what_is_no_request_line_is_refused_with_a_reason),
        cmocka_unit_test(status_lines_are_read),
        cmocka_unit_test(escapes_are_undone_and_odd_ones_noted),
        cmocka_unit_test(header_lines_are_read),
        cmocka_unit_test(values_give_tokens_parameters_and_numbers),
        cmocka_unit_test(known_methods_start_a_request),
        cmocka_unit_test(a_head_is_read_whole),
        cmocka_unit_test(a_head_may_come_byte_by_byte),
        cmocka_unit_test(a_cut_head_counts_as_far_as_it_goes),
        cmocka_unit_test(chunks_join_however_they_arrive),
        cmocka_unit_test(broken_chunks_end_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
