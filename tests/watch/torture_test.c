/* Each allocation fails once while a watch is made and judges requests: nothing crashes, nothing is left behind, and
 * later attacks are alerted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "hotgate/watch.h"
#include "net/frames.h"
#include "waf/judge.h"

static void count(void *state, hg_slice json)
{
    (void)json;
    ++*(size_t *)state;
}

static void attack(hg_net *net)
{
    talk t = open_talk(net, 80);
    SAY(&t, 0, "POST /?a=evil HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    SAY(&t, 0, "Content-Length: 6\r\n\r\nb=evil");
    SAY(&t, 1, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    close_talk(&t);
    hg_net_finish(net);
}

/* One round with the allocation `site` failing; false: there is no such site. */
static bool round_of(hg_waf *waf, size_t site)
{
    const hg_net_options options = test_options();
    size_t alerts = 0;
    const hg_watch_options how = {.waf = waf, .summary = true, .alert = count, .state = &alerts};
    hg_net_sink sink = {0};
    hg_net *net = NULL;
    malloc_arm(site);
    hg_watch *watch = hg_watch_new(&how);
    if (watch != NULL) {
        hg_watch_sink(watch, &sink);
        net = hg_net_new(&options, &sink);
        hg_watch_bind(watch, net);
    }
    if (net != NULL)
        attack(net);
    const bool failed = malloc_disarm();
    if (net != NULL) {
        alerts = 0;
        attack(net);
        assert_int_equal(alerts, 2);
    }
    hg_net_free(net);
    hg_watch_free(watch);
    return failed;
}

static void every_allocation_may_fail_once(void **state)
{
    (void)state;
    hg_arena_init(&judge_arena, NULL);
    hg_waf *waf = judge_load(RULE("query", "t", "server.request.query", "") "," RULE("body", "u", "server.request.body", ""),
                             "");
    round_of(waf, SIZE_MAX); /* what the thread keeps for reuse */
    size_t site = 0;
    for (size_t before = malloc_live; round_of(waf, site); before = malloc_live, site++)
        assert_true(malloc_live <= before);
    hg_waf_unref(waf);
    hg_arena_close(&judge_arena);
    assert_true(site > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
