/* Frames put into tunnels: headers are written from the inside out, so that lengths are known. The choices (addresses,
 * ttl, source port 1024 + hash mod 50000) are those of capture-fwd in the zeek-demo repository. */
#include "hotgate/wrap.h"
#include "net/checksum.h"
#include "net/hash.h"
#include "net/wire.h"

enum {
    ETHERNET = 14, IP = 20, UDP = 8, VXLAN = 8, GENEVE = 8, AWS = 32,
    PORT_GENEVE = 6081, PORT_VXLAN = 4789, PORT_FIRST = 1024, PORTS = 50000,
    LINK_ETHERNET = 1,
};

hg_wrap_options hg_wrap_defaults(void)
{
    return (hg_wrap_options){.geneve = true, .vxlan = true, .src = {127, 0, 0, 1}, .dst = {127, 0, 0, 1},
                             .vni_geneve = 4242, .vni_vxlan = 4242};
}

typedef struct inner {
    uint64_t hash;
    bool reversed; /* the larger address sent it */
} inner;

/* Where IP starts in an Ethernet frame, 0 when it does not. */
static size_t ip_offset(const hg_net_frame *f)
{
    if (f->link_type != LINK_ETHERNET)
        return 0;
    size_t at = 12;
    while (at + 2 <= f->captured) {
        uint16_t type = net_be16(f->data + at);
        if (type == 0x0800 || type == 0x86dd)
            return at + 2;
        if (type != 0x8100 && type != 0x88a8)
            return f->captured;
        at += 4;
    }
    return f->captured;
}

static inner inner_flow(const hg_net_frame *f)
{
    size_t at = ip_offset(f), size = 0, ports = 0;
    const uint8_t *ip = f->data + at;
    uint64_t a = 0, b = 0;
    inner result = {0};
    uint8_t src[16] = {0}, dst[16] = {0};
    if (f->captured >= at + 40 && ip[0] >> 4 == 6) {
        size = 16;
        memcpy(src, ip + 8, 16);
        memcpy(dst, ip + 24, 16);
        ports = ip[6] == 6 || ip[6] == 17 ? at + 40 : 0;
    } else if (f->captured >= at + 20 && ip[0] >> 4 == 4) {
        size = 4;
        memcpy(src, ip + 12, 4);
        memcpy(dst, ip + 16, 4);
        bool first = (net_be16(ip + 6) & 0x1fff) == 0;
        ports = first && (ip[9] == 6 || ip[9] == 17) ? at + (ip[0] & 15u) * 4 : 0;
    }
    if (size == 0)
        return result;
    bool has_ports = ports > 0 && f->captured >= ports + 4;
    a = net_hash_16(src, has_ports ? net_be16(f->data + ports) : 0);
    b = net_hash_16(dst, has_ports ? net_be16(f->data + ports + 2) : 0);
    result.hash = net_hash_mix(a ^ b, a + b);
    int order = memcmp(src, dst, size);
    result.reversed = order > 0 || (order == 0 && has_ports && net_be16(f->data + ports) > net_be16(f->data + ports + 2));
    return result;
}

typedef struct writer {
    const hg_wrap_options *options;
    const hg_net_frame *frame;
    inner flow;
    uint8_t *end;     /* of the room: headers grow down from it */
    size_t len;       /* written */
} writer;

static uint8_t *grow(writer *w, size_t size)
{
    w->len += size;
    uint8_t *at = w->end - w->len;
    memset(at, 0, size);
    return at;
}

static uint16_t udp_sum(const writer *w, const uint8_t *udp, size_t inside, size_t length)
{
    net_addr src = net_addr_v4(udp - IP + 12), dst = net_addr_v4(udp - IP + 16);
    uint64_t sum = net_sum_pseudo(&src, &dst, false, 17, (uint32_t)length);
    sum = net_sum(udp, inside, sum); /* headers of even length, then the frame */
    uint16_t result = (uint16_t)~net_sum_fold(net_sum(w->frame->data, w->frame->captured, sum));
    return result ? result : 0xffff;
}

/* IPv4 and UDP before what is written so far. False: too long. */
static bool datagram(writer *w, uint16_t port)
{
    size_t inside = w->len + UDP, total = IP + inside + w->frame->wire;
    if (total > 65535)
        return false;
    uint8_t *udp = grow(w, UDP), *ip = grow(w, IP);
    bool turn = w->options->per_direction && w->flow.reversed;
    uint64_t hash = turn ? w->flow.hash >> 20 : w->flow.hash;
    net_put16(udp, (uint16_t)(PORT_FIRST + hash % PORTS));
    net_put16(udp + 2, port);
    net_put16(udp + 4, (uint16_t)(total - IP));
    ip[0] = 0x45;
    net_put16(ip + 2, (uint16_t)total);
    ip[8] = 32;
    ip[9] = 17;
    memcpy(ip + 12, turn ? w->options->dst : w->options->src, 4);
    memcpy(ip + 16, turn ? w->options->src : w->options->dst, 4);
    net_put16(ip + 10, (uint16_t)~net_sum_fold(net_sum(ip, IP, 0)));
    if (w->options->udp_checksum && w->frame->captured == w->frame->wire)
        net_put16(udp + 6, udp_sum(w, udp, inside, total - IP));
    return true;
}

static void aws_options(writer *w)
{
    uint8_t *o = grow(w, AWS);
    static const struct {
        uint8_t type, words;
    } kinds[] = {{1, 2}, {2, 2}, {3, 1}};
    for (size_t i = 0; i < 3; i++) {
        net_put16(o, 0x0108);
        o[2] = kinds[i].type;
        o[3] = kinds[i].words;
        memset(o + 4, 0x11 * kinds[i].type, kinds[i].words * 4u);
        if (kinds[i].type == 3)
            net_put32(o + 4, (uint32_t)w->flow.hash);
        o += 4 + kinds[i].words * 4;
    }
}

static bool vxlan(writer *w)
{
    uint8_t *h = grow(w, VXLAN);
    h[0] = 0x08;
    net_put32(h + 4, w->options->vni_vxlan << 8);
    return datagram(w, PORT_VXLAN);
}

static bool geneve(writer *w, uint16_t type)
{
    if (w->options->aws)
        aws_options(w);
    uint8_t *h = grow(w, GENEVE);
    h[0] = w->options->aws ? AWS / 4 : 0;
    net_put16(h + 2, type);
    net_put32(h + 4, w->options->aws ? 0 : w->options->vni_geneve << 8);
    return datagram(w, PORT_GENEVE);
}

static void ethernet(writer *w)
{
    static const uint8_t macs[12] = {0x0c, 0x55, 0x21, 0x83, 0x13, 0x6e, 0x0c, 0x55, 0x21, 0x83, 0x13, 0x6d};
    uint8_t *h = grow(w, ETHERNET);
    memcpy(h, macs, sizeof macs);
    net_put16(h + 12, 0x0800);
}

static uint16_t geneve_type(const hg_wrap_options *o, const hg_net_frame *f)
{
    if (o->vxlan)
        return 0x0800;
    if (f->link_type == LINK_ETHERNET)
        return 0x6558;
    return f->captured > 0 && f->data[0] >> 4 == 6 ? 0x86dd : 0x0800;
}

size_t hg_wrap_frame(const hg_wrap_options *options, const hg_net_frame *frame, uint8_t *out)
{
    uint8_t room[HG_WRAP_MOST];
    writer w = {.options = options, .frame = frame, .flow = inner_flow(frame), .end = room + sizeof room};
    if (options->vxlan && (frame->link_type != LINK_ETHERNET || !vxlan(&w)))
        return 0;
    if (options->geneve && !geneve(&w, geneve_type(options, frame)))
        return 0;
    ethernet(&w);
    memcpy(out, w.end - w.len, w.len);
    return w.len;
}
