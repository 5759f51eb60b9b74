/* Reassembly of IP fragments (RFC 791, RFC 8200 4.5): first data wins. Weirds: fragment_protocol_inconsistency,
 * fragment_with_DF, excessively_small_fragment, excessively_large_fragment, fragment_size_inconsistency,
 * fragment_overlap, fragment_inconsistency. */
#include "net/fragment.h"
#include "net/hash.h"

#include <stdlib.h>

enum {
    LIFETIME = 300 * NET_SECOND,
    SMALL = 64,      /* a fragment that others follow should be larger */
    LARGE = 64000,   /* no datagram ends beyond */
    HEADER_MOST = 2048,
    DATA_MOST = 65535,
    BUCKETS = 4096,
    RANGES = 64, /* disconnected pieces; more are dropped */
    NONE = 0,
};

typedef struct range {
    uint32_t from, to;
} range;

typedef struct datagram {
    uint32_t chain; /* slab's free list or next in the bucket, index + 1 */
    uint32_t older, newer;
    uint32_t bucket;
    net_addr src, dst;
    uint32_t id;
    hg_net_time start;
    uint8_t protocol, next, head_check;
    bool v6;
    uint16_t header_len;
    uint32_t next_at;
    uint32_t size; /* 0: the end is not known */
    uint8_t *bytes; /* header, then data */
    uint32_t room;
    range ranges[RANGES];
    uint32_t range_count;
} datagram;

struct net_fragments {
    net_slab slab;
    uint32_t buckets[BUCKETS];
    uint32_t oldest, newest;
    uint64_t bytes;
    uint8_t *whole; /* the last completed datagram */
};

hg_status net_fragments_init(hg_net *net)
{
    net->fragments = calloc(1, sizeof *net->fragments);
    if (net->fragments == NULL)
        return HG_ERR_NOMEM;
    net_slab_init(&net->fragments->slab, sizeof(datagram), 6);
    return HG_OK;
}

static datagram *at(net_fragments *f, uint32_t number)
{
    return net_slab_at(&f->slab, number - 1);
}

static void unlink_datagram(net_fragments *f, uint32_t number)
{
    datagram *d = at(f, number);
    uint32_t *link = &f->buckets[d->bucket];
    while (*link != number)
        link = &at(f, *link)->chain;
    *link = d->chain;
    *(d->older ? &at(f, d->older)->newer : &f->oldest) = d->newer;
    *(d->newer ? &at(f, d->newer)->older : &f->newest) = d->older;
    f->bytes -= d->room;
    free(d->bytes);
    net_slab_give(&f->slab, number - 1);
}

void net_fragments_clear(hg_net *net)
{
    net_fragments *f = net->fragments;
    while (f->oldest != NONE)
        unlink_datagram(f, f->oldest);
}

void net_fragments_free(hg_net *net)
{
    net_fragments *f = net->fragments;
    if (f == NULL)
        return;
    net_fragments_clear(net);
    net_slab_close(&f->slab);
    free(f->whole);
    free(f);
    net->fragments = NULL;
}

void net_fragments_expire(hg_net *net)
{
    net_fragments *f = net->fragments;
    while (f->oldest != NONE && at(f, f->oldest)->start + LIFETIME <= net->now)
        unlink_datagram(f, f->oldest);
}

static uint32_t bucket_of(const hg_net *net, const net_fragment *p)
{
    uint64_t h = net_hash_16(p->src.octet, net->options.hash_seed);
    h = net_hash_16(p->dst.octet, h);
    return (uint32_t)(net_hash_mix(h, p->id) >> 32) % BUCKETS;
}

static uint32_t find(net_fragments *f, uint32_t bucket, const net_fragment *p)
{
    uint32_t number = f->buckets[bucket];
    while (number != NONE) {
        const datagram *d = at(f, number);
        if (d->id == p->id && net_addr_equal(&d->src, &p->src) && net_addr_equal(&d->dst, &p->dst))
            return number;
        number = d->chain;
    }
    return NONE;
}

static uint32_t create(hg_net *net, uint32_t bucket, const net_fragment *p)
{
    net_fragments *f = net->fragments;
    uint32_t index;
    if (p->header_len > HEADER_MOST)
        return NONE;
    while (f->oldest != NONE &&
           (f->slab.live >= net->options.limits.fragments || f->bytes > net->options.limits.fragment_bytes)) {
        net->counters.fragments_dropped++;
        unlink_datagram(f, f->oldest);
    }
    datagram *d = net_slab_take(&f->slab, &index);
    if (d == NULL)
        return NONE;
    *d = (datagram){.chain = f->buckets[bucket], .older = f->newest, .bucket = bucket, .src = p->src, .dst = p->dst,
                    .id = p->id, .start = net->now, .protocol = p->protocol, .next = p->protocol, .v6 = p->v6,
                    .header_len = (uint16_t)p->header_len, .next_at = p->next_at};
    d->room = p->header_len + 2048;
    d->bytes = malloc(d->room);
    if (d->bytes == NULL) {
        net_slab_give(&f->slab, index);
        return NONE;
    }
    memcpy(d->bytes, p->header, p->header_len);
    f->bytes += d->room;
    f->buckets[bucket] = index + 1;
    *(f->newest ? &at(f, f->newest)->newer : &f->oldest) = index + 1;
    f->newest = index + 1;
    return index + 1;
}

static bool make_room(net_fragments *f, datagram *d, uint32_t end)
{
    uint32_t need = d->header_len + end, room = d->room;
    if (need <= room)
        return true;
    while (room < need)
        room *= 2;
    uint8_t *bytes = realloc(d->bytes, room);
    if (bytes == NULL)
        return false;
    f->bytes += room - d->room;
    d->bytes = bytes;
    d->room = room;
    return true;
}

/* Stores the octets that no range holds yet and merges [from, to) into the ranges. Says what overlapped. */
static bool store(datagram *d, uint32_t from, uint32_t to, const uint8_t *data, bool *overlap, bool *differs)
{
    uint8_t *bytes = d->bytes + d->header_len;
    uint32_t first = 0, last, at_octet = from, merged_from = from, merged_to = to;
    while (first < d->range_count && d->ranges[first].to < from)
        first++;
    for (last = first; last < d->range_count && d->ranges[last].from <= to; last++) {
        const range *r = &d->ranges[last];
        if (at_octet < r->from) {
            memcpy(bytes + at_octet, data + (at_octet - from), r->from - at_octet);
            at_octet = r->from;
        }
        uint32_t end = r->to < to ? r->to : to;
        if (at_octet < end) {
            *overlap = true;
            if (memcmp(bytes + at_octet, data + (at_octet - from), end - at_octet) != 0)
                *differs = true;
            at_octet = end;
        }
        if (r->from < merged_from)
            merged_from = r->from;
        if (r->to > merged_to)
            merged_to = r->to;
    }
    if (last == first && d->range_count == RANGES)
        return false;
    if (at_octet < to)
        memcpy(bytes + at_octet, data + (at_octet - from), to - at_octet);
    memmove(d->ranges + first + 1, d->ranges + last, (d->range_count - last) * sizeof(range));
    d->range_count = d->range_count - (last - first) + 1;
    d->ranges[first] = (range){merged_from, merged_to};
    return true;
}

typedef struct report {
    hg_net *net;
    const net_packet *packet;
    const datagram *d;
} report;

static void weird(const report *r, net_weird name)
{
    net_weird_pair(r->net, r->packet, &r->d->src, &r->d->dst, name, "", "");
}

/* Everything there from 0 to the known end? Settles what the end is. */
static bool complete(const report *r, datagram *d)
{
    if (d->range_count == 0 || d->size == 0 || d->ranges[0].from > 0)
        return false;
    uint32_t reach = d->ranges[0].to;
    if (reach < d->size)
        return false;
    if (d->range_count > 1 || reach > d->size) {
        weird(r, W_fragment_size_inconsistency);
        d->size = reach;
    }
    return true;
}

static const uint8_t *finish(net_fragments *f, datagram *d, uint32_t number, uint32_t *size)
{
    uint32_t total = d->header_len + d->size;
    free(f->whole);
    f->whole = d->bytes;
    d->bytes = NULL;
    uint8_t *ip = f->whole;
    if (d->v6) {
        ip[d->next_at] = d->next;
        net_put16(ip + 4, (uint16_t)(total - 40));
    } else {
        net_put16(ip + 2, (uint16_t)total);
        net_put16(ip + 6, 0);
    }
    unlink_datagram(f, number);
    *size = total;
    return ip;
}

const uint8_t *net_fragment_add(hg_net *net, const net_packet *packet, const net_fragment *p, uint32_t *size)
{
    net_fragments *f = net->fragments;
    net->counters.fragments++;
    uint32_t bucket = bucket_of(net, p), number = find(f, bucket, p);
    if (number == NONE && (number = create(net, bucket, p)) == NONE)
        return NULL;
    datagram *d = at(f, number);
    report r = {net, packet, d};
    if (p->protocol != d->protocol || p->header_len != d->header_len || p->v6 != d->v6)
        weird(&r, W_fragment_protocol_inconsistency);
    if (p->dont)
        weird(&r, W_fragment_with_DF);
    if (p->len == 0 && p->total < p->header_len) {
        weird(&r, W_fragment_protocol_inconsistency);
        return NULL;
    }
    uint32_t end = p->offset + p->len;
    if (p->offset == 0)
        d->next = p->protocol;
    if (!p->more) {
        if (d->size == 0)
            d->size = end;
        else if (end != d->size)
            weird(&r, W_fragment_size_inconsistency);
    } else if (p->total < SMALL) {
        weird(&r, W_excessively_small_fragment);
    }
    if (end > LARGE)
        weird(&r, W_excessively_large_fragment);
    if (d->size != 0 && end > d->size) {
        weird(&r, W_fragment_size_inconsistency);
        d->size = end;
    }
    bool overlap = false, differs = false;
    if ((d->v6 ? end : d->header_len + end) > DATA_MOST || !make_room(f, d, end) ||
        !store(d, p->offset, end, p->data, &overlap, &differs)) {
        net->counters.fragments_dropped++;
        unlink_datagram(f, number);
        return NULL;
    }
    if (overlap)
        weird(&r, differs ? W_fragment_inconsistency : W_fragment_overlap);
    return complete(&r, d) ? finish(f, d, number, size) : NULL;
}
