/* The stack of encapsulation: an inline array in the frame, so a tunnel costs a few stores. */
#include "net/tunnel/pairs.h"
#include "net/tunnel/tunnel.h"
#include "net/express.h"
#include "net/layers/layers.h"
#include "net/map.h"

#include <stdlib.h>

enum { PAIR_LIFETIME_HOURS = 24 };

struct net_pairs {
    net_map map;
};

static const hg_net_time PAIR_LIFETIME = (hg_net_time)PAIR_LIFETIME_HOURS * 3600 * NET_SECOND;

hg_status net_pairs_init(hg_net *net)
{
    net->pairs = calloc(1, sizeof *net->pairs);
    if (net->pairs == NULL)
        return HG_ERR_NOMEM;
    return net_map_init(&net->pairs->map, net->options.limits.tunnels, net->options.hash_seed,
                        &net->counters.tunnels_forgotten);
}

void net_pairs_free(hg_net *net)
{
    if (net->pairs != NULL)
        net_map_close(&net->pairs->map);
    free(net->pairs);
    net->pairs = NULL;
}

void net_pairs_expire(hg_net *net)
{
    net_map *map = &net->pairs->map;
    for (net_map_entry *e; (e = net_map_oldest(map)) != NULL && e->time + PAIR_LIFETIME <= net->now;)
        net_map_remove(map, e);
}

void net_pairs_clear(hg_net *net)
{
    net_map_clear(&net->pairs->map);
}

const char *hg_net_tunnel_name(hg_net_tunnel_type type)
{
    static const char *const names[] = {"NONE", "IP", "GRE", "VXLAN", "GENEVE", "TEREDO", "AYIYA", "GTPv1", "HTTP"};
    return (size_t)type < sizeof names / sizeof *names ? names[type] : names[0];
}

bool net_tunnel_fits(hg_net *net, net_packet *packet, const net_layer *source, bool mark_flow)
{
    if (packet->frame->depth < (uint32_t)net->options.tunnel_depth)
        return true;
    net->counters.tunnel_depth_exceeded++;
    net_weird_packet(net, packet, W_exceeded_tunnel_max_depth, "", source);
    if (mark_flow && packet->flow != NULL)
        net_flow_limit_hit(packet->flow);
    return false;
}

static hg_net_tunnel *push(hg_net *net, net_packet *packet, net_flow *carrier, uint64_t serial, uint8_t ip_proto)
{
    net_frame *frame = packet->frame;
    uint32_t depth = frame->depth++;
    net->counters.decapsulated++;
    frame->carrier[depth] = carrier;
    frame->signature[depth + 1] = net_tunnel_signature(frame->signature[depth], serial, ip_proto);
    return &frame->stack[depth];
}

hg_net_tunnel net_tunnel_of_flow(const net_flow *flow, hg_net_tunnel_type type)
{
    hg_net_tunnel layer = {.type = type, .flow = flow->serial, .ip_proto = flow->ip_proto};
    memcpy(layer.orig.addr, flow->addr[0].octet, 16);
    memcpy(layer.resp.addr, flow->addr[1].octet, 16);
    layer.orig.port = flow->port[0];
    layer.resp.port = flow->port[1];
    return layer;
}

hg_net_tunnel *net_tunnel_push_flow(hg_net *net, net_packet *packet, hg_net_tunnel_type type)
{
    hg_net_tunnel *layer = push(net, packet, packet->flow, packet->flow->serial, packet->flow->ip_proto);
    *layer = net_tunnel_of_flow(packet->flow, type);
    return layer;
}

const hg_net_tunnel *net_tunnel_stack(net_frame *frame)
{
    enum { TUNNEL = 8 };
    for (uint32_t i = 0; i < frame->unfilled; i++) {
        const uint8_t *header = net_ahead_tunnel(frame, i);
        bool geneve = frame->ahead->level[i].layer == NET_LAYER_geneve;
        frame->stack[i] = net_tunnel_of_flow(frame->carrier[i], geneve ? HG_NET_TUNNEL_GENEVE : HG_NET_TUNNEL_VXLAN);
        frame->stack[i].vni = net_be32(header + 4) >> 8;
        frame->stack[i].options = header + TUNNEL;
        frame->stack[i].options_len = geneve ? (header[0] & 0x3fu) * 4 : 0;
    }
    frame->unfilled = 0;
    return frame->stack;
}

/* The unordered pair as a key: the smaller address first. */
static net_map_key pair_key(const net_addr *a, const net_addr *b)
{
    net_map_key key = {{0}};
    bool swap = memcmp(a, b, sizeof *a) > 0;
    memcpy(key.octet, swap ? b : a, 16);
    memcpy(key.octet + 16, swap ? a : b, 16);
    return key;
}

hg_net_tunnel *net_tunnel_push_pair(hg_net *net, net_packet *packet, hg_net_tunnel_type type, uint8_t ip_proto)
{
    net_map *map = &net->pairs->map;
    net_map_key key = pair_key(&packet->src, &packet->dst);
    net_map_entry *entry = net_map_find(map, &key);
    if (entry == NULL) {
        entry = net_map_add(map, &key, net->now);
        if (entry == NULL)
            return NULL;
        entry->serial = ++net->serials;
        entry->count = type;
        memcpy(entry->extra.octet, &packet->src, 16);
        memcpy(entry->extra.octet + 16, &packet->dst, 16);
        entry->extra.octet[32] = ip_proto;
    } else {
        net_map_touch(map, entry, net->now);
    }
    hg_net_tunnel *layer = push(net, packet, NULL, entry->serial, entry->extra.octet[32]);
    *layer = (hg_net_tunnel){.type = (hg_net_tunnel_type)entry->count, .flow = entry->serial,
                             .ip_proto = entry->extra.octet[32]};
    memcpy(layer->orig.addr, entry->extra.octet, 16);
    memcpy(layer->resp.addr, entry->extra.octet + 16, 16);
    return layer;
}

void net_tunnel_pop(net_packet *packet)
{
    packet->frame->depth--;
}

net_packet net_tunnel_inner(const net_packet *outer, const uint8_t *data, size_t len)
{
    return (net_packet){.frame = outer->frame, .base = data, .captured = (uint32_t)len,
                        .wire = outer->wire - (outer->captured - (uint32_t)len),
                        .vlan = -1, .inner_vlan = -1, .pppoe = -1};
}

net_inner_check net_tunnel_check_ip(const uint8_t *data, size_t len, uint8_t protocol)
{
    size_t total;
    if (protocol == 41) {
        if (len < 40)
            return NET_INNER_SHORT;
        if (data[0] >> 4 != 6)
            return NET_INNER_VERSION;
        total = net_be16(data + 4) + 40u;
    } else {
        if (len < 20 || data[0] >> 4 != 4)
            return NET_INNER_VERSION;
        total = net_be16(data + 2);
    }
    if (len < total)
        return NET_INNER_SHORT;
    return len > total ? NET_INNER_LONG : NET_INNER_OK;
}
