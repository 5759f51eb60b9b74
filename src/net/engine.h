/* The engine's inside: what every file of this room shares. */
#ifndef NET_ENGINE_H
#define NET_ENGINE_H

#include "hotgate/net.h"
#include "net/addr.h"
#include "net/slab.h"
#include "net/weirds.h"

enum {
    NET_NODES = 64,         /* layers that can be registered */
    NET_HISTORY = 64,       /* entered layers remembered for unknown-protocol records */
    NET_DETECTORS = 4,      /* per layer */
    NET_SECOND = 1000000,
};

typedef struct net_flow net_flow;
typedef struct net_packet net_packet;
typedef struct net_layer net_layer;

/* ---- Layers ---- */

/* Handles one header and hands the rest on; false when the rest could not be analysed. */
typedef bool net_enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len);

/* Is this payload one of ours? */
typedef bool net_detect(const uint8_t *data, size_t len);

/* Special keys of a registration besides a number on the wire. */
#define NET_DEFAULT UINT64_MAX          /* when the parent finds nothing else */
#define NET_DETECTOR (UINT64_MAX - 1)   /* when the parent's table finds nothing and detect() says yes */

typedef struct net_parent {
    const char *name;
    uint64_t key;
    bool extension; /* not in compat mode */
} net_parent;

struct net_layer {
    const char *name;
    const char *source; /* in weird records */
    uint32_t id;        /* place in the table of layers */
    net_enter *enter;
    net_detect *detect;
    const net_parent *parents; /* ends with a NULL name */
    bool quiet;                /* reports no unknown protocols */
};

/* A layer at work: its dispatch table as a dense array from the lowest key to the highest. */
typedef struct net_node {
    const net_layer *layer;
    uint64_t low;
    uint32_t span;
    uint8_t *table; /* node index + 1, 0: nothing */
    uint8_t fallback;
    uint8_t detectors[NET_DETECTORS];
    uint8_t detector_count;
} net_node;

/* ---- Packets ---- */

/* What one captured frame's nested packets share. */
typedef struct net_frame {
    hg_net_time time;
    const uint8_t *octets;
    uint32_t entered;
    uint8_t history[NET_HISTORY];
    uint32_t depth;    /* layers of encapsulation */
    uint32_t express;  /* the outermost ones that express.c knows */
    uint32_t unfilled; /* the outermost ones of which the stack does not tell yet: net_tunnel_stack fills it */
    hg_net_tunnel stack[HG_NET_TUNNELS];
    uint64_t signature[HG_NET_TUNNELS + 1]; /* [depth]: identifies the whole stack; [0] is 0 */
    net_flow *carrier[HG_NET_TUNNELS];      /* the outer flow of a layer; NULL: an address pair */
    const struct net_ahead *ahead;          /* of unfilled layers */
    bool checked;
} net_frame;

/* One packet: the captured frame, or what a tunnel carried. */
struct net_packet {
    net_frame *frame;
    const uint8_t *base;
    uint32_t captured;
    uint32_t wire;
    const uint8_t *mac_src, *mac_dst; /* NULL: none seen */
    int vlan, inner_vlan, pppoe;
    bool processed;

    bool has_ip; /* an IP header was accepted; the fields below are set */
    uint8_t version;
    uint8_t ip_proto;
    bool unknown_len;  /* total length 0: the captured rest counts */
    const uint8_t *ip; /* the header */
    net_addr src, dst; /* effective */
    uint32_t ip_total, ip_header;
    uint32_t ip_captured; /* from the header on */
    uint32_t payload_wire; /* IP payload by the header's own account */
    net_flow *flow; /* set by a transport */
    bool from_orig;
};

/* Hands data on by identifier; false as specified for unknown protocols. */
bool net_forward(hg_net *net, net_packet *packet, const net_layer *parent, uint64_t key, const uint8_t *data,
                 size_t len);

/* Hands data on without identifier: detectors, then the default. */
bool net_forward_default(hg_net *net, net_packet *packet, const net_layer *parent, const uint8_t *data, size_t len);

/* The root's table: by link type. */
bool net_forward_link(hg_net *net, net_packet *packet, uint32_t link_type, const uint8_t *data, size_t len);

hg_status net_dispatch_init(hg_net *net);
void net_dispatch_free(hg_net *net);

extern const net_layer *const net_layers[]; /* ends with NULL; the first is the root */

/* ---- Anomalies ---- */

void net_weird_packet(hg_net *net, const net_packet *packet, net_weird name, const char *addl, const net_layer *source);
void net_weird_pair(hg_net *net, const net_packet *packet, const net_addr *src, const net_addr *dst, net_weird name,
                    const char *addl, const char *source);
void net_weird_flow(hg_net *net, net_flow *flow, net_weird name, const char *addl, const char *source);

/* ---- Unknown protocols ---- */

void net_unknown(hg_net *net, const net_packet *packet, const net_layer *parent, uint64_t key, const uint8_t *data,
                 size_t len);

/* ---- The engine ---- */

typedef struct net_weird_state net_weird_state;
typedef struct net_unknown_state net_unknown_state;
typedef struct net_fragments net_fragments;
typedef struct net_flows net_flows;
typedef struct net_timers net_timers;
typedef struct net_pairs net_pairs;
typedef struct net_discovered net_discovered;
typedef struct net_blocks net_blocks;
typedef struct net_streams net_streams;
typedef struct net_outer net_outer;

struct hg_net {
    hg_net_options options;
    hg_net_sink sink;
    hg_net_counters counters;
    hg_net_time now; /* network time */
    uint64_t serials;
    net_frame *frame; /* being analysed; NULL: none */

    net_node nodes[NET_NODES];
    uint32_t node_count;
    uint16_t *link_types; /* root keys */

    uint8_t server_ports[2][65536 / 8]; /* likely ones: TCP, UDP */
    net_prefix *unchecked;
    size_t unchecked_count;
    net_prefix *local;
    size_t local_count;

    net_weird_state *weirds;
    net_unknown_state *unknowns;
    net_fragments *fragments;
    net_flows *flows;
    net_timers *timers;
    net_pairs *pairs;
    net_discovered *discovered;
    net_blocks *blocks;
    net_streams *streams;
    net_outer *outer;      /* express.c; NULL: not used */
    hg_net_time swept;     /* when old tunnels were looked for */
};

static inline bool net_is_server_port(const hg_net *net, bool udp, uint16_t port)
{
    return (net->server_ports[udp][port >> 3] >> (port & 7)) & 1;
}

/* Are this packet's checksums to be verified? */
bool net_verify(const hg_net *net, const net_packet *packet);

bool net_is_local(const hg_net *net, const net_addr *a);

#endif
