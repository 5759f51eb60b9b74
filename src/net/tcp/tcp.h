/* TCP: segments, states, reassembly. */
#ifndef NET_TCP_H
#define NET_TCP_H

#include "net/flow/flow.h"

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16, TCP_URG = 32 };

typedef struct net_segment {
    const uint8_t *options;
    size_t options_len;
    const uint8_t *data; /* captured payload */
    uint32_t captured;
    uint32_t payload; /* by the IP header's account */
    uint32_t seq, ack;
    uint16_t window;
    uint8_t flags;
    bool orig;
} net_segment;

/* Would this SYN start a new flow on the old one's addresses? Raises the weird that says so. */
bool net_tcp_is_reuse(hg_net *net, net_flow *flow, const net_segment *segment, hg_net_time time);

void net_tcp_segment(hg_net *net, net_flow *flow, net_packet *packet, const net_segment *segment);

/* For the timers. */
bool net_tcp_attempt_failed(const net_flow *flow);
bool net_tcp_expired(const net_flow *flow, hg_net_time now);

/* Payload octets of one side, from sequence space. */
uint64_t net_tcp_size(const net_flow *flow, int side);

/* Both sides together. */
static inline uint64_t net_tcp_payload(const net_flow *flow)
{
    return net_tcp_size(flow, NET_ORIG) + net_tcp_size(flow, NET_RESP);
}

/* The state machine's part. */
typedef struct net_step {
    uint32_t seq, ack;   /* on the wire */
    uint64_t rel_ack;
    uint32_t payload;
    int64_t delta_last;
    uint8_t flags;
    bool orig;
    bool close; /* out: this side's end was seen */
} net_step;

void net_tcp_step(hg_net *net, net_flow *flow, net_step *step);
void net_tcp_set_state(net_flow *flow, net_side *side, net_tcp_state state);
void net_tcp_close(hg_net *net, net_flow *flow, int side);
void net_tcp_check_eof(hg_net *net, net_flow *flow, int side);

/* The reassembler's part. */
hg_status net_blocks_init(hg_net *net);
void net_blocks_free(hg_net *net);
void net_tcp_data(hg_net *net, net_flow *flow, int side, uint64_t seq, const uint8_t *data, uint32_t len);
void net_tcp_acked(hg_net *net, net_flow *flow, int side, uint64_t ack);
bool net_tcp_pending(const net_flow *flow, int side);
void net_tcp_drop_blocks(hg_net *net, net_side *side);

static inline int net_tcp_index(const net_flow *flow, const net_side *side)
{
    return side == &flow->side[NET_RESP];
}

#endif
