/* GRE (RFC 2784, RFC 2890, RFC 1701's routing refused), ERSPAN I to III (draft-foschiano-erspan), Aruba Wi-Fi,
 * enhanced GRE of PPTP (RFC 2637), GRE over UDP (RFC 8086). Weirds: truncated_GRE, unknown_gre_version,
 * egre_protocol_type, gre_routing, unknown_gre_flags, exceeded_tunnel_max_depth, non_ip_packet_in_encap,
 * invalid_inner_IP_version, truncated_inner_IP, inner_IP_payload_length_mismatch. */
#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

#include <stddef.h>
#include <stdio.h>

enum {
    FLAG_CHECKSUM = 0x8000, FLAG_ROUTING = 0x4000, FLAG_KEY = 0x2000, FLAG_SEQUENCE = 0x1000, FLAG_ACK = 0x0080,
    FLAGS_UNKNOWN = 0x0078,
    TYPE_ETHERNET = 0x6558, TYPE_ERSPAN = 0x88be, TYPE_ERSPAN3 = 0x22eb, TYPE_PPP = 0x880b, TYPE_MPLS = 0x8847,
    TYPE_MPLS_MULTICAST = 0x8848, TYPE_NSH = 0x894f,
    ETHERNET = 14, ERSPAN2 = 8, ERSPAN3 = 12, ERSPAN3_PLATFORM = 8, PPP = 4,
    LINK_ETHERNET = 1, LINK_RAW = 12, LINK_80211 = 105,
};

typedef struct gre {
    uint16_t flags, type;
    size_t header;  /* the GRE header itself */
    size_t extra;   /* ERSPAN or PPP behind it */
    uint32_t link;  /* what is inside */
} gre;

static bool weird(hg_net *net, net_packet *packet, net_weird name, const char *addl)
{
    net_weird_packet(net, packet, name, addl, &net_layer_gre);
    return true;
}

static size_t header_length(uint16_t flags)
{
    return 4 + (flags & FLAG_CHECKSUM ? 4 : 0) + (flags & FLAG_KEY ? 4 : 0) + (flags & FLAG_SEQUENCE ? 4 : 0) +
           (flags & FLAG_ACK ? 4 : 0);
}

static bool is_aruba(uint16_t type)
{
    return (type & 0x820f) == 0x8200 || ((type & 0x830f) == 0x8300 && type <= 0x8370) || type == 0x9000;
}

/* What a version 0 packet carries; false: too short for it. */
static bool payload_of(gre *g, const uint8_t *data, size_t len)
{
    g->link = LINK_ETHERNET;
    switch (g->type) {
    case TYPE_ETHERNET:
        return len > g->header + ETHERNET;
    case TYPE_ERSPAN:
        if (len <= g->header + ETHERNET)
            return false;
        if (!(g->flags & FLAG_SEQUENCE))
            return true;
        g->extra = ERSPAN2;
        return len > g->header + ERSPAN2 + ETHERNET;
    case TYPE_ERSPAN3:
        if (len <= g->header + ERSPAN3 + ETHERNET)
            return false;
        g->extra = ERSPAN3;
        if (data[g->header + 11] & 1)
            g->extra += ERSPAN3_PLATFORM;
        return len > g->header + g->extra + ETHERNET;
    default:
        g->link = LINK_RAW;
        if (!is_aruba(g->type))
            return true;
        g->link = LINK_80211;
        return len > g->header;
    }
}

static hg_net_tunnel *push(hg_net *net, net_packet *packet)
{
    return net_tunnel_push_pair(net, packet, HG_NET_TUNNEL_GRE, packet->ip_proto);
}

static void enhanced(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    static const net_weird weirds[] = {[NET_INNER_VERSION] = W_invalid_inner_IP_version,
                                       [NET_INNER_SHORT] = W_truncated_inner_IP,
                                       [NET_INNER_LONG] = W_inner_IP_payload_length_mismatch};
    uint16_t ppp = net_be16(data + 2);
    if (ppp != 0x0021 && ppp != 0x0057) {
        weird(net, packet, W_non_ip_packet_in_encap, "");
        return;
    }
    data += PPP;
    len -= PPP;
    net_inner_check check = net_tunnel_check_ip(data, len, ppp == 0x0021 ? 4 : 41);
    if (check != NET_INNER_OK) {
        weird(net, packet, weirds[check], "");
        return;
    }
    net_packet inner = net_tunnel_inner(packet, data, len);
    inner.wire = inner.captured;
    if (push(net, packet) == NULL)
        return;
    net_forward_link(net, &inner, LINK_RAW, data, len);
    net_tunnel_pop(packet);
    packet->processed = inner.processed;
}

static bool open_plain(hg_net *net, net_packet *packet, const gre *g, const uint8_t *data, size_t len)
{
    data += g->header + g->extra;
    len -= g->header + g->extra;
    net_packet inner = net_tunnel_inner(packet, data, len);
    inner.wire = inner.captured;
    if (push(net, packet) == NULL)
        return true;
    bool extension = !net->options.compat;
    if (extension && (g->type == TYPE_MPLS || g->type == TYPE_MPLS_MULTICAST))
        net_layer_mpls.enter(net, &inner, data, len);
    else if (extension && g->type == TYPE_NSH)
        net_layer_nsh.enter(net, &inner, data, len);
    else if (extension && g->type == TYPE_PPP)
        net_layer_ppp.enter(net, &inner, data, len);
    else
        net_forward_link(net, &inner, g->link, data, len);
    net_tunnel_pop(packet);
    packet->processed = inner.processed;
    return true;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    if (!net_tunnel_fits(net, packet, &net_layer_gre, false))
        return false;
    if (len < 4)
        return weird(net, packet, W_truncated_GRE, "");
    gre g = {.flags = net_be16(data), .type = net_be16(data + 2)};
    g.header = header_length(g.flags);
    unsigned version = g.flags & 7;
    char addl[32];
    if (version > 1) {
        snprintf(addl, sizeof addl, "version=%u", version);
        return weird(net, packet, W_unknown_gre_version, addl);
    }
    if (version == 0 && !payload_of(&g, data, len))
        return weird(net, packet, W_truncated_GRE, "");
    if (version == 1) {
        if (g.type != TYPE_PPP) {
            snprintf(addl, sizeof addl, "proto=%u", g.type);
            return weird(net, packet, W_egre_protocol_type, addl);
        }
        g.extra = 1; /* at least one octet of PPP, as the peer asks for */
    }
    if (g.flags & FLAG_ROUTING)
        return weird(net, packet, W_gre_routing, "");
    if (g.flags & FLAGS_UNKNOWN)
        return weird(net, packet, W_unknown_gre_flags, "");
    if (len < g.header + g.extra || (version == 1 && len < g.header + PPP))
        return weird(net, packet, W_truncated_GRE, "");
    if (version == 0)
        return open_plain(net, packet, &g, data, len);
    enhanced(net, packet, data + g.header, len - g.header);
    return true;
}

static const net_parent parents[] = {{"IP", 47, false}, {"UDP", 4754, false}, {NULL, 0, false}};

const net_layer net_layer_gre = {
    .name = "GRE", .source = "GRE", .id = NET_LAYER_gre, .enter = enter, .parents = parents};
