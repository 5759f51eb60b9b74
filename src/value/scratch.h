/* Short-lived memory of readers, from the thread's pool: nothing is allocated once the pool is warm. */
#ifndef VALUE_SCRATCH_H
#define VALUE_SCRATCH_H

#include "hotgate/memory.h"

/* A bigger block with the first `used` bytes of `held` (NULL: none), which is given back. NULL when out of memory:
 * `held` is then untouched. */
static inline void *scratch_resize(void *held, size_t used, size_t bytes)
{
    void *more = hg_pool_rent(NULL, bytes);
    if (more == NULL)
        return NULL;
    if (used > 0)
        memcpy(more, held, used);
    hg_pool_return(NULL, held);
    return more;
}

static inline void scratch_free(void *held)
{
    hg_pool_return(NULL, held);
}

/* Zeroed items. */
static inline void *scratch_zeroed(size_t count, size_t item)
{
    void *p = hg_pool_rent(NULL, count * item);
    if (p != NULL)
        memset(p, 0, count * item);
    return p;
}

/* A full list doubles. False when out of memory; the list is then unchanged. */
static inline bool scratch_grow(void **list, size_t *room, size_t item)
{
    size_t more = *room ? 2 * *room : 16;
    void *grown = scratch_resize(*list, *room * item, more * item);
    if (grown == NULL)
        return false;
    *list = grown;
    *room = more;
    return true;
}

/* A full list that began inline in some struct doubles. */
static inline bool scratch_grow_from(void **list, void *inline_list, size_t *room, size_t item)
{
    bool first = *list == inline_list;
    void *grown = scratch_resize(first ? NULL : *list, first ? 0 : *room * item, 2 * *room * item);
    if (grown == NULL)
        return false;
    if (first)
        memcpy(grown, inline_list, *room * item);
    *list = grown;
    *room *= 2;
    return true;
}

#endif
