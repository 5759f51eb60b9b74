/* The header chain of IPv6 (RFC 8200, routing header type 2 and home address option RFC 6275). Weirds:
 * multiple_routing_headers, routing0_hdr, odd_routing0_len, bad_routing2_len, unknown_routing_type,
 * bad_ipv6_dest_opt_len, multiple_home_addr_opts, bad_home_addr_len. */
#include "net/layers/ip6.h"

#include <stdio.h>

enum { FIXED = 40, OPTION_HOME = 201 };

typedef struct walk {
    hg_net *net;
    const net_packet *packet;
    ip6_chain *chain;
    bool routed, home;
} walk;

static void weird(walk *w, net_weird name, const char *addl)
{
    net_weird_pair(w->net, w->packet, &w->chain->src, &w->chain->dst, name, addl, "");
}

static void routing(walk *w, const uint8_t *h, size_t len)
{
    if (w->routed) {
        weird(w, W_multiple_routing_headers, "");
        return;
    }
    w->routed = true;
    uint8_t length = h[1], type = h[2], left = h[3];
    if (type == 0) {
        if (left > 0 && length >= 2) {
            if (length % 2 == 0)
                w->chain->dst = net_addr_v6(h + len - 16);
            else
                weird(w, W_odd_routing0_len, "");
        }
        weird(w, W_routing0_hdr, "");
    } else if (type == 2) {
        if (left == 0)
            return;
        if (length == 2)
            w->chain->dst = net_addr_v6(h + 8);
        else
            weird(w, W_bad_routing2_len, "");
    } else {
        char addl[8];
        snprintf(addl, sizeof addl, "%u", type);
        weird(w, W_unknown_routing_type, addl);
    }
}

static void destination_options(walk *w, const uint8_t *h, size_t len)
{
    size_t at = 2;
    while (at < len) {
        if (h[at] == 0) {
            at++;
            continue;
        }
        if (len - at < 2 || len - at - 2 < h[at + 1]) {
            weird(w, W_bad_ipv6_dest_opt_len, "");
            return;
        }
        if (h[at] == OPTION_HOME) {
            if (h[at + 1] != 16)
                weird(w, W_bad_home_addr_len, "");
            else if (w->home)
                weird(w, W_multiple_home_addr_opts, "");
            else {
                w->home = true;
                w->chain->src = net_addr_v6(h + at + 2);
            }
        }
        at += 2u + h[at + 1];
    }
}

static size_t header_length(uint8_t type, const uint8_t *h)
{
    switch (type) {
    case IP6_FRAGMENT:
    case IP6_ESP:
        return 8;
    case IP6_AH:
        return 8 + 4 * (size_t)h[1];
    default:
        return 8 + 8 * (size_t)h[1];
    }
}

static bool is_extension(uint8_t type)
{
    return type == IP6_HOP || type == IP6_ROUTING || type == IP6_FRAGMENT || type == IP6_ESP || type == IP6_AH ||
           type == IP6_DSTOPTS || type == IP6_MOBILITY;
}

void net_ip6_walk(hg_net *net, const net_packet *packet, const uint8_t *ip, size_t captured, ip6_chain *chain)
{
    *chain = (ip6_chain){.length = FIXED, .next = ip[6], .last = 41, .before_at = 6,
                         .src = net_addr_v6(ip + 8), .dst = net_addr_v6(ip + 24)};
    if (!is_extension(chain->next))
        return;
    walk w = {net, packet, chain, false, false};
    while (is_extension(chain->next)) {
        const uint8_t *h = ip + chain->length;
        size_t left = captured - chain->length, len;
        uint8_t type = chain->next;
        if (left < 8 || (len = header_length(type, h)) > left)
            return;
        if (chain->last != 41)
            chain->before_at = chain->last_at;
        chain->last = type;
        chain->last_at = chain->length;
        chain->length += (uint32_t)len;
        if (type == IP6_ESP)
            return;
        chain->next = h[0];
        if (type == IP6_ROUTING)
            routing(&w, h, len);
        else if (type == IP6_DSTOPTS)
            destination_options(&w, h, len);
        if (type == IP6_FRAGMENT || type == IP6_MOBILITY)
            return;
    }
}
