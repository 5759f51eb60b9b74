/* The watch: its life and its place in the chain of sinks. */
#include "watch/internal.h"

#include <stdlib.h>

enum { TIMEOUT = 100000 };

hg_watch *hg_watch_new(const hg_watch_options *options)
{
    hg_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    watch->options = *options;
    watch->line.a = hg_heap();
    watch->first = INT64_MAX;
    if (options->timeout_us == 0)
        watch->options.timeout_us = TIMEOUT;
    if (options->waf != NULL)
        hg_waf_ref(options->waf);
    return watch;
}

void hg_watch_rules(hg_watch *watch, hg_waf *waf)
{
    hg_waf *old = watch->options.waf;
    watch->options.waf = waf ? hg_waf_ref(waf) : NULL;
    hg_waf_unref(old);
}

void hg_watch_bind(hg_watch *watch, const hg_net *net)
{
    watch->net = net;
}

static void on_conn(void *state, const hg_net_conn *conn)
{
    hg_watch *watch = state;
    if (watch->options.summary)
        watch_count_conn(watch, conn);
    if (watch->next.conn != NULL)
        watch->next.conn(watch->next.state, conn);
}

static void on_tunnel(void *state, const hg_net_tunnel_event *event)
{
    hg_watch *watch = state;
    if (watch->options.summary)
        watch_count_tunnel(watch, event);
    if (watch->next.tunnel != NULL)
        watch->next.tunnel(watch->next.state, event);
}

static void on_weird(void *state, const hg_net_weird *weird)
{
    hg_watch *watch = state;
    if (watch->options.summary)
        watch_count_weird(watch, weird);
    if (watch->next.weird != NULL)
        watch->next.weird(watch->next.state, weird);
}

static void on_http(void *state, const hg_net_http *http)
{
    hg_watch *watch = state;
    if (watch->options.summary)
        watch_count_http(watch, http);
    if (watch->next.http != NULL)
        watch->next.http(watch->next.state, http);
}

static void on_unknown(void *state, const hg_net_unknown *unknown)
{
    hg_watch *watch = state;
    watch->next.unknown(watch->next.state, unknown);
}

void hg_watch_sink(hg_watch *watch, hg_net_sink *sink)
{
    watch->next = *sink;
    *sink = (hg_net_sink){.state = watch, .conn = on_conn, .tunnel = on_tunnel, .weird = on_weird, .http = on_http};
    if (watch->next.unknown != NULL)
        sink->unknown = on_unknown;
    if (watch->options.waf != NULL) {
        sink->request = watch_request;
        sink->reply = watch_reply;
        sink->forget = watch_forget;
    }
}

const hg_watch_counters *hg_watch_count(const hg_watch *watch)
{
    return &watch->counters;
}

void hg_watch_free(hg_watch *watch)
{
    if (watch == NULL)
        return;
    for (watch_transaction *t = watch->spare; t != NULL;) {
        watch_transaction *next = t->next;
        hg_arena_close(&t->arena);
        free(t);
        t = next;
    }
    watch_tally *tallies[] = {&watch->talkers, &watch->tunnels, &watch->methods, &watch->hosts,
                              &watch->rules,   &watch->weirds,  &watch->states};
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++)
        watch_tally_free(tallies[i]);
    hg_buffer_free(&watch->line);
    hg_waf_unref(watch->options.waf);
    free(watch);
}
