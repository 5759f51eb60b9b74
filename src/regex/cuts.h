/* Required pairs: every match of a pattern holds a pair of neighbouring bytes from its cut. */
#ifndef REGEX_CUTS_H
#define REGEX_CUTS_H

#include "regex/program.h"

enum { RX_MAX_CUTS = 2, RX_MAX_PAIRS = 24 };

typedef struct rx_pair {
    rx_byteset first, second;
    bool alone; /* any byte or the end of the text may follow */
} rx_pair;

typedef struct rx_cut {
    rx_pair *pairs; /* one of them occurs in every match */
    uint32_t count;
    float odds; /* that a place of harmless text holds one */
} rx_cut;

/* Up to RX_MAX_CUTS disjoint cuts, the rarest first; none when the pattern can match the empty string or only cuts
 * of no use exist. The pairs lie in one block at cuts[0].pairs, freed by the caller. False: no memory. */
bool rx_find_cuts(const rx_syntax *syntax, rx_cut cuts[RX_MAX_CUTS], uint32_t *count);

#endif
