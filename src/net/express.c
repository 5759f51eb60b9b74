/* The short way through outer headers: Ethernet, IPv4 without options or fragments, UDP, then Geneve or VXLAN of a flow
 * that is already confirmed as that. Checks, counts and records are those of the layers' own files; whatever is unusual
 * goes the usual way from the start. */
#include "net/express.h"
#include "net/checksum.h"
#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

enum { ETHERNET = 14, IP = 20, UDP = 8, TUNNEL = 8, HEADERS = IP + UDP + TUNNEL, LAYERS = 3 };

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static net_outer *slot_of(hg_net *net, uint32_t src, uint32_t dst, uint32_t ports)
{
    return &net->outer[net_outer_slot(net, src, dst, ports)];
}

void net_express_note(hg_net *net, const net_packet *packet, uint32_t layer)
{
    const net_flow *flow = packet->flow;
    if (net->outer == NULL || packet->version != 4 || !packet->from_orig)
        return;
    uint32_t src = load32(packet->src.octet + 12), dst = load32(packet->dst.octet + 12);
    uint8_t wire_ports[4];
    net_put16(wire_ports, flow->port[NET_ORIG]);
    net_put16(wire_ports + 2, flow->port[NET_RESP]);
    uint32_t ports = load32(wire_ports);
    *slot_of(net, src, dst, ports) = (net_outer){src, dst, ports, flow->index, flow->serial, (uint8_t)layer};
}

/* One outer IP datagram at `at`. */
typedef struct step {
    net_flow *flow;
    const uint8_t *payload; /* behind the tunnel's header */
    size_t left;
    uint32_t total;
    uint32_t layer;
    size_t options; /* Geneve */
} step;

static bool look(hg_net *net, const net_packet *packet, const uint8_t *ip, size_t len, uint64_t signature, step *s)
{
    if (len < HEADERS || ip[0] != 0x45 || ip[9] != 17 || (net_be16(ip + 6) & 0x3fff) != 0)
        return false;
    s->total = net_be16(ip + 2);
    if (s->total < HEADERS || packet->wire < (uint64_t)(ip - packet->base) + s->total ||
        net_be16(ip + IP + 4) != s->total - IP)
        return false;
    uint32_t src = load32(ip + 12), dst = load32(ip + 16), ports = load32(ip + IP);
    const net_outer *outer = slot_of(net, src, dst, ports);
    if (outer->serial == 0 || outer->src != src || outer->dst != dst || outer->ports != ports)
        return false;
    s->flow = net_flow_by_index(net, outer->flow);
    s->layer = outer->layer;
    if (!s->flow->alive || s->flow->serial != outer->serial || s->flow->signature != signature || s->flow->violated)
        return false;
    if (net_verify(net, packet) && (net_sum_fold(net_sum(ip, IP, 0)) != 0xffff || net_be16(ip + IP + 6) != 0))
        return false;
    const uint8_t *tunnel = ip + IP + UDP;
    size_t payload = (len < s->total ? len : s->total) - IP - UDP;
    s->options = 0;
    if (s->layer == NET_LAYER_geneve)
        s->options = (tunnel[0] & 0x3fu) * 4;
    bool known = s->layer == NET_LAYER_geneve ? tunnel[0] >> 6 == 0 : (tunnel[0] & 0x08) != 0;
    if (!known || payload <= TUNNEL + s->options)
        return false;
    s->payload = tunnel + TUNNEL + s->options;
    s->left = payload - TUNNEL - s->options;
    return true;
}

static void enter(net_frame *frame, uint32_t layer)
{
    if (frame->entered < NET_HISTORY)
        frame->history[frame->entered] = (uint8_t)layer;
    frame->entered++;
}

static void take(hg_net *net, net_packet *packet, const step *s)
{
    net_frame *frame = packet->frame;
    net_flow *flow = s->flow;
    enter(frame, NET_LAYER_ip);
    enter(frame, NET_LAYER_udp);
    enter(frame, s->layer);
    flow->touched = net->counters.packets;
    flow->last = frame->time;
    flow->side[NET_ORIG].bytes += s->total - IP - UDP;
    flow->side[NET_ORIG].packets++;
    flow->side[NET_ORIG].ip_bytes += s->total;
    packet->flow = flow;
    packet->processed = true;
    const uint8_t *tunnel = s->payload - s->options - TUNNEL;
    hg_net_tunnel *layer = net_tunnel_push_flow(
        net, packet, s->layer == NET_LAYER_geneve ? HG_NET_TUNNEL_GENEVE : HG_NET_TUNNEL_VXLAN);
    layer->vni = net_be32(tunnel + 4) >> 8;
    layer->options = tunnel + TUNNEL;
    layer->options_len = s->options;
}

/* What the next header is, below the tunnel. */
static bool hand_on(hg_net *net, net_packet *inner, const step *s)
{
    if (s->layer == NET_LAYER_vxlan)
        return net_forward_default(net, inner, &net_layer_vxlan, s->payload, s->left);
    uint16_t type = net_be16(s->payload - s->options - TUNNEL + 2);
    return net_forward(net, inner, &net_layer_geneve, type, s->payload, s->left);
}

bool net_express(hg_net *net, net_packet *packet, bool *result)
{
    net_frame *frame = packet->frame;
    step s;
    uint32_t limit = (uint32_t)net->options.layer_depth, depth = (uint32_t)net->options.tunnel_depth;
    const uint8_t *data = packet->base;
    if (net->outer == NULL || packet->captured < ETHERNET + HEADERS || net_be16(data + 12) != 0x0800 ||
        limit < 2 * LAYERS + 2 || depth < 2 ||
        !look(net, packet, data + ETHERNET, packet->captured - ETHERNET, 0, &s))
        return false;
    enter(frame, NET_LAYER_ethernet);
    take(net, packet, &s);
    net_packet inner = net_tunnel_inner(packet, s.payload, s.left), innermost;
    bool ip_inside = s.layer == NET_LAYER_geneve && net_be16(s.payload - s.options - TUNNEL + 2) == 0x0800;
    step second;
    if (ip_inside && look(net, &inner, s.payload, s.left, frame->signature[frame->depth], &second)) {
        take(net, &inner, &second);
        innermost = net_tunnel_inner(&inner, second.payload, second.left);
        *result = hand_on(net, &innermost, &second);
    } else {
        *result = hand_on(net, &inner, &s);
    }
    frame->depth = 0;
    return true;
}
