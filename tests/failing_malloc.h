/* The process heap, failing once at a chosen call and counting what is held. For programs linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=free (what shared
 * libraries such as cmocka allocate is not seen). Include in one file a program. One thread. */
#ifndef TESTS_FAILING_MALLOC_H
#define TESTS_FAILING_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *ptr, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *ptr);

static size_t malloc_calls;            /* since armed */
static size_t malloc_fail_at = SIZE_MAX; /* index of the call that fails; SIZE_MAX = none */
static size_t malloc_live;             /* blocks held */

static inline void malloc_arm(size_t fail_at)
{
    malloc_calls = 0;
    malloc_fail_at = fail_at;
}

/* Whether the chosen call came. */
static inline bool malloc_disarm(void)
{
    bool failed = malloc_calls > malloc_fail_at;
    malloc_fail_at = SIZE_MAX;
    return failed;
}

static bool malloc_fails(void)
{
    return malloc_calls++ == malloc_fail_at;
}

static void *malloc_counted(void *ptr)
{
    malloc_live += ptr != NULL;
    return ptr;
}

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return malloc_fails() ? NULL : malloc_counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return malloc_fails() ? NULL : malloc_counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return malloc_fails() ? NULL : malloc_counted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (malloc_fails())
        return ENOMEM;
    int code = __real_posix_memalign(out, alignment, size);
    malloc_live += code == 0;
    return code;
}

void *__wrap_realloc(void *ptr, size_t size);
void *__wrap_realloc(void *ptr, size_t size)
{
    if (malloc_fails())
        return NULL;
    void *moved = __real_realloc(ptr, size);
    malloc_live += moved != NULL && ptr == NULL;
    return moved;
}

/* With -Wl,--wrap=strdup: a copy that is counted. */
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *ptr);
void __wrap_free(void *ptr)
{
    malloc_live -= ptr != NULL;
    __real_free(ptr);
}

#endif
