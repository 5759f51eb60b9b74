/* FDDI (DLT 10): 13 octets of header and 8 of LLC and SNAP are passed over; IP follows.
 * Weirds: FDDI_analyzer_failed. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 13 + 8 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_FDDI_analyzer_failed, "", &net_layer_fddi);
        return false;
    }
    return net_forward_default(net, packet, &net_layer_fddi, data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 10, false}, {NULL, 0, false}};

const net_layer net_layer_fddi = {
    .name = "FDDI", .source = "FDDI", .id = NET_LAYER_fddi, .enter = enter, .parents = parents};
