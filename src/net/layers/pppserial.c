/* PPP in HDLC-like framing (RFC 1662, DLT 50): address, control, protocol 2. Weirds: truncated_ppp_serial_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum { HEADER = 4 };

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER) {
        net_weird_packet(net, packet, W_truncated_ppp_serial_header, "", &net_layer_pppserial);
        return false;
    }
    return net_forward(net, packet, &net_layer_pppserial, net_be16(data + 2), data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"Root", 50, false}, {NULL, 0, false}};

const net_layer net_layer_pppserial = {
    .name = "PPPSerial", .source = "PPPSERIAL", .id = NET_LAYER_pppserial, .enter = enter, .parents = parents};
