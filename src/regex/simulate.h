/* The engines that need no tables: ordered simulation (spans, groups) and unordered simulation (existence). */
#ifndef REGEX_SIMULATE_H
#define REGEX_SIMULATE_H

#include "regex/program.h"

enum { RX_MAX_SLOTS = 64 }; /* groups 0 to 31 */
#define RX_RESTORE 0x80000000u

typedef struct rx_list {
    uint32_t *insts;
    uint32_t count;
} rx_list;

typedef struct rx_todo {
    uint32_t inst; /* or RX_RESTORE + slot */
    size_t old;
} rx_todo;

/* Working memory for programs of up to `insts` instructions and `slots` capture slots. */
typedef struct rx_sim {
    uint32_t *marks; /* generation in which an instruction was followed */
    uint32_t generation;
    rx_list now, next;
    rx_todo *stack;
    uint64_t *bits;  /* see bits.h */
    size_t *captures_now, *captures_next; /* slots per instruction */
    size_t insts, slots, capture_cells;
} rx_sim;

bool rx_sim_reserve(rx_sim *sim, size_t insts, size_t slots);
void rx_sim_close(rx_sim *sim);

/* Leftmost-first match from `from` on; fills count spans. */
bool rx_simulate(const rx_program *program, rx_sim *sim, hg_slice text, size_t from, hg_span *spans, size_t count);

/* Does the program match anywhere from `from` on? O(program x text). */
bool rx_exists(const rx_program *program, rx_sim *sim, hg_slice text, size_t from);

#endif
