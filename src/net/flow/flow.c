/* The life of a flow: made from a packet, told about encapsulations and services, ended with a record. */
#include "net/flow/flow.h"
#include "net/flow/timers.h"
#include "net/http/stream.h"
#include "net/tcp/tcp.h"
#include "net/tunnel/tunnel.h"

#include <stdlib.h>

enum { PARENTS_MOST = 64 };

static void copy_mac(uint8_t *to, const uint8_t *from)
{
    if (from != NULL)
        memcpy(to, from, 6);
}

static void parent_add(net_flow *flow, uint64_t serial)
{
    for (uint32_t i = 0; i < flow->parent_count; i++)
        if ((i < NET_PARENTS ? flow->parents[i] : flow->more_parents[i - NET_PARENTS]) == serial)
            return;
    if (flow->parent_count < NET_PARENTS) {
        flow->parents[flow->parent_count++] = serial;
        return;
    }
    if (flow->more_parents == NULL)
        flow->more_parents = calloc(PARENTS_MOST - NET_PARENTS, sizeof *flow->more_parents);
    if (flow->more_parents != NULL && flow->parent_count < PARENTS_MOST)
        flow->more_parents[flow->parent_count++ - NET_PARENTS] = serial;
}

net_flow *net_flow_create(hg_net *net, net_packet *packet, const net_key *key, uint64_t hash, hg_net_proto proto,
                          bool flip)
{
    net_flow *flow = net_flow_allocate(net, hash, proto);
    if (flow == NULL)
        return NULL;
    net_frame *frame = packet->frame;
    int from = flip ? NET_RESP : NET_ORIG;
    flow->addr[from] = key->addr[0];
    flow->addr[!from] = key->addr[1];
    flow->port[from] = key->port[0];
    flow->port[!from] = key->port[1];
    flow->ip_proto = key->ip_proto;
    flow->one_way = key->one_way;
    flow->vlan_key = key->vlans;
    flow->v6 = packet->version == 6;
    flow->serial = ++net->serials;
    flow->start = flow->last = frame->time;
    flow->vlan = packet->vlan;
    flow->inner_vlan = packet->inner_vlan;
    flow->pppoe = packet->pppoe;
    copy_mac(flow->mac[from], packet->mac_src);
    copy_mac(flow->mac[!from], packet->mac_dst);
    if (flip) {
        flow->flipped = true;
        net_flow_letter(flow, '^');
    }
    if (proto == HG_NET_TCP) {
        for (int i = 0; i < 2; i++)
            flow->side[i].next = flow->side[i].trimmed = 1;
        net_timer_add(net, flow, TIMER_EXPIRE, frame->time + 5 * NET_SECOND);
    }
    net_timer_add(net, flow, TIMER_INACTIVITY, frame->time + 60 * NET_SECOND);
    flow->signature = frame->signature[frame->depth];
    if (frame->depth > 0) {
        parent_add(flow, net_tunnel_innermost(frame));
        net_tunnel_discover(net, packet);
    }
    net->counters.flows++;
    uint64_t *by_kind[] = {&net->counters.tcp_flows, &net->counters.udp_flows, &net->counters.icmp_flows,
                           &net->counters.other_flows};
    ++*by_kind[proto];
    return flow;
}

void net_flow_encapsulation(hg_net *net, net_flow *flow, const net_packet *packet)
{
    const net_frame *frame = packet->frame;
    uint64_t signature = frame->signature[frame->depth];
    if (signature == flow->signature)
        return;
    flow->signature = signature;
    if (net->options.tunnel_changes > 0 && flow->changes >= (uint32_t)net->options.tunnel_changes) {
        char addl[16] = "";
        int limit = net->options.tunnel_changes;
        char *at = addl + sizeof addl;
        *--at = '\0';
        for (; limit > 0; limit /= 10)
            *--at = (char)('0' + limit % 10);
        net_weird_flow(net, flow, W_tunnel_max_changes_per_connection_exceeded, at, "");
        net_flow_limit_hit(flow);
        return;
    }
    flow->changes++;
    if (frame->depth > 0) {
        parent_add(flow, net_tunnel_innermost(frame));
        net_tunnel_discover(net, packet);
    }
}

net_flow *net_flow_of(hg_net *net, net_packet *packet, const net_key *key, hg_net_proto proto, bool flip)
{
    uint64_t hash = net_flow_hash(net, key);
    bool forward;
    net_flow *flow = net_flow_find(net, key, hash, &forward);
    if (flow == NULL) {
        flow = net_flow_create(net, packet, key, hash, proto, flip);
        if (flow == NULL)
            return NULL;
        forward = !flip;
    } else {
        net_flow_encapsulation(net, flow, packet);
    }
    flow->touched = net->counters.packets;
    packet->flow = flow;
    packet->from_orig = forward;
    packet->processed = true;
    return flow;
}

static void swap_octets(void *a, void *b, size_t size)
{
    uint8_t keep[sizeof(net_side)];
    memcpy(keep, a, size);
    memcpy(a, b, size);
    memcpy(b, keep, size);
}

void net_flow_flip(hg_net *net, net_flow *flow)
{
    swap_octets(&flow->addr[0], &flow->addr[1], sizeof flow->addr[0]);
    swap_octets(&flow->port[0], &flow->port[1], sizeof flow->port[0]);
    swap_octets(&flow->count[0], &flow->count[1], sizeof flow->count[0]);
    swap_octets(&flow->side[0], &flow->side[1], sizeof flow->side[0]);
    swap_octets(&flow->seen[0], &flow->seen[1], sizeof flow->seen[0]);
    swap_octets(&flow->bad_checksums[0], &flow->bad_checksums[1], sizeof flow->bad_checksums[0]);
    swap_octets(&flow->mac[0], &flow->mac[1], sizeof flow->mac[0]);
    flow->partial = false;
    flow->flipped = true;
    net_flow_letter(flow, '^');
    net_stream_flip(net, flow);
}

void net_flow_confirm(net_flow *flow, net_service service)
{
    if (net_flow_is(flow, service))
        return;
    flow->service_order[flow->service_count++] = (uint8_t)service;
}

void net_flow_unconfirm(net_flow *flow, net_service service)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < flow->service_count; i++)
        if (flow->service_order[i] != service)
            flow->service_order[kept++] = flow->service_order[i];
    flow->service_count = kept;
}

bool net_flow_is(const net_flow *flow, net_service service)
{
    return flow->service_count > 0 && memchr(flow->service_order, service, flow->service_count) != NULL;
}

static void service_text(const net_flow *flow, char *out, size_t room)
{
    static const char *const names[NET_SERVICES] = {"http", "websocket", "vxlan", "geneve", "teredo", "ayiya", "gtpv1"};
    size_t len = 0;
    for (uint8_t i = 0; i < flow->service_count; i++) {
        const char *name = names[flow->service_order[i]];
        size_t n = strlen(name);
        if (len + n + 2 > room)
            break;
        if (len > 0)
            out[len++] = ',';
        memcpy(out + len, name, n);
        len += n;
    }
    out[len] = '\0';
}

static const uint8_t *mac_or_null(const uint8_t *mac)
{
    static const uint8_t zero[6];
    return memcmp(mac, zero, 6) == 0 ? NULL : mac;
}

static void report(hg_net *net, const net_flow *flow)
{
    char service[64];
    uint64_t parents[PARENTS_MOST];
    service_text(flow, service, sizeof service);
    for (uint32_t i = 0; i < flow->parent_count; i++)
        parents[i] = i < NET_PARENTS ? flow->parents[i] : flow->more_parents[i - NET_PARENTS];
    hg_net_conn conn = {.start = flow->start, .end = flow->last, .serial = flow->serial, .proto = flow->proto,
                        .ip_proto = flow->ip_proto, .service = service, .state = net_flow_state(flow),
                        .history = net_flow_history(flow), .local_orig = net_is_local(net, &flow->addr[0]),
                        .local_resp = net_is_local(net, &flow->addr[1]), .missed_bytes = flow->missed,
                        .tunnel_parents = parents, .tunnel_parent_count = flow->parent_count, .vlan = flow->vlan,
                        .inner_vlan = flow->inner_vlan, .pppoe_session = flow->pppoe};
    memcpy(conn.orig.addr, &flow->addr[0], 16);
    memcpy(conn.resp.addr, &flow->addr[1], 16);
    conn.orig.port = flow->port[0];
    conn.resp.port = flow->port[1];
    for (int i = 0; i < 2; i++) {
        const net_count *count = &flow->count[i];
        conn.side[i].packets = count->packets;
        conn.side[i].ip_bytes = count->ip_bytes;
        conn.side[i].bytes = flow->proto == HG_NET_TCP ? net_tcp_size(flow, i) : count->bytes;
        conn.side[i].mac = mac_or_null(flow->mac[i]);
    }
    hg_net_community_id(&conn.orig, &conn.resp, flow->ip_proto, flow->one_way, net->options.community_id_seed,
                        conn.community_id);
    net->sink.conn(net->sink.state, &conn);
}

void net_flow_remove(hg_net *net, net_flow *flow)
{
    net_stream_end(net, flow);
    for (int i = 0; i < 2 && flow->proto == HG_NET_TCP; i++)
        net_tcp_drop_blocks(net, &flow->side[i]);
    if (net->sink.conn != NULL)
        report(net, flow);
    net_tunnel_flow_ends(net, flow);
    net_flow_release(net, flow);
}
