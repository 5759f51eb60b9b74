/* SNAP (IEEE 802): LLC header 3 or 4, OUI 3, protocol 2. Weirds: truncated_snap_llc_header, truncated_snap_header. */
#include "net/layers/layers.h"

#include <stddef.h>

static bool fail(hg_net *net, net_packet *packet, net_weird name)
{
    net_weird_packet(net, packet, name, "", &net_layer_snap);
    return false;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len < 3)
        return fail(net, packet, W_truncated_snap_llc_header);
    size_t llc = (data[2] & 3) == 3 ? 3 : 4;
    if (len < llc)
        return fail(net, packet, W_truncated_snap_llc_header);
    if (len < llc + 5)
        return fail(net, packet, W_truncated_snap_header);
    uint64_t oui = (uint64_t)data[llc] << 16 | (uint64_t)data[llc + 1] << 8 | data[llc + 2];
    return net_forward(net, packet, &net_layer_snap, oui << 16 | net_be16(data + llc + 3), data + llc + 5,
                       len - llc - 5);
}

static const net_parent parents[] = {
    {"Ethernet", NET_KEY_SNAP, false}, {"VLAN", NET_KEY_SNAP, false}, {NULL, 0, false}};

const net_layer net_layer_snap = {
    .name = "SNAP", .source = "SNAP", .id = NET_LAYER_snap, .enter = enter, .parents = parents};
