/* What every benchmark prints: one JSON object a line. */
#ifndef BENCH_JSON_LINES_H
#define BENCH_JSON_LINES_H

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct bench_line {
    const char *suite, *class, *method, *params, *toolchain;
    int launch, iteration;
    uint64_t ops, ns, bytes; /* bytes: requested from the system allocator in all ops */
} bench_line;

static inline void bench_print(const bench_line *b)
{
    printf("{\"suite\":\"%s\",\"class\":\"%s\",\"method\":\"%s\",\"params\":\"%s\",\"toolchain\":\"%s\",\"launch\":%d,"
           "\"iteration\":%d,\"stage\":\"measured\",\"ops\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n",
           b->suite, b->class, b->method, b->params, b->toolchain, b->launch, b->iteration, b->ops, b->ns, b->bytes);
}

#endif
