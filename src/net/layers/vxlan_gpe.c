/* VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe, UDP 4790): as VXLAN, with a next protocol. An extension. Weirds:
 * exceeded_tunnel_max_depth, vxlan_missing_connection. */
#include "net/layers/flow_tunnel.h"

#include <stddef.h>

enum { HEADER = 8, FLAG_VNI = 0x08, FLAG_NEXT = 0x04, ETHERNET = 3 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_vxlan_gpe;
    if (!net_flow_tunnel_tried(net, packet, me, NET_VXLAN, W_vxlan_missing_connection))
        return false;
    if (len <= HEADER || !(data[0] & FLAG_VNI))
        return net_flow_tunnel_violated(packet, NET_VXLAN);
    net_flow_confirm(packet->flow, NET_VXLAN);
    net_packet inner = net_tunnel_inner(packet, data + HEADER, len - HEADER);
    net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_VXLAN)->vni = net_be32(data + 4) >> 8;
    uint8_t next = data[0] & FLAG_NEXT ? data[3] : ETHERNET;
    bool result = net_forward(net, &inner, me, next, data + HEADER, len - HEADER);
    net_tunnel_pop(packet);
    return result;
}

static const net_parent parents[] = {{"UDP", 4790, true}, {NULL, 0, false}};

const net_layer net_layer_vxlan_gpe = {
    .name = "VXLAN_GPE", .source = "VXLAN", .id = NET_LAYER_vxlan_gpe, .enter = enter, .parents = parents};
