/* Timers in packet time: a heap with four children a node. A removed flow's timers stay until due and are then seen
 * to be stale by the flow's serial number. */
#include "net/flow/timers.h"
#include "net/tcp/tcp.h"
#include "net/tunnel/tunnel.h"

#include <stdlib.h>

enum { AT_ONCE = 300, CHILDREN = 4 };

typedef struct entry {
    hg_net_time when;
    uint32_t flow;
    uint32_t tag; /* serial and kind */
} entry;

struct net_timers {
    entry *heap;
    size_t count, room;
};

hg_status net_timers_init(hg_net *net)
{
    net->timers = calloc(1, sizeof *net->timers);
    return net->timers ? HG_OK : HG_ERR_NOMEM;
}

void net_timers_free(hg_net *net)
{
    if (net->timers != NULL)
        free(net->timers->heap);
    free(net->timers);
    net->timers = NULL;
}

void net_timers_clear(hg_net *net)
{
    net->timers->count = 0;
}

static uint32_t tag_of(const net_flow *flow, net_timer kind)
{
    return (uint32_t)(flow->serial << 2) | kind;
}

void net_timer_add(hg_net *net, net_flow *flow, net_timer kind, hg_net_time when)
{
    net_timers *t = net->timers;
    if (t->count == t->room) {
        size_t room = t->room ? t->room * 2 : 1024;
        entry *heap = realloc(t->heap, room * sizeof *heap);
        if (heap == NULL)
            return; /* the flow then lives until the end or until it is evicted */
        t->heap = heap;
        t->room = room;
    }
    size_t at = t->count++;
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;
        if (t->heap[parent].when <= when)
            break;
        t->heap[at] = t->heap[parent];
        at = parent;
    }
    t->heap[at] = (entry){when, flow->index, tag_of(flow, kind)};
}

static entry pop(net_timers *t)
{
    entry top = t->heap[0], last = t->heap[--t->count];
    size_t at = 0;
    for (;;) {
        size_t first = at * CHILDREN + 1, best = first;
        if (first >= t->count)
            break;
        for (size_t i = first + 1; i < first + CHILDREN && i < t->count; i++)
            if (t->heap[i].when < t->heap[best].when)
                best = i;
        if (t->heap[best].when >= last.when)
            break;
        t->heap[at] = t->heap[best];
        at = best;
    }
    if (t->count > 0)
        t->heap[at] = last;
    return top;
}

static hg_net_time inactivity(const net_flow *flow)
{
    return (flow->slow ? 300 : 60) * (hg_net_time)NET_SECOND;
}

static void fire(hg_net *net, net_flow *flow, net_timer kind)
{
    hg_net_time due;
    if (flow->finished && kind != TIMER_DELETE)
        return;
    switch (kind) {
    case TIMER_INACTIVITY:
        due = flow->last + inactivity(flow);
        if (due > net->now) {
            net_tunnel_flow_idles(net, flow);
            net_timer_add(net, flow, TIMER_INACTIVITY, due);
        } else {
            net_flow_remove(net, flow);
        }
        return;
    case TIMER_ATTEMPT:
        if (net_tcp_attempt_failed(flow))
            net_flow_remove(net, flow);
        return;
    case TIMER_EXPIRE:
        if (net_tcp_expired(flow, net->now))
            net_flow_remove(net, flow);
        else
            net_timer_add(net, flow, TIMER_EXPIRE, net->now + 6 * NET_SECOND);
        return;
    case TIMER_DELETE:
        net_flow_remove(net, flow);
        return;
    }
}

void net_timers_run(hg_net *net)
{
    net_timers *t = net->timers;
    for (int i = 0; i < AT_ONCE && t->count > 0 && t->heap[0].when <= net->now; i++) {
        entry due = pop(t);
        for (size_t k = 0; k < CHILDREN && k < t->count; k++) /* the next ones are among these */
            __builtin_prefetch(&net_flow_by_index(net, t->heap[k].flow)->last);
        net_flow *flow = net_flow_by_index(net, due.flow);
        net_timer kind = due.tag & 3;
        if (flow->alive && tag_of(flow, kind) == due.tag)
            fire(net, flow, kind);
    }
}
