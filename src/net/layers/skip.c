/* Not a protocol: drops nothing and goes to IP; the parent of choice for captures that start at IP under a private
 * link type. Weirds: skip_bad_length. */
#include "net/layers/layers.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len == 0) {
        net_weird_packet(net, packet, W_skip_bad_length, "", &net_layer_skip);
        return false;
    }
    return net_forward_default(net, packet, &net_layer_skip, data, len);
}

const net_layer net_layer_skip = {.name = "Skip", .source = "SKIP", .id = NET_LAYER_skip, .enter = enter};
