/* Internet checksums (RFC 1071). */
#ifndef NET_CHECKSUM_H
#define NET_CHECKSUM_H

#include "net/addr.h"

/* The one's complement sum of the octets, added to `sum`, not folded. */
uint64_t net_sum(const uint8_t *data, size_t len, uint64_t sum);

/* Folds to 16 bits: 0xffff when a header with its checksum in it is right. */
uint16_t net_sum_fold(uint64_t sum);

/* The sum of the pseudo header of TCP, UDP and ICMPv6 (RFC 793, RFC 8200 8.1). */
uint64_t net_sum_pseudo(const net_addr *src, const net_addr *dst, bool v6, uint8_t proto, uint32_t len);

#endif
