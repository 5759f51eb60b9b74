/* Options, checked and made ready: ports, prefixes, limits. */
#include "net/state.h"

#include <stdlib.h>
#include <sys/random.h>

enum { TUNNEL_DEPTH = 4, LAYER_DEPTH = 25, TUNNEL_CHANGES = 5 };

/* Ports that the tunnels register, those of HTTP, and those of every protocol of the peer. */
static const uint16_t udp_tunnels[] = {2123, 2152, 3544, 4754, 4789, 5072, 6081};
static const uint16_t tcp_http[] = {80, 81, 631, 1080, 3128, 8000, 8080, 8888};
static const uint16_t tcp_all[] = {
    21,   22,   25,   53,   79,   80,   81,   88,   135,  139,  143,  389,  443,  445,  465,  502,  514,
    563,  585,  587,  614,  631,  636,  989,  990,  992,  993,  995,  1080, 1434, 1883, 2811, 3128, 3268,
    3306, 3389, 5222, 5223, 5269, 5432, 6379, 6666, 6667, 6668, 6669, 8000, 8080, 8888, 20000};
static const uint16_t udp_all[] = {53,   67,   88,   123,  137,  161,  162,  389,  443,  514,  1812, 2123,
                                   2152, 3389, 3544, 4011, 4754, 4789, 5060, 5072, 5353, 5355, 6081, 20000};

#define SET(net, udp, list)                                                                                            \
    for (size_t i_ = 0; i_ < sizeof(list) / sizeof *(list); i_++)                                                      \
    (net)->server_ports[udp][(list)[i_] >> 3] |= (uint8_t)(1u << ((list)[i_] & 7))

static hg_status prefixes(const char *const *texts, net_prefix **out, size_t *count)
{
    size_t n = 0;
    while (texts != NULL && texts[n] != NULL)
        n++;
    if (n == 0)
        return HG_OK;
    *out = calloc(n, sizeof **out);
    if (*out == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        if (!net_prefix_parse(texts[i], &(*out)[i]))
            return HG_ERR_ARGUMENT;
    *count = n;
    return HG_OK;
}

hg_net_options hg_net_defaults(void)
{
    return (hg_net_options){.http = true, .tunnel_depth = -1, .layer_depth = -1, .tunnel_changes = -1};
}

#define DEFAULT(field, value)                                                                                          \
    if (limits->field == 0)                                                                                            \
    limits->field = (value)

static void limits_fill(hg_net_limits *limits)
{
    DEFAULT(flows, 1u << 20);
    DEFAULT(fragments, 4096);
    DEFAULT(fragment_bytes, (uint64_t)64 << 20);
    DEFAULT(reassembly_bytes, (uint64_t)256 << 20);
    DEFAULT(http_line, 1u << 20);
    DEFAULT(http_body, 1u << 20);
    DEFAULT(inflate_ratio, 1000);
    DEFAULT(inflate_bytes, (uint64_t)64 << 20);
    DEFAULT(tunnels, 65536);
    DEFAULT(weirds, 65536);
}

hg_status net_config_init(hg_net *net)
{
    hg_net_options *o = &net->options;
    if (o->tunnel_depth < 0)
        o->tunnel_depth = TUNNEL_DEPTH;
    if (o->layer_depth < 0)
        o->layer_depth = LAYER_DEPTH;
    if (o->tunnel_changes < 0)
        o->tunnel_changes = TUNNEL_CHANGES;
    if (o->tunnel_depth > HG_NET_TUNNELS)
        return HG_ERR_ARGUMENT;
    if (o->layer_depth == 0)
        o->layer_depth = 1024; /* the stack must end somewhere */
    limits_fill(&o->limits);
    if (o->hash_seed == 0 && getrandom(&o->hash_seed, sizeof o->hash_seed, 0) != sizeof o->hash_seed)
        o->hash_seed = 0x243f6a8885a308d3; /* pi; without a source of chance collisions can be found */
    SET(net, 1, udp_tunnels);
    if (o->http)
        SET(net, 0, tcp_http);
    if (o->all_server_ports) {
        SET(net, 0, tcp_all);
        SET(net, 1, udp_all);
    }
    hg_status status = prefixes(o->unchecked, &net->unchecked, &net->unchecked_count);
    if (status == HG_OK)
        status = prefixes(o->local, &net->local, &net->local_count);
    return status;
}

void net_config_free(hg_net *net)
{
    free(net->unchecked);
    free(net->local);
}

bool net_is_local(const hg_net *net, const net_addr *a)
{
    if (net->local == NULL)
        return net_addr_is_local(a);
    for (size_t i = 0; i < net->local_count; i++)
        if (net_prefix_has(&net->local[i], a))
            return true;
    return false;
}

static net_addr header_source(const net_packet *packet)
{
    return packet->version == 4 ? net_addr_v4(packet->ip + 12) : net_addr_v6(packet->ip + 8);
}

bool net_verify(const hg_net *net, const net_packet *packet)
{
    if (net->options.ignore_checksums || packet->frame->checked)
        return false;
    if (net->unchecked_count == 0)
        return true;
    net_addr source = header_source(packet);
    for (size_t i = 0; i < net->unchecked_count; i++)
        if (net_prefix_has(&net->unchecked[i], &source))
            return false;
    return true;
}
