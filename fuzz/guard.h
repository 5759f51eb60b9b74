/* A copy of a fuzz input that ends at an unreadable page, in a mapping made once. */
#ifndef FUZZ_GUARD_H
#define FUZZ_GUARD_H

#include "hotgate/base.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_LONGEST = 1 << 20 };

/* The copy, or an empty slice for inputs beyond GUARD_LONGEST. Valid until the next call. */
static inline hg_slice guard(const uint8_t *data, size_t size)
{
    static char *end;
    if (end == NULL) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        char *base = mmap(NULL, GUARD_LONGEST + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED || mprotect(base + GUARD_LONGEST, page, PROT_NONE) != 0)
            abort();
        end = base + GUARD_LONGEST;
    }
    if (size > GUARD_LONGEST)
        return hg_slice_of(end, 0);
    if (size > 0)
        memcpy(end - size, data, size);
    return hg_slice_of(end - size, size);
}

#endif
