/* Durations in buckets that are at most 1/128 wide, so that a percentile is right to 0.8 %, however long the tail. */
#ifndef CLI_LOAD_HISTOGRAM_H
#define CLI_LOAD_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_SUB = 128, HISTOGRAM_OCTAVES = 34, HISTOGRAM_BUCKETS = (HISTOGRAM_OCTAVES + 1) * HISTOGRAM_SUB };

typedef struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t count, sum, max; /* of the values as they were */
} histogram;

/* ns; from 2^41 (half an hour) on everything is in the last bucket. */
void histogram_add(histogram *h, uint64_t ns);
void histogram_merge(histogram *into, const histogram *from);

/* The value that `share` (0 to 1) of the values do not exceed: the upper end of its bucket, at most the maximum; 0 when
 * there are none. */
uint64_t histogram_at(const histogram *h, double share);

#endif
