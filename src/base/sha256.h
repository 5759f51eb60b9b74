/* SHA-256 (FIPS 180-4). */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "hotgate/base.h"

typedef struct hg_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} hg_sha256;

void hg_sha256_init(hg_sha256 *h);
void hg_sha256_add(hg_sha256 *h, hg_slice s);
void hg_sha256_end(hg_sha256 *h, uint8_t out[32]);

/* Digest of one run of bytes. */
void hg_sha256_of(hg_slice s, uint8_t out[32]);

/* The same, as lower-case hexadecimal digits (no NUL). */
void hg_sha256_hex(hg_slice s, char out[64]);

#endif
