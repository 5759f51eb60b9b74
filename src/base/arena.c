/* Bump allocation from chunks of a pool, dropped whole (marshalling M-11). Chunks double from 4 KiB to 64 KiB; an
 * allocation that exceeds the chunk gets one of its own. */
#include "hotgate/memory.h"

enum { CHUNK_FIRST = 4096, CHUNK_LAST = 65536, WORTH_KEEPING = 512 };

struct hg_chunk {
    hg_chunk *older;
    size_t size; /* of the whole block, header included */
};

static void *arena_acquire(void *state, size_t size, size_t alignment)
{
    return hg_arena_alloc(state, size, alignment);
}

static void arena_release(void *state, void *ptr, size_t size, size_t alignment)
{
    hg_arena *arena = state;
    (void)alignment;
    if ((char *)ptr + size == arena->top)
        arena->top = ptr;
}

void hg_arena_init(hg_arena *arena, hg_pool *pool)
{
    *arena = (hg_arena){.pool = pool, .next_chunk = CHUNK_FIRST,
                        .allocator = {arena_acquire, arena_release, arena}};
}

hg_arena *hg_arena_of(const hg_allocator *a)
{
    return a->acquire == arena_acquire ? a->state : NULL;
}

void *hg_arena_grow(hg_arena *arena, size_t size, size_t alignment)
{
    size_t need = sizeof(hg_chunk) + alignment + size;
    if (need < size)
        return NULL; /* overflow */
    size_t block = need > arena->next_chunk ? need : arena->next_chunk;
    hg_chunk *chunk = hg_pool_rent(arena->pool, block);
    if (chunk == NULL)
        return NULL;
    chunk->size = hg_pool_block_size(chunk);
    if (need > arena->next_chunk && arena->chunks != NULL && arena->end - arena->top >= WORTH_KEEPING) {
        chunk->older = arena->chunks->older; /* behind the current one, which still has room */
        arena->chunks->older = chunk;
        arena->used += size;
        uintptr_t first = (uintptr_t)(chunk + 1);
        return (void *)((first + alignment - 1) & ~(uintptr_t)(alignment - 1));
    }
    if (arena->chunks != NULL)
        arena->used += (size_t)(arena->top - (char *)(arena->chunks + 1));
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->top = (char *)(chunk + 1);
    arena->end = (char *)chunk + chunk->size;
    if (arena->next_chunk < CHUNK_LAST)
        arena->next_chunk *= 2;
    return hg_arena_alloc(arena, size, alignment);
}

hg_slice hg_arena_copy(hg_arena *arena, hg_slice s, bool *ok)
{
    char *copy = hg_arena_alloc(arena, s.len, 1);
    if (ok != NULL)
        *ok = copy != NULL;
    if (copy == NULL)
        return (hg_slice){NULL, 0};
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    return (hg_slice){copy, s.len};
}

void *hg_arena_resize(hg_arena *arena, void *ptr, size_t old_size, size_t new_size, size_t alignment)
{
    if (ptr != NULL && (char *)ptr + old_size == arena->top && new_size <= (size_t)(arena->end - (char *)ptr)) {
        arena->top = (char *)ptr + new_size;
        return ptr;
    }
    if (ptr != NULL && new_size <= old_size)
        return ptr;
    void *fresh = hg_arena_alloc(arena, new_size, alignment);
    if (fresh != NULL && old_size > 0)
        memcpy(fresh, ptr, old_size);
    return fresh;
}

static void chunks_free(hg_chunk *chunk)
{
    while (chunk != NULL) {
        hg_chunk *older = chunk->older;
        hg_pool_return(NULL, chunk);
        chunk = older;
    }
}

void hg_arena_reset(hg_arena *arena)
{
    if (arena->chunks == NULL)
        return;
    if (arena->chunks->size > CHUNK_LAST) {
        hg_arena_close(arena);
        return;
    }
    chunks_free(arena->chunks->older);
    arena->chunks->older = NULL;
    arena->top = (char *)(arena->chunks + 1);
    arena->used = 0;
    hg_pool_tick(NULL);
}

void hg_arena_close(hg_arena *arena)
{
    if (arena->chunks == NULL)
        return;
    chunks_free(arena->chunks);
    hg_pool_tick(NULL);
    hg_arena_init(arena, arena->pool);
}

size_t hg_arena_used(const hg_arena *arena)
{
    if (arena->chunks == NULL)
        return 0;
    return arena->used + (size_t)(arena->top - (const char *)(arena->chunks + 1));
}
