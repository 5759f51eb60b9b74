/* Counters by a text that comes with the request: rule ids, kinds of calls. One thread writes, any may read. Entries are
 * never removed; what no longer fits counts in one entry for all others. */
#ifndef HELPER_LABELS_H
#define HELPER_LABELS_H

#include "hotgate/base.h"

#include <stdatomic.h>

enum { LABEL_SIZE = 96, LABEL_VALUES = 8 };

typedef struct label_entry {
    uint16_t size;
    char text[LABEL_SIZE];
    atomic_uint_fast64_t values[LABEL_VALUES];
} label_entry;

typedef struct label_table {
    size_t capacity;
    atomic_size_t count; /* entry 0 is "others" */
    label_entry *entries;
    uint16_t *buckets; /* 2 x capacity; 0: free */
} label_table;

/* At most 32,767 entries. HG_ERR_NOMEM. */
hg_status label_table_open(label_table *t, size_t capacity);
void label_table_close(label_table *t);

/* The entry of a text, made if it is new; the one for others when the table is full or the text too long. */
label_entry *label_entry_of(label_table *t, hg_slice text);

/* One writer: no atomic read-modify-write is needed. */
static inline void count_add(atomic_uint_fast64_t *c, uint64_t by)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

#endif
