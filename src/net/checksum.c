/* Internet checksums: eight octets at a time; the order of octets within a pair does not matter to the sum, so the
 * machine's order is used and the result swapped at the end. */
#include "net/checksum.h"

uint64_t net_sum(const uint8_t *data, size_t len, uint64_t sum)
{
    uint64_t a = 0, b = 0;
    while (len >= 8) {
        uint64_t v;
        memcpy(&v, data, 8);
        a += v & 0xffffffff;
        b += v >> 32;
        data += 8;
        len -= 8;
    }
    uint8_t tail[8] = {0};
    memcpy(tail, data, len);
    uint64_t v;
    memcpy(&v, tail, 8);
    return sum + a + b + (v & 0xffffffff) + (v >> 32);
}

uint16_t net_sum_fold(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return __builtin_bswap16((uint16_t)sum);
}

uint64_t net_sum_pseudo(const net_addr *src, const net_addr *dst, bool v6, uint8_t proto, uint32_t len)
{
    uint8_t tail[8];
    size_t from = v6 ? 0 : 12, size = v6 ? 16 : 4;
    uint64_t sum = net_sum(src->octet + from, size, 0);
    sum = net_sum(dst->octet + from, size, sum);
    net_put32(tail, len);
    net_put32(tail + 4, proto);
    return net_sum(tail, sizeof tail, sum);
}
