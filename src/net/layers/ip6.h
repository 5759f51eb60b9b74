/* The header chain of IPv6. */
#ifndef NET_IP6_H
#define NET_IP6_H

#include "net/engine.h"

enum {
    IP6_HOP = 0, IP6_ROUTING = 43, IP6_FRAGMENT = 44, IP6_ESP = 50, IP6_AH = 51, IP6_NONE = 59, IP6_DSTOPTS = 60,
    IP6_MOBILITY = 135,
};

typedef struct ip6_chain {
    uint32_t length;    /* of all headers */
    uint8_t next;       /* what follows the last header walked */
    uint8_t last;       /* type of the last header walked: IP6_FRAGMENT, ...; 41 when there is only the fixed one */
    uint32_t last_at;   /* where the last header starts */
    uint32_t before_at; /* where the next-header octet that names it is */
    net_addr src, dst;  /* effective */
} ip6_chain;

/* Walks the chain of the packet at ip (captured octets, at least 40); weirds are pair weirds without source. */
void net_ip6_walk(hg_net *net, const net_packet *packet, const uint8_t *ip, size_t captured, ip6_chain *chain);

#endif
