/* OpenBSD loopback (LINKTYPE_LOOP, DLT 108): as BSD loopback but big-endian. An extension. Weirds:
 * null_analyzer_failed. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 4 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_null_analyzer_failed, "", &net_layer_loop);
        return false;
    }
    return net_forward(net, packet, &net_layer_loop, net_be32(data), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 108, true}, {NULL, 0, false}};

const net_layer net_layer_loop = {
    .name = "Loop", .source = "LOOP", .id = NET_LAYER_loop, .enter = enter, .parents = parents};
