/* Looking ahead in a batch: the same short way through the common headers, twice. Nothing is decided here; a wrong guess
 * costs a little time. */
#include "net/express.h"

enum {
    BATCH = 64, ETHERNET = 14, IP = 20, UDP = 8, TUNNEL = 8, FLOWS = 3,
    PORT_VXLAN = 4789, PORT_GENEVE = 6081, LINE = 64, LINES = 5,
};

typedef struct ahead {
    uint64_t hash;   /* of the innermost flow */
    uint32_t slot[2];/* of outer flows */
    uint8_t slots;
    bool flow;
} ahead;

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Behind Geneve or VXLAN: where the next IPv4 header is, NULL when it is not. */
static const uint8_t *inside(const uint8_t *udp, const uint8_t *end, uint16_t port)
{
    const uint8_t *next = udp + UDP + TUNNEL;
    if (port == PORT_GENEVE) {
        next += (udp[UDP] & 0x3fu) * 4;
        return net_be16(udp + UDP + 2) == 0x0800 && next + IP + UDP <= end ? next : NULL;
    }
    return next + ETHERNET + IP + UDP <= end && net_be16(next + 12) == 0x0800 ? next + ETHERNET : NULL;
}

static void look(const hg_net *net, const hg_net_frame *f, ahead *a)
{
    const uint8_t *end = f->data + f->captured, *ip = f->data + ETHERNET;
    a->slots = 0;
    a->flow = false;
    if (f->link_type != 1 || f->captured < ETHERNET + IP + UDP + TUNNEL || net_be16(f->data + 12) != 0x0800)
        return;
    for (int i = 0; i < FLOWS; i++) {
        if (ip[0] != 0x45)
            return;
        const uint8_t *l4 = ip + IP;
        uint16_t port = net_be16(l4 + 2);
        bool tunnel = ip[9] == 17 && (port == PORT_VXLAN || port == PORT_GENEVE) && a->slots < 2 &&
                      end - l4 >= UDP + TUNNEL && net->outer != NULL;
        if (!tunnel)
            break;
        uint32_t slot = net_outer_slot(net, load32(ip + 12), load32(ip + 16), load32(l4));
        __builtin_prefetch(&net->outer[slot]);
        a->slot[a->slots++] = slot;
        ip = inside(l4, end, port);
        if (ip == NULL)
            return;
    }
    if (ip[9] != 6 && ip[9] != 17)
        return;
    net_key key = {.addr = {net_addr_v4(ip + 12), net_addr_v4(ip + 16)},
                   .port = {net_be16(ip + IP), net_be16(ip + IP + 2)}, .ip_proto = ip[9]};
    a->hash = net_flow_hash(net, &key);
    a->flow = true;
    net_flow_prefetch(net, a->hash);
}

static void fetch_lines(const void *at, int lines)
{
    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const char *)at + i * LINE, 1);
}

void net_prefetch(hg_net *net, const hg_net_frame *frames, size_t count)
{
    ahead list[BATCH];
    if (count > BATCH)
        count = BATCH;
    for (size_t i = 0; i < count; i++)
        look(net, &frames[i], &list[i]);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < list[i].slots; k++) {
            const net_outer *outer = &net->outer[list[i].slot[k]];
            if (outer->serial != 0)
                fetch_lines(net_flow_by_index(net, outer->flow), 2);
        }
        const net_flow *flow = list[i].flow ? net_flow_peek(net, list[i].hash) : NULL;
        if (flow != NULL)
            fetch_lines(flow, LINES);
    }
}
