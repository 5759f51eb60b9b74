/* Clock, medians and the count of allocations. */
#ifndef BENCH_WAF_TIMING_H
#define BENCH_WAF_TIMING_H

#include "hotgate/base.h"

#include <stdlib.h>
#include <time.h>

static size_t allocations;

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

HG_API void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

HG_API void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

HG_API void *realloc(void *ptr, size_t size)
{
    allocations++;
    return __libc_realloc(ptr, size);
}
#endif

/* Processor time of this thread: what other processes do does not count. */
static inline uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

#endif
