/* conn_state: what became of a flow, in Zeek's terms. */
#include "net/flow/flow.h"
#include "net/tcp/tcp.h"

/* Does the history match ^?S[^HAFGIQ]*R.* (with an optional literal caret)? */
static bool is_syn_then_reset(const char *history)
{
    if (*history == '^')
        history++;
    if (*history++ != 'S')
        return false;
    for (; *history != '\0' && strchr("HAFGIQ", *history) == NULL; history++)
        if (*history == 'R')
            return true;
    return false;
}

static bool is_silent(uint8_t state)
{
    return state == TCP_INACTIVE || state == TCP_PARTIAL;
}

static const char *tcp_state(const net_flow *flow)
{
    uint8_t o = flow->side[NET_ORIG].state, r = flow->side[NET_RESP].state;
    if (r == TCP_RESET) {
        bool empty = net_tcp_size(flow, NET_ORIG) == 0 && net_tcp_size(flow, NET_RESP) == 0;
        if (o == TCP_SYN_SENT || o == TCP_SYN_ACK_SENT || (o == TCP_RESET && empty))
            return "REJ";
        return is_silent(o) ? "RSTRH" : "RSTR";
    }
    if (o == TCP_RESET) {
        if (!is_silent(r))
            return "RSTO";
        return is_syn_then_reset(net_flow_history(flow)) ? "RSTOS0" : "OTH";
    }
    if (o == TCP_CLOSED && r == TCP_CLOSED)
        return "SF";
    if (o == TCP_CLOSED)
        return is_silent(r) ? "SH" : "S2";
    if (r == TCP_CLOSED)
        return is_silent(o) ? "SHR" : "S3";
    if (o == TCP_SYN_SENT && r == TCP_INACTIVE)
        return "S0";
    return o == TCP_ESTABLISHED && r == TCP_ESTABLISHED ? "S1" : "OTH";
}

const char *net_flow_state(const net_flow *flow)
{
    if (flow->proto == HG_NET_TCP)
        return tcp_state(flow);
    if (flow->proto != HG_NET_UDP)
        return "OTH";
    bool o = flow->active[NET_ORIG], r = flow->active[NET_RESP];
    return o ? (r ? "SF" : "S0") : (r ? "SHR" : "OTH");
}
