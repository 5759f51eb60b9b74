/* Provider backbone bridging (IEEE 802.1ah, 0x88e7): an I-TAG of 4 octets, then a whole customer frame.
 * Weirds: truncated_PBB_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { TAG = 4, LEAST = 18 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= LEAST) {
        net_weird_packet(net, packet, W_truncated_PBB_header, "", &net_layer_pbb);
        return false;
    }
    return net_forward_default(net, packet, &net_layer_pbb, data + TAG, len - TAG);
}

static const net_parent parents[] = {{"Ethernet", 0x88e7, false}, {"VLAN", 0x88e7, false}, {NULL, 0, false}};

const net_layer net_layer_pbb = {
    .name = "PBB", .source = "PBB", .id = NET_LAYER_pbb, .enter = enter, .parents = parents};
