/* IP addresses as text and ranges of them. IPv4 is kept as IPv4-mapped IPv6, so there is one kind of address. */
#ifndef HG_TEXT_IP_H
#define HG_TEXT_IP_H

#include "hotgate/base.h"

/* 128 bits, the first ones of the address highest. */
typedef struct hg_ip {
    uint64_t high;
    uint64_t low;
} hg_ip;

static inline int hg_ip_compare(hg_ip a, hg_ip b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

/* A dotted quad without leading zeros, the whole of s. */
bool hg_ipv4_parse(hg_slice s, hg_ip *ip);

/* RFC 4291 text without zone, the whole of s. An IPv4 tail is allowed. */
bool hg_ipv6_parse(hg_slice s, hg_ip *ip);

/* Either, as libddwaf reads it: at most 45 bytes, the text ends at a NUL byte, and text of more than 16 bytes is no
 * IPv4. */
bool hg_ip_parse(hg_slice s, hg_ip *ip);

/* first..last of `address` or `address/bits`; a single address is a range of one. Bits are 1 to 3 bytes read as C's
 * strtol does: leading blanks, a sign and trailing junk are allowed; bits beyond the address are cleared. */
bool hg_ip_range_parse(hg_slice s, hg_ip *first, hg_ip *last);

#endif
