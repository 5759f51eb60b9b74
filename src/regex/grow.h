/* Growing arrays of plain elements on the heap. */
#ifndef REGEX_GROW_H
#define REGEX_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element; `array` is the address of the pointer, the array keeps its content. False when out of memory. */
static inline bool rx_grow(void *array, size_t count, size_t *cap, size_t element)
{
    if (count < *cap)
        return true;
    size_t bigger = *cap ? *cap * 2 : 64;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, bigger * element);
    if (grown == NULL)
        return false;
    memcpy(array, &grown, sizeof grown);
    *cap = bigger;
    return true;
}

#endif
