#include "net/http/stream.h"
hg_status net_streams_init(hg_net *net) { (void)net; return HG_OK; }
void net_streams_free(hg_net *net) { (void)net; }
void net_stream_attach(hg_net *net, net_flow *flow) { (void)net; (void)flow; }
void net_stream_data(hg_net *net, net_flow *flow, int side, const uint8_t *data, size_t len) { (void)net; (void)flow; (void)side; (void)data; (void)len; }
void net_stream_gap(hg_net *net, net_flow *flow, int side, uint64_t len) { (void)net; (void)flow; (void)side; (void)len; }
void net_stream_eof(hg_net *net, net_flow *flow, int side) { (void)net; (void)flow; (void)side; }
void net_stream_reset(hg_net *net, net_flow *flow) { (void)net; (void)flow; }
void net_stream_packet_done(hg_net *net, net_flow *flow) { (void)net; (void)flow; }
void net_stream_flip(hg_net *net, net_flow *flow) { (void)net; (void)flow; }
void net_stream_end(hg_net *net, net_flow *flow) { (void)net; (void)flow; }
