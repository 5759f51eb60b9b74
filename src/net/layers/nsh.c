/* Network service header (RFC 8300): version 2 bits, flags, length in words, next protocol, path, index, context.
 * An extension: EtherType 0x894f, VXLAN-GPE and GRE. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { BASE = 8 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len < BASE || data[0] >> 6 != 0)
        return false;
    size_t header = (data[1] & 0x3fu) * 4;
    if (header < BASE || header >= len)
        return false;
    return net_forward(net, packet, &net_layer_nsh, data[3], data + header, len - header);
}

static const net_parent parents[] = {
    {"Ethernet", 0x894f, true}, {"VLAN", 0x894f, true}, {"NSH", 4, true}, {"VXLAN_GPE", 4, true}, {NULL, 0, false}};

const net_layer net_layer_nsh = {
    .name = "NSH", .source = "NSH", .id = NET_LAYER_nsh, .enter = enter, .parents = parents};
