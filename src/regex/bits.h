/* Existence by a bit per position: what is left when a pattern's automaton is full. All positions step at once, by a
 * shift where a position is followed by the next one, and by short lists of bits elsewhere. */
#ifndef REGEX_BITS_H
#define REGEX_BITS_H

#include "regex/program.h"

typedef struct rx_jump {
    uint64_t bits;
    uint32_t word;
} rx_jump;

/* How positions follow one another at places where the same assertions hold. */
typedef struct rx_bits_kind {
    unsigned holds;
    uint64_t *start; /* where a match that begins here waits */
    uint64_t *shift; /* positions that are followed by the next one */
    uint64_t *leap;  /* positions that are followed by others: jumps[first[rank]] to jumps[first[rank + 1]] */
    uint32_t *first;
    uint32_t *ranks; /* per word: leaping positions in the words before */
    uint32_t start_words; /* no bit is set in the words of `start` from there on */
    rx_jump *jumps;
    size_t jump_count, jump_cap;
} rx_bits_kind;

enum { RX_BITS_KINDS = 8, RX_BITS_CONTEXTS = 4 };

typedef struct rx_bits {
    const rx_program *program;
    uint32_t positions; /* that wait for a byte; the bit after them is the match */
    uint32_t words;
    uint64_t *masks;    /* per byte class: positions that take it */
    rx_bits_kind kinds[RX_BITS_KINDS];
    uint32_t kind_count;
    uint8_t kind_of[RX_BITS_CONTEXTS][RX_BITS_CONTEXTS]; /* by what stands before and after a place */
} rx_bits;

/* False: no memory, or positions are followed by so many others that the simulation is as fast. */
bool rx_bits_open(rx_bits *b, const rx_program *program);
void rx_bits_close(rx_bits *b);

/* Words of working memory a program needs at most. */
static inline size_t rx_bits_work(size_t insts)
{
    return 2 * (insts / 64 + 1);
}

/* Does the program match anywhere? `work` holds rx_bits_work words. O(text x (words + jumps)). */
bool rx_bits_exists(const rx_bits *b, uint64_t *work, hg_slice text);

#endif
