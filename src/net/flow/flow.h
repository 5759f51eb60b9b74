/* Flows: one object per (addresses, ports, protocol), with what TCP needs inside. */
#ifndef NET_FLOW_H
#define NET_FLOW_H

#include "net/engine.h"

enum {
    NET_ORIG = 0, NET_RESP = 1,
    NET_HISTORY_INLINE = 22,
    NET_HISTORY_MOST = 1024, /* letters; more are dropped */
    NET_PARENTS = 6,         /* tunnel parents kept in the flow's first block */
};

typedef enum net_tcp_state {
    TCP_INACTIVE, TCP_SYN_SENT, TCP_SYN_ACK_SENT, TCP_PARTIAL, TCP_ESTABLISHED, TCP_CLOSED, TCP_RESET,
} net_tcp_state;

/* A service a flow was confirmed as; the order of the bits is the order of confirmation only through service_order. */
typedef enum net_service {
    NET_HTTP, NET_WEBSOCKET, NET_VXLAN, NET_GENEVE, NET_TEREDO, NET_AYIYA, NET_GTPV1, NET_SERVICES,
} net_service;

/* One direction, of any protocol. */
typedef struct net_count {
    uint64_t packets, ip_bytes;
    uint64_t bytes; /* UDP, ICMP: payload octets */
} net_count;

/* One direction of TCP. Sequence numbers are 64-bit positions relative to `start`. The first cache line is what every
 * segment touches. */
typedef struct net_side {
    uint8_t state, previous;
    int8_t scale;      /* of the window */
    bool started : 1;  /* a segment was seen */
    bool closed : 1;
    bool skipping : 1; /* reassembly gave up */
    bool eof : 1;      /* the application was told */
    uint32_t blocks;   /* out-of-order data, number of the first block, 0: none */
    uint64_t last, ack;     /* highest end sent, highest acknowledged by the peer */
    uint64_t next, trimmed; /* reassembly: delivered up to, acknowledged up to */
    uint32_t start;         /* sequence number of position 0 */
    uint32_t window, window_seq, window_ack;
    hg_net_time last_time;

    uint32_t block_octets, block_count;
    uint32_t fin_count, rst_count;
    uint32_t retransmissions, zero_windows, gaps; /* for the scaled letters */
    uint64_t fin_end;
    uint64_t syn_at, fin_at, rst_at; /* positions of the latest such letters */
} __attribute__((aligned(64))) net_side;

enum {
    SEEN_SYN = 1, SEEN_FIN = 2, SEEN_RST = 4, SEEN_DATA = 8, SEEN_ACK = 16, SEEN_MULTI = 32, SEEN_MULTI_FR = 64,
};

typedef struct net_stream net_stream;

/* By cache lines: the first is all that a packet of a known tunnel touches, the second what a look-up compares; `side`
 * is left unset but for TCP. A free object's first octets hold the slab's list. */
struct net_flow {
    uint32_t index; /* slot in the slab */
    bool alive;
    uint8_t violated; /* bits: tunnels that are not tried any more */
    uint8_t ip_proto;
    bool one_way;
    uint64_t serial;
    hg_net_time last;
    uint64_t touched;   /* number of the last frame that used it */
    uint64_t signature; /* of the encapsulation of the latest packet */
    net_count count[2];

    net_addr addr[2];
    uint16_t port[2];
    uint32_t vlan_key; /* vlan and inner vlan when they are part of the key */

    net_stream *stream; /* application, NULL: none */
    uint64_t hash;
    hg_net_time start;
    hg_net_time discovered; /* when this tunnel was last reported or looked up; 0: never */
    uint32_t history_len;
    uint8_t proto; /* hg_net_proto */
    uint8_t seen[2];  /* letters already in the history */
    bool active[2];   /* UDP: sent something */
    bool partial, limit_hit, had_weird;
    bool attached;    /* the application was chosen */
    bool deferred;    /* close waits for the end of the stream */
    bool finished;    /* complete close; only the delete timer counts */
    bool flipped;
    bool slow;        /* TCP inactivity of 5 minutes */
    bool v6;
    uint8_t teredo, gtp; /* bits: directions that carried a valid packet */
    uint8_t tunnel;      /* hg_net_tunnel_type it was reported as */
    uint8_t service_count;
    uint8_t service_order[NET_SERVICES];

    char history[NET_HISTORY_INLINE];
    char *long_history;
    uint64_t parents[NET_PARENTS]; /* serials of innermost layers */
    uint64_t *more_parents;
    uint32_t parent_count;
    uint32_t changes;
    uint32_t bad_checksums[2]; /* for the scaled letter */
    uint64_t missed;
    int vlan, inner_vlan, pppoe;
    uint8_t mac[2][6];

    net_side side[2];
} __attribute__((aligned(64)));

/* The key of a packet's flow. */
typedef struct net_key {
    net_addr addr[2];
    uint16_t port[2];
    uint8_t ip_proto;
    bool one_way;
    uint32_t vlans;
} net_key;

hg_status net_flows_init(hg_net *net);
void net_flows_free(hg_net *net);

/* Finds the flow of (src, dst) in either direction unless one_way; *forward: src is its originator. NULL: none. */
net_flow *net_flow_find(hg_net *net, const net_key *key, uint64_t hash, bool *forward);
uint64_t net_flow_hash(const hg_net *net, const net_key *key);

/* Fetches the index entry of a hash into the cache. */
void net_flow_prefetch(const hg_net *net, uint64_t hash);

/* The flow that this hash most likely belongs to, without looking at it; NULL: none. */
const net_flow *net_flow_peek(const hg_net *net, uint64_t hash);

/* A new flow from this packet. flip: the packet's destination is the originator. NULL at the limit. */
net_flow *net_flow_create(hg_net *net, net_packet *packet, const net_key *key, uint64_t hash, hg_net_proto proto,
                          bool flip);

/* Ends the flow: flushes its application, reports it and gives it back. */
void net_flow_remove(hg_net *net, net_flow *flow);
void net_flows_finish(hg_net *net);

/* Swaps originator and responder. */
void net_flow_flip(hg_net *net, net_flow *flow);

/* Notes the encapsulation this packet came in. */
void net_flow_encapsulation(hg_net *net, net_flow *flow, const net_packet *packet);

void net_flow_letter(net_flow *flow, char letter);
/* In the case of the direction: upper for the originator. */
void net_flow_side_letter(net_flow *flow, bool orig, char letter);
/* At the 1st, 10th, 100th... call with this counter. */
void net_flow_scaled_letter(net_flow *flow, bool orig, char letter, uint32_t *count);
void net_flow_limit_hit(net_flow *flow);
const char *net_flow_history(const net_flow *flow);

void net_flow_confirm(net_flow *flow, net_service service);
void net_flow_unconfirm(net_flow *flow, net_service service);
bool net_flow_is(const net_flow *flow, net_service service);

/* conn_state of the record. */
const char *net_flow_state(const net_flow *flow);

/* Counts an accepted packet. */
static inline void net_flow_count(net_flow *flow, const net_packet *packet)
{
    net_count *count = &flow->count[packet->from_orig ? NET_ORIG : NET_RESP];
    count->packets++;
    count->ip_bytes += packet->ip_total;
}

/* The table's part of making and ending a flow. */
net_flow *net_flow_allocate(hg_net *net, uint64_t hash, hg_net_proto proto);
void net_flow_release(hg_net *net, net_flow *flow);

/* Finds or makes the flow of a packet without flags that could change roles; sets packet->flow, from_orig. */
net_flow *net_flow_of(hg_net *net, net_packet *packet, const net_key *key, hg_net_proto proto, bool flip);

net_flow *net_flow_by_index(hg_net *net, uint32_t index);

/* Fetches what a timer looks at and, when the flow ends, its removal. */
static inline void net_flow_fetch(const net_flow *flow)
{
    __builtin_prefetch(flow, 1);
    __builtin_prefetch(&flow->stream, 1);
}

#endif
