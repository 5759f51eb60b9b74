/* Tunnels: the stack of encapsulation around a packet, address pairs of IP tunnels, and what was discovered. */
#ifndef NET_TUNNEL_H
#define NET_TUNNEL_H

#include "net/flow/flow.h"
#include "net/hash.h"

hg_status net_tunnels_init(hg_net *net);
void net_tunnels_free(hg_net *net);
void net_tunnels_clear(hg_net *net);
void net_tunnels_expire(hg_net *net);

/* Is there room on the stack for one more? Else the weird is raised, and the carrying flow
 * marked on demand. source: the layer that asks. */
bool net_tunnel_fits(hg_net *net, net_packet *packet, const net_layer *source, bool mark_flow);

/* A layer that lies in a flow, without what its own header says. */
hg_net_tunnel net_tunnel_of_flow(const net_flow *flow, hg_net_tunnel_type type);

/* Pushes a layer that lies in the packet's flow. */
hg_net_tunnel *net_tunnel_push_flow(hg_net *net, net_packet *packet, hg_net_tunnel_type type);

/* Pushes a layer that lies between the packet's addresses. */
hg_net_tunnel *net_tunnel_push_pair(hg_net *net, net_packet *packet, hg_net_tunnel_type type, uint8_t ip_proto);

void net_tunnel_pop(net_packet *packet);

/* The layers of encapsulation, outermost first: frame->depth of them. */
const hg_net_tunnel *net_tunnel_stack(net_frame *frame);

/* The serial of the innermost layer; there is one. */
static inline uint64_t net_tunnel_innermost(const net_frame *frame)
{
    const uint32_t last = frame->depth - 1;
    return frame->carrier[last] != NULL ? frame->carrier[last]->serial : frame->stack[last].flow;
}

/* What identifies a stack with one more layer. */
static inline uint64_t net_tunnel_signature(uint64_t outer, uint64_t serial, uint8_t ip_proto)
{
    return net_hash_mix(outer, serial << 8 | ip_proto) | 1;
}

/* An inner packet with nothing known but its octets. */
net_packet net_tunnel_inner(const net_packet *outer, const uint8_t *data, size_t len);

/* Is data a datagram of the version that protocol 4 or 41 promises, of exactly its length? */
typedef enum net_inner_check { NET_INNER_OK, NET_INNER_VERSION, NET_INNER_SHORT, NET_INNER_LONG } net_inner_check;
net_inner_check net_tunnel_check_ip(const uint8_t *data, size_t len, uint8_t protocol);

/* Reports the layers of the packet's stack that were not reported yet. */
void net_tunnel_discover(hg_net *net, const net_packet *packet);

/* Reports one layer unless it was. */
void net_tunnel_report(hg_net *net, const hg_net_tunnel *layer);

/* The outer flow of a reported tunnel ends; it lives on: was the tunnel looked up within the hour? */
void net_tunnel_flow_ends(hg_net *net, const net_flow *flow);
void net_tunnel_flow_idles(hg_net *net, net_flow *flow);

#endif
