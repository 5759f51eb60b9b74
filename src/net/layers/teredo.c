/* Teredo (RFC 4380, UDP 3544 or by content): optional authentication, optional origin indication, then IPv6.
 * Weirds: exceeded_tunnel_max_depth, teredo_missing_connection, truncated_Teredo,
 * truncated_Teredo_origin_indication, truncated_Teredo_authentication, truncated_IPv6_in_Teredo,
 * Teredo_bubble_with_payload. */
#include "net/layers/flow_tunnel.h"

#include <stddef.h>

enum { ORIGIN = 8, AUTH = 13, IP6 = 40, NO_NEXT = 59, BOTH = 3 };

static bool any_but_newline(const uint8_t *data, size_t from, size_t to)
{
    return memchr(data + from, '\n', to - from) == NULL;
}

static bool has_teredo_prefix(const uint8_t *p)
{
    return net_be32(p) == 0x20010000;
}

static bool detect_origin(const uint8_t *data, size_t len)
{
    return len >= ORIGIN + IP6 && data[ORIGIN] >> 4 == 6;
}

static bool detect(const uint8_t *data, size_t len)
{
    if (len < IP6)
        return false;
    if (data[0] >> 4 == 6) {
        if (!any_but_newline(data, 1, 8))
            return false;
        if (has_teredo_prefix(data + 8))
            return any_but_newline(data, 12, 40);
        return has_teredo_prefix(data + 24) && any_but_newline(data, 8, 24) && any_but_newline(data, 28, 40);
    }
    if (data[0] != 0)
        return false;
    if (data[1] == 0)
        return detect_origin(data, len);
    if (data[1] != 1)
        return false;
    size_t skip = AUTH + (size_t)data[2] + data[3];
    if (len < skip + IP6)
        return false;
    return data[skip] >> 4 == 6 || (net_be16(data + skip) == 0 && detect_origin(data + skip, len - skip));
}

typedef struct parse {
    hg_net *net;
    net_packet *packet;
} parse;

/* Truncations are reported only where Teredo is known to be spoken. */
static bool truncated(const parse *p, net_weird name)
{
    if (net_flow_is(p->packet->flow, NET_TEREDO))
        net_weird_flow(p->net, p->packet->flow, name, "", "TEREDO");
    return false;
}

/* Finds where IPv6 starts. */
static bool skip_indications(const parse *p, const uint8_t **data, size_t *len)
{
    bool auth = false, origin = false;
    for (;;) {
        if (*len < 2)
            return truncated(p, W_truncated_Teredo);
        uint16_t tag = net_be16(*data);
        size_t skip;
        if (tag == 0) {
            if (origin)
                return false;
            if (*len < ORIGIN)
                return truncated(p, W_truncated_Teredo_origin_indication);
            origin = true;
            skip = ORIGIN;
        } else if (tag == 1) {
            if (auth || origin)
                return false;
            if (*len < 4)
                return truncated(p, W_truncated_Teredo_authentication);
            skip = AUTH + (size_t)(*data)[2] + (*data)[3];
            if (*len < skip)
                return truncated(p, W_truncated_Teredo_authentication);
            auth = true;
        } else {
            if (tag >> 12 != 6)
                return false;
            return *len >= IP6 ? true : truncated(p, W_truncated_IPv6_in_Teredo);
        }
        *data += skip;
        *len -= skip;
    }
}

static void confirm(hg_net *net, net_packet *packet)
{
    net_flow *flow = packet->flow;
    flow->teredo |= packet->from_orig ? 1 : 2;
    if (flow->teredo == BOTH || net->options.eager_teredo)
        net_flow_confirm(flow, NET_TEREDO);
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_teredo;
    if (!net_flow_tunnel_tried(net, packet, me, NET_TEREDO, W_teredo_missing_connection))
        return false;
    parse p = {net, packet};
    if (!skip_indications(&p, &data, &len))
        return net_flow_tunnel_violated(packet, NET_TEREDO);
    net_inner_check check = net_tunnel_check_ip(data, len, 41);
    bool bubble = data[6] == NO_NEXT && net_be16(data + 4) == 0;
    if (check == NET_INNER_LONG && bubble)
        net_weird_flow(net, packet->flow, W_Teredo_bubble_with_payload, "", "TEREDO");
    else if (check != NET_INNER_OK)
        return net_flow_tunnel_violated(packet, NET_TEREDO);
    confirm(net, packet);
    net_packet inner = net_tunnel_inner(packet, data, len);
    net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_TEREDO);
    bool result = net_forward_default(net, &inner, me, data, len);
    net_tunnel_pop(packet);
    return result;
}

static const net_parent parents[] = {{"UDP", 3544, false}, {"UDP", NET_DETECTOR, false}, {NULL, 0, false}};

const net_layer net_layer_teredo = {.name = "Teredo", .source = "TEREDO", .id = NET_LAYER_teredo, .enter = enter,
                                    .detect = detect, .parents = parents};
