/* VLAN tags (IEEE 802.1Q, 802.1ad, and 0x9100), 4 octets: priority 3 bits, DEI 1, VID 12, type or length 2.
 * Weirds: truncated_VLAN_header, triple_tagged_vlan_unsupported, undefined_vlan_protocol. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 4, TYPE_FIRST = 1536, LENGTH_LAST = 1500 };

static void tag_note(hg_net *net, net_packet *packet, int vid)
{
    if (packet->vlan < 0) {
        packet->vlan = vid;
        return;
    }
    if (packet->inner_vlan >= 0)
        net_weird_packet(net, packet, W_triple_tagged_vlan_unsupported, "inner VLAN tag overwritten",
                         &net_layer_vlan);
    packet->inner_vlan = vid;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_vlan;
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_VLAN_header, "", me);
        return false;
    }
    tag_note(net, packet, net_be16(data) & 0xfff);
    uint16_t type = net_be16(data + 2);
    data += HEADER;
    len -= HEADER;
    if (type >= TYPE_FIRST)
        return net_forward(net, packet, me, type, data, len);
    if (type > LENGTH_LAST) {
        net_weird_packet(net, packet, W_undefined_vlan_protocol, "", me);
        return false;
    }
    if (len < 2) {
        net_weird_packet(net, packet, W_truncated_VLAN_header, "", me);
        return false;
    }
    uint16_t start = net_be16(data);
    uint64_t key = start == 0xaaaa ? NET_KEY_SNAP : start == 0xffff ? NET_KEY_NOVELL : NET_KEY_LLC;
    return net_forward(net, packet, me, key, data, type < len ? type : len);
}

static const net_parent parents[] = {
    {"Ethernet", 0x8100, false}, {"Ethernet", 0x88a8, false}, {"Ethernet", 0x9100, false}, {"VLAN", 0x8100, false},
    {"VNTag", 0x8100, false},    {"VNTag", 0x88a8, false},    {"VNTag", 0x9100, false},    {NULL, 0, false},
};

const net_layer net_layer_vlan = {
    .name = "VLAN", .source = "VLAN", .id = NET_LAYER_vlan, .enter = enter, .parents = parents};
