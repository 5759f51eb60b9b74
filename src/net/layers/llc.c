/* Logical link control (IEEE 802.2): DSAP 1, SSAP 1, control 1 (unnumbered) or 2. Weirds: truncated_llc_header. */
#include "net/layers/layers.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len < 3 || ((data[2] & 3) != 3 && len < 4)) {
        net_weird_packet(net, packet, W_truncated_llc_header, "", &net_layer_llc);
        return false;
    }
    return net_forward(net, packet, &net_layer_llc, data[0], data, len);
}

static const net_parent parents[] = {{"Ethernet", NET_KEY_LLC, false}, {"VLAN", NET_KEY_LLC, false}, {NULL, 0, false}};

const net_layer net_layer_llc = {
    .name = "LLC", .source = "LLC", .id = NET_LAYER_llc, .enter = enter, .parents = parents};
