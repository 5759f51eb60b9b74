/* Allocators that callers can make. */
#include "compat.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"

static void *default_acquire(void *state, size_t size, size_t alignment)
{
    (void)state;
    return hg_acquire(hg_heap(), size, alignment);
}

static void default_release(void *state, void *ptr, size_t size, size_t alignment)
{
    (void)state;
    hg_release(hg_heap(), ptr, size, alignment);
}

ddwaf_allocator ddwaf_get_default_allocator(void)
{
    static struct _ddwaf_allocator allocator = {{default_acquire, default_release, NULL}, NULL};
    return &allocator;
}

/* ---- Pools: blocks of the heap, listed so that all can be released at the end ---- */

typedef struct block {
    struct block *next;
    struct block **link; /* what points to this block */
    void *start;         /* of the heap block */
    size_t size;
    size_t alignment;
} block;

typedef struct pool {
    struct _ddwaf_allocator allocator; /* first */
    bool synchronized;
    pthread_mutex_t mutex;
    block *blocks;
} pool;

static void lock(pool *p)
{
    if (p->synchronized)
        pthread_mutex_lock(&p->mutex);
}

static void unlock(pool *p)
{
    if (p->synchronized)
        pthread_mutex_unlock(&p->mutex);
}

/* The bookkeeping stands right before the bytes given out. */
static void *pool_acquire(void *state, size_t size, size_t alignment)
{
    pool *p = state;
    size_t align = alignment > _Alignof(block) ? alignment : _Alignof(block);
    size_t offset = (sizeof(block) + align - 1) & ~(align - 1);
    char *start = size <= SIZE_MAX - offset ? hg_acquire(hg_heap(), offset + size, align) : NULL;
    if (start == NULL)
        return NULL;
    block *b = (block *)(void *)(start + offset) - 1;
    lock(p);
    *b = (block){p->blocks, &p->blocks, start, offset + size, align};
    if (b->next != NULL)
        b->next->link = &b->next;
    p->blocks = b;
    unlock(p);
    return start + offset;
}

static void pool_release(void *state, void *ptr, size_t size, size_t alignment)
{
    pool *p = state;
    block *b = (block *)ptr - 1;
    (void)size;
    (void)alignment;
    lock(p);
    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
    unlock(p);
    hg_release(hg_heap(), b->start, b->size, b->alignment);
}

static void pool_destroy(struct _ddwaf_allocator *allocator)
{
    pool *p = (pool *)allocator;
    for (block *b = p->blocks, *next; b != NULL; b = next) {
        next = b->next;
        hg_release(hg_heap(), b->start, b->size, b->alignment);
    }
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

static ddwaf_allocator pool_new(bool synchronized)
{
    pool *p = calloc(1, sizeof *p);
    if (p == NULL || pthread_mutex_init(&p->mutex, NULL) != 0) {
        free(p);
        return NULL;
    }
    p->allocator = (struct _ddwaf_allocator){{pool_acquire, pool_release, p}, pool_destroy};
    p->synchronized = synchronized;
    return &p->allocator;
}

ddwaf_allocator ddwaf_synchronized_pool_allocator_init(void)
{
    return pool_new(true);
}

ddwaf_allocator ddwaf_unsynchronized_pool_allocator_init(void)
{
    return pool_new(false);
}

/* ---- Monotonic ---- */

typedef struct monotonic {
    struct _ddwaf_allocator allocator; /* first */
    hg_arena arena;
} monotonic;

static void *monotonic_acquire(void *state, size_t size, size_t alignment)
{
    return hg_arena_alloc(&((monotonic *)state)->arena, size, alignment);
}

static void monotonic_release(void *state, void *ptr, size_t size, size_t alignment)
{
    (void)state;
    (void)ptr;
    (void)size;
    (void)alignment;
}

static void monotonic_destroy(struct _ddwaf_allocator *allocator)
{
    hg_arena_close(&((monotonic *)allocator)->arena);
    free(allocator);
}

ddwaf_allocator ddwaf_monotonic_allocator_init(void)
{
    monotonic *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->allocator = (struct _ddwaf_allocator){{monotonic_acquire, monotonic_release, m}, monotonic_destroy};
    hg_arena_init(&m->arena, NULL);
    return &m->allocator;
}

/* ---- User ---- */

typedef struct user {
    struct _ddwaf_allocator allocator; /* first */
    ddwaf_udata_free_fn_type *free_udata;
    void *udata;
} user;

static void user_destroy(struct _ddwaf_allocator *allocator)
{
    user *u = (user *)allocator;
    if (u->free_udata != NULL)
        u->free_udata(u->udata);
    free(u);
}

ddwaf_allocator ddwaf_user_allocator_init(ddwaf_alloc_fn_type alloc_fn, ddwaf_free_fn_type free_fn, void *udata,
                                          ddwaf_udata_free_fn_type udata_free_fn)
{
    if (alloc_fn == NULL || free_fn == NULL) {
        HG_LOG(HG_LOG_ERROR, "user allocator without %s function", alloc_fn == NULL ? "allocation" : "free");
        return NULL;
    }
    user *u = calloc(1, sizeof *u);
    if (u == NULL)
        return NULL;
    u->allocator = (struct _ddwaf_allocator){{alloc_fn, free_fn, udata}, user_destroy};
    u->free_udata = udata_free_fn;
    u->udata = udata;
    return &u->allocator;
}

/* ---- Use ---- */

void *ddwaf_allocator_alloc(ddwaf_allocator alloc, size_t bytes, size_t alignment)
{
    return alloc != NULL ? hg_acquire(&alloc->memory, bytes, alignment) : NULL;
}

void ddwaf_allocator_free(ddwaf_allocator alloc, void *p, size_t bytes, size_t alignment)
{
    if (alloc != NULL)
        hg_release(&alloc->memory, p, bytes, alignment);
}

void ddwaf_allocator_destroy(ddwaf_allocator alloc)
{
    if (alloc != NULL && alloc->destroy != NULL)
        alloc->destroy(alloc);
}
