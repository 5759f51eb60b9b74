/* PPP (RFC 1661, DLT 9), bare (protocol 2) or HDLC-framed (RFC 1662: ff 03, then protocol 2).
 * Weirds: truncated_ppp_header, truncated_ppp_hdlc_header. */
#include "net/layers/layers.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= 2) {
        net_weird_packet(net, packet, W_truncated_ppp_header, "", &net_layer_ppp);
        return false;
    }
    if (net_be16(data) != 0xff03)
        return net_forward(net, packet, &net_layer_ppp, net_be16(data), data + 2, len - 2);
    if (len <= 4) {
        net_weird_packet(net, packet, W_truncated_ppp_hdlc_header, "", &net_layer_ppp);
        return false;
    }
    return net_forward(net, packet, &net_layer_ppp, net_be16(data + 2), data + 4, len - 4);
}

static const net_parent parents[] = {{"Root", 9, false}, {NULL, 0, false}};

const net_layer net_layer_ppp = {
    .name = "PPP", .source = "PPP", .id = NET_LAYER_ppp, .enter = enter, .parents = parents};
