/* GTP version 1 (3GPP TS 29.060, TS 29.281; UDP 2152 and 2123): flags 1, type 1, length 2, TEID 4, and with any of
 * E, S, PN: sequence 2, N-PDU 1, next extension 1. G-PDUs carry IP. Weirds: tunnel_depth, gtpv1_missing_connection,
 * gtp_invalid_info_element. */
#include "net/layers/flow_tunnel.h"

#include <stddef.h>
#include <stdio.h>

enum {
    HEADER = 8, OPTIONAL = 4,
    FLAG_PT = 0x10, FLAG_EXTENSION = 0x04, FLAGS_OPTIONAL = 0x07,
    G_PDU = 255, IP4 = 20, BOTH = 3,
};

/* Violations do not stop later packets from being tried, but keep the flow from being confirmed. */
static bool violated(net_packet *packet)
{
    return net_flow_tunnel_violated(packet, NET_GTPV1);
}

/* Length of the whole header; 0: it does not fit. */
static size_t header_length(const uint8_t *data, size_t len)
{
    if (len < HEADER)
        return 0;
    if (!(data[0] & FLAGS_OPTIONAL))
        return HEADER;
    size_t at = HEADER + OPTIONAL;
    if (len < at)
        return 0;
    if (!(data[0] & FLAG_EXTENSION))
        return at;
    uint8_t next = data[HEADER + 3];
    while (next != 0) {
        if (at >= len)
            return 0;
        size_t size = data[at] * 4u;
        if (size == 0 || size > len - at)
            return 0;
        next = data[at + size - 1];
        at += size;
    }
    return at;
}

static void confirm(hg_net *net, net_packet *packet)
{
    net_flow *flow = packet->flow;
    if (net_flow_tunnel_is_violated(packet, NET_GTPV1))
        return;
    flow->gtp |= packet->from_orig ? 1 : 2;
    if (flow->gtp == BOTH || !net->options.patient_gtp)
        net_flow_confirm(flow, NET_GTPV1);
}

static bool user_data(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (len < IP4)
        return violated(packet);
    uint8_t version = data[0] >> 4;
    if (version != 4 && version != 6)
        return violated(packet);
    if (net_tunnel_check_ip(data, len, version == 6 ? 41 : 4) != NET_INNER_OK)
        return violated(packet);
    confirm(net, packet);
    net_packet inner = net_tunnel_inner(packet, data, len);
    net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_GTPV1);
    bool result = net_forward_default(net, &inner, &net_layer_gtpv1, data, len);
    net_tunnel_pop(packet);
    return result;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    uint32_t depth = packet->frame->depth;
    if (packet->flow == NULL) {
        net_weird_packet(net, packet, W_gtpv1_missing_connection, "", &net_layer_gtpv1);
        return false;
    }
    if (depth >= (uint32_t)net->options.tunnel_depth) {
        net->counters.tunnel_depth_exceeded++;
        net_weird_packet(net, packet, W_tunnel_depth, "", &net_layer_gtpv1);
        return false;
    }
    if (depth > 0 && net_tunnel_stack(packet->frame)[depth - 1].type == HG_NET_TUNNEL_GTPV1)
        return violated(packet);
    if (len < 1 || data[0] >> 5 != 1)
        return violated(packet);
    if (!(data[0] & FLAG_PT))
        return false;
    size_t header = header_length(data, len);
    if (header == 0)
        return violated(packet);
    if (data[1] != G_PDU)
        return true;
    return user_data(net, packet, data + header, len - header);
}

static const net_parent parents[] = {{"UDP", 2152, false}, {"UDP", 2123, false}, {NULL, 0, false}};

const net_layer net_layer_gtpv1 = {
    .name = "GTPv1", .source = "GTPV1", .id = NET_LAYER_gtpv1, .enter = enter, .parents = parents};
