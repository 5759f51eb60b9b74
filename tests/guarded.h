/* A copy of bytes that ends at an unreadable page: reading one byte too far crashes at once. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include "hotgate/base.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    hg_slice bytes;
    void *map;
    size_t size;
} guarded;

static inline guarded guarded_new(hg_slice s)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (s.len + page - 1) / page * page;
    guarded g = {.size = room + page};
    g.map = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect((char *)g.map + room, page, PROT_NONE) != 0)
        abort();
    char *at = (char *)g.map + room - s.len;
    if (s.len > 0)
        memcpy(at, s.ptr, s.len);
    g.bytes = hg_slice_of(at, s.len);
    return g;
}

static inline void guarded_free(guarded *g)
{
    munmap(g->map, g->size);
}

#endif
