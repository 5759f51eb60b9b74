/* Shared by dfa.c and dfa_step.c; all of it runs under the builder's lock. */
#ifndef REGEX_DFA_BUILD_H
#define REGEX_DFA_BUILD_H

#include "regex/dfa.h"

enum { RX_NO_MODE = 256 };

/* Lies in the last unit of its row. */
typedef struct rx_state {
    uint32_t positions; /* in the pool, ascending */
    uint16_t count;
    uint8_t mode;
    uint8_t context;
} rx_state;

/* NULL: the pool is used up. */
uint32_t *rx_pool_take(rx_dfa *d, uint32_t words);

rx_state *rx_state_of(const rx_dfa *d, unsigned row);

/* The row of that state, made when new; RX_STOP when there is no room. */
unsigned rx_state_find(rx_dfa *d, const uint32_t *positions, uint32_t count, unsigned mode, unsigned context);

bool rx_retired(const rx_dfa *d, unsigned mode, uint32_t member);
unsigned rx_mode_after(rx_dfa *d, unsigned mode, const uint32_t *hits, uint32_t hit_count);
unsigned rx_event_find(rx_dfa *d, const uint32_t *hits, uint32_t count, unsigned next);

/* Fills the lists of starts. False: the pool is too small. */
bool rx_starts_open(rx_dfa *d, rx_work *w);

#endif
