/* A TCP segment (RFC 9293) against its flow, in the order that the records depend on. Weirds: SYN_seq_jump,
 * SYN_inside_connection, TCP_seq_underflow_or_misorder, TCP_ack_underflow_or_misorder, window_recision, TCP_christmas,
 * baroque_SYN, SYN_with_data, TCP_scale_range, FIN_storm, RST_storm, possible_split_routing,
 * active_connection_reuse, premature_connection_reuse, truncated_tcp_payload. */
#include "net/flow/timers.h"
#include "net/http/stream.h"
#include "net/tcp/tcp.h"

#include <stdio.h>

enum { JUMP = 1 << 20, STORM = 1000, SCALE_MOST = 14, OPTION_SCALE = 3 };

static const char *const source = "TCP";

static int32_t delta(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

/* The position of a sequence number near position `near`; negative below the start. */
static int64_t position(const net_side *side, uint32_t seq, uint64_t near)
{
    return (int64_t)near + delta(seq, side->start + (uint32_t)near);
}

static bool is_closed(const net_flow *flow)
{
    return flow->side[0].closed || flow->side[1].closed;
}

static bool is_active(const net_side *side)
{
    return side->state != TCP_INACTIVE && !side->closed;
}

bool net_tcp_is_reuse(hg_net *net, net_flow *flow, const net_segment *s, hg_net_time time)
{
    if (!(s->flags & TCP_SYN))
        return false;
    const net_side *orig = &flow->side[NET_ORIG], *resp = &flow->side[NET_RESP], *compared = orig;
    if (s->flags & TCP_ACK) {
        if (orig->state != TCP_INACTIVE)
            return false;
        compared = resp;
    }
    if (!is_closed(flow)) {
        if (s->seq == compared->start)
            return false;
        if (!(s->flags & TCP_ACK) && orig->state == TCP_SYN_ACK_SENT && resp->state == TCP_INACTIVE &&
            s->seq == resp->start)
            return false;
        net_weird_flow(net, flow, compared->state == TCP_SYN_SENT ? W_SYN_seq_jump : W_active_connection_reuse, "",
                       source);
        return true;
    }
    if (orig->state == TCP_RESET || resp->state == TCP_RESET)
        return true;
    if (is_active(orig) || is_active(resp))
        net_weird_flow(net, flow, W_active_connection_reuse, "", source);
    else if (time - flow->last < 5 * NET_SECOND)
        net_weird_flow(net, flow, W_premature_connection_reuse, "", source);
    return true;
}

static void note_partial(net_flow *flow, net_side *side, const net_segment *s)
{
    if (side->started)
        return;
    side->started = true;
    bool syn = s->flags & TCP_SYN;
    if (s->orig)
        flow->partial = !(syn && !(s->flags & TCP_ACK));
    else if (!flow->partial)
        flow->partial = !syn;
}

static void set_start(net_side *side, uint32_t start, uint64_t last)
{
    side->start = start;
    side->ack = 0;
    side->last = last;
}

static void init_side(hg_net *net, net_flow *flow, net_side *side, const net_segment *s, uint32_t length)
{
    bool syn = s->flags & TCP_SYN;
    switch (side->state) {
    case TCP_INACTIVE:
        if (syn)
            set_start(side, s->seq, length);
        else
            set_start(side, s->seq - 1, 1);
        return;
    case TCP_SYN_SENT:
    case TCP_SYN_ACK_SENT:
        if (syn && s->seq != side->start) {
            net_weird_flow(net, flow, W_SYN_seq_jump, "", "");
            set_start(side, s->seq, length);
        }
        return;
    case TCP_ESTABLISHED:
    case TCP_PARTIAL:
        if (!syn)
            return;
        if (net_tcp_size(flow, net_tcp_index(flow, side)) > 0)
            net_weird_flow(net, flow, W_SYN_inside_connection, "", "");
        if (s->seq != side->start)
            net_weird_flow(net, flow, W_SYN_seq_jump, "", "");
        set_start(side, s->seq, length);
        return;
    case TCP_RESET:
        if (syn && side->previous == TCP_INACTIVE)
            set_start(side, s->seq, length);
        return;
    default:
        return;
    }
}

/* A flow that began with a SYN-ACK and now sees the rest was seen the wrong way round. */
static bool is_late_flip(const net_flow *flow, const net_segment *s)
{
    if (flow->history_len != 1 || flow->history[0] != 'H' || (s->flags & (TCP_SYN | TCP_FIN | TCP_RST)))
        return false;
    return s->payload > 0 || (s->flags & TCP_ACK);
}

static void letter_once(net_flow *flow, bool orig, uint8_t kind, char letter)
{
    uint8_t *seen = &flow->seen[orig ? NET_ORIG : NET_RESP];
    if (*seen & kind)
        return;
    *seen |= kind;
    net_flow_side_letter(flow, orig, letter);
}

static void letter_at(net_flow *flow, bool orig, uint8_t kind, char letter, uint64_t at, uint64_t *last)
{
    uint8_t *seen = &flow->seen[orig ? NET_ORIG : NET_RESP];
    if ((*seen & kind) && *last == at)
        return;
    *seen |= kind;
    *last = at;
    net_flow_side_letter(flow, orig, letter);
}

static void history(net_flow *flow, net_side *side, const net_segment *s, uint64_t seq)
{
    uint8_t three = s->flags & (TCP_SYN | TCP_FIN | TCP_RST);
    bool o = s->orig;
    if (three == TCP_SYN)
        letter_at(flow, o, SEEN_SYN, s->flags & TCP_ACK ? 'H' : 'S', seq, &side->syn_at);
    else if (three == TCP_FIN)
        letter_at(flow, o, SEEN_FIN, 'F', seq + s->payload, &side->fin_at);
    else if (three == TCP_RST)
        letter_at(flow, o, SEEN_RST, 'R', seq, &side->rst_at);
    else if (three != 0)
        letter_once(flow, o, SEEN_MULTI, (three & TCP_FIN) && (three & TCP_RST) ? 'I' : 'Q');
    else if (s->payload > 0)
        letter_once(flow, o, SEEN_DATA, 'D');
    else if (s->flags & TCP_ACK)
        letter_once(flow, o, SEEN_ACK, 'A');
}

static void window(hg_net *net, net_flow *flow, net_side *side, const net_side *peer, const net_segment *s)
{
    uint32_t size = (uint32_t)s->window << side->scale;
    if (size == 0 && !(s->flags & TCP_RST) && peer->state != TCP_CLOSED && side->state != TCP_RESET)
        net_flow_scaled_letter(flow, s->orig, 'W', &side->zero_windows);
    if ((s->flags & (TCP_SYN | TCP_FIN | TCP_RST)) || side->state == TCP_CLOSED || side->state == TCP_RESET)
        return;
    if (delta(s->seq, side->window_seq) < 0 || delta(s->ack, side->window_ack) < 0)
        return;
    int32_t advance = delta(s->ack + size, side->window_ack + side->window);
    if (advance < 0 && -(int64_t)advance >= 1 << side->scale)
        net_weird_flow(net, flow, W_window_recision, "", "");
    side->window = size;
    side->window_ack = s->ack;
    side->window_seq = s->seq;
}

static int scale_option(const net_segment *s)
{
    const uint8_t *at = s->options, *end = at + s->options_len;
    while (at < end && *at != 0) {
        if (*at == 1) {
            at++;
            continue;
        }
        if (end - at < 2 || at[1] < 2 || at[1] > end - at)
            break;
        if (*at == OPTION_SCALE && at[1] == 3)
            return at[2];
        at += at[1];
    }
    return -1;
}

static void syn(hg_net *net, net_flow *flow, net_side *side, net_side *peer, const net_segment *s)
{
    if (s->flags & TCP_RST)
        net_weird_flow(net, flow, W_TCP_christmas, "", source);
    if (s->flags & TCP_URG)
        net_weird_flow(net, flow, W_baroque_SYN, "", source);
    if (s->payload > 0)
        net_weird_flow(net, flow, W_SYN_with_data, "", source);
    int scale = scale_option(s);
    if (scale < 0) {
        if (s->flags & TCP_ACK)
            side->scale = peer->scale = 0;
        return;
    }
    if (scale > SCALE_MOST) {
        char addl[12];
        snprintf(addl, sizeof addl, "%d", scale);
        if (!flow->had_weird)
            net_weird_flow(net, flow, W_TCP_scale_range, addl, source);
        scale = SCALE_MOST;
    }
    side->scale = (int8_t)scale;
    side->window_seq = s->seq;
    side->window_ack = s->ack;
    peer->window_seq = s->ack;
    peer->window_ack = s->seq;
}

static void storm(hg_net *net, net_flow *flow, const net_side *side, uint32_t *count, hg_net_time time, net_weird name)
{
    if (++*count >= STORM && time < side->last_time + NET_SECOND)
        net_weird_flow(net, flow, name, "", source);
}

/* An acknowledgement before its peer was heard: the peer's numbers start there. */
static void init_peer(hg_net *net, net_flow *flow, const net_side *side, net_side *peer, const net_segment *s)
{
    bool plain = !(s->flags & (TCP_SYN | TCP_FIN | TCP_RST));
    bool under_way = side->state == TCP_SYN_SENT || side->state == TCP_SYN_ACK_SENT || side->state == TCP_ESTABLISHED;
    if (plain && under_way && !flow->had_weird)
        net_weird_flow(net, flow, W_possible_split_routing, "", "");
    set_start(peer, s->ack - 1, 0);
}

static uint64_t acknowledge(hg_net *net, net_flow *flow, net_side *side, net_side *peer, const net_segment *s)
{
    if (peer->state == TCP_INACTIVE) {
        init_peer(net, flow, side, peer, s);
        if (!(s->flags & TCP_RST))
            peer->ack = 1;
        return 1;
    }
    int64_t ack = position(peer, s->ack, peer->ack);
    if (ack < 0) {
        net_weird_flow(net, flow, W_TCP_ack_underflow_or_misorder, "", source);
        return 0;
    }
    if (s->flags & TCP_RST)
        return (uint64_t)ack;
    int32_t d = delta(s->ack, peer->start + (uint32_t)peer->ack);
    if (d > 0 && !(s->ack == 0 && d > JUMP))
        peer->ack = (uint64_t)ack;
    return (uint64_t)ack;
}

static int64_t update_last(net_flow *flow, net_side *side, const net_segment *s, uint32_t length)
{
    uint32_t end = s->seq + length, last = side->start + (uint32_t)side->last;
    int32_t d = delta(end, last);
    if ((s->flags & (TCP_SYN | TCP_RST)) && (d > JUMP || d < -JUMP))
        return d;
    if ((s->flags & TCP_FIN) && side->last == 1)
        side->last += end - last; /* forward, however far: only SYN and FIN may have been captured */
    else if (side->state == TCP_RESET)
        return d;
    else if (d > 0)
        side->last += (uint32_t)d;
    else if (s->payload > 0)
        net_flow_scaled_letter(flow, s->orig, 'T', &side->retransmissions);
    return d;
}

uint64_t net_tcp_size(const net_flow *flow, int i)
{
    const net_side *side = &flow->side[i];
    const net_side *peer = &flow->side[!i];
    if (side->state == TCP_RESET && side->previous == TCP_SYN_SENT && peer->state == TCP_INACTIVE && side->ack > 1)
        return 0;
    uint64_t size = side->last > side->ack ? side->last : side->ack;
    if (size > 0)
        size--;
    if (side->fin_count > 0 && size > 0)
        size--;
    return size;
}

bool net_tcp_attempt_failed(const net_flow *flow)
{
    uint8_t state = flow->side[NET_ORIG].state;
    return (state == TCP_SYN_SENT || state == TCP_SYN_ACK_SENT) && flow->side[NET_RESP].state == TCP_INACTIVE;
}

bool net_tcp_expired(const net_flow *flow, hg_net_time now)
{
    const net_side *o = &flow->side[NET_ORIG], *r = &flow->side[NET_RESP];
    if (flow->last + 5 * NET_SECOND >= now)
        return false;
    if (o->closed && r->closed)
        return true;
    if (o->closed || r->closed)
        return o->state == TCP_RESET || r->state == TCP_RESET || o->state == TCP_INACTIVE || r->state == TCP_INACTIVE;
    return o->state == TCP_INACTIVE && r->state == TCP_INACTIVE;
}

void net_tcp_segment(hg_net *net, net_flow *flow, net_packet *packet, const net_segment *segment)
{
    net_segment s = *segment;
    net_side *side = &flow->side[s.orig ? NET_ORIG : NET_RESP], *peer = &flow->side[s.orig ? NET_RESP : NET_ORIG];
    hg_net_time time = packet->frame->time;
    note_partial(flow, side, &s);
    uint32_t length = ((s.flags & TCP_RST) ? 0 : s.payload) + !!(s.flags & TCP_SYN) + !!(s.flags & TCP_FIN);
    init_side(net, flow, side, &s, length);
    int64_t seq = position(side, s.seq, side->last);
    bool underflow = seq < 0 && !(s.flags & TCP_RST);
    if (underflow)
        net_weird_flow(net, flow, W_TCP_seq_underflow_or_misorder, "", source);
    if (is_late_flip(flow, &s)) {
        flow->history_len = 0;
        net_flow_flip(net, flow);
        net_flow_letter(flow, 'h');
        s.orig = !s.orig;
        packet->from_orig = s.orig;
        side = &flow->side[s.orig ? NET_ORIG : NET_RESP];
        peer = &flow->side[s.orig ? NET_RESP : NET_ORIG];
    }
    history(flow, side, &s, (uint64_t)seq);
    window(net, flow, side, peer, &s);
    if (!side->closed || !peer->closed)
        flow->last = time;
    if (s.flags & TCP_SYN)
        syn(net, flow, side, peer, &s);
    if (s.flags & TCP_FIN) {
        storm(net, flow, side, &side->fin_count, time, W_FIN_storm);
        side->fin_end = (uint64_t)seq + length;
    }
    if (s.flags & TCP_RST) {
        storm(net, flow, side, &side->rst_count, time, W_RST_storm);
        net_stream_reset(net, flow);
    }
    uint64_t ack = s.flags & TCP_ACK ? acknowledge(net, flow, side, peer, &s) : 0;
    net_step step = {.seq = s.seq, .ack = s.ack, .rel_ack = ack, .payload = s.payload, .flags = s.flags,
                     .orig = s.orig, .delta_last = update_last(flow, side, &s, length)};
    side->last_time = time;
    net_tcp_step(net, flow, &step);
    int mine = step.orig ? NET_ORIG : NET_RESP;
    packet->from_orig = step.orig;
    if ((s.flags & TCP_ACK) && !(s.flags & TCP_RST))
        net_tcp_acked(net, flow, !mine, ack);
    if (s.payload > 0 && !(s.flags & TCP_RST) && !underflow) {
        if (s.captured < s.payload)
            net_weird_flow(net, flow, W_truncated_tcp_payload, "", source);
        else
            net_tcp_data(net, flow, mine, (uint64_t)seq + !!(s.flags & TCP_SYN), s.data, s.payload);
    }
    net_tcp_check_eof(net, flow, mine);
    if (step.close)
        net_tcp_close(net, flow, mine);
    net_stream_packet_done(net, flow);
}
