/* Wi-Fi data frames (IEEE 802.11, DLT 105), A-MSDU included. Weirds: truncated_802_11_header,
 * truncated_802_11_amsdu_header, truncated_802_11_amsdu_packet, invalid_802_11_amsdu_inner_packet,
 * truncated_802_11_llc_header. */
#include "net/layers/layers.h"

#include <stddef.h>

enum {
    HEADER = 24,
    FC0_NO_DATA = 0x40, FC0_DATA = 0x08, FC0_QOS = 0x80,
    FC1_TO_DS = 1, FC1_FROM_DS = 2, FC1_PROTECTED = 0x40,
    QOS_AMSDU = 0x80,
    SUBFRAME = 14,
    LLC_SNAP = 8,
};

static bool fail(hg_net *net, net_packet *packet, net_weird name)
{
    net_weird_packet(net, packet, name, "", &net_layer_ieee80211);
    return false;
}

static bool inner(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    static const uint8_t snap[6] = {0xaa, 0xaa, 0x03, 0, 0, 0};
    if (len < LLC_SNAP)
        return fail(net, packet, W_truncated_802_11_llc_header);
    if (memcmp(data, snap, sizeof snap) != 0)
        return false; /* not SNAP: dropped silently */
    return net_forward(net, packet, &net_layer_ieee80211, net_be16(data + 6), data + LLC_SNAP, len - LLC_SNAP);
}

static bool amsdu(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    uint32_t depth = packet->frame->depth;
    while (len > 0) {
        if (len < SUBFRAME)
            return fail(net, packet, W_truncated_802_11_amsdu_header);
        size_t size = net_be16(data + 12);
        packet->mac_dst = data;
        packet->mac_src = data + 6;
        data += SUBFRAME;
        len -= SUBFRAME;
        if (len < size)
            return fail(net, packet, W_truncated_802_11_amsdu_packet);
        if (!inner(net, packet, data, size))
            return fail(net, packet, W_invalid_802_11_amsdu_inner_packet);
        data += size;
        len -= size;
        size_t padding = size % 4; /* as the peer counts it; the standard pads the whole subframe */
        if (len >= padding) {
            data += padding;
            len -= padding;
        }
        packet->frame->depth = depth;
    }
    return true;
}

static void addresses(net_packet *packet, const uint8_t *data)
{
    static const struct {
        uint8_t src, dst;
    } where[4] = {{10, 4}, {10, 16}, {16, 4}, {24, 16}};
    unsigned direction = data[1] & (FC1_TO_DS | FC1_FROM_DS);
    packet->mac_src = data + where[direction].src;
    packet->mac_dst = data + where[direction].dst;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len <= HEADER)
        return fail(net, packet, W_truncated_802_11_header);
    if (!(data[0] & FC0_DATA) || (data[0] & FC0_NO_DATA))
        return false;
    size_t header = HEADER;
    if ((data[1] & (FC1_TO_DS | FC1_FROM_DS)) == (FC1_TO_DS | FC1_FROM_DS))
        header += 6;
    if (len <= header)
        return fail(net, packet, W_truncated_802_11_header);
    bool aggregate = false;
    if (data[0] & FC0_QOS) {
        aggregate = data[header] & QOS_AMSDU;
        if (data[1] & FC1_PROTECTED)
            return true;
        header += 2;
        if (len <= header)
            return fail(net, packet, W_truncated_802_11_header);
    }
    addresses(packet, data);
    if (aggregate)
        return amsdu(net, packet, data + header, len - header);
    return inner(net, packet, data + header, len - header);
}

static const net_parent parents[] = {
    {"Root", 105, false}, {"IEEE802_11_Radio", 105, false}, {NULL, 0, false}};

const net_layer net_layer_ieee80211 = {
    .name = "IEEE802_11", .source = "IEEE802_11", .id = NET_LAYER_ieee80211, .enter = enter, .parents = parents};
