/* Novell "raw" 802.3 (IPX without LLC): recognised, not opened. Weirds: no_suitable_analyzer_found. */
#include "net/layers/layers.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    return net_forward_default(net, packet, &net_layer_novell, data, len);
}

static const net_parent parents[] = {
    {"Ethernet", NET_KEY_NOVELL, false}, {"VLAN", NET_KEY_NOVELL, false}, {NULL, 0, false}};

const net_layer net_layer_novell = {
    .name = "Novell_802_3", .source = "NOVELL_802_3", .id = NET_LAYER_novell, .enter = enter, .parents = parents};
