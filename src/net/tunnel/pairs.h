/* Address pairs that carry IP-in-IP or GRE: one record a pair, whatever the direction. */
#ifndef NET_PAIRS_H
#define NET_PAIRS_H

#include "net/engine.h"

hg_status net_pairs_init(hg_net *net);
void net_pairs_free(hg_net *net);
void net_pairs_clear(hg_net *net);
void net_pairs_expire(hg_net *net);

#endif
