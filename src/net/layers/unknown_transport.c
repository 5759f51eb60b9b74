/* Any other IP protocol (SCTP, OSPF, ESP over IPv4, ...): a flow without ports, and an unknown protocol. */
#include "net/layers/transport.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    net_key key = net_transport_key(net, packet, 0, 0);
    net_flow *flow = net_flow_of(net, packet, &key, HG_NET_UNKNOWN, false);
    if (flow == NULL)
        return false;
    flow->last = packet->frame->time;
    net_flow_count(flow, packet);
    packet->processed = false;
    return net_forward(net, packet, &net_layer_unknown_transport, packet->ip_proto, data, len);
}

static const net_parent parents[] = {{"IP", NET_DEFAULT, false}, {NULL, 0, false}};

const net_layer net_layer_unknown_transport = {.name = "Unknown_IP_Transport", .source = "UNKNOWN_IP_TRANSPORT",
                                               .id = NET_LAYER_unknown_transport, .enter = enter,
                                               .parents = parents};
