#ifndef VALUE_POWERS_H
#define VALUE_POWERS_H

#include <stdint.h>

enum { HG_POWER_MIN = -342, HG_POWER_MAX = 324 };

extern const uint64_t hg_powers_of_ten[HG_POWER_MAX - HG_POWER_MIN + 1][2];

/* floor(log2(10^q)) for |q| <= 1233 */
static inline int floor_log2_pow10(int q)
{
    return (int)(((int64_t)q * 1741647) >> 19);
}

#endif
