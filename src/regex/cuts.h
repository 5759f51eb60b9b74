/* Required triples: every match of a pattern holds three neighbouring bytes from its cut. */
#ifndef REGEX_CUTS_H
#define REGEX_CUTS_H

#include "regex/program.h"

enum { RX_MAX_CUTS = 2, RX_MAX_TRIPLES = 24 };

/* What three neighbouring bytes may be. The last ones may be anything or lie behind the end of the text: `known`
 * tells how many are told. */
typedef struct rx_triple {
    rx_byteset bytes[3];
    uint64_t known;
} rx_triple;

typedef struct rx_cut {
    rx_triple *triples; /* one of them occurs in every match */
    uint32_t count;
    float odds; /* that a place of harmless text holds one */
} rx_cut;

/* Up to RX_MAX_CUTS disjoint cuts, the rarest first; none when the pattern can match the empty string or only cuts
 * of no use exist. The triples lie in one block at cuts[0].triples, freed by the caller. False: no memory. */
bool rx_find_cuts(const rx_syntax *syntax, rx_cut cuts[RX_MAX_CUTS], uint32_t *count);

#endif
