/* What tunnels inside a flow share: depth, the flow's verdict so far, violations. */
#ifndef NET_FLOW_TUNNEL_H
#define NET_FLOW_TUNNEL_H

#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

static inline bool net_flow_tunnel_is_violated(const net_packet *packet, net_service service)
{
    return packet->flow->violated >> service & 1;
}

/* Notes that the flow's payload is not this tunnel; always false. */
static inline bool net_flow_tunnel_violated(net_packet *packet, net_service service)
{
    packet->flow->violated |= (uint8_t)(1u << service);
    return false;
}

/* May a header be looked for? Needs a flow, no violation before, and room on the stack. */
static inline bool net_flow_tunnel_tried(hg_net *net, net_packet *packet, const net_layer *me, net_service service,
                                         net_weird missing)
{
    if (packet->flow == NULL) {
        net_weird_packet(net, packet, missing, "", me);
        return false;
    }
    if (net_flow_tunnel_is_violated(packet, service))
        return false;
    return net_tunnel_fits(net, packet, me, true);
}

#endif
