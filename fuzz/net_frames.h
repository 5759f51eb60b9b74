/* What the fuzz targets of packets share: an engine whose records go through the writers, and frames whose end is the
 * end of their memory. */
#ifndef FUZZ_NET_FRAMES_H
#define FUZZ_NET_FRAMES_H

#include "hotgate/net.h"
#include "hotgate/netlog.h"

#include <stdlib.h>

static hg_netlog *fuzz_log;

/* bits choose options: 1 checksums ignored, 2 compat, 4 JSON, 8 deep tunnels. */
static inline hg_net *fuzz_net(unsigned bits)
{
    hg_net_options options = hg_net_defaults();
    hg_netlog_options log = {.dir = "", .format = bits & 4 ? HG_NETLOG_JSON : HG_NETLOG_TSV, .vlan = true,
                             .mac = true, .community_id = true, .pppoe = true};
    hg_net_sink sink = {0};
    options.ignore_checksums = bits & 1;
    options.compat = bits & 2;
    if (bits & 8)
        options.tunnel_depth = HG_NET_TUNNELS;
    options.hash_seed = 1;
    options.limits = (hg_net_limits){.flows = 64, .fragments = 16, .reassembly_bytes = 1 << 20, .http_line = 8192,
                                     .http_body = 8192, .inflate_bytes = 1 << 16, .tunnels = 32, .weirds = 64};
    fuzz_log = hg_netlog_new(&log);
    if (fuzz_log == NULL)
        return NULL;
    hg_netlog_sink(fuzz_log, &sink);
    hg_net *net = hg_net_new(&options, &sink);
    if (net != NULL)
        hg_netlog_bind(fuzz_log, net);
    return net;
}

static inline void fuzz_frame(hg_net *net, hg_net_time time, uint32_t link, const uint8_t *data, size_t len)
{
    char *copy = malloc(len ? len : 1); /* so that reading beyond the frame is seen */
    if (copy == NULL)
        return;
    if (len > 0)
        memcpy(copy, data, len);
    hg_net_packet(net, time, link, hg_slice_of(copy, len), (uint32_t)len);
    free(copy);
}

static inline void fuzz_end(hg_net *net)
{
    if (net != NULL)
        hg_net_finish(net);
    hg_net_free(net);
    if (fuzz_log != NULL)
        hg_netlog_close(fuzz_log);
    fuzz_log = NULL;
}

#endif
