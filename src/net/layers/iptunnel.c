/* IP in IP (RFC 2003, RFC 2473, RFC 4213): protocols 4 and 41. GRE's unknown payloads come here too.
 * Weirds: exceeded_tunnel_max_depth, invalid_inner_IP_version, truncated_inner_IP, inner_IP_payload_length_mismatch. */
#include "net/layers/layers.h"
#include "net/tunnel/tunnel.h"

#include <stddef.h>

static bool enter(hg_net *net, net_packet *packet, const uint8_t *data, size_t len)
{
    const net_layer *me = &net_layer_iptunnel;
    static const net_weird weirds[] = {[NET_INNER_VERSION] = W_invalid_inner_IP_version,
                                       [NET_INNER_SHORT] = W_truncated_inner_IP,
                                       [NET_INNER_LONG] = W_inner_IP_payload_length_mismatch};
    if (!net_tunnel_fits(net, packet, me, false))
        return false;
    net_inner_check check = net_tunnel_check_ip(data, len, packet->ip_proto);
    if (check != NET_INNER_OK) {
        net_weird_packet(net, packet, weirds[check], "", me);
        return false;
    }
    net_packet inner = net_tunnel_inner(packet, data, len);
    inner.wire = inner.captured;
    if (net_tunnel_push_pair(net, packet, HG_NET_TUNNEL_IP, packet->ip_proto) == NULL)
        return false;
    bool result = net_forward_default(net, &inner, me, data, len);
    net_tunnel_pop(packet);
    packet->processed = inner.processed;
    return result;
}

static const net_parent parents[] = {{"IP", 4, false}, {"IP", 41, false}, {"GRE", NET_DEFAULT, false}, {NULL, 0, false}};

const net_layer net_layer_iptunnel = {
    .name = "IPTunnel", .source = "IPTUNNEL", .id = NET_LAYER_iptunnel, .enter = enter, .parents = parents};
