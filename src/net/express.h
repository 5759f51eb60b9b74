/* The outer headers of a flow known to be a tunnel, in one piece. */
#ifndef NET_EXPRESS_H
#define NET_EXPRESS_H

#include "net/flow/flow.h"

enum { NET_EXPRESS = 32768 }; /* outer flows remembered; a power of two */

typedef struct net_outer {
    uint32_t src, dst; /* as on the wire */
    uint32_t ports;    /* source and destination, as on the wire */
    uint32_t flow;
    uint64_t serial;   /* 0: empty */
    uint8_t layer;     /* NET_LAYER_vxlan or NET_LAYER_geneve */
} net_outer;

/* The packet's flow carries this tunnel and all is as it should be: its next packets may go the short way. */
void net_express_note(hg_net *net, const net_packet *packet, uint32_t layer);

/* Takes the Ethernet frame as far as known tunnels go. True: all done, *result is the dispatcher's; false: nothing was
 * changed, go the usual way. */
bool net_express(hg_net *net, net_packet *packet, bool *result);

/* Fetches ahead what the frames of a batch will look up: first the index entries, then the flows themselves. */
void net_prefetch(hg_net *net, const hg_net_frame *frames, size_t count);

static inline uint32_t net_outer_slot(const hg_net *net, uint32_t src, uint32_t dst, uint32_t ports)
{
    uint64_t h = ((uint64_t)src ^ (uint64_t)dst << 17 ^ net->options.hash_seed) + (uint64_t)ports * 0x9e3779b97f4a7c15u;
    h *= 0xe7037ed1a0b428dbu;
    return (uint32_t)(h >> 40) & (NET_EXPRESS - 1);
}

#endif
