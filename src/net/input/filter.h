/* A filter's instructions, for the kernel. */
#ifndef NET_FILTER_H
#define NET_FILTER_H

#include "hotgate/live.h"

const void *net_filter_code(const hg_filter *filter, uint16_t *count);

#endif
