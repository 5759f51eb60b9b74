/* Timers in packet time. */
#ifndef NET_TIMERS_H
#define NET_TIMERS_H

#include "net/flow/flow.h"

typedef enum net_timer {
    TIMER_INACTIVITY, TIMER_ATTEMPT, TIMER_EXPIRE, TIMER_DELETE,
} net_timer;

hg_status net_timers_init(hg_net *net);
void net_timers_free(hg_net *net);

void net_timer_add(hg_net *net, net_flow *flow, net_timer kind, hg_net_time when);

/* Runs what is due, at most 300. */
void net_timers_run(hg_net *net);

/* Forgets all. */
void net_timers_clear(hg_net *net);

#endif
