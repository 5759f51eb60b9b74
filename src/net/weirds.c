/* Names and log policies of the anomalies. */
#include "net/weirds.h"

const char *const net_weird_names[W_COUNT] = {
#define NET_WEIRD(id, text, policy) text,
#include "net/weirds.def"
#undef NET_WEIRD
};

const uint8_t net_weird_policies[W_COUNT] = {
#define NET_WEIRD(id, text, policy) policy,
#include "net/weirds.def"
#undef NET_WEIRD
};
