#include "cli/load/histogram.h"

#include <stddef.h>

enum { SUB_BITS = 7 };

static size_t bucket_of(uint64_t ns)
{
    if (ns < HISTOGRAM_SUB)
        return ns;
    unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - SUB_BITS;
    if (shift >= HISTOGRAM_OCTAVES)
        return HISTOGRAM_BUCKETS - 1;
    return (shift + 1) * (size_t)HISTOGRAM_SUB + (ns >> shift) % HISTOGRAM_SUB;
}

static uint64_t upper_end(size_t bucket)
{
    if (bucket < HISTOGRAM_SUB)
        return bucket;
    unsigned shift = (unsigned)(bucket / HISTOGRAM_SUB) - 1;
    return ((HISTOGRAM_SUB + bucket % HISTOGRAM_SUB + 1) << shift) - 1;
}

void histogram_add(histogram *h, uint64_t ns)
{
    h->counts[bucket_of(ns)]++;
    h->count++;
    h->sum += ns;
    h->max = ns > h->max ? ns : h->max;
}

void histogram_merge(histogram *into, const histogram *from)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->counts[i] += from->counts[i];
    into->count += from->count;
    into->sum += from->sum;
    into->max = from->max > into->max ? from->max : into->max;
}

uint64_t histogram_at(const histogram *h, double share)
{
    uint64_t wanted = (uint64_t)(share * (double)h->count + 0.9999), seen = 0;
    wanted = wanted == 0 ? 1 : wanted;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS - 1; i++) { /* the last one has no end */
        seen += h->counts[i];
        if (seen >= wanted)
            return upper_end(i) < h->max ? upper_end(i) : h->max;
    }
    return h->max;
}
