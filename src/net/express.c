/* The short way through outer headers. Checks, counts and records are those of the layers' own files; whatever is
 * unusual goes the usual way from the start. */
#include "net/express.h"
#include "net/checksum.h"
#include "net/hash.h"
#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

enum {
    ETHERNET = 14, IP = 20, UDP = 8, TUNNEL = 8, HEADERS = IP + UDP + TUNNEL,
    WORDS = 3, /* of the key, a level */
    TYPE_IPV4 = 0x0800, TYPE_ETHERNET = 0x6558,
    PORT_VXLAN = 4789, PORT_GENEVE = 6081,
};

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline net_outer *slot_of(const hg_net *net, const net_outer_key *key)
{
    uint64_t part[3];
    memcpy(part, key, sizeof part);
    uint64_t h = net_hash_mix(part[0] ^ net->options.hash_seed, part[1] + part[2] * 0x9e3779b97f4a7c15u);
    return &net->outer[h & (NET_EXPRESS - 1)];
}

static inline bool keys_equal(const net_outer_key *a, const net_outer_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- Reading ahead ---- */

/* The octets of a packet that lie in the frame, as the usual way would count them. */
typedef struct span {
    uint32_t at, captured, wire;
} span;

/* One more level at `ip`, which the span holds; false when it is not of the expected kind. */
static inline bool level_read(const uint8_t *frame, span *s, uint32_t ip, net_ahead *ahead)
{
    const uint32_t left = s->at + s->captured - ip;
    const uint8_t *p = frame + ip, *tunnel = p + IP + UDP;
    if (left < HEADERS || p[0] != 0x45 || p[9] != 17 || (net_be16(p + 6) & 0x3fff) != 0)
        return false;
    const uint32_t total = net_be16(p + 2), port = net_be16(p + IP + 2);
    uint32_t header = IP + UDP + TUNNEL, type = TYPE_ETHERNET, n = ahead->levels;
    uint8_t layer = NET_LAYER_vxlan;
    if (port == PORT_GENEVE) {
        header += (tunnel[0] & 0x3fu) * 4;
        type = net_be16(tunnel + 2);
        layer = NET_LAYER_geneve;
    }
    const uint32_t size = left < total ? left : total;
    const bool known = port == PORT_GENEVE ? tunnel[0] >> 6 == 0 : port == PORT_VXLAN && (tunnel[0] & 0x08);
    if (!known || size <= header || s->wire < (ip - s->at) + total || net_be16(p + IP + 4) != total - IP)
        return false;
    uint8_t carried = type == TYPE_IPV4 ? NET_LAYER_ip : NET_LAYER_root;
    if (type == TYPE_ETHERNET && size > header + ETHERNET + 2 && net_be16(p + header + 12) == TYPE_IPV4)
        carried = NET_LAYER_ethernet;
    memcpy(ahead->key.word + n * WORDS, p + 12, 12); /* both addresses and ports */
    ahead->level[n].ip = ip;
    ahead->level[n].inside = ip + header;
    ahead->level[n].total = (uint16_t)total;
    ahead->level[n].layer = layer;
    ahead->level[n].carried = carried;
    const uint32_t before = n == 0 ? 1 : ahead->level[n - 1].entered;
    memcpy(ahead->trail + before, (const uint8_t[4]){NET_LAYER_ip, NET_LAYER_udp, layer, carried}, 4);
    ahead->level[n].entered = (uint8_t)(before + (carried == NET_LAYER_ethernet ? 4 : 3));
    ahead->levels = n + 1;
    *s = (span){ip + header, size - header, s->wire - (s->captured - (size - header))};
    ahead->level[n].captured = s->captured;
    ahead->level[n].wire = s->wire;
    return true;
}

void net_ahead_read(const hg_net *net, const hg_net_frame *f, net_ahead *ahead)
{
    span s = {0, f->captured, f->wire > f->captured ? f->wire : f->captured};
    uint32_t ip = ETHERNET;
    ahead->levels = 0;
    ahead->has_hash = false;
    if (f->link_type != 1 || f->vlan >= 0 || f->captured < ETHERNET + IP + UDP || net_be16(f->data + 12) != TYPE_IPV4)
        return;
    ahead->key = (net_outer_key){{0}};
    ahead->trail[0] = NET_LAYER_ethernet;
    while (net->outer != NULL && ahead->levels < NET_EXPRESS_LEVELS && level_read(f->data, &s, ip, ahead)) {
        const uint8_t carried = ahead->level[ahead->levels - 1].carried;
        ip = s.at + (carried == NET_LAYER_ethernet ? ETHERNET : 0);
        if (carried == NET_LAYER_root)
            break;
    }
    if (ahead->levels > 0)
        ahead->outer = slot_of(net, &ahead->key);
    const uint8_t *p = f->data + ip;
    if (s.at + s.captured < ip + IP + UDP || p[0] != 0x45 || (p[9] != 6 && p[9] != 17))
        return;
    net_key key = {.addr = {net_addr_v4(p + 12), net_addr_v4(p + 16)},
                   .port = {net_be16(p + IP), net_be16(p + IP + 2)}, .ip_proto = p[9]};
    ahead->hash = net_flow_hash(net, &key);
    ahead->has_hash = true;
}

const uint8_t *net_ahead_tunnel(const net_frame *frame, uint32_t n)
{
    return frame->octets + frame->ahead->level[n].ip + IP + UDP;
}

/* ---- Remembering ---- */

void net_express_note(hg_net *net, const net_packet *packet, uint32_t layer)
{
    net_frame *frame = packet->frame;
    const uint32_t n = frame->depth;
    if (net->outer == NULL || packet->version != 4 || !packet->from_orig || n != frame->express ||
        n == NET_EXPRESS_LEVELS || packet->flow->port[NET_RESP] != (layer == NET_LAYER_geneve ? PORT_GENEVE : PORT_VXLAN))
        return;
    net_outer entry = {.serial = {0}};
    frame->express++;
    for (uint32_t i = 0; i <= n; i++) {
        net_flow *carrier = i < n ? frame->carrier[i] : packet->flow;
        uint8_t ports[4];
        net_put16(ports, carrier->port[NET_ORIG]);
        net_put16(ports + 2, carrier->port[NET_RESP]);
        entry.key.word[i * WORDS] = load32(carrier->addr[NET_ORIG].octet + 12);
        entry.key.word[i * WORDS + 1] = load32(carrier->addr[NET_RESP].octet + 12);
        entry.key.word[i * WORDS + 2] = load32(ports);
        entry.flow[i] = carrier;
        entry.serial[i] = carrier->serial;
    }
    *slot_of(net, &entry.key) = entry;
}

/* ---- Taking ---- */

/* Is all still as it was when the flow was noted? */
static inline bool is_same(const net_flow *flow, uint64_t serial, uint64_t signature)
{
    return flow->alive && flow->serial == serial && flow->signature == signature && !flow->violated;
}

static bool is_intact(const uint8_t *ip)
{
    return net_sum_fold(net_sum(ip, IP, 0)) == 0xffff && net_be16(ip + IP + 6) == 0;
}

/* Finds the carriers of the frame's levels; false when one is not known. */
static inline bool carriers(net_frame *frame, const net_outer *outer, const net_outer_key *key, uint32_t levels)
{
    if (outer->flow[0] == NULL || !keys_equal(&outer->key, key))
        return false;
    for (uint32_t n = 0; n < levels; n++) {
        net_flow *flow = outer->flow[n];
        if (!is_same(flow, outer->serial[n], frame->signature[n]))
            return false;
        frame->carrier[n] = flow;
        frame->signature[n + 1] = net_tunnel_signature(frame->signature[n], flow->serial, flow->ip_proto);
    }
    return true;
}

/* As many levels as are known. */
static uint32_t known_levels(hg_net *net, net_frame *frame, const net_ahead *ahead)
{
    if (carriers(frame, ahead->outer, &ahead->key, ahead->levels))
        return ahead->levels;
    if (ahead->levels == 1)
        return 0;
    net_outer_key first = ahead->key;
    memset(first.word + WORDS, 0, sizeof first - WORDS * sizeof *first.word);
    return carriers(frame, slot_of(net, &first), &first, 1) ? 1 : 0;
}

static inline void take(hg_net *net, net_flow *flow, hg_net_time time, uint32_t total)
{
    net_count *count = &flow->count[NET_ORIG];
    flow->touched = net->counters.packets;
    flow->last = time;
    count->bytes += total - IP - UDP;
    count->packets++;
    count->ip_bytes += total;
}

/* The packet becomes what level `last` carries. */
static bool hand_on(hg_net *net, net_packet *packet, const net_ahead *ahead, uint32_t last)
{
    net_frame *frame = packet->frame;
    const uint8_t carried = ahead->level[last].carried, *data = frame->octets + ahead->level[last].inside;
    packet->base = data;
    packet->captured = ahead->level[last].captured;
    packet->wire = ahead->level[last].wire;
    memcpy(frame->history, ahead->trail, sizeof ahead->trail);
    frame->entered = ahead->level[last].entered;
    if (carried == NET_LAYER_ethernet)
        return net_layer_ethernet.enter(net, packet, data, packet->captured);
    if (ahead->level[last].layer == NET_LAYER_vxlan)
        return net_forward_default(net, packet, &net_layer_vxlan, data, packet->captured);
    return net_forward(net, packet, &net_layer_geneve, net_be16(net_ahead_tunnel(frame, last) + 2), data,
                       packet->captured);
}

bool net_express(hg_net *net, net_packet *packet, const net_ahead *ahead, bool *result)
{
    net_frame *frame = packet->frame;
    const uint32_t levels = ahead->levels > 0 ? known_levels(net, frame, ahead) : 0;
    if (levels == 0)
        return false;
    if (net_verify(net, packet))
        for (uint32_t n = 0; n < levels; n++)
            if (!is_intact(frame->octets + ahead->level[n].ip))
                return false;
    for (uint32_t n = 0; n < levels; n++)
        take(net, frame->carrier[n], frame->time, ahead->level[n].total);
    frame->ahead = ahead;
    net->counters.decapsulated += levels;
    frame->depth = frame->unfilled = frame->express = levels;
    *result = hand_on(net, packet, ahead, levels - 1);
    frame->depth = 0;
    packet->processed = true;
    return true;
}
