#include "helper/labels.h"

#include "base/hash.h"

#include <stdlib.h>

hg_status label_table_open(label_table *t, size_t capacity)
{
    *t = (label_table){.capacity = capacity, .entries = calloc(capacity, sizeof *t->entries),
                       .buckets = calloc(capacity * 2, sizeof *t->buckets)};
    atomic_init(&t->count, 1);
    if (t->entries != NULL && t->buckets != NULL)
        return HG_OK;
    label_table_close(t);
    return HG_ERR_NOMEM;
}

void label_table_close(label_table *t)
{
    free(t->entries);
    free(t->buckets);
    t->entries = NULL;
    t->buckets = NULL;
}

label_entry *label_entry_of(label_table *t, hg_slice text)
{
    if (text.len > LABEL_SIZE)
        return &t->entries[0];
    size_t at = hg_hash(text, hg_hash_seed()) % (t->capacity * 2);
    while (t->buckets[at] != 0) {
        label_entry *e = &t->entries[t->buckets[at]];
        if (hg_slice_equal(hg_slice_of(e->text, e->size), text))
            return e;
        at = (at + 1) % (t->capacity * 2);
    }
    size_t count = atomic_load_explicit(&t->count, memory_order_relaxed);
    if (count == t->capacity)
        return &t->entries[0];
    label_entry *e = &t->entries[count];
    if (text.len > 0)
        memcpy(e->text, text.ptr, text.len);
    e->size = (uint16_t)text.len;
    t->buckets[at] = (uint16_t)count;
    atomic_store_explicit(&t->count, count + 1, memory_order_release);
    return e;
}
