/* Unknown protocols: a sample per parent and identifier: the first 3, then every 100,000th, forgotten after an hour. */
#include "net/state.h"
#include "net/map.h"

#include <stdlib.h>

enum { FIRST = 3, THEN_EVERY = 100000, BYTES = 10 };

static const hg_net_time FORGET = (hg_net_time)3600 * NET_SECOND;

struct net_unknown_state {
    net_map seen;
    uint64_t evicted;
};

hg_status net_unknown_init(hg_net *net)
{
    net->unknowns = calloc(1, sizeof *net->unknowns);
    if (net->unknowns == NULL)
        return HG_ERR_NOMEM;
    return net_map_init(&net->unknowns->seen, net->options.limits.weirds, net->options.hash_seed,
                        &net->unknowns->evicted);
}

void net_unknown_free(hg_net *net)
{
    if (net->unknowns != NULL)
        net_map_close(&net->unknowns->seen);
    free(net->unknowns);
    net->unknowns = NULL;
}

void net_unknown_clear(hg_net *net)
{
    net_map_clear(&net->unknowns->seen);
}

static bool is_sampled(hg_net *net, const net_layer *parent, uint64_t key)
{
    net_map *map = &net->unknowns->seen;
    net_map_key at = {{0}};
    memcpy(at.octet, &key, sizeof key);
    at.octet[8] = (uint8_t)parent->id;
    net_map_entry *entry = net_map_find(map, &at);
    if (entry != NULL && entry->time + FORGET <= net->now) {
        net_map_remove(map, entry);
        entry = NULL;
    }
    if (entry == NULL)
        entry = net_map_add(map, &at, net->now);
    if (entry == NULL)
        return false;
    entry->count++;
    return entry->count <= FIRST || (entry->count - FIRST) % THEN_EVERY == 0;
}

void net_unknown(hg_net *net, const net_packet *packet, const net_layer *parent, uint64_t key, const uint8_t *data,
                 size_t len)
{
    const char *history[NET_HISTORY];
    if (net->sink.unknown == NULL || !is_sampled(net, parent, key))
        return;
    const net_frame *frame = packet->frame;
    uint32_t count = frame->entered < NET_HISTORY ? frame->entered : NET_HISTORY;
    for (uint32_t i = 0; i < count; i++)
        history[i] = net->nodes[frame->history[i]].layer->source;
    hg_net_unknown record = {.time = net->now, .analyzer = parent->source, .protocol_id = key & 0xffffffff,
                             .first_bytes = hg_slice_of((const char *)data, len < BYTES ? len : BYTES),
                             .history = history, .history_count = count};
    net->sink.unknown(net->sink.state, &record);
}
