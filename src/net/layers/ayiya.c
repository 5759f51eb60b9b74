/* AYIYA (draft-massar-v6ops-ayiya, UDP 5072 or by content): id length 4 bits (2^n octets) and type 4, signature
 * length 4 (times 4) and hash 4, auth 4 and opcode 4, next header 1, epoch 4, identity, signature. Weirds:
 * exceeded_tunnel_max_depth, ayiya_missing_connection, ayiya_empty_packet. */
#include "net/layers/flow_tunnel.h"

#include <stddef.h>

enum { HEADER = 8, FORWARD = 1 };

static bool detect(const uint8_t *data, size_t len)
{
    return len >= 3 && data[1] == 0x52 && data[2] == 0x11;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_ayiya;
    if (!net_flow_tunnel_tried(net, packet, me, NET_AYIYA, W_ayiya_missing_connection))
        return false;
    if (len < HEADER)
        return net_flow_tunnel_violated(packet, NET_AYIYA);
    size_t header = HEADER + ((size_t)1 << (data[0] >> 4)) + (data[1] >> 4) * 4u;
    if (len < header)
        return net_flow_tunnel_violated(packet, NET_AYIYA);
    if ((data[2] & 0x0f) != FORWARD)
        return true;
    net_flow_confirm(packet->flow, NET_AYIYA);
    if (len == header) {
        net_weird_packet(net, packet, W_ayiya_empty_packet, "", me);
        return false;
    }
    net_packet inner = net_tunnel_inner(packet, data + header, len - header);
    net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_AYIYA);
    bool result = net_forward(net, &inner, me, data[3], data + header, len - header);
    net_tunnel_pop(packet);
    return result;
}

static const net_parent parents[] = {{"UDP", 5072, false}, {"UDP", NET_DETECTOR, false}, {NULL, 0, false}};

const net_layer net_layer_ayiya = {.name = "AYIYA", .source = "AYIYA", .id = NET_LAYER_ayiya, .enter = enter,
                                   .detect = detect, .parents = parents};
