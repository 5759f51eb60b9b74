/* SHA-1 of short texts (FIPS 180-4), for Community IDs only. */
#ifndef NET_SHA1_H
#define NET_SHA1_H

#include <stddef.h>
#include <stdint.h>

/* len is at most 55: one block. */
void net_sha1(const uint8_t *data, size_t len, uint8_t digest[20]);

#endif
