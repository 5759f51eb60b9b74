/* Short-lived memory of readers: given back before the reader returns. */
#ifndef VALUE_SCRATCH_H
#define VALUE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* A list that doubles. False when out of memory; the list is then unchanged. */
static inline bool scratch_grow(void **list, size_t *room, size_t item)
{
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*list, more * item);
    if (grown == NULL)
        return false;
    *list = grown;
    *room = more;
    return true;
}

#endif
