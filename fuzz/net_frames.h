/* What the fuzz targets of packets share: engines whose records go through the writers, one a combination of options,
 * kept over inputs. Between inputs an engine is finished, which ends all it knew. */
#ifndef FUZZ_NET_FRAMES_H
#define FUZZ_NET_FRAMES_H

#include "hotgate/net.h"
#include "hotgate/netlog.h"

#include <stdlib.h>

enum { FUZZ_NO_CHECKSUMS = 1, FUZZ_COMPAT = 2, FUZZ_JSON = 4, FUZZ_DEEP = 8, FUZZ_ENGINES = 16 };

/* The engine of these options. */
static inline hg_net *fuzz_net(unsigned bits)
{
    static hg_net *engines[FUZZ_ENGINES];
    bits %= FUZZ_ENGINES;
    if (engines[bits] != NULL)
        return engines[bits];
    hg_net_options options = hg_net_defaults();
    hg_netlog_options format = {.dir = "", .format = bits & FUZZ_JSON ? HG_NETLOG_JSON : HG_NETLOG_TSV, .vlan = true,
                                .mac = true, .community_id = true, .pppoe = true};
    hg_net_sink sink = {0};
    options.ignore_checksums = bits & FUZZ_NO_CHECKSUMS;
    options.compat = bits & FUZZ_COMPAT;
    if (bits & FUZZ_DEEP)
        options.tunnel_depth = HG_NET_TUNNELS;
    options.hash_seed = 1;
    options.limits = (hg_net_limits){.flows = 64, .fragments = 16, .reassembly_bytes = 1 << 20, .http_line = 8192,
                                     .http_body = 8192, .inflate_bytes = 1 << 16, .tunnels = 32, .weirds = 64};
    hg_netlog *log = hg_netlog_new(&format);
    if (log == NULL)
        abort();
    hg_netlog_sink(log, &sink);
    engines[bits] = hg_net_new(&options, &sink);
    if (engines[bits] == NULL)
        abort();
    hg_netlog_bind(log, engines[bits]);
    return engines[bits];
}

/* The frame lies in memory of its own, freed at once: reading beyond it or keeping a pointer into it is seen. */
static inline void fuzz_frame(hg_net *net, hg_net_time time, uint32_t link, const uint8_t *data, size_t len)
{
    char *copy = malloc(len ? len : 1);
    if (copy == NULL)
        return;
    if (len > 0)
        memcpy(copy, data, len);
    hg_net_packet(net, time, link, hg_slice_of(copy, len), (uint32_t)len);
    free(copy);
}

#endif
