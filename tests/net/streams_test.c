/* TCP and HTTP: what is delivered, in which order, and what is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/frames.h"

typedef struct session {
    seen s;
    talk t;
    hg_net_options o;
} session;

static void begin(session *x)
{
    x->o = test_options();
    hg_net *net = engine(&x->s, &x->o);
    assert_non_null(net);
    x->t = open_talk(net, 80);
}

static void end(session *x)
{
    hg_net_finish(x->t.net);
    hg_net_free(x->t.net);
}

static void a_plain_exchange_gives_one_row_and_one_flow(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "GET /a%41 HTTP/1.1\r\nHost: h\r\n\r\n");
    SAY(&x.t, 1, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    close_talk(&x.t);
    end(&x);
    assert_string_equal(x.s.rows, "GET /aA 200 0 2;");
    assert_string_equal(x.s.conns, "tcp SF ShADdFf http 31/40;");
    assert_string_equal(x.s.requests, "GET /aA [];");
    assert_int_equal(x.s.replies, 1);
}

static void pipelined_requests_are_handed_over_in_order_before_any_reply(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n");
    assert_string_equal(x.s.requests, "GET /1 [];GET /2 [];GET /3 [];");
    assert_string_equal(x.s.rows, "");
    end(&x);
}

static void the_head_is_judged_before_the_body_is_there(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab");
    assert_int_equal(x.s.heads, 1);
    assert_string_equal(x.s.requests, "");
    SAY(&x.t, 0, "cd");
    assert_string_equal(x.s.requests, "POST / [abcd];");
    end(&x);
}

static void segments_out_of_order_are_put_in_order(void **state)
{
    (void)state;
    session x;
    begin(&x);
    const char text[] = "GET /order HTTP/1.1\r\n\r\n";
    uint32_t seq = x.t.next[0];
    segment_at(&x.t, 0, 0x18, seq + 12, text + 12, sizeof text - 1 - 12);
    segment_at(&x.t, 0, 0x18, seq + 6, text + 6, 6);
    assert_string_equal(x.s.requests, "");
    segment_at(&x.t, 0, 0x18, seq, text, 6);
    assert_string_equal(x.s.requests, "GET /order [];");
    end(&x);
}

static void the_first_copy_of_an_octet_wins(void **state)
{
    (void)state;
    session x;
    begin(&x);
    uint32_t seq = x.t.next[0];
    segment_at(&x.t, 0, 0x18, seq + 5, "first HTTP/1.1\r\n\r\n", 18);
    segment_at(&x.t, 0, 0x18, seq, "GET /other HTTP/1.1\r\n\r\n", 23);
    assert_string_equal(x.s.requests, "GET /first [];");
    end(&x);
}

static void a_hole_inside_a_body_is_flagged_and_skipped(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc");
    x.t.next[0] += 3;
    SAY(&x.t, 0, "xyz");
    acknowledge(&x.t, 1);
    assert_string_equal(x.s.requests, "POST / [abcxyz] cut;");
    end(&x);
    assert_string_equal(x.s.rows, "POST / 0 9 0;");
}

static void chunks_are_joined_and_trailers_read(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n");
    assert_string_equal(x.s.requests, "POST /c [abcde];");
    end(&x);
}

#ifdef HG_WITH_ZLIB
#include <zlib.h>

static size_t gzipped(size_t size, uint8_t *out, size_t room)
{
    z_stream z = {0};
    static uint8_t zeros[65536];
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = out;
    z.avail_out = (uInt)room;
    for (size_t done = 0; done < size; done += sizeof zeros) {
        z.next_in = zeros;
        z.avail_in = sizeof zeros;
        deflate(&z, done + sizeof zeros >= size ? Z_FINISH : Z_NO_FLUSH);
    }
    size_t len = room - z.avail_out;
    deflateEnd(&z);
    return len;
}

static void a_decompression_bomb_stops_at_the_limit(void **state)
{
    (void)state;
    static uint8_t packed[65536];
    size_t len = gzipped(16 << 20, packed, sizeof packed);
    session x;
    x.o = test_options();
    x.o.limits.inflate_bytes = 1 << 20;
    x.o.limits.inflate_ratio = 100;
    x.t = open_talk(engine(&x.s, &x.o), 80);
    char head[128];
    int n = snprintf(head, sizeof head, "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", len);
    say(&x.t, 0, head, (size_t)n);
    for (size_t at = 0; at < len; at += 1000)
        say(&x.t, 0, (const char *)packed + at, len - at < 1000 ? len - at : 1000);
    assert_int_equal(hg_net_count(x.t.net)->inflate_cut, 1);
    end(&x);
}
#endif

static void connect_leads_to_the_protocol_inside(void **state)
{
    (void)state;
    session x;
    begin(&x);
    SAY(&x.t, 0, "CONNECT h:80 HTTP/1.1\r\n\r\n");
    SAY(&x.t, 1, "HTTP/1.1 200 OK\r\n\r\n");
    SAY(&x.t, 0, "GET /inside HTTP/1.1\r\n\r\n");
    assert_string_equal(x.s.tunnels, "HTTP;");
    assert_non_null(strstr(x.s.requests, "GET /inside [];"));
    end(&x);
}

static void http_is_found_by_content_on_any_port(void **state)
{
    (void)state;
    session x;
    x.o = test_options();
    x.t = open_talk(engine(&x.s, &x.o), 12345);
    SAY(&x.t, 0, "GET /odd HTTP/1.0\r\n\r\n");
    end(&x);
    assert_string_equal(x.s.requests, "GET /odd [];");
}

static void a_line_that_never_ends_is_cut_at_the_limit(void **state)
{
    (void)state;
    session x;
    x.o = test_options();
    x.o.limits.http_line = 4096;
    x.t = open_talk(engine(&x.s, &x.o), 80);
    SAY(&x.t, 0, "GET /");
    char text[1000];
    memset(text, 'a', sizeof text);
    for (int i = 0; i < 100; i++)
        say(&x.t, 0, text, sizeof text);
    assert_true(hg_net_count(x.t.net)->lines_cut > 0);
    end(&x);
}

static void a_body_beyond_the_limit_is_kept_in_part(void **state)
{
    (void)state;
    session x;
    x.o = test_options();
    x.o.limits.http_body = 4;
    x.t = open_talk(engine(&x.s, &x.o), 80);
    SAY(&x.t, 0, "POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n12345678");
    assert_string_equal(x.s.requests, "POST / [1234] cut;");
    end(&x);
}

static void random_conversations_end_with_every_flow_reported(void **state)
{
    (void)state;
    static const char *const pieces[] = {"GET / HTTP/1.1\r\n", "\r\n", "Content-Length: 5\r\n", "HTTP/1.1 200 OK\r\n",
                                         "Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\n", "0\r\n\r\n", "\r", "x",
                                         "Content-Type: multipart/form-data; boundary=b\r\n", "--b\r\n", "--b--\r\n"};
    unsigned seed = 1;
    for (int round = 0; round < 300; round++) {
        session x;
        begin(&x);
        for (int i = 0; i < 12; i++) {
            seed = seed * 1103515245u + 12345u;
            const char *piece = pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
            int side = seed >> 30 & 1;
            if ((seed >> 8 & 15) == 0)
                x.t.next[side] += 7; /* lost */
            say(&x.t, side, piece, strlen(piece));
            acknowledge(&x.t, !side);
        }
        close_talk(&x.t);
        end(&x);
        assert_non_null(strstr(x.s.conns, "tcp SF"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_exchange_gives_one_row_and_one_flow),
        cmocka_unit_test(pipelined_requests_are_handed_over_in_order_before_any_reply),
        cmocka_unit_test(the_head_is_judged_before_the_body_is_there),
        cmocka_unit_test(segments_out_of_order_are_put_in_order),
        cmocka_unit_test(the_first_copy_of_an_octet_wins),
        cmocka_unit_test(a_hole_inside_a_body_is_flagged_and_skipped),
        cmocka_unit_test(chunks_are_joined_and_trailers_read),
#ifdef HG_WITH_ZLIB
        cmocka_unit_test(a_decompression_bomb_stops_at_the_limit),
#endif
        cmocka_unit_test(connect_leads_to_the_protocol_inside),
        cmocka_unit_test(http_is_found_by_content_on_any_port),
        cmocka_unit_test(a_line_that_never_ends_is_cut_at_the_limit),
        cmocka_unit_test(a_body_beyond_the_limit_is_kept_in_part),
        cmocka_unit_test(random_conversations_end_with_every_flow_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
