/* Address text forms and prefixes. */
#include "net/addr.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

static char *octet_text(char *at, unsigned v)
{
    if (v >= 100) {
        *at++ = (char)('0' + v / 100);
        v %= 100;
        *at++ = (char)('0' + v / 10);
    } else if (v >= 10) {
        *at++ = (char)('0' + v / 10);
    }
    *at++ = (char)('0' + v % 10);
    return at;
}

size_t net_addr_text(const net_addr *a, char out[NET_ADDR_TEXT])
{
    if (net_addr_is_v4(a)) {
        char *at = out;
        for (int i = 12; i < 16; i++) {
            at = octet_text(at, a->octet[i]);
            *at++ = '.';
        }
        *--at = '\0';
        return (size_t)(at - out);
    }
    if (inet_ntop(AF_INET6, a->octet, out, NET_ADDR_TEXT) == NULL)
        out[0] = '\0';
    return strlen(out);
}

bool net_addr_parse(const char *text, net_addr *out)
{
    uint8_t v4[4];
    if (inet_pton(AF_INET, text, v4) == 1) {
        *out = net_addr_v4(v4);
        return true;
    }
    return inet_pton(AF_INET6, text, out->octet) == 1;
}

bool net_prefix_parse(const char *text, net_prefix *out)
{
    char addr[NET_ADDR_TEXT];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    if (len >= sizeof addr)
        return false;
    memcpy(addr, text, len);
    addr[len] = '\0';
    if (!net_addr_parse(addr, &out->addr))
        return false;
    bool v4 = strchr(addr, ':') == NULL;
    long most = v4 ? 32 : 128, bits = most;
    if (slash != NULL) {
        char *end;
        bits = strtol(slash + 1, &end, 10);
        if (end == slash + 1 || *end != '\0' || bits < 0 || bits > most)
            return false;
    }
    out->bits = (uint8_t)(v4 ? bits + 96 : bits);
    return true;
}

bool net_prefix_has(const net_prefix *prefix, const net_addr *a)
{
    size_t whole = prefix->bits / 8, rest = prefix->bits % 8;
    if (memcmp(prefix->addr.octet, a->octet, whole) != 0)
        return false;
    return rest == 0 || ((prefix->addr.octet[whole] ^ a->octet[whole]) >> (8 - rest)) == 0;
}

/* IPv4 ranges as (network, bits); each is also local under its 6to4 prefix 2002::/16 (RFC 3056). */
static const struct {
    uint32_t network;
    uint8_t bits;
} local4[] = {
    {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16}, {0xac100000, 12},
    {0xc0000000, 24}, {0xc0000200, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xc6336400, 24}, {0xcb007100, 24},
    {0xe0000000, 24}, {0xef000000, 8},  {0xf0000000, 4},  {0xffffffff, 32},
};

static const net_prefix local6[] = {
    {{{0}}, 128},
    {{{[15] = 1}}, 128},
    {{{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}}, 48},
    {{{0x01, 0x00}}, 64},
    {{{0x20, 0x01}}, 23},
    {{{0x20, 0x01, 0x00, 0x02}}, 48},
    {{{0x20, 0x01, 0x0d, 0xb8}}, 32},
    {{{0xfc}}, 7},
    {{{0xfe, 0x80}}, 10},
    {{{0xfe, 0xc0}}, 10},
};

static bool is_local4(uint32_t v)
{
    for (size_t i = 0; i < sizeof local4 / sizeof *local4; i++)
        if (((v ^ local4[i].network) >> (32 - local4[i].bits)) == 0)
            return true;
    return false;
}

bool net_addr_is_local(const net_addr *a)
{
    if (net_addr_is_v4(a))
        return is_local4(net_be32(a->octet + 12));
    if (net_be16(a->octet) == 0x2002 && is_local4(net_be32(a->octet + 2)))
        return true;
    for (size_t i = 0; i < sizeof local6 / sizeof *local6; i++)
        if (net_prefix_has(&local6[i], a))
            return true;
    return false;
}
