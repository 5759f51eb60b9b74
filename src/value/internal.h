/* Shared inside value/: the one place that writes sizes and capacities. */
#ifndef VALUE_INTERNAL_H
#define VALUE_INTERNAL_H

#include "hotgate/value.h"

/* Size in bytes of one entry of a container type. */
static inline size_t entry_bytes(uint8_t type)
{
    return type & HG_MAP_ANY ? sizeof(hg_pair) : sizeof(hg_value);
}

/* Makes *v a container of `kind` (HG_ARRAY or HG_MAP), wide when the capacity asks for it. */
static inline void container_set(hg_value *v, uint8_t kind, size_t size, size_t capacity, void *entries)
{
    kind &= HG_CONTAINER_ANY;
    if (capacity > HG_NARROW_MAX) {
        v->wide.head = (uint64_t)(kind | 1) | (uint64_t)size << 8 | (uint64_t)capacity << 36;
    } else {
        v->wide.head = kind;
        v->array.size = (uint16_t)size;
        v->array.capacity = (uint16_t)capacity;
    }
    v->wide.ptr = entries;
}

static inline void container_resize(hg_value *v, size_t size)
{
    container_set(v, v->type, size, hg_value_capacity(v), v->wide.ptr);
}

/* n (at most 14) bytes by overlapping words instead of a call. Reads and writes exactly n bytes. */
static inline void short_copy(char *to, const char *from, size_t n)
{
    if (n >= 8) {
        uint64_t a, b;
        memcpy(&a, from, 8);
        memcpy(&b, from + n - 8, 8);
        memcpy(to, &a, 8);
        memcpy(to + n - 8, &b, 8);
    } else if (n >= 4) {
        uint32_t a, b;
        memcpy(&a, from, 4);
        memcpy(&b, from + n - 4, 4);
        memcpy(to, &a, 4);
        memcpy(to + n - 4, &b, 4);
    } else if (n > 0) {
        to[n / 2] = from[n / 2];
        to[0] = from[0];
        to[n - 1] = from[n - 1];
    }
}

/* Up to 14 bytes inside the value; the unused tail is zero. */
static inline void small_string_set(hg_value *v, const char *p, size_t n)
{
    v->wide.head = HG_SMALL_STRING | (uint64_t)n << 8;
    v->wide.ptr = NULL;
    short_copy(v->sstr.data, p, n);
}

static inline void long_string_set(hg_value *v, const char *p, size_t n)
{
    v->wide.head = HG_STRING;
    v->str.size = (uint32_t)n;
    v->str.ptr = (char *)p;
}

/* Entries that a container has slots for after growing from `capacity`: 8, then doubling. 0 = full. */
static inline size_t grown_capacity(size_t capacity)
{
    if (capacity >= HG_WIDE_MAX)
        return 0;
    size_t next = capacity == 0 ? 8 : capacity * 2;
    if (capacity > HG_NARROW_MAX / 2 && capacity < HG_NARROW_MAX)
        next = HG_NARROW_MAX;
    return next < HG_WIDE_MAX ? next : HG_WIDE_MAX;
}

#endif
