/* The filter of a set: which patterns can occur in a text at all, judged by the triples of neighbouring bytes it
 * holds. It may say yes too often, never no wrongly. */
#ifndef REGEX_FILTER_H
#define REGEX_FILTER_H

#include "regex/cuts.h"

/* Bits are handed out in blocks of 256, so that a vector register holds a block. */
enum { RX_BLOCK_WORDS = 4, RX_BLOCK_BITS = 256, RX_FILTER_WORDS = 64, RX_FILTER_MEMBERS = 64 * RX_FILTER_WORDS };

typedef struct rx_filter_block {
    /* Per place in a triple and byte: the bits whose triples allow it there; row 256 is behind the end of the text. */
    _Alignas(32) uint64_t bytes[3][257][RX_BLOCK_WORDS];
    uint16_t member[RX_BLOCK_BITS];
    uint8_t cut[RX_BLOCK_BITS];
} rx_filter_block;

typedef struct rx_filter {
    rx_filter_block *blocks; /* aligned for vectors */
    uint32_t block_count;
    uint32_t members;
    uint64_t *free_of[RX_MAX_CUTS]; /* per cut number: members that have no such cut, a bit each */
} rx_filter;

/* cuts[m] has counts[m] cuts of member m. False: no memory. At most RX_FILTER_MEMBERS members. */
bool rx_filter_open(rx_filter *f, const rx_cut *const *cuts, const uint32_t *counts, uint32_t members);
void rx_filter_close(rx_filter *f);

/* Writes the candidates, a bit per member; O(text x blocks). */
void rx_filter_run(const rx_filter *f, hg_slice text, uint64_t *candidates);

#endif
