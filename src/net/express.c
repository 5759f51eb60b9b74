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
    PORT_VXLAN = 4789, PORT_GENEVE = 6081,
    LAYERS_MOST = 4 * NET_EXPRESS_LEVELS + 2, /* entered on the way and right behind it */
};

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t slot_of(const hg_net *net, const net_outer_key *key)
{
    uint64_t first, second, third;
    memcpy(&first, key->word, 8);
    memcpy(&second, key->word + 2, 8);
    memcpy(&third, key->word + 4, 8);
    return (uint32_t)(net_hash_mix(first ^ net->options.hash_seed, net_hash_mix(second, third)) >> 40) &
           (NET_EXPRESS - 1);
}

static bool keys_equal(const net_outer_key *a, const net_outer_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- Reading ahead ---- */

/* The octets of a packet that lie in the frame, as the usual way would count them. */
typedef struct span {
    uint32_t at, captured, wire;
} span;

/* One more level at `ip`, which the span holds; false when it is not of the expected kind. */
static bool level_read(const hg_net *net, const uint8_t *frame, span *s, uint32_t ip, net_ahead *ahead)
{
    uint32_t left = s->at + s->captured - ip;
    const uint8_t *p = frame + ip, *tunnel = p + IP + UDP;
    if (left < HEADERS || p[0] != 0x45 || p[9] != 17 || (net_be16(p + 6) & 0x3fff) != 0)
        return false;
    const uint32_t total = net_be16(p + 2), port = net_be16(p + IP + 2), n = ahead->levels;
    if (total < HEADERS || s->wire < (ip - s->at) + total || net_be16(p + IP + 4) != total - IP)
        return false;
    uint32_t options = 0;
    if (port == PORT_GENEVE) {
        options = (tunnel[0] & 0x3fu) * 4;
        if (tunnel[0] >> 6 != 0)
            return false;
    } else if (port != PORT_VXLAN || !(tunnel[0] & 0x08)) {
        return false;
    }
    const uint32_t payload = (left < total ? left : total) - IP - UDP;
    if (payload <= TUNNEL + options)
        return false;
    ahead->level[n].key = n > 0 ? ahead->level[n - 1].key : (net_outer_key){{0}};
    uint32_t *words = ahead->level[n].key.word + n * WORDS;
    memcpy(words, p + 12, 2 * sizeof *words);
    words[2] = load32(p + IP);
    ahead->level[n].slot = slot_of(net, &ahead->level[n].key);
    ahead->level[n].ip = ip;
    ahead->level[n].inside = ip + IP + UDP + TUNNEL + options;
    ahead->level[n].total = (uint16_t)total;
    ahead->level[n].layer = port == PORT_GENEVE ? NET_LAYER_geneve : NET_LAYER_vxlan;
    const uint32_t type = port == PORT_GENEVE ? net_be16(tunnel + 2) : 0x6558, inside = payload - TUNNEL - options;
    ahead->level[n].ipv4 = type == 0x0800;
    ahead->level[n].ethernet = type == 0x6558 && inside > ETHERNET + 2 &&
                               net_be16(tunnel + TUNNEL + options + 12) == 0x0800;
    ahead->levels++;
    *s = (span){ahead->level[n].inside, inside, s->wire - (s->captured - inside)};
    return true;
}

void net_ahead_read(const hg_net *net, const hg_net_frame *f, net_ahead *ahead)
{
    span s = {0, f->captured, f->wire > f->captured ? f->wire : f->captured};
    uint32_t ip = ETHERNET;
    ahead->levels = 0;
    ahead->has_hash = false;
    if (f->link_type != 1 || f->vlan >= 0 || f->captured < ETHERNET + IP + UDP || net_be16(f->data + 12) != 0x0800)
        return;
    while (net->outer != NULL && ahead->levels < NET_EXPRESS_LEVELS && level_read(net, f->data, &s, ip, ahead)) {
        const uint32_t last = ahead->levels - 1;
        if (!ahead->level[last].ipv4 && !ahead->level[last].ethernet)
            return;
        ip = s.at + (ahead->level[last].ethernet ? ETHERNET : 0);
    }
    const uint8_t *p = f->data + ip;
    if (s.at + s.captured < ip + IP + UDP || p[0] != 0x45 || (p[9] != 6 && p[9] != 17))
        return;
    net_key key = {.addr = {net_addr_v4(p + 12), net_addr_v4(p + 16)},
                   .port = {net_be16(p + IP), net_be16(p + IP + 2)}, .ip_proto = p[9]};
    ahead->hash = net_flow_hash(net, &key);
    ahead->has_hash = true;
}

/* ---- Remembering ---- */

void net_express_note(hg_net *net, const net_packet *packet, uint32_t layer)
{
    const net_flow *flow = packet->flow;
    net_frame *frame = packet->frame;
    const uint32_t n = frame->depth;
    if (net->outer == NULL || packet->version != 4 || !packet->from_orig || n != frame->express ||
        n == NET_EXPRESS_LEVELS || flow->port[NET_RESP] != (layer == NET_LAYER_geneve ? PORT_GENEVE : PORT_VXLAN))
        return;
    net_outer entry = {.flow = {flow->index}, .serial = {flow->serial}};
    frame->express++;
    for (uint32_t i = 0; i <= n; i++) {
        const net_flow *carrier = i < n ? frame->carrier[i] : flow;
        uint8_t ports[4];
        net_put16(ports, carrier->port[NET_ORIG]);
        net_put16(ports + 2, carrier->port[NET_RESP]);
        entry.key.word[i * WORDS] = load32(carrier->addr[NET_ORIG].octet + 12);
        entry.key.word[i * WORDS + 1] = load32(carrier->addr[NET_RESP].octet + 12);
        entry.key.word[i * WORDS + 2] = load32(ports);
        entry.flow[i] = carrier->index;
        entry.serial[i] = carrier->serial;
    }
    net->outer[slot_of(net, &entry.key)] = entry;
}

/* ---- Taking ---- */

/* The flow that the entry names, if all is still as it was when it was noted. */
static net_flow *carrier_of(hg_net *net, const net_outer *outer, uint32_t n, uint64_t signature)
{
    net_flow *flow = net_flow_by_index(net, outer->flow[n]);
    bool same = flow->alive && flow->serial == outer->serial[n] && flow->signature == signature && !flow->violated;
    return same ? flow : NULL;
}

static bool is_intact(const uint8_t *ip)
{
    return net_sum_fold(net_sum(ip, IP, 0)) == 0xffff && net_be16(ip + IP + 6) == 0;
}

/* Finds the carriers of the frame's first `levels`; false when one is not known. */
static bool carriers(hg_net *net, const net_packet *packet, const net_ahead *ahead, uint32_t levels)
{
    net_frame *frame = packet->frame;
    const net_outer *outer = &net->outer[ahead->level[levels - 1].slot];
    if (outer->serial[0] == 0 || !keys_equal(&outer->key, &ahead->level[levels - 1].key))
        return false;
    for (uint32_t n = 0; n < levels; n++) {
        net_flow *flow = carrier_of(net, outer, n, frame->signature[n]);
        if (flow == NULL)
            return false;
        frame->carrier[n] = flow;
        frame->signature[n + 1] = net_tunnel_signature(frame->signature[n], flow->serial, flow->ip_proto);
    }
    return true;
}

static void enter(net_frame *frame, uint32_t layer)
{
    frame->history[frame->entered++] = (uint8_t)layer;
}

static void take(hg_net *net, net_frame *frame, const net_ahead *ahead, uint32_t n)
{
    net_flow *flow = frame->carrier[n];
    net_count *count = &flow->count[NET_ORIG];
    const uint32_t total = ahead->level[n].total;
    enter(frame, NET_LAYER_ip);
    enter(frame, NET_LAYER_udp);
    enter(frame, ahead->level[n].layer);
    flow->touched = net->counters.packets;
    flow->last = frame->time;
    count->bytes += total - IP - UDP;
    count->packets++;
    count->ip_bytes += total;
}

/* The packet becomes what level n carries. */
static void go_inside(net_packet *packet, const net_ahead *ahead, uint32_t n)
{
    uint32_t ip = ahead->level[n].ip, inside = ahead->level[n].inside;
    uint32_t end = (uint32_t)(packet->base - packet->frame->octets) + packet->captured;
    if (end > ip + ahead->level[n].total)
        end = ip + ahead->level[n].total;
    packet->wire -= packet->captured - (end - inside);
    packet->base = packet->frame->octets + inside;
    packet->captured = end - inside;
}

bool net_express(hg_net *net, net_packet *packet, const net_ahead *ahead, bool *result)
{
    net_frame *frame = packet->frame;
    uint32_t levels = ahead->levels;
    if (levels == 0 || net->options.layer_depth < LAYERS_MOST || net->options.tunnel_depth < NET_EXPRESS_LEVELS)
        return false;
    if (!carriers(net, packet, ahead, levels) && (--levels == 0 || !carriers(net, packet, ahead, levels)))
        return false;
    if (net_verify(net, packet))
        for (uint32_t n = 0; n < levels; n++)
            if (!is_intact(frame->octets + ahead->level[n].ip))
                return false;
    enter(frame, NET_LAYER_ethernet);
    for (uint32_t n = 0; n < levels; n++) {
        take(net, frame, ahead, n);
        go_inside(packet, ahead, n);
        if (n + 1 < levels && ahead->level[n].ethernet)
            enter(frame, NET_LAYER_ethernet);
        frame->header[n] = frame->octets + ahead->level[n].ip + IP + UDP;
    }
    net->counters.decapsulated += levels;
    frame->depth = frame->unfilled = frame->express = levels;
    const uint32_t last = levels - 1;
    if (ahead->level[last].layer == NET_LAYER_vxlan)
        *result = net_forward_default(net, packet, &net_layer_vxlan, packet->base, packet->captured);
    else
        *result = net_forward(net, packet, &net_layer_geneve, net_be16(frame->header[last] + 2), packet->base,
                              packet->captured);
    frame->depth = 0;
    packet->processed = true;
    return true;
}
