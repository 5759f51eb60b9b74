/* Counting by name, for summaries: a bounded number of names; further ones are counted together. */
#ifndef WATCH_TALLY_H
#define WATCH_TALLY_H

#include "hotgate/base.h"

enum { WATCH_TALLY_MOST = 4096, WATCH_TALLY_NAME = 64 };

typedef struct watch_entry {
    char name[WATCH_TALLY_NAME];
    uint64_t count;
    uint32_t next; /* in its bucket, index + 1 */
} watch_entry;

typedef struct watch_tally {
    watch_entry *entries; /* NULL until the first */
    uint32_t buckets[1024];
    uint32_t count;
    uint64_t others;
} watch_tally;

/* Long names are cut. */
void watch_tally_add(watch_tally *tally, hg_slice name, uint64_t count);

/* The n largest, in order; returns how many there are. */
size_t watch_tally_top(const watch_tally *tally, const watch_entry **top, size_t n);
void watch_tally_free(watch_tally *tally);

#endif
