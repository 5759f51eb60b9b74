/* UDP (RFC 768). Tunnels are looked up by the responder's port. Weirds: truncated_header,
 * internally_truncated_header, bad_UDP_checksum, UDP_datagram_length_mismatch. */
#include "net/checksum.h"
#include "net/layers/transport.h"

#include <stddef.h>
#include <stdio.h>

enum { HEADER = 8, VXLAN_PORT = 4789 };

static bool is_vxlan(const uint8_t *data, size_t len, uint16_t to)
{
    return to == VXLAN_PORT && len > 30 && (data[HEADER] & 0x08);
}

static bool is_intact(const hg_net *net, const net_packet *packet, const uint8_t *data, uint32_t len, uint16_t to)
{
    bool zero = net_be16(data + 6) == 0, vxlan = is_vxlan(data, len, to);
    if (zero && (packet->version == 4 || vxlan))
        return true;
    if (vxlan && net->options.ignore_vxlan_checksums)
        return true;
    uint64_t sum = net_sum_pseudo(&packet->src, &packet->dst, packet->version == 6, packet->ip_proto, len);
    return net_sum_fold(net_sum(data, len, sum)) == 0xffff;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (!net_transport_fits(net, packet, len, HEADER, &net_layer_udp))
        return false;
    uint16_t from = net_be16(data), to = net_be16(data + 2);
    uint32_t wire = packet->payload_wire, claimed = net_be16(data + 4);
    net_key key = net_transport_key(net, packet, from, to);
    bool flip = net_is_server_port(net, true, from) && !net_is_server_port(net, true, to) &&
                !net_is_broadcast(&packet->src);
    if (flip && net_is_broadcast(&packet->dst))
        flip = false;
    net_flow *flow = net_flow_of(net, packet, &key, HG_NET_UDP, flip);
    if (flow == NULL)
        return false;
    const int side = packet->from_orig ? NET_ORIG : NET_RESP;
    bool whole = len >= wire && packet->wire <= packet->captured;
    if (whole && net_verify(net, packet) && !is_intact(net, packet, data, wire, to)) {
        net_weird_flow(net, flow, W_bad_UDP_checksum, "", "UDP");
        net_flow_scaled_letter(flow, packet->from_orig, 'C', &flow->bad_checksums[side]);
        return false;
    }
    if (claimed != wire) {
        char addl[48];
        snprintf(addl, sizeof addl, "%u != %u", claimed, wire);
        net_weird_flow(net, flow, W_UDP_datagram_length_mismatch, addl, "UDP");
    }
    flow->last = packet->frame->time;
    if (!(flow->seen[side] & SEEN_DATA)) {
        flow->seen[side] |= SEEN_DATA;
        net_flow_side_letter(flow, packet->from_orig, 'D');
    }
    flow->count[side].bytes += claimed > HEADER ? claimed - HEADER : 0;
    flow->active[side] = true;
    net_flow_count(flow, packet);
    size_t payload = len < wire ? len : wire;
    return net_forward(net, packet, &net_layer_udp, flow->port[NET_RESP], data + HEADER, payload - HEADER);
}

static const net_parent parents[] = {{"IP", 17, false}, {NULL, 0, false}};

const net_layer net_layer_udp = {
    .name = "UDP", .source = "UDP", .id = NET_LAYER_udp, .enter = enter, .parents = parents, .quiet = true};
