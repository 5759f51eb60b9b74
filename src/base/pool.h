/* Inside the pool: block headers, counters, and the checks of debug modes. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "hotgate/memory.h"

#include <stdatomic.h>

enum { POOL_CLASSES = 10 };

#define POOL_ALIVE 0x600DF001u
#define POOL_DEAD 0xDEADF001u

typedef struct pool_header {
    hg_pool *owner;
    uint64_t size : 40; /* bytes behind the header */
    uint64_t class : 8; /* POOL_CLASSES: straight from malloc */
    uint64_t state : 16; /* checked builds: POOL_RENTED or POOL_FREE */
} pool_header;

_Static_assert(sizeof(pool_header) == 16, "blocks keep malloc's alignment");

/* Written by one thread, read by any: plain moves, no read-modify-write. */
typedef _Atomic(uint64_t) pool_counter;

static inline uint64_t counter_get(const pool_counter *c)
{
    return atomic_load_explicit(c, memory_order_relaxed);
}
static inline void counter_set(pool_counter *c, uint64_t x)
{
    atomic_store_explicit(c, x, memory_order_relaxed);
}
static inline void counter_add(pool_counter *c, uint64_t x)
{
    counter_set(c, counter_get(c) + x);
}

/* ---- HG_MEM ---- */

typedef struct pool_debug_modes {
    bool any, poison, nocache;
    uint32_t fail_one_of;
} pool_debug_modes;

extern pool_debug_modes pool_debug;

void pool_debug_read(void);
bool pool_debug_fails(void);

/* ---- checked builds (HG_CHECKED): canary, poison, states ---- */

#if defined(HG_CHECKED)
enum { POOL_TRAILER = 8 };
#else
enum { POOL_TRAILER = 0 };
#endif

void pool_mark_fresh(pool_header *header);
void pool_mark_rented(pool_header *header, hg_pool *pool);
void pool_mark_returned(pool_header *header);
/* Stop the process with one line that names the fault. No-ops in unchecked builds. */
void pool_check_return(const pool_header *header, const hg_pool *pool);
void pool_check_alive(uint32_t magic);

/* Tell AddressSanitizer that a free block may not be touched, but for its link. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
static inline void pool_veil(void *block, size_t size)
{
    __asan_poison_memory_region((char *)block + sizeof(void *), size - sizeof(void *));
}
static inline void pool_unveil(void *block, size_t size)
{
    __asan_unpoison_memory_region(block, size);
}
#else
static inline void pool_veil(void *block, size_t size)
{
    (void)block;
    (void)size;
}
static inline void pool_unveil(void *block, size_t size)
{
    (void)block;
    (void)size;
}
#endif

#endif
