/* splitmix64 (Steele, Lea, Flood 2014). */
#include "diff.h"

uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

unsigned rng_below(rng *r, unsigned n)
{
    return (unsigned)(rng_next(r) % n);
}

bool rng_percent(rng *r, unsigned chance)
{
    return rng_below(r, 100) < chance;
}
