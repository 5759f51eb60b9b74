/* Community ID version 1 (github.com/corelight/community-id-spec): SHA-1 over the ordered five-tuple. */
#include "hotgate/net.h"
#include "net/addr.h"
#include "net/sha1.h"

enum { ICMP = 1, TCP = 6, UDP = 17, ICMP6 = 58, SCTP = 132 };

static void base64_text(const uint8_t *in, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 18; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            *out++ = digits[v >> shift & 63];
    }
    uint32_t v = (uint32_t)in[18] << 16 | (uint32_t)in[19] << 8;
    *out++ = digits[v >> 18 & 63];
    *out++ = digits[v >> 12 & 63];
    *out++ = digits[v >> 6 & 63];
    *out++ = '=';
    *out = '\0';
}

static bool has_ports(uint8_t proto)
{
    return proto == TCP || proto == UDP || proto == SCTP || proto == ICMP || proto == ICMP6;
}

/* The lower (address, port) goes first; equal addresses compare the ports as little-endian numbers, as the peer does. */
static bool is_ordered(const hg_net_endpoint *a, const hg_net_endpoint *b)
{
    int order = memcmp(a->addr, b->addr, 16);
    if (order != 0)
        return order < 0;
    return __builtin_bswap16(a->port) <= __builtin_bswap16(b->port);
}

void hg_net_community_id(const hg_net_endpoint *orig, const hg_net_endpoint *resp, uint8_t ip_proto, bool one_way,
                         uint16_t seed, char out[32])
{
    uint8_t text[2 + 32 + 2 + 4], digest[20];
    size_t len = 0;
    bool swap = !one_way && !is_ordered(orig, resp);
    const hg_net_endpoint *ends[2] = {swap ? resp : orig, swap ? orig : resp};
    net_put16(text, seed);
    len = 2;
    for (int i = 0; i < 2; i++) {
        net_addr a;
        memcpy(&a, ends[i]->addr, 16);
        size_t from = net_addr_is_v4(&a) ? 12 : 0;
        memcpy(text + len, a.octet + from, 16 - from);
        len += 16 - from;
    }
    text[len++] = ip_proto;
    text[len++] = 0;
    if (has_ports(ip_proto)) {
        net_put16(text + len, ends[0]->port);
        net_put16(text + len + 2, ends[1]->port);
        len += 4;
    }
    net_sha1(text, len, digest);
    out[0] = '1';
    out[1] = ':';
    base64_text(digest, out + 2);
}
