/* The application on top of a TCP flow: protocol detection, HTTP, WebSocket. */
#ifndef NET_STREAM_H
#define NET_STREAM_H

#include "net/flow/flow.h"

hg_status net_streams_init(hg_net *net);
void net_streams_free(hg_net *net);

/* A new TCP flow: attach what its port or content asks for. */
void net_stream_attach(hg_net *net, net_flow *flow);

/* In-order data, a hole, the end (reset or not) of one side. */
void net_stream_data(hg_net *net, net_flow *flow, int side, const uint8_t *data, size_t len);
void net_stream_gap(hg_net *net, net_flow *flow, int side, uint64_t len);
void net_stream_eof(hg_net *net, net_flow *flow, int side);
void net_stream_reset(hg_net *net, net_flow *flow);

/* The segment is done with: late removals take place. */
void net_stream_packet_done(hg_net *net, net_flow *flow);

void net_stream_flip(hg_net *net, net_flow *flow);
void net_stream_end(hg_net *net, net_flow *flow);

#endif
