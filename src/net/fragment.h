/* Reassembly of IP fragments. */
#ifndef NET_FRAGMENT_H
#define NET_FRAGMENT_H

#include "net/engine.h"

/* A fragment as the IP layer saw it. */
typedef struct net_fragment {
    net_addr src, dst;
    uint32_t id;
    uint8_t protocol;     /* IPv4 protocol, IPv6 next header of the fragment header */
    const uint8_t *header;/* unfragmentable part */
    uint32_t header_len;
    uint32_t next_at;     /* IPv6: where in the header the octet is that named the fragment header */
    uint32_t offset;      /* of the data in the datagram */
    const uint8_t *data;
    uint32_t len;
    uint32_t total;       /* total length of the fragment */
    bool more, dont, v6;
} net_fragment;

/* The whole datagram when this fragment completes it: *size octets that stay valid until the next call; else NULL. */
const uint8_t *net_fragment_add(hg_net *net, const net_packet *packet, const net_fragment *fragment, uint32_t *size);

hg_status net_fragments_init(hg_net *net);
void net_fragments_clear(hg_net *net);
void net_fragments_free(hg_net *net);
void net_fragments_expire(hg_net *net);

#endif
