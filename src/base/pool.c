/* Per-thread pools with size classes (marshalling 2.3). Every block has a header before its bytes that names its owner
 * and class; a free block's first bytes link it to the next. */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The fifth class holds a text of 4,096 UTF-16 units at up to 4 bytes and a NUL. */
static const uint32_t class_bytes[POOL_CLASSES] = {64, 256, 1024, 4096, 8192, 16400, 32768, 65536, 131072, 262144};

typedef struct free_block {
    struct free_block *next;
} free_block;

struct hg_pool {
    free_block *free[POOL_CLASSES];
    uint32_t free_count[POOL_CLASSES];
    uint32_t idle[POOL_CLASSES]; /* fewest free blocks since the quiet began: those were not needed */
    size_t kept, retention;
    size_t loaned, high_water, recent_peak;
    size_t loans; /* blocks on loan */
    uint32_t quiet;
    pool_header *doomed; /* the last block that found no room, freed at the next: its second return is seen */
    pool_counter rents, misses, remote_returns, bytes_loaned, bytes_kept, peak;
    hg_pool *older, *newer; /* registry */
    uint32_t magic;
    _Alignas(64) _Atomic(free_block *) remote; /* written by other threads: a cache line of its own */
    _Atomic(int64_t) orphans; /* after the owner's end: blocks still on loan */
};

/* In `remote` once the owner is gone. */
static free_block gone;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic bool key_is_valid;
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static hg_pool *registry;

/* ---- classes and headers ---- */

/* Smallest class that holds `size` bytes; POOL_CLASSES when none does. */
static inline unsigned class_of(size_t size)
{
    unsigned c = 0;
    while (c < POOL_CLASSES && size > class_bytes[c])
        c++;
    return c;
}

static inline pool_header *header_of(void *block)
{
    return (pool_header *)block - 1;
}

size_t hg_pool_block_size(const void *block)
{
    return ((const pool_header *)block - 1)->size;
}

/* ---- free lists ---- */

static inline void note_sizes(hg_pool *pool)
{
    counter_set(&pool->bytes_loaned, pool->loaned);
    counter_set(&pool->bytes_kept, pool->kept);
}

static void free_to_system(pool_header *header)
{
    pool_unveil(header + 1, header->size);
    free(header);
}

/* The first of a class's free blocks, which must have one. Whoever takes it, fewer are idle. */
static inline free_block *take(hg_pool *pool, unsigned class)
{
    free_block *block = pool->free[class];
    pool->free[class] = block->next;
    if (--pool->free_count[class] < pool->idle[class])
        pool->idle[class] = pool->free_count[class];
    pool->kept -= class_bytes[class];
    return block;
}

static void release_one(hg_pool *pool, unsigned class)
{
    free_to_system(header_of(take(pool, class)));
}

/* Frees the largest blocks first until at most `bytes` are kept. */
static void shrink_to(hg_pool *pool, size_t bytes)
{
    for (unsigned c = POOL_CLASSES; c-- > 0;) {
        while (pool->free[c] != NULL && pool->kept > bytes)
            release_one(pool, c);
    }
    note_sizes(pool);
}

/* Frees blocks that nobody needed lately, the largest first, until at most `bytes` are kept. */
static void shrink_idle(hg_pool *pool, size_t bytes)
{
    for (unsigned c = POOL_CLASSES; c-- > 0;) {
        while (pool->idle[c] > 0 && pool->kept > bytes) {
            pool->idle[c]--;
            release_one(pool, c);
        }
    }
    note_sizes(pool);
}

/* A block that is no longer on loan goes to its free list, or to the system. */
static void keep(hg_pool *pool, pool_header *header)
{
    unsigned class = header->class;
    bool cached = class < POOL_CLASSES && pool->kept + class_bytes[class] <= pool->retention && !pool_debug.nocache;
    pool->loaned -= header->size;
    pool->loans--;
    if (!cached) {
        if (pool->doomed != NULL)
            free_to_system(pool->doomed);
        pool->doomed = class < POOL_CLASSES ? header : NULL;
        if (pool->doomed == NULL)
            free_to_system(header);
        return;
    }
    free_block *block = (free_block *)(header + 1);
    pool_veil(block, header->size);
    block->next = pool->free[class];
    pool->free[class] = block;
    pool->free_count[class]++;
    pool->kept += class_bytes[class];
}

/* Takes back what other threads returned. */
static void drain(hg_pool *pool)
{
    free_block *block = atomic_exchange_explicit(&pool->remote, NULL, memory_order_acquire);
    while (block != NULL) {
        free_block *next = block->next;
        keep(pool, header_of(block));
        counter_add(&pool->remote_returns, 1);
        block = next;
    }
}

/* ---- life of a pool ---- */

static void register_pool(hg_pool *pool)
{
    pthread_mutex_lock(&registry_lock);
    pool->older = registry;
    if (registry != NULL)
        registry->newer = pool;
    registry = pool;
    pthread_mutex_unlock(&registry_lock);
}

static void unregister_pool(hg_pool *pool)
{
    pthread_mutex_lock(&registry_lock);
    if (pool->newer != NULL)
        pool->newer->older = pool->older;
    else
        registry = pool->older;
    if (pool->older != NULL)
        pool->older->newer = pool->newer;
    pthread_mutex_unlock(&registry_lock);
}

/* In checked builds dead structures are kept, so that a later use is seen. */
static void pool_struct_free(hg_pool *pool)
{
#if defined(HG_CHECKED)
    static _Atomic(hg_pool *) graveyard;
    pool->older = atomic_load(&graveyard);
    while (!atomic_compare_exchange_weak(&graveyard, &pool->older, pool))
        ;
#else
    free(pool);
#endif
}

static void destroy(void *state)
{
    hg_pool *pool = state;
    pool_check_alive(pool->magic);
    unregister_pool(pool);
    pool->retention = 0;
    free_block *last = atomic_exchange_explicit(&pool->remote, &gone, memory_order_acq_rel);
    while (last != NULL) {
        free_block *next = last->next;
        keep(pool, header_of(last));
        last = next;
    }
    shrink_to(pool, 0);
    if (pool->doomed != NULL)
        free_to_system(pool->doomed);
    pool->magic = POOL_DEAD;
    int64_t live = (int64_t)pool->loans;
    if (atomic_fetch_add_explicit(&pool->orphans, live, memory_order_acq_rel) + live == 0)
        pool_struct_free(pool);
}

/* The owner of this block has ended: the last such block takes the pool's structure with it. */
static void free_orphan(hg_pool *pool, pool_header *header)
{
    free_to_system(header);
    if (atomic_fetch_sub_explicit(&pool->orphans, 1, memory_order_acq_rel) == 1)
        pool_struct_free(pool);
}

static void fork_lock(void)
{
    pthread_mutex_lock(&registry_lock);
}

static void fork_unlock(void)
{
    pthread_mutex_unlock(&registry_lock);
}

/* In the child only the forking thread lives: the others' pools are forgotten, not touched. */
static void fork_child(void)
{
    hg_pool *mine = pthread_getspecific(key);
    registry = mine;
    if (mine != NULL)
        mine->older = mine->newer = NULL;
    pthread_mutex_unlock(&registry_lock);
}

static void start(void)
{
    pool_debug_read();
    if (pthread_key_create(&key, destroy) != 0)
        return;
    pthread_atfork(fork_lock, fork_unlock, fork_child);
    atomic_store(&key_is_valid, true);
}

/* Runs when the library is unloaded or the process ends: after this no thread's end calls into it. */
__attribute__((destructor)) static void stop(void)
{
    if (!atomic_load(&key_is_valid))
        return;
    hg_pool_shutdown();
    atomic_store(&key_is_valid, false);
    pthread_key_delete(key);
}

static hg_pool *make(void)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, sizeof(hg_pool)) != 0)
        return NULL;
    hg_pool *pool = memory;
    memset(pool, 0, sizeof *pool);
    pool->retention = HG_POOL_RETENTION;
    pool->magic = POOL_ALIVE;
    if (pthread_setspecific(key, pool) != 0) {
        free(pool);
        return NULL;
    }
    register_pool(pool);
    return pool;
}

hg_pool *hg_pool_mine(void)
{
    pthread_once(&once, start);
    if (!atomic_load_explicit(&key_is_valid, memory_order_relaxed))
        return NULL;
    hg_pool *pool = pthread_getspecific(key);
    return pool != NULL ? pool : make();
}

/* The calling thread's pool if it has one. */
static hg_pool *existing(void)
{
    return atomic_load_explicit(&key_is_valid, memory_order_relaxed) ? pthread_getspecific(key) : NULL;
}

void hg_pool_shutdown(void)
{
    hg_pool *pool = existing();
    if (pool == NULL)
        return;
    pthread_setspecific(key, NULL);
    destroy(pool);
}

/* ---- rent and return ---- */

static void *loan(hg_pool *pool, pool_header *header)
{
    pool->loaned += header->size;
    pool->loans++;
    if (pool->loaned > pool->recent_peak)
        pool->recent_peak = pool->loaned;
    counter_add(&pool->rents, 1);
    note_sizes(pool);
    pool_mark_rented(header, pool);
    return header + 1;
}

static void *rent_fresh(hg_pool *pool, size_t size, unsigned class)
{
    if (class < POOL_CLASSES)
        size = class_bytes[class];
    if (size > SIZE_MAX / 2)
        return NULL;
    pool_header *header = malloc(sizeof *header + size + POOL_TRAILER);
    if (header == NULL)
        return NULL;
    header->owner = pool;
    header->size = size;
    header->class = (uint16_t)class;
    pool_mark_fresh(header);
    counter_add(&pool->misses, 1);
    return loan(pool, header);
}

void *hg_pool_rent(hg_pool *pool, size_t size)
{
    if (pool == NULL && (pool = hg_pool_mine()) == NULL)
        return NULL;
    pool_check_alive(pool->magic);
    if (pool_debug.any && pool_debug_fails())
        return NULL;
    unsigned class = class_of(size);
    if (class == POOL_CLASSES)
        return rent_fresh(pool, size, class);
    if (pool->free[class] == NULL && atomic_load_explicit(&pool->remote, memory_order_relaxed) != NULL)
        drain(pool);
    if (pool->free[class] == NULL)
        return rent_fresh(pool, size, class);
    free_block *block = take(pool, class);
    pool_unveil(block, class_bytes[class]);
    return loan(pool, header_of(block));
}

static void return_remotely(hg_pool *owner, pool_header *header)
{
    free_block *block = (free_block *)(header + 1);
    free_block *head = atomic_load_explicit(&owner->remote, memory_order_acquire);
    do {
        if (head == &gone) {
            free_orphan(owner, header);
            return;
        }
        block->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&owner->remote, &head, block, memory_order_release,
                                                    memory_order_acquire));
}

/* Whether this is the block that was returned last. */
static bool is_returned(const hg_pool *pool, const pool_header *header)
{
    const void *block = header + 1;
    return header == pool->doomed || (header->class < POOL_CLASSES && pool->free[header->class] == block);
}

void hg_pool_return(hg_pool *pool, void *block)
{
    if (block == NULL)
        return;
    pool_header *header = header_of(block);
    pool_check_return(header, pool);
    hg_pool *owner = header->owner, *mine = existing();
    if (owner == mine && is_returned(owner, header))
        return;
    pool_mark_returned(header);
    if (owner != mine) {
        return_remotely(owner, header);
        return;
    }
    keep(owner, header);
    note_sizes(owner);
}

void hg_pool_release(void)
{
    hg_pool *pool = existing();
    if (pool != NULL)
        shrink_to(pool, 0);
}

void hg_pool_retain(size_t bytes)
{
    hg_pool *pool = hg_pool_mine();
    if (pool == NULL)
        return;
    pool->retention = bytes < HG_POOL_RETENTION_MAX ? bytes : HG_POOL_RETENTION_MAX;
    shrink_to(pool, pool->retention);
}

void hg_pool_tick(hg_pool *pool)
{
    if (pool == NULL && (pool = existing()) == NULL)
        return;
    if (2 * pool->recent_peak >= pool->high_water) {
        pool->quiet = 0;
        if (pool->recent_peak > pool->high_water)
            pool->high_water = pool->recent_peak;
    } else if (++pool->quiet == 1) {
        memcpy(pool->idle, pool->free_count, sizeof pool->idle);
    } else if (pool->quiet >= HG_POOL_QUIET) {
        pool->quiet = 0;
        pool->high_water /= 2;
        shrink_idle(pool, pool->kept / 2);
    }
    counter_set(&pool->peak, pool->high_water);
    pool->recent_peak = pool->loaned;
}

/* ---- as an allocator ---- */

static void *pooled_acquire(void *state, size_t size, size_t alignment)
{
    (void)state;
    return alignment <= 16 ? hg_pool_rent(NULL, size) : NULL;
}

static void pooled_release(void *state, void *ptr, size_t size, size_t alignment)
{
    (void)state;
    (void)size;
    (void)alignment;
    hg_pool_return(NULL, ptr);
}

const hg_allocator *hg_pooled(void)
{
    static const hg_allocator pooled = {pooled_acquire, pooled_release, NULL};
    return &pooled;
}

/* ---- statistics ---- */

hg_pool_stats hg_pool_statistics(void)
{
    hg_pool_stats s = {0};
    pthread_mutex_lock(&registry_lock);
    for (hg_pool *pool = registry; pool != NULL; pool = pool->older) {
        s.pools++;
        s.rents += counter_get(&pool->rents);
        s.misses += counter_get(&pool->misses);
        s.remote_returns += counter_get(&pool->remote_returns);
        s.bytes_loaned += counter_get(&pool->bytes_loaned);
        s.bytes_kept += counter_get(&pool->bytes_kept);
        s.high_water += counter_get(&pool->peak);
    }
    pthread_mutex_unlock(&registry_lock);
    return s;
}
