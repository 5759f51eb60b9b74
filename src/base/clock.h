/* Time, in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time since an arbitrary start; no system call on Linux (vDSO). */
uint64_t hg_clock_monotonic_ns(void);

/* Time since 1970-01-01 UTC. */
uint64_t hg_clock_wall_ns(void);

/* CPU time of the calling thread. One system call. */
uint64_t hg_clock_thread_cpu_ns(void);

#endif
