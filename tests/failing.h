/* An allocator that fails once, at a chosen call, and counts what is still held. Usage: for (size_t n = 0;; n++)
 * run with failing_at(n); stop when `calls` stayed at or below n. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

#include "hotgate/base.h"

#include <stdlib.h>

typedef struct failing {
    size_t fail_at; /* index of the call that fails; SIZE_MAX = none */
    size_t calls;
    size_t live_blocks;
    size_t live_bytes;
    hg_allocator allocator;
} failing;

static inline void *failing_acquire(void *state, size_t size, size_t alignment)
{
    failing *f = state;
    if (f->calls++ == f->fail_at)
        return NULL;
    void *p = hg_acquire(hg_heap(), size, alignment);
    if (p != NULL) {
        f->live_blocks++;
        f->live_bytes += size;
    }
    return p;
}

static inline void failing_release(void *state, void *ptr, size_t size, size_t alignment)
{
    failing *f = state;
    f->live_blocks--;
    f->live_bytes -= size;
    hg_release(hg_heap(), ptr, size, alignment);
}

static inline void failing_init(failing *f, size_t fail_at)
{
    *f = (failing){.fail_at = fail_at, .allocator = {failing_acquire, failing_release, f}};
}

#endif
