/* VXLAN (RFC 7348, UDP 4789), 8 octets: flags 1 (I 0x08), reserved 3, VNI 3, reserved 1; Ethernet follows.
 * Weirds: exceeded_tunnel_max_depth, vxlan_missing_connection, vxlan_empty_packet. */
#include "net/express.h"
#include "net/layers/flow_tunnel.h"

#include <stddef.h>

enum { HEADER = 8, FLAG_VNI = 0x08 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_vxlan;
    if (!net_flow_tunnel_tried(net, packet, me, NET_VXLAN, W_vxlan_missing_connection))
        return false;
    if (len < HEADER || !(data[0] & FLAG_VNI))
        return net_flow_tunnel_violated(packet, NET_VXLAN);
    net_flow_confirm(packet->flow, NET_VXLAN);
    if (len == HEADER) {
        net_weird_packet(net, packet, W_vxlan_empty_packet, "", me);
        return false;
    }
    net_express_note(net, packet, NET_LAYER_vxlan);
    net_packet inner = net_tunnel_inner(packet, data + HEADER, len - HEADER);
    net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_VXLAN)->vni = net_be32(data + 4) >> 8;
    bool result = net_forward_default(net, &inner, me, data + HEADER, len - HEADER);
    net_tunnel_pop(packet);
    return result;
}

static const net_parent parents[] = {{"UDP", 4789, false}, {NULL, 0, false}};

const net_layer net_layer_vxlan = {
    .name = "VXLAN", .source = "VXLAN", .id = NET_LAYER_vxlan, .enter = enter, .parents = parents};
