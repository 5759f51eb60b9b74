/* What the transports share. */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "net/flow/flow.h"
#include "net/layers/layers.h"

static inline net_key net_transport_key(const hg_net *net, const net_packet *packet, uint16_t from, uint16_t to)
{
    net_key key = {.addr = {packet->src, packet->dst}, .port = {from, to}, .ip_proto = packet->ip_proto};
    if (net->options.vlan_in_key)
        key.vlans = (uint32_t)(packet->vlan + 1) << 16 | (uint32_t)(packet->inner_vlan + 1);
    return key;
}

/* Headers of `need` octets: both checks on the IP payload. False with the weird raised. */
bool net_transport_fits(hg_net *net, const net_packet *packet, size_t len, size_t need, const net_layer *me);

bool net_is_broadcast(const net_addr *a);

#endif
