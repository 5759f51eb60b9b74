/* Anomalies: rate limits, the log's policy, and what a record says. */
#include "net/flow/flow.h"
#include "net/state.h"
#include "net/map.h"

#include <stdlib.h>

enum { PASS = 25, THEN_EVERY = 1000 };

static const hg_net_time SAMPLING = (hg_net_time)600 * NET_SECOND;
static const hg_net_time REPEAT = (hg_net_time)600 * NET_SECOND;
static const hg_net_time DAY = (hg_net_time)86400 * NET_SECOND;

struct net_weird_state {
    net_map counts;   /* per name and place: how many came */
    net_map recent;   /* logged within the last 10 minutes */
    net_map origins;  /* logged for this originator today */
    net_map flows;    /* logged for this flow, ever */
};

hg_status net_weird_init(hg_net *net)
{
    net->weirds = calloc(1, sizeof *net->weirds);
    if (net->weirds == NULL)
        return HG_ERR_NOMEM;
    net_map *maps[] = {&net->weirds->counts, &net->weirds->recent, &net->weirds->origins, &net->weirds->flows};
    for (size_t i = 0; i < 4; i++) {
        hg_status status = net_map_init(maps[i], net->options.limits.weirds, net->options.hash_seed,
                                        &net->counters.weirds_forgotten);
        if (status != HG_OK)
            return status;
    }
    return HG_OK;
}

void net_weird_free(hg_net *net)
{
    if (net->weirds == NULL)
        return;
    net_map_close(&net->weirds->counts);
    net_map_close(&net->weirds->recent);
    net_map_close(&net->weirds->origins);
    net_map_close(&net->weirds->flows);
    free(net->weirds);
    net->weirds = NULL;
}

void net_weird_clear(hg_net *net)
{
    net_map_clear(&net->weirds->counts);
    net_map_clear(&net->weirds->recent);
    net_map_clear(&net->weirds->origins);
    net_map_clear(&net->weirds->flows);
}

/* Name and place; in tunnels the name is another one. */
static net_map_key key_of(const hg_net_weird *w, uint32_t name, bool with_ports)
{
    net_map_key key = {{0}};
    if (w->kind != HG_NET_WEIRD_BARE) {
        memcpy(key.octet, w->orig.addr, 16);
        memcpy(key.octet + 16, w->resp.addr, 16);
    }
    if (with_ports && w->kind == HG_NET_WEIRD_FLOW) {
        net_put16(key.octet + 32, w->orig.port);
        net_put16(key.octet + 34, w->resp.port);
    }
    net_put32(key.octet + 36, name);
    key.octet[40] = (uint8_t)w->kind;
    return key;
}

/* The first 25 pass, then every 1000th; after a time the count starts again. */
static bool is_sampled(hg_net *net, const net_map_key *key, bool flow)
{
    net_map *map = &net->weirds->counts;
    net_map_entry *entry = net_map_find(map, key);
    if (entry != NULL && entry->count >= (flow ? PASS : 1) && entry->time + SAMPLING <= net->now) {
        net_map_remove(map, entry);
        entry = NULL;
    }
    if (entry == NULL)
        entry = net_map_add(map, key, net->now);
    if (entry == NULL)
        return false;
    entry->count++;
    if (flow && entry->count == PASS)
        entry->time = net->now; /* flows: counted from when the limit was reached */
    return entry->count <= PASS || (entry->count - PASS) % THEN_EVERY == 0;
}

/* Not there, or older than `age` (0: never too old)? Then it is now. */
static bool is_new(hg_net *net, net_map *map, const net_map_key *key, hg_net_time age)
{
    net_map_entry *entry = net_map_find(map, key);
    if (entry != NULL && (age == 0 || entry->time + age > net->now))
        return false;
    if (entry != NULL)
        net_map_touch(map, entry, net->now);
    else
        net_map_add(map, key, net->now);
    return true;
}

static bool is_logged(hg_net *net, hg_net_weird *w, net_weird name, uint32_t tagged)
{
    net_map_key key = key_of(w, tagged, true);
    if (!is_sampled(net, &key, w->kind == HG_NET_WEIRD_FLOW))
        return false;
    switch (net_weird_policies[name]) {
    case NET_NEVER:
        return false;
    case NET_PER_FLOW:
        return is_new(net, &net->weirds->flows, &key, 0);
    case NET_NOTICE:
        w->notice = true;
        /* fallthrough */
    case NET_PER_ORIG:
        if (tagged != (uint32_t)name) /* the policy knows the plain name only */
            return is_new(net, &net->weirds->recent, &key, REPEAT);
        memset(key.octet + 16, 0, 20);
        key.octet[40] = 0;
        return is_new(net, &net->weirds->origins, &key, DAY);
    default:
        return is_new(net, &net->weirds->recent, &key, REPEAT);
    }
}

static void report(hg_net *net, hg_net_weird *w, net_weird name, bool tunnelled)
{
    char text[96];
    if (net->sink.weird == NULL)
        return;
    uint32_t tagged = (uint32_t)name + (tunnelled ? W_COUNT : 0);
    if (!is_logged(net, w, name, tagged))
        return;
    w->time = net->now;
    w->name = net_weird_names[name];
    if (tunnelled) {
        size_t len = strlen(w->name);
        memcpy(text, w->name, len);
        memcpy(text + len, "_in_tunnel", sizeof "_in_tunnel");
        w->name = text;
    }
    net->sink.weird(net->sink.state, w);
}

void net_weird_pair(hg_net *net, const net_packet *packet, const net_addr *src, const net_addr *dst, net_weird name,
                    const char *addl, const char *source)
{
    hg_net_weird w = {.kind = HG_NET_WEIRD_PAIR, .addl = addl, .source = source};
    memcpy(w.orig.addr, src, 16);
    memcpy(w.resp.addr, dst, 16);
    report(net, &w, name, packet->frame->depth > 0);
}

void net_weird_packet(hg_net *net, const net_packet *packet, net_weird name, const char *addl, const net_layer *source)
{
    if (packet->has_ip) {
        net_weird_pair(net, packet, &packet->src, &packet->dst, name, addl, source->source);
        return;
    }
    hg_net_weird w = {.kind = HG_NET_WEIRD_BARE, .addl = addl, .source = source->source};
    report(net, &w, name, packet->frame->depth > 0);
}

void net_weird_flow(hg_net *net, net_flow *flow, net_weird name, const char *addl, const char *source)
{
    hg_net_weird w = {.kind = HG_NET_WEIRD_FLOW, .serial = flow->serial, .addl = addl, .source = source};
    memcpy(w.orig.addr, &flow->addr[0], 16);
    memcpy(w.resp.addr, &flow->addr[1], 16);
    w.orig.port = flow->port[0];
    w.resp.port = flow->port[1];
    flow->had_weird = true;
    report(net, &w, name, false);
}

void hg_net_input_weird(hg_net *net, const char *name, const char *addl)
{
    for (uint32_t i = 0; i < W_COUNT; i++)
        if (strcmp(net_weird_names[i], name) == 0) {
            hg_net_weird w = {.kind = HG_NET_WEIRD_BARE, .addl = addl, .source = ""};
            report(net, &w, (net_weird)i, false);
            return;
        }
}
