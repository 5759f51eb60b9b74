/* Sets of IP ranges whose members may expire. */
#ifndef HG_TEXT_IPSET_H
#define HG_TEXT_IPSET_H

#include "text/expiry.h"
#include "text/ip.h"

typedef struct hg_ipset hg_ipset;

/* The set of `count` addresses or ranges (hg_ip_range_parse); what does not parse is left out. expirations may be
 * NULL: none expires. Everything lives in the arena; the texts are not kept. NULL when out of memory.
 * O(n log n). */
const hg_ipset *hg_ipset_build(const hg_slice *texts, const uint64_t *expirations, size_t count, hg_arena *arena);

/* When the last range around ip expires: HG_ABSENT, HG_NEVER_EXPIRES, or Unix seconds. O(log n). */
uint64_t hg_ipset_find(const hg_ipset *set, hg_ip ip);

#endif
