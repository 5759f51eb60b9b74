/* Ethernet (IEEE 802.3, DLT 1), 14 octets: destination 6, source 6, type or length 2; Cisco FabricPath before it.
 * Weirds: truncated_ethernet_frame, truncated_link_header_cfp, undefined_ether_type. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 14, FABRIC_PATH = 16, TYPE_FABRIC_PATH = 0x8903, TYPE_FIRST = 1536, LENGTH_LAST = 1500 };

/* 802.3 with a length: which kind of header follows, by its first two octets. */
static uint64_t length_key(const uint8_t *data)
{
    uint16_t start = net_be16(data);
    if (start == 0xaaaa)
        return NET_KEY_SNAP;
    return start == 0xffff ? NET_KEY_NOVELL : NET_KEY_LLC;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_ethernet;
    if (len <= 16) {
        net_weird_packet(net, packet, W_truncated_ethernet_frame, "", me);
        return false;
    }
    if (net_be16(data + 12) == TYPE_FABRIC_PATH) {
        if (len <= 30) {
            net_weird_packet(net, packet, W_truncated_link_header_cfp, "", me);
            return false;
        }
        data += FABRIC_PATH;
        len -= FABRIC_PATH;
    }
    uint16_t type = net_be16(data + 12);
    packet->mac_dst = data;
    packet->mac_src = data + 6;
    if (type >= TYPE_FIRST)
        return net_forward(net, packet, me, type, data + HEADER, len - HEADER);
    if (type > LENGTH_LAST) {
        net_weird_packet(net, packet, W_undefined_ether_type, "", me);
        return false;
    }
    data += HEADER;
    len -= HEADER;
    if (len < 2) {
        net_weird_packet(net, packet, W_truncated_ethernet_frame, "", me);
        return false;
    }
    return net_forward(net, packet, me, length_key(data), data, type < len ? type : len);
}

static const net_parent parents[] = {
    {"Root", 1, false}, {"PBB", NET_DEFAULT, false}, {"VXLAN", NET_DEFAULT, false}, {"Geneve", 0x6558, false},
    {"NSH", 3, false},  {"VXLAN_GPE", 3, false},     {NULL, 0, false},
};

const net_layer net_layer_ethernet = {
    .name = "Ethernet", .source = "ETHERNET", .id = NET_LAYER_ethernet, .enter = enter, .parents = parents};
