/* The short way through the outer headers of flows that are known to be tunnels, in two steps: a batch of frames is read
 * without looking at any state and what will be looked up is fetched; then each is taken through. */
#ifndef NET_EXPRESS_H
#define NET_EXPRESS_H

#include "net/flow/flow.h"

enum {
    NET_EXPRESS = 32768,   /* tunnels remembered; a power of two */
    NET_EXPRESS_LEVELS = 2, /* taken at once */
    NET_EXPRESS_LAYERS = 4 * NET_EXPRESS_LEVELS + 2, /* entered on the way and right behind it, at most */
    NET_AHEAD = 16,         /* frames read ahead */
};

/* Source, destination and ports of the outer datagrams as on the wire, 0 for a level that is not there. */
typedef struct net_outer_key {
    uint32_t word[3 * NET_EXPRESS_LEVELS];
} net_outer_key;

/* Flows that carry one level, or two, one in the other: one cache line. */
typedef struct net_outer {
    net_outer_key key;
    net_flow *flow[NET_EXPRESS_LEVELS];  /* the first NULL: empty */
    uint64_t serial[NET_EXPRESS_LEVELS]; /* the flow may have ended since */
} __attribute__((aligned(64))) net_outer;

/* What a frame's headers say: Ethernet, then `levels` of IPv4, UDP and Geneve or VXLAN, all as expected. */
typedef struct net_ahead {
    uint32_t levels;
    bool has_hash;
    net_outer_key key;
    net_outer *outer; /* where the tunnel is remembered if it is */
    uint64_t hash;    /* of the innermost flow */
    uint8_t trail[16]; /* the layers in their order, from Ethernet to what the last level carries */
    struct {
        uint32_t ip, inside;     /* where the datagram and what it carries are in the frame */
        uint32_t captured, wire; /* of what it carries */
        uint16_t total;
        uint8_t layer;   /* NET_LAYER_vxlan or NET_LAYER_geneve */
        uint8_t carried; /* NET_LAYER_ip or NET_LAYER_ethernet with IPv4 in it; NET_LAYER_root: something else */
        uint8_t entered; /* length of the trail with what is carried */
    } level[NET_EXPRESS_LEVELS];
} net_ahead;

/* Reads the headers of an Ethernet frame; constant time, touches no state. */
void net_ahead_read(const hg_net *net, const hg_net_frame *frame, net_ahead *ahead);

/* The tunnel's header of a level of the frame's ahead. */
const uint8_t *net_ahead_tunnel(const net_frame *frame, uint32_t n);

/* Reads `count` frames (at most NET_AHEAD) and fetches what they will look up. */
void net_prefetch(hg_net *net, const hg_net_frame *frames, size_t count, net_ahead *ahead);

/* The packet's flow carries this tunnel and all is as it should be: its next packets may go the short way. */
void net_express_note(hg_net *net, const net_packet *packet, uint32_t layer);

/* Takes the frame as far as known tunnels go. True: all done, *result is the dispatcher's; false: nothing was changed, go
 * the usual way. */
bool net_express(hg_net *net, net_packet *packet, const net_ahead *ahead, bool *result);

#endif
