/* The states of the two ends and the close of a flow. Weirds: connection_originator_SYN_ack, bad_SYN_ack,
 * simultaneous_open, unsolicited_SYN_response, spontaneous_FIN, spontaneous_RST, repeated_SYN_with_ack,
 * repeated_SYN_reply_wo_ack, inappropriate_FIN, data_before_established, SYN_after_partial, SYN_after_close,
 * FIN_advanced_last_seq, SYN_after_reset, FIN_after_reset, data_after_reset, pending_data_when_closed. */
#include "net/flow/timers.h"
#include "net/http/stream.h"
#include "net/tcp/tcp.h"

typedef struct ends {
    hg_net *net;
    net_flow *flow;
    net_step *step;
    net_side *side, *peer;
} ends;

static void weird(const ends *e, net_weird name)
{
    net_weird_flow(e->net, e->flow, name, "", "TCP");
}

static bool is_starting(uint8_t state)
{
    return state == TCP_INACTIVE || state == TCP_SYN_SENT || state == TCP_SYN_ACK_SENT;
}

void net_tcp_set_state(net_flow *flow, net_side *side, net_tcp_state state)
{
    if (side->state == state)
        return;
    side->previous = side->state;
    side->state = (uint8_t)state;
    if (!is_starting(side->state))
        flow->slow = true; /* out of the handshake: the longer inactivity limit */
}

static void syn_of_originator(const ends *e)
{
    if (e->step->flags & TCP_ACK)
        weird(e, W_connection_originator_SYN_ack);
    net_tcp_set_state(e->flow, e->side, e->step->flags & TCP_ACK ? TCP_SYN_ACK_SENT : TCP_SYN_SENT);
    net_timer_add(e->net, e->flow, TIMER_ATTEMPT, e->flow->last + 5 * NET_SECOND);
}

static bool is_between(uint32_t seq, uint32_t from, uint32_t to)
{
    return (int32_t)(seq - from) >= 0 && (int32_t)(seq - to) <= 0;
}

static void syn_of_responder(ends *e)
{
    net_side *side = e->side, *peer = e->peer;
    if (e->step->flags & TCP_ACK) {
        if (peer->state != TCP_INACTIVE && peer->state != TCP_PARTIAL &&
            !is_between(e->step->ack, peer->start, peer->start + (uint32_t)peer->last))
            weird(e, W_bad_SYN_ack);
    } else if (peer->state == TCP_SYN_ACK_SENT && e->step->seq == side->start) {
        /* SYN and SYN-ACK were captured in the wrong order */
        net_flow_flip(e->net, e->flow);
        e->step->orig = !e->step->orig;
        net_side *keep = e->side;
        e->side = side = e->peer;
        e->peer = peer = keep;
        net_tcp_set_state(e->flow, peer, TCP_ESTABLISHED);
    } else {
        weird(e, W_simultaneous_open);
    }
    if (peer->state == TCP_SYN_SENT)
        net_tcp_set_state(e->flow, peer, TCP_ESTABLISHED);
    else if (peer->state == TCP_INACTIVE)
        weird(e, W_unsolicited_SYN_response);
    net_tcp_set_state(e->flow, side, TCP_ESTABLISHED);
}

static bool is_reject(const ends *e)
{
    uint8_t peer = e->peer->state;
    return e->step->orig ? peer == TCP_ESTABLISHED : peer == TCP_SYN_SENT || peer == TCP_SYN_ACK_SENT;
}

static void from_inactive(ends *e)
{
    net_step *step = e->step;
    if (step->flags & TCP_SYN) {
        if (step->orig)
            syn_of_originator(e);
        else
            syn_of_responder(e);
    }
    if (step->flags & TCP_FIN) {
        net_tcp_set_state(e->flow, e->side, TCP_CLOSED);
        step->close = true;
        if (e->peer->state != TCP_PARTIAL && !(step->flags & TCP_SYN))
            weird(e, W_spontaneous_FIN);
    }
    if (step->flags & TCP_RST) {
        bool reject = is_reject(e);
        net_tcp_set_state(e->flow, e->side, TCP_RESET);
        step->close = true;
        if (!reject && e->peer->state == TCP_INACTIVE)
            weird(e, W_spontaneous_RST);
    }
    if (e->side->state != TCP_INACTIVE)
        return;
    if (!step->orig && step->payload == 0 && e->peer->state == TCP_SYN_SENT)
        return; /* some acknowledge a SYN before they answer it */
    if ((step->flags & TCP_ACK) && e->peer->state == TCP_ESTABLISHED) {
        net_tcp_set_state(e->flow, e->side, TCP_ESTABLISHED);
        e->flow->partial = false;
    } else {
        net_tcp_set_state(e->flow, e->side, TCP_PARTIAL);
    }
}

static void from_syn_sent(const ends *e)
{
    net_step *step = e->step;
    if (step->flags & TCP_SYN) {
        bool ack = step->flags & TCP_ACK;
        if (step->orig && ack && !(step->flags & (TCP_FIN | TCP_RST)) && e->side->state != TCP_SYN_ACK_SENT)
            weird(e, W_repeated_SYN_with_ack);
        if (!step->orig && !ack && e->side->state != TCP_SYN_SENT)
            weird(e, W_repeated_SYN_reply_wo_ack);
    }
    if (step->flags & TCP_FIN) {
        if (e->peer->state == TCP_INACTIVE || e->peer->state == TCP_SYN_SENT)
            weird(e, W_inappropriate_FIN);
        net_tcp_set_state(e->flow, e->side, TCP_CLOSED);
        step->close = true;
    }
    if (step->flags & TCP_RST) {
        net_tcp_set_state(e->flow, e->side, TCP_RESET);
        step->close = true;
    } else if (step->payload > 0) {
        weird(e, W_data_before_established);
    }
}

static void from_established(const ends *e)
{
    net_step *step = e->step;
    bool plain_syn = (step->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    if (plain_syn && e->side->state == TCP_PARTIAL && e->peer->state == TCP_INACTIVE) {
        weird(e, W_SYN_after_partial);
        net_tcp_set_state(e->flow, e->side, TCP_SYN_SENT);
    }
    if ((step->flags & TCP_FIN) && !(step->flags & TCP_RST)) {
        net_tcp_set_state(e->flow, e->side, TCP_CLOSED);
        if (e->peer->state == TCP_RESET && e->peer->previous == TCP_CLOSED)
            net_tcp_set_state(e->flow, e->peer, TCP_CLOSED);
        step->close = true;
    }
    if (step->flags & TCP_RST) {
        net_tcp_set_state(e->flow, e->side, TCP_RESET);
        step->close = true;
    }
}

static void from_closed(const ends *e)
{
    net_step *step = e->step;
    if (step->flags & TCP_SYN)
        weird(e, W_SYN_after_close);
    if ((step->flags & TCP_FIN) && step->delta_last > 0)
        weird(e, W_FIN_advanced_last_seq);
    if ((step->flags & TCP_RST) && e->peer->state != TCP_CLOSED) {
        net_tcp_set_state(e->flow, e->side, TCP_RESET);
        step->close = !e->side->closed;
    }
}

static void from_reset(const ends *e)
{
    if (e->step->flags & TCP_SYN)
        weird(e, W_SYN_after_reset);
    if (e->step->flags & TCP_FIN)
        weird(e, W_FIN_after_reset);
    if (e->step->payload > 0 && !(e->step->flags & TCP_RST))
        weird(e, W_data_after_reset);
}

void net_tcp_step(hg_net *net, net_flow *flow, net_step *step)
{
    ends e = {net, flow, step, &flow->side[step->orig ? NET_ORIG : NET_RESP],
              &flow->side[step->orig ? NET_RESP : NET_ORIG]};
    switch (e.side->state) {
    case TCP_INACTIVE:
        from_inactive(&e);
        return;
    case TCP_SYN_SENT:
    case TCP_SYN_ACK_SENT:
        from_syn_sent(&e);
        return;
    case TCP_ESTABLISHED:
    case TCP_PARTIAL:
        from_established(&e);
        return;
    case TCP_CLOSED:
        from_closed(&e);
        return;
    default:
        from_reset(&e);
        return;
    }
}

/* Octets of this side that its peer got but did not acknowledge, or that wait behind a hole. */
static bool is_kept(const net_side *side)
{
    return !side->skipping && (side->next > side->trimmed || side->blocks != 0);
}

static bool is_waiting(const net_flow *flow, int i)
{
    return net_tcp_pending(flow, i) || (flow->side[i].state != TCP_RESET && is_kept(&flow->side[!i]));
}

void net_tcp_close(hg_net *net, net_flow *flow, int i)
{
    net_side *side = &flow->side[i], *peer = &flow->side[!i];
    if (is_waiting(flow, i)) {
        if (flow->deferred && side->state == TCP_CLOSED && peer->state == TCP_CLOSED)
            net_weird_flow(net, flow, W_pending_data_when_closed, "", "TCP");
        flow->deferred = true;
        return;
    }
    flow->deferred = false;
    if (side->closed)
        return;
    side->closed = true;
    bool complete = side->state == TCP_RESET || peer->closed || peer->state == TCP_INACTIVE;
    if (complete && !flow->finished) {
        flow->finished = true;
        net_timer_add(net, flow, TIMER_DELETE, flow->last + 5 * NET_SECOND);
    }
}

void net_tcp_check_eof(hg_net *net, net_flow *flow, int i)
{
    net_side *side = &flow->side[i];
    bool over = side->state == TCP_CLOSED || side->state == TCP_RESET;
    if (!over || side->eof || is_waiting(flow, i))
        return;
    side->eof = true;
    net_stream_eof(net, flow, i);
    if (flow->deferred) {
        flow->deferred = false;
        net_tcp_close(net, flow, i);
    }
}
