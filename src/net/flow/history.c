/* The history string of a flow and its scaled letters. */
#include "net/flow/flow.h"

#include <stdlib.h>

void net_flow_letter(net_flow *flow, char letter)
{
    uint32_t len = flow->history_len;
    if (flow->long_history == NULL && len < NET_HISTORY_INLINE - 1) {
        flow->history[len] = letter;
        flow->history[len + 1] = '\0';
        flow->history_len++;
        return;
    }
    if (flow->long_history == NULL) {
        flow->long_history = malloc(NET_HISTORY_MOST);
        if (flow->long_history == NULL)
            return;
        memcpy(flow->long_history, flow->history, len);
    }
    if (len + 1 >= NET_HISTORY_MOST)
        return;
    flow->long_history[len] = letter;
    flow->long_history[len + 1] = '\0';
    flow->history_len++;
}

const char *net_flow_history(const net_flow *flow)
{
    return flow->long_history ? flow->long_history : flow->history;
}

void net_flow_side_letter(net_flow *flow, bool orig, char letter)
{
    net_flow_letter(flow, orig ? letter : (char)(letter | 0x20));
}

static bool is_power_of_ten(uint32_t n)
{
    while (n % 10 == 0)
        n /= 10;
    return n == 1;
}

void net_flow_scaled_letter(net_flow *flow, bool orig, char letter, uint32_t *count)
{
    if (++*count != 0 && is_power_of_ten(*count))
        net_flow_side_letter(flow, orig, letter);
}

void net_flow_limit_hit(net_flow *flow)
{
    if (flow->limit_hit)
        return;
    flow->limit_hit = true;
    net_flow_letter(flow, 'X');
}
