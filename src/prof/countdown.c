/* Distances between samples: exponential, so that an event of size s is sampled with probability 1 - e^(-s/mean). */
#include "prof/internal.h"

#include <math.h>

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull); /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static int64_t draw(double mean, uint64_t *random)
{
    double uniform = ((double)(next_random(random) >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    double distance = ceil(-log(uniform) * mean);
    return distance < 1 ? 1 : (int64_t)distance;
}

void countdown_start(countdown *c, uint64_t mean, uint64_t *random)
{
    c->mean = (double)mean;
    c->left = draw(c->mean, random);
}

/* Subtracts; due when nothing remains. The overshoot is discarded and a new distance drawn. */
bool countdown_due(countdown *c, int64_t amount, uint64_t *random)
{
    if (amount < c->left) {
        c->left -= amount;
        return false;
    }
    c->left = draw(c->mean, random);
    return true;
}
