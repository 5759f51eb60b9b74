/* Each allocation fails once while an engine and its logs are made and fed with all kinds of traffic: nothing crashes,
 * nothing is left behind, and the engine goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "hotgate/netlog.h"
#include "net/frames.h"

static void plain(hg_net *net, hg_net_time time, const frame *f)
{
    hg_net_packet(net, time, 1, hg_slice_of((const char *)f->data, f->len), (uint32_t)f->len);
}

static void conversation(hg_net *net, unsigned port)
{
    talk t = open_talk(net, port);
    SAY(&t, 0, "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n");
    SAY(&t, 0, "Content-Type: multipart/form-data; boundary=b\r\n\r\n");
    SAY(&t, 0, "1d\r\n--b\r\nContent-Type: x/y\r\n\r\nabc\r\n\r\n0\r\n\r\n");
    acknowledge(&t, 1);
    segment_at(&t, 1, 0x18, t.next[1] + 17, "Content-Length: 3\r\n\r\nabc", 24); /* before what precedes it */
    SAY(&t, 1, "HTTP/1.1 200 OK\r\n");
    t.next[1] += 24;
    SAY(&t, 0, "CONNECT h:1 HTTP/1.1\r\n\r\n");
    SAY(&t, 1, "HTTP/1.1 200 OK\r\n\r\n");
    close_talk(&t);
}

static void fragments(hg_net *net)
{
    for (unsigned i = 0; i < 2; i++) {
        frame f = {.len = 0};
        ethernet(&f, 0x0800);
        ip4(&f, 17, 1, 2, 64);
        f.data[14 + 6] = i == 0 ? 0x20 : 0;
        f.data[14 + 7] = i == 0 ? 0 : 8;
        f.len += 64;
        plain(net, 2000000, &f);
    }
}

static void tunnels(hg_net *net)
{
    static const unsigned ports[] = {4789, 6081};
    for (unsigned i = 0; i < 2; i++) {
        frame f = {.len = 0};
        ethernet(&f, 0x0800);
        ip4(&f, 17, 1, 2, 8 + 8 + (i == 0 ? 14 : 0) + 28);
        udp(&f, 1000, ports[i], 8 + (i == 0 ? 14 : 0) + 28);
        add(&f, i == 0 ? "\x08\0\0\0\0\0\1\0" : "\0\0\x08\0\0\0\1\0", 8);
        if (i == 0)
            ethernet(&f, 0x0800);
        ip4(&f, 17, 3, 4, 8);
        udp(&f, 5, 6, 0);
        plain(net, 2100000, &f);
        plain(net, 2100001, &f);
    }
    frame pair = {.len = 0};
    ethernet(&pair, 0x0800);
    ip4(&pair, 4, 1, 2, 28);
    ip4(&pair, 17, 3, 4, 8);
    udp(&pair, 5, 6, 0);
    plain(net, 2200000, &pair);
}

static void odd(hg_net *net)
{
    frame unknown = {.len = 0}, cut = {.len = 0};
    ethernet(&unknown, 0x9999);
    add(&unknown, "0123456789", 10);
    ethernet(&cut, 0x0800);
    add(&cut, "\x45\0\0", 3);
    plain(net, 2300000, &unknown);
    plain(net, 2300000, &cut);
}

static void traffic(hg_net *net)
{
    conversation(net, 80);
    conversation(net, 12345); /* found by content */
    fragments(net);
    tunnels(net);
    odd(net);
    hg_net_finish(net);
}

static void every_allocation_may_fail_once(void **state)
{
    (void)state;
    const hg_net_options options = test_options();
    const hg_netlog_options format = {.dir = "", .format = HG_NETLOG_JSON};
    bool failed = true;
    size_t sites = 0;
    for (; failed; sites++) {
        const size_t before = malloc_live;
        hg_net_sink sink = {0};
        hg_net *net = NULL;
        malloc_arm(sites);
        hg_netlog *log = hg_netlog_new(&format);
        if (log != NULL) {
            hg_netlog_sink(log, &sink);
            net = hg_net_new(&options, &sink);
            hg_netlog_bind(log, net);
        }
        if (net != NULL)
            traffic(net);
        failed = malloc_disarm();
        if (net != NULL) {
            const uint64_t requests = hg_net_count(net)->http_requests;
            traffic(net);
            assert_true(hg_net_count(net)->http_requests >= requests + 2);
        }
        hg_net_free(net);
        if (log != NULL)
            hg_netlog_close(log);
        assert_int_equal(malloc_live, before);
    }
    assert_true(sites > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
