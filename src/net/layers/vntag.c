/* VN-Tag (IEEE 802.1BR's forerunner, 0x8926), 6 octets of which the last 2 are the next type.
 * Weirds: truncated_vntag_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 6 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_vntag_header, "", &net_layer_vntag);
        return false;
    }
    return net_forward(net, packet, &net_layer_vntag, net_be16(data + 4), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Ethernet", 0x8926, false}, {"VLAN", 0x8926, false}, {NULL, 0, false}};

const net_layer net_layer_vntag = {
    .name = "VNTag", .source = "VNTAG", .id = NET_LAYER_vntag, .enter = enter, .parents = parents};
