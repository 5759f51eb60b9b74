/* Addresses: 16 octets in network order; IPv4 is held as ::ffff:a.b.c.d, so both families share one key space. */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include "net/wire.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct net_addr {
    uint8_t octet[16];
} net_addr;

enum { NET_ADDR_TEXT = 48 }; /* room for the text form and its NUL */

static inline net_addr net_addr_v4(const uint8_t *p)
{
    net_addr a = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
    memcpy(a.octet + 12, p, 4);
    return a;
}

static inline net_addr net_addr_v6(const uint8_t *p)
{
    net_addr a;
    memcpy(a.octet, p, 16);
    return a;
}

static inline bool net_addr_equal(const net_addr *a, const net_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline bool net_addr_is_v4(const net_addr *a)
{
    return net_be64(a->octet) == 0 && net_be32(a->octet + 8) == 0xffff;
}

/* Writes the usual text form (RFC 5952; mapped addresses as IPv4); returns its length. */
size_t net_addr_text(const net_addr *a, char out[NET_ADDR_TEXT]);

/* Reads the text form of either family; false when it is none. */
bool net_addr_parse(const char *text, net_addr *out);

typedef struct net_prefix {
    net_addr addr;
    uint8_t bits; /* of 128 */
} net_prefix;

/* "10.0.0.0/8", "fc00::/7" or a bare address. */
bool net_prefix_parse(const char *text, net_prefix *out);
bool net_prefix_has(const net_prefix *prefix, const net_addr *a);

/* In the private and special-purpose ranges of the IANA registries (RFC 6890 and kin). */
bool net_addr_is_local(const net_addr *a);

#endif
