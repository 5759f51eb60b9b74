/* One layer's entry called with octets, one target a layer (FUZZ_LAYER). Input: options 1, context 1, then pieces of
 * length 2 (little endian) and octets. What the layer finds around it is what its parents would have left: an IP header
 * when it lies in IP, a flow too when it lies in UDP. Each piece ends at an unreadable page. */
#include "net_frames.h"
#include "guard.h"
#include "net/flow/flow.h"
#include "net/layers/layers.h"

#define LAYER FUZZ_LAYER

enum { IP4 = 20, IP6 = 40, UDP = 8, HEADERS = IP6 + UDP, CLIENT = 40000 };

/* Context: the lowest bits choose the parent, the rest how the packet looks. */
enum { PARENT = 7, VERSION_6 = 8, BACKWARDS = 16, IN_TUNNEL = 32, CUT = 64, WITH_MACS = 128 };

static const net_parent *parent_of(unsigned context)
{
    unsigned count = 0;
    const net_parent *parents = LAYER.parents;
    while (parents != NULL && parents[count].name != NULL)
        count++;
    return count > 0 ? &parents[(context & PARENT) % count] : NULL;
}

static bool lies_in(const net_parent *parent, const char *name)
{
    return parent != NULL && strcmp(parent->name, name) == 0;
}

static net_addr address(bool v6, uint8_t last)
{
    const uint8_t four[4] = {10, 0, 0, last};
    net_addr a = net_addr_v4(four);
    if (v6)
        memcpy(a.octet, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0", 12);
    return a;
}

/* An IP header was accepted: addresses, protocol, lengths. */
static void in_ip(net_packet *p, unsigned context, bool back, uint8_t protocol, uint32_t header, uint32_t payload)
{
    bool v6 = context & VERSION_6;
    p->has_ip = true;
    p->version = v6 ? 6 : 4;
    p->ip_proto = protocol;
    p->ip = p->base;
    p->src = address(v6, back ? 2 : 1);
    p->dst = address(v6, back ? 1 : 2);
    p->ip_header = header;
    p->ip_captured = p->captured;
    p->payload_wire = payload + (p->wire - p->captured);
    p->ip_total = header + p->payload_wire;
}

static void enter(hg_net *net, hg_net_time time, unsigned context, bool back, const uint8_t *data, size_t len)
{
    const net_parent *parent = parent_of(context);
    bool udp = lies_in(parent, "UDP"), ip = udp || lies_in(parent, "IP");
    uint32_t header = !ip ? 0 : context & VERSION_6 ? IP6 : IP4, before = header + (udp ? UDP : 0);
    static uint8_t whole[HEADERS + 65536];
    memset(whole, 0, before);
    memcpy(whole + before, data, len);
    hg_slice guarded = guard(whole, before + len);

    net_frame frame = {.time = time, .signature = {0}};
    net_packet packet = {.frame = &frame, .base = (const uint8_t *)guarded.ptr, .captured = (uint32_t)guarded.len,
                         .wire = (uint32_t)guarded.len + (context & CUT ? 100 : 0), .vlan = -1, .inner_vlan = -1,
                         .pppoe = -1};
    const uint8_t *at = packet.base + before;
    if (context & WITH_MACS)
        packet.mac_src = packet.mac_dst = (const uint8_t *)"\2\0\0\0\0\1";
    if (context & IN_TUNNEL) {
        frame.depth = 1;
        frame.signature[1] = 99;
        frame.stack[0] = (hg_net_tunnel){.type = HG_NET_TUNNEL_GRE, .ip_proto = 47, .flow = 99};
    }
    net->counters.packets++;
    hg_net_advance(net, time);
    net->frame = &frame;
    if (ip) {
        uint8_t protocol = udp ? 17 : parent->key <= 255 ? (uint8_t)parent->key : 132;
        in_ip(&packet, context, back, protocol, header, (uint32_t)(before - header + len));
    }
    if (udp) {
        uint16_t port = parent->key <= 65535 ? (uint16_t)parent->key : 9999;
        net_key key = {.addr = {packet.src, packet.dst}, .port = {back ? port : CLIENT, back ? CLIENT : port},
                       .ip_proto = 17};
        net_flow_of(net, &packet, &key, HG_NET_UDP, false);
    }
    if (LAYER.enter != NULL)
        LAYER.enter(net, &packet, at, len);
    else
        net_forward_link(net, &packet, context, at, len);
    net->frame = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    hg_net *net = fuzz_net(data[0]);
    const unsigned context = data[1];
    hg_net_time time = NET_SECOND;
    bool back = false;
    for (size_t at = 2; at + 2 <= size; back = context & BACKWARDS ? !back : false) {
        size_t len = data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        if (len > size - at)
            len = size - at;
        time += NET_SECOND / 10;
        enter(net, time, context, back, data + at, len);
        at += len;
    }
    hg_net_finish(net);
    return 0;
}
