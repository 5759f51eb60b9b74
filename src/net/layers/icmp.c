/* ICMP (RFC 792) and ICMPv6 (RFC 4443), with the lengths of MLD reports (RFC 2710, RFC 3810). The ports of the flow
 * are type and counterpart, or type and code. Weirds: truncated_header, internally_truncated_header,
 * bad_ICMP_checksum, truncated_ICMPv6_MLDv1, truncated_ICMPv6_MLDv2, truncated_ICMPv6_MLDv2_record. */
#include "net/checksum.h"
#include "net/layers/transport.h"

#include <stddef.h>

enum { HEADER = 8 };

static const struct {
    uint8_t proto, type, counterpart;
} two_way[] = {
    {1, 8, 0},      {1, 0, 8},      {1, 13, 14},    {1, 14, 13},    {1, 15, 16},    {1, 16, 15},    {1, 10, 9},
    {1, 9, 10},     {1, 17, 18},    {1, 18, 17},    {58, 128, 129}, {58, 129, 128}, {58, 133, 134}, {58, 134, 133},
    {58, 135, 136}, {58, 136, 135}, {58, 130, 131}, {58, 131, 130}, {58, 139, 140}, {58, 140, 139}, {58, 144, 145},
    {58, 145, 144},
};

static int counterpart_of(uint8_t proto, uint8_t type)
{
    for (size_t i = 0; i < sizeof two_way / sizeof *two_way; i++)
        if (two_way[i].proto == proto && two_way[i].type == type)
            return two_way[i].counterpart;
    return -1;
}

static bool is_intact(const net_packet *packet, const uint8_t *data, uint32_t len)
{
    uint64_t sum = 0;
    if (packet->ip_proto == 58)
        sum = net_sum_pseudo(&packet->src, &packet->dst, packet->version == 6, 58, len);
    return net_sum_fold(net_sum(data, len, sum)) == 0xffff;
}

static void multicast_report(hg_net *net, net_flow *flow, const uint8_t *data, size_t len)
{
    enum { MLDV1_REPORT = 131, MLDV1_DONE = 132, MLDV2_REPORT = 143, ADDRESS = 16, RECORD = 20 };
    const uint8_t *at = data + HEADER, *end = data + len;
    if (data[0] == MLDV1_REPORT || data[0] == MLDV1_DONE) {
        if (end - at < ADDRESS)
            net_weird_flow(net, flow, W_truncated_ICMPv6_MLDv1, "", "ICMP");
        return;
    }
    if (data[0] != MLDV2_REPORT)
        return;
    unsigned records = net_be16(data + 6);
    if (end - at < (ptrdiff_t)records * RECORD) {
        net_weird_flow(net, flow, W_truncated_ICMPv6_MLDv2, "", "ICMP");
        return;
    }
    for (unsigned i = 0; i < records; i++) {
        ptrdiff_t size = end - at < 4 ? 4 : RECORD + ADDRESS * (ptrdiff_t)net_be16(at + 2) + 4 * (ptrdiff_t)at[1];
        if (end - at < size) {
            net_weird_flow(net, flow, W_truncated_ICMPv6_MLDv2_record, "", "ICMP");
            return;
        }
        at += size;
    }
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (!net_transport_fits(net, packet, len, HEADER, &net_layer_icmp))
        return false;
    uint8_t type = data[0];
    int counterpart = counterpart_of(packet->ip_proto, type);
    net_key key = net_transport_key(net, packet, type, (uint16_t)(counterpart >= 0 ? counterpart : data[1]));
    key.one_way = counterpart < 0;
    net_flow *flow = net_flow_of(net, packet, &key, HG_NET_ICMP, false);
    if (flow == NULL)
        return false;
    uint32_t wire = packet->payload_wire;
    bool whole = len >= wire;
    if (whole && net_verify(net, packet) && !is_intact(packet, data, wire)) {
        net_weird_flow(net, flow, W_bad_ICMP_checksum, "", "ICMP");
        return false;
    }
    flow->last = packet->frame->time;
    flow->count[packet->from_orig ? NET_ORIG : NET_RESP].bytes += wire - HEADER;
    if (packet->ip_proto == 58)
        multicast_report(net, flow, data, len < wire ? len : wire);
    if (whole)
        net_flow_count(flow, packet);
    return net_forward_default(net, packet, &net_layer_icmp, data + HEADER, len - HEADER);
}

static const net_parent parents[] = {{"IP", 1, false}, {"IP", 58, false}, {NULL, 0, false}};

const net_layer net_layer_icmp = {
    .name = "ICMP", .source = "ICMP", .id = NET_LAYER_icmp, .enter = enter, .parents = parents, .quiet = true};
