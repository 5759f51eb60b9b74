/* How many traces a second may be kept by force: a sliding window over two counted seconds, without a lock. */
#ifndef HELPER_LIMITER_H
#define HELPER_LIMITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct limiter {
    uint32_t limit;                  /* a second; 0: everything is admitted */
    atomic_uint_fast64_t seconds[2]; /* even and odd ones: second << 32 | admitted in it */
} limiter;

void limiter_init(limiter *l, uint32_t limit);

/* Asks once at this time (monotonic, nanoseconds). Threads may be late by a second. */
bool limiter_admit(limiter *l, uint64_t now_ns);

#endif
