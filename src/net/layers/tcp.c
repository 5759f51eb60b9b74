/* TCP (RFC 9293). Weirds: truncated_header, internally_truncated_header, bad_TCP_header_len, bad_TCP_checksum; those
 * of the stream are in tcp/. */
#include "net/checksum.h"
#include "net/http/stream.h"
#include "net/layers/transport.h"
#include "net/tcp/tcp.h"

#include <stddef.h>

enum { HEADER = 20 };

/* Is the sender the server, by its port? Asked of a first packet that is no plain SYN. */
static bool is_flipped(const hg_net *net, const net_packet *packet, uint16_t from, uint16_t to, uint8_t flags)
{
    bool syn = flags & TCP_SYN;
    if (syn && !(flags & TCP_ACK))
        return false;
    if (!net_is_server_port(net, false, from) || net_is_broadcast(&packet->src))
        return false;
    return !net_is_server_port(net, false, to) || (!syn && from < to);
}

static bool is_intact(hg_net *net, const net_packet *packet, const uint8_t *data, uint32_t len)
{
    uint64_t sum = net_sum_pseudo(&packet->src, &packet->dst, packet->version == 6, packet->ip_proto, len);
    (void)net;
    return net_sum_fold(net_sum(data, len, sum)) == 0xffff;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (!net_transport_fits(net, packet, len, HEADER, &net_layer_tcp))
        return false;
    uint16_t from = net_be16(data), to = net_be16(data + 2);
    uint8_t flags = data[13];
    net_key key = net_transport_key(net, packet, from, to);
    uint64_t before = net->counters.flows;
    net_flow *flow = net_flow_of(net, packet, &key, HG_NET_TCP, is_flipped(net, packet, from, to, flags));
    if (flow == NULL)
        return false;
    net_segment s = {.seq = net_be32(data + 4), .ack = net_be32(data + 8), .window = net_be16(data + 14),
                     .flags = flags, .orig = packet->from_orig};
    if (net->counters.flows == before && net_tcp_is_reuse(net, flow, &s, packet->frame->time)) {
        net_flow_remove(net, flow);
        packet->flow = NULL;
        flow = net_flow_of(net, packet, &key, HG_NET_TCP, is_flipped(net, packet, from, to, flags));
        if (flow == NULL)
            return false;
        s.orig = packet->from_orig;
    }
    uint32_t header = (data[12] >> 4) * 4u, wire = packet->payload_wire;
    if (header < HEADER) {
        net_weird_flow(net, flow, W_bad_TCP_header_len, "", "TCP");
        return false;
    }
    if (header > wire || header > len) {
        net_weird_flow(net, flow, W_truncated_header, "", "TCP");
        return false;
    }
    if (len >= wire && net_verify(net, packet) && !is_intact(net, packet, data, wire)) {
        net_weird_flow(net, flow, W_bad_TCP_checksum, "", "TCP");
        net_flow_scaled_letter(flow, s.orig, 'C', &flow->bad_checksums[s.orig ? NET_ORIG : NET_RESP]);
        return false;
    }
    s.options = data + HEADER;
    s.options_len = header - HEADER;
    s.data = data + header;
    s.payload = wire - header;
    s.captured = (uint32_t)len - header;
    if (!flow->attached) {
        flow->attached = true;
        net_stream_attach(net, flow);
    }
    net_tcp_segment(net, flow, packet, &s);
    net_flow_count(flow, packet);
    return true;
}

static const net_parent parents[] = {{"IP", 6, false}, {NULL, 0, false}};

const net_layer net_layer_tcp = {
    .name = "TCP", .source = "TCP", .id = NET_LAYER_tcp, .enter = enter, .parents = parents, .quiet = true};
