/* Shared inside the room. */
#ifndef WATCH_INTERNAL_H
#define WATCH_INTERNAL_H

#include "hotgate/request.h"
#include "hotgate/watch.h"
#include "watch/tally.h"

enum { WATCH_HEADERS_MOST = 512, WATCH_ENTRIES = 16, WATCH_OPEN = 64 };

/* One transaction: what the rules look at must live as long as its context. */
typedef struct watch_transaction {
    struct watch_transaction *next; /* free list */
    hg_arena arena;
    hg_context *context;
    hg_net_endpoint orig, resp;
    uint64_t serial;
    uint32_t number;
    hg_slice method, host, url, content_type;
    unsigned status;
    hg_net_tunnel tunnels[HG_NET_TUNNELS];
    size_t tunnel_count;
    bool attacked;
    bool complete; /* the request's body is there */
    bool replied;  /* with a final status */
    bool over;     /* nothing more will be judged */
    uint32_t slot; /* among the open contexts */
} watch_transaction;

struct hg_watch {
    hg_watch_options options;
    hg_net_sink next;
    const hg_net *net;
    watch_transaction *spare;
    watch_transaction *open[WATCH_OPEN]; /* with a context; the oldest gives way */
    uint32_t next_open;
    hg_buffer line;
    hg_watch_counters counters;
    hg_net_time first, last; /* of flows */
    uint64_t bytes;          /* IP octets of finished flows */
    watch_tally talkers, tunnels, methods, hosts, rules, weirds, states;
};

void watch_request(void *state, const hg_net_request *request);
void watch_reply(void *state, const hg_net_reply *reply);
void watch_forget(void *state, void *user);

/* One line of JSON for each event of the result. */
void watch_alerts(hg_watch *watch, const watch_transaction *t, hg_net_time time, const hg_result *result);

void watch_count_conn(hg_watch *watch, const hg_net_conn *conn);
void watch_count_tunnel(hg_watch *watch, const hg_net_tunnel_event *event);
void watch_count_http(hg_watch *watch, const hg_net_http *http);
void watch_count_weird(hg_watch *watch, const hg_net_weird *weird);

#endif
