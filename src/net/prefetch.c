/* Looking ahead in a batch. Nothing is decided here; a wrong guess costs a little time. */
#include "net/express.h"

#include <stddef.h>

static void fetch(const void *at)
{
    __builtin_prefetch(at, 1);
}

/* What a segment of a flow touches. */
static void fetch_flow(const net_flow *flow)
{
    fetch(flow);
    fetch(&flow->addr);
    fetch(&flow->stream);
    fetch(&flow->side[0]);
    fetch(&flow->side[1]);
}

void net_prefetch(hg_net *net, const hg_net_frame *frames, size_t count, net_ahead *ahead)
{
    for (size_t i = 0; i < count; i++) {
        net_ahead_read(net, &frames[i], &ahead[i]);
        if (ahead[i].levels > 0)
            fetch(ahead[i].outer);
        if (ahead[i].has_hash)
            net_flow_prefetch(net, ahead[i].hash);
    }
    for (size_t i = 0; i < count; i++) {
        if (ahead[i].levels > 0)
            for (uint32_t n = 0; n < NET_EXPRESS_LEVELS; n++)
                fetch(ahead[i].outer->flow[n]);
        const net_flow *flow = ahead[i].has_hash ? net_flow_peek(net, ahead[i].hash) : NULL;
        if (flow != NULL)
            fetch_flow(flow);
    }
}
