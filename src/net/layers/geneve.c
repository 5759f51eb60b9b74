/* Geneve (RFC 8926, UDP 6081), 8 octets and options: version 2 bits, option length 6 (times 4), flags 1, protocol 2,
 * VNI 3, reserved 1. Weirds: exceeded_tunnel_max_depth, geneve_missing_connection, geneve_invalid_version,
 * geneve_empty_packet. */
#include "net/express.h"
#include "net/layers/flow_tunnel.h"

#include <stddef.h>
#include <stdio.h>

enum { HEADER = 8 };

bool hg_net_geneve_next(hg_slice *options, hg_net_geneve_option *option)
{
    const uint8_t *at = (const uint8_t *)options->ptr;
    if (options->len < 4)
        return false;
    size_t len = (at[3] & 0x1fu) * 4;
    if (options->len < 4 + len)
        return false;
    *option = (hg_net_geneve_option){.option_class = net_be16(at), .type = at[2] & 0x7f, .critical = at[2] >> 7,
                                     .data = hg_slice_of(options->ptr + 4, len)};
    *options = hg_slice_skip(*options, 4 + len);
    return true;
}

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_geneve;
    if (!net_flow_tunnel_tried(net, packet, me, NET_GENEVE, W_geneve_missing_connection))
        return false;
    if (len < HEADER)
        return net_flow_tunnel_violated(packet, NET_GENEVE);
    if (data[0] >> 6 != 0) {
        char addl[8];
        snprintf(addl, sizeof addl, "%d", data[0] >> 6);
        net_weird_packet(net, packet, W_geneve_invalid_version, addl, me);
        return false;
    }
    size_t options = (data[0] & 0x3fu) * 4, header = HEADER + options;
    if (header > len)
        return net_flow_tunnel_violated(packet, NET_GENEVE);
    net_flow_confirm(packet->flow, NET_GENEVE);
    if (header == len) {
        net_weird_packet(net, packet, W_geneve_empty_packet, "", me);
        return false;
    }
    net_express_note(net, packet, NET_LAYER_geneve);
    net_packet inner = net_tunnel_inner(packet, data + header, len - header);
    hg_net_tunnel *layer = net_tunnel_push_flow(net, packet, HG_NET_TUNNEL_GENEVE);
    layer->vni = net_be32(data + 4) >> 8;
    layer->options = data + HEADER;
    layer->options_len = options;
    bool result = net_forward(net, &inner, me, net_be16(data + 2), data + header, len - header);
    net_tunnel_pop(packet);
    return result;
}

static const net_parent parents[] = {{"UDP", 6081, false}, {NULL, 0, false}};

const net_layer net_layer_geneve = {
    .name = "Geneve", .source = "GENEVE", .id = NET_LAYER_geneve, .enter = enter, .parents = parents};
