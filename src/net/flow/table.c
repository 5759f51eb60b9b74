/* The table of flows: small index entries (half a hash, which also says where they belong, and a slot number) with
 * linear probing over a slab of flow objects, so that moving entries looks at no flow. Both directions of a flow have one hash. */
#include "net/flow/flow.h"
#include "net/flow/timers.h"
#include "net/hash.h"

#include <stdlib.h>

enum { INDEX_FIRST = 4096, BLOCK_SHIFT = 7, EVICT_TRIES = 64 };

typedef struct slot {
    uint32_t tag;
    uint32_t flow; /* number of the flow + 1; 0: empty */
} slot;

struct net_flows {
    net_slab slab;
    slot *index;
    uint32_t mask;
    uint32_t used;
    uint32_t hand; /* of the eviction clock */
};

hg_status net_flows_init(hg_net *net)
{
    net_flows *f = calloc(1, sizeof *f);
    if (f == NULL)
        return HG_ERR_NOMEM;
    net->flows = f;
    net_slab_init(&f->slab, sizeof(net_flow), BLOCK_SHIFT);
    f->mask = INDEX_FIRST - 1;
    f->index = calloc(INDEX_FIRST, sizeof *f->index);
    return f->index ? HG_OK : HG_ERR_NOMEM;
}

net_flow *net_flow_by_index(hg_net *net, uint32_t index)
{
    return net_slab_at(&net->flows->slab, index);
}

uint64_t net_flow_hash(const hg_net *net, const net_key *key)
{
    uint64_t seed = net->options.hash_seed;
    uint64_t a = net_hash_16(key->addr[0].octet, seed + key->port[0]);
    uint64_t b = net_hash_16(key->addr[1].octet, seed + key->port[1]);
    uint64_t rest = (uint64_t)key->vlans << 8 | key->ip_proto;
    return key->one_way ? net_hash_mix(a, b + rest) : net_hash_mix(a ^ b, (a + b) ^ rest);
}

void net_flow_prefetch(const hg_net *net, uint64_t hash)
{
    const net_flows *f = net->flows;
    __builtin_prefetch(&f->index[(hash >> 32) & f->mask]);
}

const net_flow *net_flow_peek(const hg_net *net, uint64_t hash)
{
    const net_flows *f = net->flows;
    uint32_t tag = (uint32_t)(hash >> 32), at = tag & f->mask;
    for (int i = 0; i < 4 && f->index[at].flow != 0; i++, at = (at + 1) & f->mask)
        if (f->index[at].tag == tag)
            return net_slab_at(&f->slab, f->index[at].flow - 1);
    return NULL;
}

static bool ends_equal(const net_flow *flow, const net_key *key, int a, int b)
{
    return flow->port[0] == key->port[a] && flow->port[1] == key->port[b] &&
           net_addr_equal(&flow->addr[0], &key->addr[a]) && net_addr_equal(&flow->addr[1], &key->addr[b]);
}

net_flow *net_flow_find(hg_net *net, const net_key *key, uint64_t hash, bool *forward)
{
    net_flows *f = net->flows;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (uint32_t at = tag & f->mask; f->index[at].flow != 0; at = (at + 1) & f->mask) {
        if (f->index[at].tag != tag)
            continue;
        net_flow *flow = net_slab_at(&f->slab, f->index[at].flow - 1);
        if (flow->ip_proto != key->ip_proto || flow->vlan_key != key->vlans || flow->one_way != key->one_way)
            continue;
        *forward = true;
        if (ends_equal(flow, key, 0, 1))
            return flow;
        *forward = false;
        if (!key->one_way && ends_equal(flow, key, 1, 0))
            return flow;
    }
    return NULL;
}

static void index_put(slot *index, uint32_t mask, slot entry)
{
    uint32_t at = entry.tag & mask;
    while (index[at].flow != 0)
        at = (at + 1) & mask;
    index[at] = entry;
}

static bool index_grow(net_flows *f)
{
    uint32_t size = (f->mask + 1) * 2;
    slot *index = calloc(size, sizeof *index);
    if (index == NULL)
        return false;
    for (uint32_t i = 0; i <= f->mask; i++)
        if (f->index[i].flow != 0)
            index_put(index, size - 1, f->index[i]);
    free(f->index);
    f->index = index;
    f->mask = size - 1;
    return true;
}

/* Takes the entry out and closes the gap, so that no probe is cut short. */
static void index_remove(net_flows *f, const net_flow *flow)
{
    uint32_t at = (uint32_t)(flow->hash >> 32) & f->mask;
    while (f->index[at].flow != flow->index + 1)
        at = (at + 1) & f->mask;
    uint32_t hole = at;
    for (;;) {
        at = (at + 1) & f->mask;
        if (f->index[at].flow == 0)
            break;
        uint32_t home = f->index[at].tag & f->mask;
        if (((at - home) & f->mask) >= ((at - hole) & f->mask)) {
            f->index[hole] = f->index[at];
            hole = at;
        }
    }
    f->index[hole].flow = 0;
    f->used--;
}

/* An unanswered flow that this frame does not use gives way. */
static bool evict(hg_net *net)
{
    net_flows *f = net->flows;
    for (int i = 0; i < EVICT_TRIES && f->slab.made > 0; i++) {
        f->hand = (f->hand + 1) % f->slab.made;
        net_flow *flow = net_slab_at(&f->slab, f->hand);
        if (!flow->alive || flow->touched == net->counters.packets || flow->count[NET_RESP].packets > 0)
            continue;
        net->counters.flows_evicted++;
        net_flow_remove(net, flow);
        return true;
    }
    return false;
}

net_flow *net_flow_allocate(hg_net *net, uint64_t hash, hg_net_proto proto)
{
    net_flows *f = net->flows;
    uint32_t index;
    if (f->slab.live >= net->options.limits.flows && !evict(net))
        goto refused;
    if (f->used * 2 > f->mask && !index_grow(f) && f->used + f->used / 4 > f->mask)
        goto refused;
    net_flow *flow = net_slab_take(&f->slab, &index);
    if (flow == NULL)
        goto refused;
    net_slab_fetch(&f->slab, offsetof(net_flow, side));
    memset(flow, 0, proto == HG_NET_TCP ? sizeof *flow : offsetof(net_flow, side));
    flow->proto = (uint8_t)proto;
    flow->index = index;
    flow->hash = hash;
    flow->alive = true;
    index_put(f->index, f->mask, (slot){(uint32_t)(hash >> 32), index + 1});
    f->used++;
    net->counters.flow_slots = f->slab.made;
    return flow;
refused:
    net->counters.flows_refused++;
    return NULL;
}

void net_flow_release(hg_net *net, net_flow *flow)
{
    index_remove(net->flows, flow);
    flow->alive = false;
    free(flow->long_history);
    free(flow->more_parents);
    net_slab_give(&net->flows->slab, flow->index);
}

void net_flows_finish(hg_net *net)
{
    net_flows *f = net->flows;
    for (uint32_t i = 0; i < f->slab.made; i++) {
        net_flow *flow = net_slab_at(&f->slab, i);
        if (flow->alive)
            net_flow_remove(net, flow);
    }
}

void net_flows_free(hg_net *net)
{
    net_flows *f = net->flows;
    if (f == NULL)
        return;
    for (uint32_t i = 0; i < f->slab.made; i++) {
        net_flow *flow = net_slab_at(&f->slab, i);
        if (flow->alive) {
            free(flow->long_history);
            free(flow->more_parents);
        }
    }
    net_slab_close(&f->slab);
    free(f->index);
    free(f);
    net->flows = NULL;
}
