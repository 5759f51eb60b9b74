/* All occurrences, overlapping ones too, of a string in another one, in linear time. */
#ifndef HG_TEXT_OCCURRENCES_H
#define HG_TEXT_OCCURRENCES_H

#include "hotgate/base.h"

/* Needles up to this length are looked for again and again; longer ones by a table of borders. */
#define HG_SHORT_NEEDLE 64

typedef struct hg_occurrences {
    hg_slice text;
    hg_slice needle;
    size_t next;        /* where the search goes on */
    uint32_t matched;   /* with a table: how much of the needle ends at next */
    uint32_t *borders;  /* borders[i]: the longest proper border of the first i + 1 bytes */
    hg_arena *arena;
    bool out_of_memory;
} hg_occurrences;

/* needle is not empty and shorter than 4 GiB. */
static inline hg_occurrences hg_occurrences_of(hg_slice needle, hg_slice text, hg_arena *arena)
{
    return (hg_occurrences){.text = text, .needle = needle, .arena = arena};
}

/* The next one from left to right; false when there is none, or when memory for the table ran out. The table is taken
 * from the arena for the second occurrence of a long needle. */
bool hg_occurrences_next(hg_occurrences *o, size_t *at);

/* Gives the table back if it is still the newest block of the arena. */
void hg_occurrences_end(hg_occurrences *o);

#endif
