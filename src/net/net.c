/* The engine: made, fed with frames, finished. */
#include "net/express.h"
#include "net/flow/timers.h"
#include "net/fragment.h"
#include "net/hash.h"
#include "net/http/stream.h"
#include "net/state.h"
#include "net/tcp/tcp.h"
#include "net/tunnel/tunnel.h"

#include <stdlib.h>

typedef hg_status starter(hg_net *net);

static hg_status outer_init(hg_net *net)
{
    if (net->options.vlan_in_key || net->options.tunnel_depth < NET_EXPRESS_LEVELS ||
        net->options.layer_depth < NET_EXPRESS_LAYERS)
        return HG_OK; /* not for the short way */
    net->outer = aligned_alloc(64, NET_EXPRESS * sizeof *net->outer);
    if (net->outer != NULL)
        memset(net->outer, 0, NET_EXPRESS * sizeof *net->outer);
    return net->outer ? HG_OK : HG_ERR_NOMEM;
}

static starter *const starters[] = {
    net_config_init, net_dispatch_init, net_weird_init,  net_unknown_init, net_fragments_init,
    net_flows_init,  net_timers_init,   net_blocks_init, net_streams_init, net_tunnels_init,
    outer_init,
};

hg_net *hg_net_new(const hg_net_options *options, const hg_net_sink *sink)
{
    hg_net *net = calloc(1, sizeof *net);
    if (net == NULL)
        return NULL;
    net->options = *options;
    net->sink = *sink;
    net->now = NET_SECOND; /* network time starts at 1 */
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (starters[i](net) != HG_OK) {
            hg_net_free(net);
            return NULL;
        }
    return net;
}

void hg_net_free(hg_net *net)
{
    if (net == NULL)
        return;
    net_streams_free(net);
    net_flows_free(net);
    net_timers_free(net);
    net_blocks_free(net);
    net_tunnels_free(net);
    net_fragments_free(net);
    net_weird_free(net);
    net_unknown_free(net);
    net_dispatch_free(net);
    net_config_free(net);
    free(net->outer);
    free(net);
}

void hg_net_advance(hg_net *net, hg_net_time time)
{
    if (time > net->now)
        net->now = time;
    net_timers_run(net);
    net_fragments_expire(net);
    if (net->now - net->swept < NET_SECOND)
        return;
    net->swept = net->now;
    net_tunnels_expire(net);
}

static void frame_enter(hg_net *net, const hg_net_frame *f, const net_ahead *ahead)
{
    net_frame frame;
    frame.time = f->time;
    frame.octets = f->data;
    frame.entered = 0;
    frame.depth = frame.express = frame.unfilled = 0;
    frame.signature[0] = 0;
    frame.checked = f->checked;
    net_packet packet = {.frame = &frame, .base = f->data, .captured = f->captured,
                         .wire = f->wire > f->captured ? f->wire : f->captured, .vlan = f->vlan, .inner_vlan = -1,
                         .pppoe = -1};
    net->counters.packets++;
    net->counters.bytes += f->wire;
    hg_net_advance(net, f->time);
    net->frame = &frame;
    bool result;
    if (!net_express(net, &packet, ahead, &result))
        net_forward_link(net, &packet, f->link_type, f->data, f->captured);
    net->frame = NULL;
    if (packet.processed)
        net->counters.processed++;
    else
        net->counters.unprocessed++;
}

void hg_net_batch(hg_net *net, const hg_net_frame *frames, size_t count)
{
    net_ahead ahead[NET_AHEAD];
    for (size_t from = 0; from < count; from += NET_AHEAD) {
        size_t n = count - from < NET_AHEAD ? count - from : NET_AHEAD;
        net_prefetch(net, frames + from, n, ahead);
        for (size_t i = 0; i < n; i++)
            frame_enter(net, &frames[from + i], &ahead[i]);
    }
}

void hg_net_packet(hg_net *net, hg_net_time time, uint32_t link_type, hg_slice captured, uint32_t wire_len)
{
    hg_net_frame frame = {.time = time, .data = (const uint8_t *)captured.ptr, .captured = (uint32_t)captured.len,
                          .wire = wire_len, .link_type = link_type, .vlan = -1};
    net_ahead ahead;
    net_ahead_read(net, &frame, &ahead);
    frame_enter(net, &frame, &ahead);
}

void hg_net_finish(hg_net *net)
{
    net_timers_clear(net);
    net_flows_finish(net);
    net_fragments_clear(net);
    net_tunnels_clear(net);
    net_weird_clear(net);
    net_unknown_clear(net);
    net->now = NET_SECOND;
    net->swept = 0;
}

const hg_net_counters *hg_net_count(const hg_net *net)
{
    return &net->counters;
}

size_t hg_net_addr_text(const uint8_t addr[16], char *out)
{
    net_addr a;
    memcpy(&a, addr, sizeof a);
    return net_addr_text(&a, out);
}

size_t hg_net_uid(const hg_net *net, uint64_t serial, char out[HG_NET_UID])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint64_t a = net_hash_mix(serial, net->options.uid_seed), b = net_hash_mix(a, ~serial);
    size_t len = 0;
    out[len++] = 'C';
    for (int i = 0; i < 10; i++, a /= 62)
        out[len++] = digits[a % 62];
    for (int i = 0; i < 7; i++, b /= 62)
        out[len++] = digits[b % 62];
    out[len] = '\0';
    return len;
}

hg_net_time hg_net_clock(const hg_net *net)
{
    return net->now;
}

void hg_net_note_drops(hg_net *net, uint64_t drops)
{
    net->counters.kernel_drops = drops;
}
