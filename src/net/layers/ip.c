/* IPv4 (RFC 791) and IPv6 (RFC 8200): checks, checksum, fragments, and on to the transports. Weirds: truncated_IP,
 * unknown_ip_version, ip_hdr_len_zero, truncated_IP_len, invalid_IP_header_size, internally_truncated_header,
 * IPv4_min_header_size, IPv6_min_header_size, bad_IP_checksum, incompletely_captured_fragment, bad_MH_checksum,
 * mobility_piggyback, bogus_IP_header_lengths, ipv6_no_next. */
#include "net/checksum.h"
#include "net/fragment.h"
#include "net/layers/ip6.h"
#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

#include <stddef.h>

enum { TOTAL_MOST = 65535 };

static const net_layer *const me = &net_layer_ip;

static bool fail(hg_net *net, net_packet *packet, net_weird name)
{
    net_weird_packet(net, packet, name, "", me);
    return false;
}

/* The tail shared by whole and reassembled datagrams: what follows the header(s). */
static bool deliver(hg_net *net, net_packet *packet, const ip6_chain *chain)
{
    uint32_t total = packet->ip_total, header = packet->ip_header;
    const uint8_t *ip = packet->ip;
    size_t payload = packet->ip_captured - header;
    if (packet->version == 6) {
        if (chain->last == IP6_ESP)
            return true;
        if (chain->last == IP6_MOBILITY) {
            const uint8_t *mh = ip + chain->last_at;
            size_t len = header - chain->last_at;
            uint64_t sum = net_sum_pseudo(&packet->src, &packet->dst, true, IP6_MOBILITY, (uint32_t)len);
            if (net_verify(net, packet) && net_sum_fold(net_sum(mh, len, sum)) != 0xffff)
                return fail(net, packet, W_bad_MH_checksum);
            if (mh[0] != IP6_NONE)
                net_weird_packet(net, packet, W_mobility_piggyback, "", me);
            return true;
        }
    }
    if (!packet->unknown_len) {
        if (header > total)
            return fail(net, packet, W_bogus_IP_header_lengths);
        if (payload > total - header)
            payload = total - header;
    }
    packet->payload_wire = packet->unknown_len ? (uint32_t)payload : total - header;
    if (total == header) { /* nothing claimed: the captured rest counts, padding included */
        payload = packet->ip_captured - header;
        packet->payload_wire = (uint32_t)payload;
        packet->unknown_len = true;
    }
    if (packet->ip_proto == IP6_NONE) {
        uint32_t depth = packet->frame->depth;
        bool teredo = depth > 0 && net_tunnel_stack(packet->frame)[depth - 1].type == HG_NET_TUNNEL_TEREDO;
        if (teredo)
            return true; /* a bubble keeps a NAT open and carries nothing */
        net_weird_packet(net, packet, W_ipv6_no_next, "", me);
        return false;
    }
    return net_forward(net, packet, me, packet->ip_proto, ip + header, payload);
}

/* Takes a reassembled datagram, whose lengths are all known to be right but for its header's. */
static bool deliver_whole(hg_net *net, net_packet *packet, const uint8_t *ip, uint32_t size)
{
    ip6_chain chain = {0};
    packet->ip = ip;
    packet->base = ip;
    packet->captured = packet->wire = size;
    packet->ip_captured = packet->ip_total = size;
    packet->unknown_len = false;
    if (packet->version == 4) {
        packet->ip_header = (ip[0] & 15u) * 4;
        packet->ip_proto = ip[9];
    } else {
        net_ip6_walk(net, packet, ip, size, &chain);
        packet->ip_header = chain.length;
        packet->ip_proto = chain.next;
        if (chain.last == IP6_ESP)
            packet->ip_proto = IP6_ESP;
        packet->src = chain.src;
        packet->dst = chain.dst;
    }
    if (packet->ip_header > size || size > TOTAL_MOST)
        return fail(net, packet, W_invalid_IP_header_size);
    return deliver(net, packet, &chain);
}

static bool fragment(hg_net *net, net_packet *packet, const ip6_chain *chain)
{
    const uint8_t *ip = packet->ip;
    net_fragment f = {.src = packet->src, .dst = packet->dst, .header = ip, .total = packet->ip_total};
    if (packet->version == 4) {
        uint16_t bits = net_be16(ip + 6);
        f.id = net_be16(ip + 4);
        f.protocol = ip[9];
        f.header_len = packet->ip_header;
        f.offset = (bits & 0x1fffu) * 8;
        f.more = bits & 0x2000;
        f.dont = bits & 0x4000;
    } else {
        const uint8_t *h = ip + chain->last_at;
        f.v6 = true;
        f.id = net_be32(h + 4);
        f.protocol = h[0];
        f.header_len = chain->last_at;
        f.next_at = chain->before_at;
        f.offset = net_be16(h + 2) & 0xfff8u;
        f.more = h[3] & 1;
    }
    if (packet->ip_captured < packet->ip_total) {
        net_weird_packet(net, packet, W_incompletely_captured_fragment, "", me);
        return f.offset == 0 ? deliver(net, packet, chain) : false;
    }
    f.data = ip + packet->ip_header;
    f.len = packet->ip_total > packet->ip_header ? packet->ip_total - packet->ip_header : 0;
    uint32_t size;
    const uint8_t *whole = net_fragment_add(net, packet, &f, &size);
    return whole == NULL || deliver_whole(net, packet, whole, size);
}

/* Checks 3 to 7: lengths. The header is accepted when they pass. */
static bool lengths_hold(hg_net *net, net_packet *packet, const uint8_t *ip, size_t len)
{
    if (packet->ip_total == 0) {
        net_weird_packet(net, packet, W_ip_hdr_len_zero, "", me);
        if (!net->options.ignore_checksums)
            return false;
        packet->unknown_len = true;
        packet->ip_total = 0;
    }
    uint32_t total = packet->unknown_len ? (uint32_t)len : packet->ip_total;
    if (packet->wire < (uint64_t)(ip - packet->base) + total)
        return fail(net, packet, W_truncated_IP_len);
    if (packet->ip_header > total || total > TOTAL_MOST)
        return fail(net, packet, W_invalid_IP_header_size);
    if (packet->ip_header > len)
        return fail(net, packet, W_internally_truncated_header);
    if (packet->version == 4 && packet->ip_header < 20)
        return fail(net, packet, W_IPv4_min_header_size);
    if (packet->version == 6 && packet->ip_header < 40)
        return fail(net, packet, W_IPv6_min_header_size);
    return true;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *ip, size_t len)
{
    ip6_chain chain = {0};
    packet->has_ip = false;
    packet->unknown_len = false;
    if (len < 20)
        return fail(net, packet, W_truncated_IP);
    packet->version = ip[0] >> 4;
    if (packet->version == 4) {
        packet->ip_total = net_be16(ip + 2);
        packet->ip_header = (ip[0] & 15u) * 4;
        packet->ip_proto = ip[9];
        packet->src = net_addr_v4(ip + 12);
        packet->dst = net_addr_v4(ip + 16);
    } else if (packet->version == 6) {
        if (len < 40)
            return fail(net, packet, W_truncated_IP);
        net_ip6_walk(net, packet, ip, len, &chain);
        packet->ip_total = net_be16(ip + 4) + 40u;
        packet->ip_header = chain.length;
        packet->ip_proto = chain.last == IP6_ESP ? IP6_ESP : chain.next;
        packet->src = chain.src;
        packet->dst = chain.dst;
    } else {
        return fail(net, packet, W_unknown_ip_version);
    }
    if (!lengths_hold(net, packet, ip, len))
        return false;
    packet->has_ip = true;
    packet->ip = ip;
    packet->ip_captured = (uint32_t)len;
    if (packet->version == 4) {
        if (net_verify(net, packet) && net_sum_fold(net_sum(ip, packet->ip_header, 0)) != 0xffff)
            return fail(net, packet, W_bad_IP_checksum);
        if (net_be16(ip + 6) & 0x3fff)
            return fragment(net, packet, &chain);
    } else if (chain.last == IP6_FRAGMENT) {
        return fragment(net, packet, &chain);
    }
    return deliver(net, packet, &chain);
}

static const net_parent parents[] = {
    {"Root", NET_DEFAULT, false},     {"Ethernet", 0x0800, false},   {"Ethernet", 0x86dd, false},
    {"VLAN", 0x0800, false},          {"VLAN", 0x86dd, false},       {"MPLS", NET_DEFAULT, false},
    {"PPPoE", 0x0021, false},         {"PPPoE", 0x0057, false},      {"PPP", 0x0021, false},
    {"PPP", 0x0057, false},           {"PPPSerial", 0x0021, false},  {"PPPSerial", 0x0057, false},
    {"LinuxSLL", 0x0800, false},      {"LinuxSLL", 0x86dd, false},   {"LinuxSLL2", 0x0800, false},
    {"LinuxSLL2", 0x86dd, false},     {"Null", 2, false},            {"Null", 24, false},
    {"Null", 28, false},              {"Null", 30, false},           {"Loop", 2, false},
    {"Loop", 24, false},              {"Loop", 28, false},           {"Loop", 30, false},
    {"NFLog", 2, false},              {"NFLog", 10, false},          {"FDDI", NET_DEFAULT, false},
    {"SNAP", 0x0800, false},          {"SNAP", 0x86dd, false},       {"IEEE802_11", 0x0800, false},
    {"IEEE802_11", 0x86dd, false},    {"Skip", NET_DEFAULT, false},  {"IPTunnel", NET_DEFAULT, false},
    {"Geneve", 0x0800, false},        {"Geneve", 0x86dd, false},     {"Teredo", NET_DEFAULT, false},
    {"GTPv1", NET_DEFAULT, false},    {"AYIYA", 4, false},           {"AYIYA", 41, false},
    {"NSH", 1, false},                {"NSH", 2, false},             {"VXLAN_GPE", 1, false},
    {"VXLAN_GPE", 2, false},          {NULL, 0, false},
};

const net_layer net_layer_ip = {.name = "IP", .source = "IP", .id = NET_LAYER_ip, .enter = enter, .parents = parents};
