/* Hotgate: what every room shares: slices, status codes, allocators. */
#ifndef HOTGATE_BASE_H
#define HOTGATE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HG_API __attribute__((visibility("default")))

/* A run of bytes, passed by value, never NUL-terminated. ptr may be NULL only when len is 0. It owns nothing. */
typedef struct hg_slice {
    const char *ptr;
    size_t len;
} hg_slice;

#define HG_SLICE(literal) ((hg_slice){("" literal), sizeof(literal) - 1})

static inline hg_slice hg_slice_of(const char *ptr, size_t len)
{
    return (hg_slice){ptr, len};
}

static inline hg_slice hg_slice_from(const char *c_string)
{
    return (hg_slice){c_string, c_string ? strlen(c_string) : 0};
}

static inline bool hg_slice_equal(hg_slice a, hg_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Bytewise order; a prefix sorts first. Returns <0, 0, >0. */
static inline int hg_slice_compare(hg_slice a, hg_slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* The bytes from `from` (clamped) to the end. */
static inline hg_slice hg_slice_skip(hg_slice s, size_t from)
{
    if (from >= s.len)
        return (hg_slice){s.ptr ? s.ptr + s.len : NULL, 0};
    return (hg_slice){s.ptr + from, s.len - from};
}

/* The first `len` bytes (clamped). */
static inline hg_slice hg_slice_take(hg_slice s, size_t len)
{
    return (hg_slice){s.ptr, len < s.len ? len : s.len};
}

/* A name with its value: a header, a parameter. Owns nothing. */
typedef struct hg_field {
    hg_slice name;
    hg_slice value;
} hg_field;

/* The one error convention: 0 is success, negative is failure. */
typedef enum hg_status {
    HG_OK = 0,
    HG_ERR_NOMEM = -1,       /* the allocator returned NULL */
    HG_ERR_ARGUMENT = -2,    /* the caller broke the contract */
    HG_ERR_SYNTAX = -3,      /* malformed input; the error structure says where */
    HG_ERR_LIMIT = -4,       /* a documented limit was hit */
    HG_ERR_TRUNCATED = -5,   /* the input ends in the middle */
    HG_ERR_UNSUPPORTED = -6, /* well-formed, but not something this build does */
    HG_ERR_IO = -7,          /* the system refused a read or a write */
    HG_ERR_TIMEOUT = -8,     /* the time budget ran out */
    HG_ERR_INTERNAL = -9,    /* a fault of ours */
    HG_NEED_MORE = -10       /* a resumable parser needs more bytes; not a failure */
} hg_status;

/* A static English sentence for any status; never NULL. Thread-safe. */
HG_API const char *hg_strerror(hg_status status);

/* Where memory comes from. `release` gets back exactly the size and alignment that `acquire` was asked for.
 * `acquire` returns NULL on failure; alignment is a power of two. The functions must be callable from any
 * thread that uses objects made with this allocator. */
typedef struct hg_allocator {
    void *(*acquire)(void *state, size_t size, size_t alignment);
    void (*release)(void *state, void *ptr, size_t size, size_t alignment);
    void *state;
} hg_allocator;

/* The process heap (malloc). Thread-safe, always the same pointer. */
HG_API const hg_allocator *hg_heap(void);

static inline void *hg_acquire(const hg_allocator *a, size_t size, size_t alignment)
{
    return a->acquire(a->state, size, alignment);
}

static inline void hg_release(const hg_allocator *a, void *ptr, size_t size, size_t alignment)
{
    if (ptr != NULL)
        a->release(a->state, ptr, size, alignment);
}

/* ---- Arenas: bump allocation, dropped whole (spec: marshalling M-11). One thread at a time. ---- */

typedef struct hg_pool hg_pool; /* per-thread pool of blocks, see hotgate/memory.h */

typedef struct hg_chunk hg_chunk;

/* Treat as opaque; it is here so that an arena can live on the stack or inside another object, and so that
 * the bump is inlined. `top` grows up. */
typedef struct hg_arena {
    char *top;
    char *end;
    hg_chunk *chunks; /* newest first */
    hg_pool *pool;    /* where chunks come from; NULL = the calling thread's pool at first use */
    size_t next_chunk;
    size_t used; /* bytes in closed chunks */
    hg_allocator allocator; /* this arena as an allocator; release is a no-op but for the newest block */
} hg_arena;

/* Prepares an empty arena; allocates nothing. pool may be NULL (the calling thread's). */
HG_API void hg_arena_init(hg_arena *arena, hg_pool *pool);

/* Slow path of hg_arena_alloc. NULL when out of memory. */
HG_API void *hg_arena_grow(hg_arena *arena, size_t size, size_t alignment);

/* size bytes, uninitialised, aligned (a power of two). NULL when out of memory. O(1). */
static inline void *hg_arena_alloc(hg_arena *arena, size_t size, size_t alignment)
{
    uintptr_t at = ((uintptr_t)arena->top + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
    if (arena->top != NULL && at <= (uintptr_t)arena->end && size <= (uintptr_t)arena->end - at) {
        arena->top = (char *)(at + size);
        return (void *)at;
    }
    return hg_arena_grow(arena, size, alignment);
}

/* A copy of s in the arena; {NULL,0} with *ok false (ok may be NULL) when out of memory. */
HG_API hg_slice hg_arena_copy(hg_arena *arena, hg_slice s, bool *ok);

/* Grows (or shrinks) the block at ptr in place when it is the newest one, else allocates and copies. */
HG_API void *hg_arena_resize(hg_arena *arena, void *ptr, size_t old_size, size_t new_size, size_t alignment);

/* Forgets all content but keeps the newest chunk for reuse. */
HG_API void hg_arena_reset(hg_arena *arena);

/* Gives every chunk back. The arena may be used again as after init. */
HG_API void hg_arena_close(hg_arena *arena);

/* Bytes handed out since the last reset. */
HG_API size_t hg_arena_used(const hg_arena *arena);

/* The arena seen as an allocator, valid while the arena lives and is not moved. */
static inline const hg_allocator *hg_arena_allocator(const hg_arena *arena)
{
    return &arena->allocator;
}

/* The arena behind an allocator that hg_arena_allocator gave, or NULL for any other. */
HG_API hg_arena *hg_arena_of(const hg_allocator *a);

#ifdef __cplusplus
}
#endif
#endif
