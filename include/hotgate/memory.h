/* Hotgate: per-thread memory pools. A pool belongs to one thread: rent and return there take no lock and no atomic
 * read-modify-write. Any other thread may return a block too; it then waits in a lock-free list until its owner needs it,
 * or is freed when the owner is gone. Pools are made on first use and freed at thread exit. Safe with fork (the
 * child keeps the forking thread's pool) and with unloading the library (pools of other threads are left behind).
 *
 * HG_MEM in the environment changes all pools at start, for debugging; a list with commas:
 *   poison   blocks are filled with 0xA5 when rented and 0xDD when returned
 *   nocache  every return goes to free(), so that valgrind and ASan see use after return
 *   fail=N   one of N rents fails (a fixed pseudo-random sequence) */
#ifndef HOTGATE_MEMORY_H
#define HOTGATE_MEMORY_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HG_POOL_LARGEST = 262144,          /* bigger blocks come from and go back to malloc */
    HG_POOL_RETENTION = 1048576,       /* default bound of kept free memory per thread */
    HG_POOL_RETENTION_MAX = 67108864,
    HG_POOL_QUIET = 1024               /* encodes after which a pool that is larger than needed shrinks */
};

/* The calling thread's pool; NULL when it cannot be made. */
HG_API hg_pool *hg_pool_mine(void);

/* At least size bytes, aligned to 16, uninitialised. pool must be the calling thread's (NULL: looked up). NULL when out
 * of memory. O(1). */
HG_API void *hg_pool_rent(hg_pool *pool, size_t size);

/* Gives a block back, from any thread. pool is the one it was rented from, or NULL for "whichever"; a wrong one is
 * detected in checked builds. NULL blocks, and the block (of at most HG_POOL_LARGEST bytes) that was returned last once
 * more, are ignored. O(1). */
HG_API void hg_pool_return(hg_pool *pool, void *block);

/* Usable bytes of a rented block. */
HG_API size_t hg_pool_block_size(const void *block);

/* Bound of free memory that the calling thread's pool keeps: 0 to 64 MiB. Frees what exceeds it. */
HG_API void hg_pool_retain(size_t bytes);

/* Frees what the calling thread's pool keeps beyond its loans. For the end of rare, large work. */
HG_API void hg_pool_release(void);

/* Says that an encode has ended (arenas do): drives shrinking after quiet times. */
HG_API void hg_pool_tick(hg_pool *pool);

/* Frees the calling thread's pool at once. It is made again on the next use. */
HG_API void hg_pool_shutdown(void);

/* The calling thread's pool as an allocator (alignment up to 16). Always the same pointer; memory acquired on one
 * thread may be released on another. */
HG_API const hg_allocator *hg_pooled(void);

typedef struct hg_pool_stats {
    uint64_t pools;          /* living pools */
    uint64_t rents;
    uint64_t misses;         /* rents that called malloc */
    uint64_t remote_returns; /* taken back from other threads */
    uint64_t bytes_loaned;
    uint64_t bytes_kept;     /* in free lists */
    uint64_t high_water;     /* most bytes on loan; summed over pools */
} hg_pool_stats;

/* Sums over all living pools; figures of running threads may lag. Takes a lock that rent and return never take. */
HG_API hg_pool_stats hg_pool_statistics(void);

#ifdef __cplusplus
}
#endif
#endif
