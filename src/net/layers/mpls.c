/* MPLS (RFC 3032): labels of 4 octets (label 20 bits, class 3, bottom 1, TTL 8) down to the bottom of the stack;
 * the payload's type is not written, it is taken for IP. Weirds: truncated_link_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { LABEL = 4 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    bool bottom = false;
    while (!bottom) {
        if (len <= LABEL) {
            net_weird_packet(net, packet, W_truncated_link_header, "", &net_layer_mpls);
            return false;
        }
        bottom = data[2] & 1;
        data += LABEL;
        len -= LABEL;
    }
    return net_forward_default(net, packet, &net_layer_mpls, data, len);
}

static const net_parent parents[] = {
    {"Ethernet", 0x8847, false},  {"VLAN", 0x8847, false},   {"PPP", 0x0281, false}, {"PPPSerial", 0x0281, false},
    {"Ethernet", 0x8848, true},   {"VLAN", 0x8848, true},    {"NSH", 5, false},      {"VXLAN_GPE", 5, false},
    {NULL, 0, false},
};

const net_layer net_layer_mpls = {
    .name = "MPLS", .source = "MPLS", .id = NET_LAYER_mpls, .enter = enter, .parents = parents};
