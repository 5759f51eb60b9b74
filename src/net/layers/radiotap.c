/* Radiotap before 802.11 (DLT 127): version 1, pad 1, header length 2 little-endian.
 * Weirds: truncated_radiotap_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { LEAST = 3, DLT_80211 = 105 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= LEAST || net_le16(data + 2) >= len) {
        net_weird_packet(net, packet, W_truncated_radiotap_header, "", &net_layer_radiotap);
        return false;
    }
    size_t header = net_le16(data + 2);
    return net_forward(net, packet, &net_layer_radiotap, DLT_80211, data + header, len - header);
}

static const net_parent parents[] = {{"Root", 127, false}, {NULL, 0, false}};

const net_layer net_layer_radiotap = {.name = "IEEE802_11_Radio", .source = "IEEE802_11_RADIO",
                                      .id = NET_LAYER_radiotap, .enter = enter, .parents = parents};
