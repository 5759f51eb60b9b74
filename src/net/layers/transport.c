/* What the transports share. */
#include "net/layers/transport.h"

bool net_transport_fits(hg_net *net, const net_packet *packet, size_t len, size_t need, const net_layer *me)
{
    if (packet->payload_wire < need && !packet->unknown_len) {
        net_weird_packet(net, packet, W_truncated_header, "", me);
        return false;
    }
    if (len < need) {
        net_weird_packet(net, packet, W_internally_truncated_header, "", me);
        return false;
    }
    return true;
}

bool net_is_broadcast(const net_addr *a)
{
    return net_addr_is_v4(a) && net_be32(a->octet + 12) == 0xffffffff;
}
