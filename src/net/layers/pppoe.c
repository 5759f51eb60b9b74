/* PPP over Ethernet, session stage (RFC 2516, 0x8864), 8 octets: version and type 1, code 1, session 2, length 2
 * (from here on), PPP protocol 2. Weirds: truncated_pppoe_header, pppoe_extra_data_after_payload,
 * pppoe_truncated_payload. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 8, BEFORE_PROTOCOL = 6 };

/* This weird never gets the suffix of tunnelled packets, so it is raised as if there were none. */
static void truncated(hg_net *net, net_packet *packet)
{
    uint32_t depth = packet->frame->depth;
    packet->frame->depth = 0;
    net_weird_packet(net, packet, W_pppoe_truncated_payload, "", &net_layer_pppoe);
    packet->frame->depth = depth;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_pppoe_header, "", &net_layer_pppoe);
        return false;
    }
    size_t claimed = net_be16(data + 4), rest = len - BEFORE_PROTOCOL;
    if (packet->pppoe < 0)
        packet->pppoe = net_be16(data + 2);
    if (claimed < rest)
        net_weird_packet(net, packet, W_pppoe_extra_data_after_payload, "", &net_layer_pppoe);
    else if (claimed > rest)
        truncated(net, packet);
    size_t payload = claimed > 2 ? claimed - 2 : 0;
    if (payload > len - HEADER)
        payload = len - HEADER;
    return net_forward(net, packet, &net_layer_pppoe, net_be16(data + 6), data + HEADER, payload);
}

static const net_parent parents[] = {{"Ethernet", 0x8864, false}, {"VLAN", 0x8864, false}, {NULL, 0, false}};

const net_layer net_layer_pppoe = {
    .name = "PPPoE", .source = "PPPOE", .id = NET_LAYER_pppoe, .enter = enter, .parents = parents};
