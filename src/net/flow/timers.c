/* Timers in packet time: a wheel of short spans; what falls into the span under way waits in a heap, so that timers run
 * in the order of their times. A removed flow's timers stay until due and are then seen to be stale by the flow's
 * serial number. */
#include "net/flow/timers.h"
#include "net/tcp/tcp.h"
#include "net/tunnel/tunnel.h"

#include <stdlib.h>

enum {
    AT_ONCE = 300,
    SPAN_SHIFT = 16, /* a span: 65.5 ms */
    SPANS = 8192,    /* 9 minutes ahead; later timers wait in the last one and are put back from there */
};

typedef struct entry {
    hg_net_time when;
    uint32_t flow;
    uint32_t tag;  /* serial and kind */
} entry;

typedef struct node {
    entry timer;
    uint32_t next; /* in its span or in the free list: index + 1 */
} node;

struct net_timers {
    uint32_t spans[SPANS]; /* index + 1 of the first node */
    int64_t span;          /* the first that is still in the wheel: earlier timers are in the heap */
    node *nodes;
    uint32_t used, room, unused; /* nodes ever used, how many there are, the free list */
    entry *heap;           /* the earliest first */
    size_t count, heap_room;
};

hg_status net_timers_init(hg_net *net)
{
    net->timers = calloc(1, sizeof *net->timers);
    return net->timers ? HG_OK : HG_ERR_NOMEM;
}

void net_timers_free(hg_net *net)
{
    if (net->timers != NULL) {
        free(net->timers->nodes);
        free(net->timers->heap);
    }
    free(net->timers);
    net->timers = NULL;
}

void net_timers_clear(hg_net *net)
{
    net_timers *t = net->timers;
    memset(t->spans, 0, sizeof t->spans);
    t->used = t->unused = 0;
    t->count = 0;
    t->span = 0;
}

static uint32_t tag_of(const net_flow *flow, net_timer kind)
{
    return (uint32_t)(flow->serial << 2) | kind;
}

/* A larger array for `room` objects, or NULL with the old one kept. */
static void *grown(void *old, size_t room, size_t size)
{
    return room <= UINT32_MAX ? realloc(old, room * size) : NULL;
}

static void heap_add(net_timers *t, entry e)
{
    if (t->count == t->heap_room) {
        size_t room = t->heap_room ? t->heap_room * 2 : 256;
        entry *heap = grown(t->heap, room, sizeof *heap);
        if (heap == NULL)
            return; /* the flow then lives until the end or until it is evicted */
        t->heap = heap;
        t->heap_room = room;
    }
    size_t at = t->count++;
    while (at > 0 && t->heap[(at - 1) / 2].when > e.when) {
        t->heap[at] = t->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    t->heap[at] = e;
}

static entry heap_pop(net_timers *t)
{
    const entry top = t->heap[0], last = t->heap[--t->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < t->count; at = child) {
        if (child + 1 < t->count && t->heap[child + 1].when < t->heap[child].when)
            child++;
        if (t->heap[child].when >= last.when)
            break;
        t->heap[at] = t->heap[child];
    }
    t->heap[at] = last;
    return top;
}

/* The node is in the list of its span, or its timer in the heap. */
static void place(net_timers *t, uint32_t number)
{
    node *n = &t->nodes[number - 1];
    int64_t span = n->timer.when >> SPAN_SHIFT;
    if (span < t->span) {
        heap_add(t, n->timer);
        n->next = t->unused;
        t->unused = number;
        return;
    }
    if (span >= t->span + SPANS)
        span = t->span + SPANS - 1;
    uint32_t *head = &t->spans[span & (SPANS - 1)];
    n->next = *head;
    *head = number;
}

static uint32_t node_take(net_timers *t)
{
    uint32_t number = t->unused;
    if (number != 0) {
        t->unused = t->nodes[number - 1].next;
        return number;
    }
    if (t->used == t->room) {
        uint32_t room = t->room ? t->room * 2 : 1024;
        node *nodes = grown(t->nodes, room, sizeof *nodes);
        if (nodes == NULL)
            return 0;
        t->nodes = nodes;
        t->room = room;
    }
    return ++t->used;
}

void net_timer_add(hg_net *net, net_flow *flow, net_timer kind, hg_net_time when)
{
    net_timers *t = net->timers;
    const entry timer = {when, flow->index, tag_of(flow, kind)};
    if (when >> SPAN_SHIFT < t->span) {
        heap_add(t, timer);
        return;
    }
    uint32_t number = node_take(t);
    if (number == 0)
        return; /* as in heap_add */
    t->nodes[number - 1].timer = timer;
    place(t, number);
}

/* Moves every span that begins by now into the heap; its flows will be looked at soon. */
static void turn(hg_net *net, net_timers *t, hg_net_time now)
{
    const int64_t until = (now >> SPAN_SHIFT) + 1;
    int64_t from = t->span;
    if (until - from > SPANS)
        from = until - SPANS; /* each once */
    t->span = until;
    for (; from < until; from++) {
        uint32_t number = t->spans[from & (SPANS - 1)];
        t->spans[from & (SPANS - 1)] = 0;
        while (number != 0) {
            const uint32_t next = t->nodes[number - 1].next;
            net_flow_fetch(net_flow_by_index(net, t->nodes[number - 1].timer.flow));
            place(t, number);
            number = next;
        }
    }
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
    if (net->now >> SPAN_SHIFT >= t->span)
        turn(net, t, net->now);
    for (int i = 0; i < AT_ONCE && t->count > 0 && t->heap[0].when <= net->now; i++) {
        const entry due = heap_pop(t);
        net_flow *flow = net_flow_by_index(net, due.flow);
        net_timer kind = due.tag & 3;
        if (flow->alive && tag_of(flow, kind) == due.tag)
            fire(net, flow, kind);
    }
}
