/* The engine that the reference daemon of bench/helper runs: ours or the official one. */
#ifndef BENCH_REFERENCE_ENGINE_H
#define BENCH_REFERENCE_ENGINE_H

#include "hotgate/value.h"

typedef struct reference_engine {
    const char *name;
    bool copies; /* judge() copies its input, which need not outlive the call; else it must outlive the context */
    void *(*load)(hg_slice rules); /* NULL: refused */
    void (*unload)(void *instance); /* contexts that are open keep what they need */
    void *(*begin)(void *instance);
    void (*end)(void *context);
    /* Events become an array on the heap, or stay invalid when there are none. */
    bool (*judge)(void *context, const hg_value *data, uint64_t timeout_us, hg_value *events);
} reference_engine;

extern const reference_engine reference_ours;

/* libddwaf 1.x where tests find it; NULL when it is not there. */
const reference_engine *reference_official(void);

#endif
