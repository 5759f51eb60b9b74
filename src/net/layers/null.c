/* BSD loopback (LINKTYPE_NULL, DLT 0): address family in 4 octets, read as little-endian whatever the writer was.
 * Weirds: null_analyzer_failed. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 4 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_null_analyzer_failed, "", &net_layer_null);
        return false;
    }
    return net_forward(net, packet, &net_layer_null, net_le32(data), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 0, false}, {NULL, 0, false}};

const net_layer net_layer_null = {
    .name = "Null", .source = "NULL", .id = NET_LAYER_null, .enter = enter, .parents = parents};
