/* Reassembly of one direction of a TCP flow. In-order data goes straight from the packet to the application; only
 * what comes out of order is copied, into blocks from a slab. The first copy of an octet wins. Weirds:
 * above_hole_data_without_any_acks, excessive_data_without_further_acks. */
#include "net/http/stream.h"
#include "net/tcp/tcp.h"

#include <stdlib.h>

enum {
    BLOCK = 2048 - 24,
    BLOCKS_MOST = 4096, /* of one direction: looking through them stays cheap */
    UNACKED_WINDOW = 16384, /* sent without any acknowledgement seen: none will come */
    UNACKED_HOLE = 16384,
    UNACKED_MOST = 10 * 1024 * 1024,
};

typedef struct block {
    uint32_t next; /* number, 0: none */
    uint32_t len;
    uint64_t seq;
    uint8_t data[BLOCK];
} block;

struct net_blocks {
    net_slab slab;
};

hg_status net_blocks_init(hg_net *net)
{
    net->blocks = calloc(1, sizeof *net->blocks);
    if (net->blocks == NULL)
        return HG_ERR_NOMEM;
    net_slab_init(&net->blocks->slab, sizeof(block), 5);
    return HG_OK;
}

void net_blocks_free(hg_net *net)
{
    if (net->blocks != NULL)
        net_slab_close(&net->blocks->slab);
    free(net->blocks);
    net->blocks = NULL;
}

static block *at(hg_net *net, uint32_t number)
{
    return net_slab_at(&net->blocks->slab, number - 1);
}

static void pop_first(hg_net *net, net_side *side)
{
    uint32_t number = side->blocks;
    const block *b = at(net, number);
    side->block_octets -= b->len;
    side->block_count--;
    side->blocks = b->next;
    net_slab_give(&net->blocks->slab, number - 1);
}

void net_tcp_drop_blocks(hg_net *net, net_side *side)
{
    while (side->blocks != 0)
        pop_first(net, side);
}

static void give_up(hg_net *net, net_flow *flow, net_side *side, net_weird name)
{
    net_weird_flow(net, flow, name, "", "TCP");
    net_tcp_drop_blocks(net, side);
    side->skipping = true;
}

static bool none_acked(const net_side *side)
{
    return side->ack <= 1;
}

static void deliver(hg_net *net, net_flow *flow, int i, const uint8_t *data, uint32_t len)
{
    flow->side[i].next += len;
    net_stream_data(net, flow, i, data, len);
}

/* Hands on what has become contiguous. */
static void drain(hg_net *net, net_flow *flow, int i)
{
    net_side *side = &flow->side[i];
    while (side->blocks != 0) {
        const block *b = at(net, side->blocks);
        if (b->seq > side->next)
            return;
        uint64_t done = side->next - b->seq;
        if (done < b->len)
            deliver(net, flow, i, b->data + done, b->len - (uint32_t)done);
        pop_first(net, side);
    }
}

/* Copies [seq, seq + len), known to be in no block, behind the block at *link. */
static uint32_t *insert(hg_net *net, net_side *side, uint32_t *link, uint64_t seq, const uint8_t *data, uint64_t len)
{
    while (len > 0) {
        uint32_t index;
        uint64_t held = (uint64_t)net->blocks->slab.live * BLOCK;
        bool fits = held < net->options.limits.reassembly_bytes && side->block_count < BLOCKS_MOST;
        block *b = fits ? net_slab_take(&net->blocks->slab, &index) : NULL;
        if (b == NULL) {
            net->counters.blocks_dropped++;
            return link;
        }
        uint32_t part = len < BLOCK ? (uint32_t)len : BLOCK;
        b->seq = seq;
        b->len = part;
        memcpy(b->data, data, part);
        b->next = *link;
        *link = index + 1;
        link = &b->next;
        side->block_octets += part;
        side->block_count++;
        seq += part;
        data += part;
        len -= part;
    }
    return link;
}

/* Stores what no block holds yet. */
static void store(hg_net *net, net_side *side, uint64_t seq, const uint8_t *data, uint64_t len)
{
    uint32_t *link = &side->blocks;
    uint64_t end = seq + len;
    while (seq < end) {
        const block *b = NULL;
        while (*link != 0) {
            b = at(net, *link);
            if (b->seq + b->len > seq)
                break;
            link = &at(net, *link)->next;
            b = NULL;
        }
        uint64_t stop = b != NULL && b->seq < end ? b->seq : end;
        if (stop > seq) {
            link = insert(net, side, link, seq, data, stop - seq);
            data += stop - seq;
            seq = stop;
        }
        if (b == NULL || seq >= end)
            return;
        uint64_t over = b->seq + b->len;
        if (over >= end)
            return;
        data += over - seq;
        seq = over;
    }
}

static void trim(hg_net *net, net_flow *flow, int i, uint64_t seq);

static uint64_t undelivered(hg_net *net, const net_side *side)
{
    uint64_t end = side->next;
    for (uint32_t number = side->blocks; number != 0; number = at(net, number)->next)
        end = at(net, number)->seq + at(net, number)->len;
    return end - side->next;
}

void net_tcp_data(hg_net *net, net_flow *flow, int i, uint64_t seq, const uint8_t *data, uint32_t len)
{
    net_side *side = &flow->side[i];
    if (side->skipping || net->options.no_tcp_reassembly)
        return;
    uint64_t end = seq + len, from = side->next > side->ack ? side->next : side->ack;
    if (end <= from)
        return;
    if (seq < from) {
        data += from - seq;
        seq = from;
    }
    if (seq == side->next && side->blocks == 0) {
        deliver(net, flow, i, data, (uint32_t)(end - seq));
    } else {
        store(net, side, seq, data, end - seq);
        if (seq == side->next)
            drain(net, flow, i);
    }
    if (none_acked(side)) {
        if (net_tcp_size(flow, i) > UNACKED_WINDOW)
            trim(net, flow, i, side->next);
        if (side->blocks != 0 && undelivered(net, side) > UNACKED_HOLE) {
            give_up(net, flow, side, W_above_hole_data_without_any_acks);
            return;
        }
    }
    if (side->next - side->trimmed + side->block_octets > UNACKED_MOST)
        give_up(net, flow, side, W_excessive_data_without_further_acks);
}

static bool is_clean(const net_side *side)
{
    return side->state == TCP_ESTABLISHED || (side->state == TCP_CLOSED && side->previous == TCP_ESTABLISHED);
}

static void gap(hg_net *net, net_flow *flow, int i, uint64_t len)
{
    net_side *side = &flow->side[i];
    if (is_clean(side) && is_clean(&flow->side[!i])) {
        net_flow_scaled_letter(flow, i == NET_ORIG, 'G', &side->gaps);
        flow->missed += len;
    }
    side->next += len;
    net_stream_gap(net, flow, i, len);
}

/* The peer acknowledges up to `to`, beyond what was delivered: what is missing will not come. */
static void skip_to(hg_net *net, net_flow *flow, int i, uint64_t to)
{
    net_side *side = &flow->side[i];
    if (to <= 2 && flow->partial) {
        side->next = to;
        return;
    }
    if (side->fin_count > 0 && to >= side->fin_end && side->fin_end > 0)
        to = side->fin_end - 1;
    while (side->next < to) {
        uint64_t stop = to;
        if (side->blocks != 0 && at(net, side->blocks)->seq < to)
            stop = at(net, side->blocks)->seq;
        if (stop > side->next)
            gap(net, flow, i, stop - side->next);
        drain(net, flow, i);
    }
}

static void trim(hg_net *net, net_flow *flow, int i, uint64_t seq)
{
    net_side *side = &flow->side[i];
    if (seq > side->next)
        skip_to(net, flow, i, seq);
    drain(net, flow, i);
    side->trimmed = seq;
}

void net_tcp_acked(hg_net *net, net_flow *flow, int i, uint64_t ack)
{
    net_side *side = &flow->side[i];
    if (ack <= side->trimmed || net->options.no_tcp_reassembly)
        return;
    if (side->skipping) {
        side->trimmed = ack;
        return;
    }
    trim(net, flow, i, ack);
    net_tcp_check_eof(net, flow, i);
}

bool net_tcp_pending(const net_flow *flow, int i)
{
    const net_side *side = &flow->side[i];
    return !side->skipping && side->next + 1 < side->last;
}
