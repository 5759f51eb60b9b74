/* Anomalies by number; names and log policy in one table (weirds.c). */
#ifndef NET_WEIRDS_H
#define NET_WEIRDS_H

#include <stdint.h>

typedef enum net_weird {
#define NET_WEIRD(id, text, policy) W_##id,
#include "net/weirds.def"
#undef NET_WEIRD
    W_COUNT
} net_weird;

typedef enum net_weird_policy {
    NET_LOG,          /* once per 10 minutes and place */
    NET_NEVER,        /* not logged */
    NET_PER_ORIG,     /* once per originator and day */
    NET_NOTICE,       /* as PER_ORIG, with notice set */
    NET_PER_FLOW,     /* once per flow */
} net_weird_policy;

extern const char *const net_weird_names[W_COUNT];
extern const uint8_t net_weird_policies[W_COUNT];

#endif
