/* Counts by name, with a bound on how many names are kept. */
#ifndef CLI_SCAN_TALLY_H
#define CLI_SCAN_TALLY_H

#include "hotgate/base.h"

enum { TALLY_MAX = 65536 }; /* names; further ones are not counted singly */

typedef struct tally_entry {
    char *name;
    uint64_t count;
} tally_entry;

typedef struct tally { /* all zero to start */
    tally_entry *slots; /* open addressing; a power of two */
    size_t slot_count, used;
} tally;

void tally_add(tally *t, hg_slice name);
void tally_free(tally *t);

/* The entries with the highest counts, highest first; returns how many. */
size_t tally_top(const tally *t, const tally_entry **top, size_t most);

#endif
