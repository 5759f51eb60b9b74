/* Which tunnels were met: one DISCOVER each, CLOSE with the outer flow, EXPIRE after an hour without a look-up. A tunnel
 * that lies in a flow is noted in the flow itself, others in a table. */
#include "net/map.h"
#include "net/tunnel/pairs.h"
#include "net/tunnel/tunnel.h"

#include <stdlib.h>

struct net_discovered {
    net_map map;
};

static const hg_net_time IDLE = (hg_net_time)3600 * NET_SECOND;

hg_status net_tunnels_init(hg_net *net)
{
    net->discovered = calloc(1, sizeof *net->discovered);
    if (net->discovered == NULL)
        return HG_ERR_NOMEM;
    hg_status status = net_map_init(&net->discovered->map, net->options.limits.tunnels, net->options.hash_seed,
                                    &net->counters.tunnels_forgotten);
    return status == HG_OK ? net_pairs_init(net) : status;
}

void net_tunnels_free(hg_net *net)
{
    if (net->discovered != NULL)
        net_map_close(&net->discovered->map);
    free(net->discovered);
    net->discovered = NULL;
    net_pairs_free(net);
}

void net_tunnels_clear(hg_net *net)
{
    net_map_clear(&net->discovered->map);
    net_pairs_clear(net);
}

static net_map_key key_of(const uint8_t *orig, uint16_t orig_port, const uint8_t *resp, uint16_t resp_port,
                          uint8_t proto)
{
    net_map_key key = {{0}};
    memcpy(key.octet, orig, 16);
    memcpy(key.octet + 16, resp, 16);
    net_put16(key.octet + 32, orig_port);
    net_put16(key.octet + 34, resp_port);
    key.octet[36] = proto;
    return key;
}

static void report(hg_net *net, const hg_net_tunnel *layer, int action)
{
    if (net->sink.tunnel == NULL)
        return;
    hg_net_tunnel_event event = {.time = net->now, .action = action, .tunnel = *layer};
    net->sink.tunnel(net->sink.state, &event);
}

static void report_entry(hg_net *net, const net_map_entry *entry, int action)
{
    hg_net_tunnel layer = {.type = (hg_net_tunnel_type)entry->count, .flow = entry->serial};
    const uint8_t *k = entry->key.octet;
    memcpy(layer.orig.addr, k, 16);
    memcpy(layer.resp.addr, k + 16, 16);
    layer.orig.port = net_be16(k + 32);
    layer.resp.port = net_be16(k + 34);
    layer.ip_proto = k[36];
    report(net, &layer, action);
}

void net_tunnel_report(hg_net *net, const hg_net_tunnel *layer)
{
    net_map *map = &net->discovered->map;
    net_map_key key = key_of(layer->orig.addr, layer->orig.port, layer->resp.addr, layer->resp.port, layer->ip_proto);
    net_map_entry *entry = net_map_find(map, &key);
    if (entry != NULL) {
        net_map_touch(map, entry, net->now);
        return;
    }
    entry = net_map_add(map, &key, net->now);
    if (entry == NULL)
        return;
    entry->count = layer->type;
    entry->serial = layer->flow;
    report(net, layer, HG_NET_DISCOVER);
}

void net_tunnel_discover(hg_net *net, const net_packet *packet)
{
    const hg_net_tunnel *stack = net_tunnel_stack(packet->frame);
    for (uint32_t i = 0; i < packet->frame->depth; i++) {
        net_flow *carrier = packet->frame->carrier[i];
        if (carrier == NULL) {
            net_tunnel_report(net, &stack[i]);
            continue;
        }
        if (carrier->discovered == 0) {
            carrier->tunnel = (uint8_t)stack[i].type;
            report(net, &stack[i], HG_NET_DISCOVER);
        }
        carrier->discovered = net->now;
    }
}

static void report_flow(hg_net *net, const net_flow *flow, int action)
{
    hg_net_tunnel layer = net_tunnel_of_flow(flow, flow->tunnel);
    report(net, &layer, action);
}

void net_tunnel_flow_ends(hg_net *net, const net_flow *flow)
{
    if (flow->discovered != 0)
        report_flow(net, flow, HG_NET_CLOSE);
}

void net_tunnel_flow_idles(hg_net *net, net_flow *flow)
{
    if (flow->discovered == 0 || flow->discovered + IDLE > net->now)
        return;
    report_flow(net, flow, HG_NET_EXPIRE);
    flow->discovered = 0;
}

void net_tunnels_expire(hg_net *net)
{
    net_map *map = &net->discovered->map;
    for (net_map_entry *e; (e = net_map_oldest(map)) != NULL && e->time + IDLE <= net->now;) {
        report_entry(net, e, HG_NET_EXPIRE);
        net_map_remove(map, e);
    }
    net_pairs_expire(net);
}
