/* SHA-1, one block. */
#include "net/sha1.h"
#include "net/wire.h"

static uint32_t left(uint32_t v, int n)
{
    return v << n | v >> (32 - n);
}

void net_sha1(const uint8_t *data, size_t len, uint8_t digest[20])
{
    uint8_t block[64] = {0};
    uint32_t w[80], h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(block, data, len);
    block[len] = 0x80;
    net_put32(block + 60, (uint32_t)(len * 8));
    for (int i = 0; i < 16; i++)
        w[i] = net_be32(block + 4 * i);
    for (int i = 16; i < 80; i++)
        w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
        uint32_t f, k;
        if (i < 20) {
            f = (b & c) | (~b & d);
            k = 0x5a827999;
        } else if (i < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1;
        } else if (i < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6;
        }
        uint32_t t = left(a, 5) + f + e + k + w[i];
        e = d;
        d = c;
        c = left(b, 30);
        b = a;
        a = t;
    }
    const uint32_t sum[5] = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
    for (int i = 0; i < 5; i++)
        net_put32(digest + 4 * i, sum[i]);
}
