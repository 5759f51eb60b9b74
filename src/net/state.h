/* Starting, clearing and freeing of the engine's parts. */
#ifndef NET_STATE_H
#define NET_STATE_H

#include "net/engine.h"

hg_status net_weird_init(hg_net *net);
void net_weird_clear(hg_net *net);
void net_weird_free(hg_net *net);
hg_status net_unknown_init(hg_net *net);
void net_unknown_clear(hg_net *net);
void net_unknown_free(hg_net *net);

/* Likely server ports, prefixes: what options name. */
hg_status net_config_init(hg_net *net);
void net_config_free(hg_net *net);

#endif
