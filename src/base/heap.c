/* The process heap as an allocator. */
#include "hotgate/base.h"

#include <stdlib.h>

static void *heap_acquire(void *state, size_t size, size_t alignment)
{
    (void)state;
    if (alignment <= _Alignof(max_align_t))
        return malloc(size ? size : 1);
    void *ptr = NULL;
    return posix_memalign(&ptr, alignment, size ? size : 1) == 0 ? ptr : NULL;
}

static void heap_release(void *state, void *ptr, size_t size, size_t alignment)
{
    (void)state;
    (void)size;
    (void)alignment;
    free(ptr);
}

static const hg_allocator heap = {heap_acquire, heap_release, NULL};

const hg_allocator *hg_heap(void)
{
    return &heap;
}
