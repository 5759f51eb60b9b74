/* The existence automaton: which of a list of programs occur in a text. Grown on demand, never flushed.
 *
 * A state is (mode, context, positions): the mode says which programs have hit and are out of the race, the context
 * what the byte before was, the positions where live programs wait. Starting anew at every byte is implied.
 * Rows never move; cells go from unknown to known once and are read without a lock: a stale zero only means that
 * the reader asks the builder. One builder at a time, by try-lock. */
#ifndef REGEX_DFA_H
#define REGEX_DFA_H

#include "regex/program.h"

#include <stdatomic.h>

/* What a cell says. Rows are named by the offset of their first cell in units of four cells. */
enum {
    RX_UNKNOWN = 0,   /* ask the builder */
    RX_STOP = 1,      /* no room to go on here: other means are needed */
    RX_DEAD = 2,      /* nothing can hit any more */
    RX_EVENT = 3,     /* up to RX_ROW - 1: hits, see rx_event */
    RX_ROW = 512,
    RX_PARKED = RX_ROW /* the first row: no byte leaves it, nothing is found in it */
};

enum { RX_DFA_MAX_PROGRAM = 1 << 20, RX_DFA_MAX_MEMBERS = 4095 };

typedef enum rx_context { RX_AT_START, RX_AFTER_OTHER, RX_AFTER_NEWLINE, RX_AFTER_WORD, RX_CONTEXTS } rx_context;

typedef struct rx_event {
    uint32_t hits; /* in the pool: members */
    uint16_t count;
    uint16_t next; /* a row or RX_DEAD */
} rx_event;

typedef struct rx_mode {
    uint32_t retired; /* in the pool: a bit per member */
    bool alive;       /* some member left may start after the first byte */
} rx_mode;

typedef struct rx_dfa {
    uint16_t *cells;
    const uint8_t *class_of;       /* 256 entries */
    uint16_t restart[RX_CONTEXTS]; /* per context the row with nothing under way, or RX_DEAD */
    uint16_t columns;              /* classes and the end of the text */
    uint16_t row_units;
    const rx_program *const *programs;
    const uint32_t *bases; /* number of a member's first instruction; one more at the end */
    uint32_t members;

    /* The rest belongs to the builder. */
    atomic_flag building;
    bool metered; /* growth costs credit */
    uint8_t slot; /* where threads note what they earned; set by the owner */
    unsigned assertions;
    uint8_t *representative; /* per class a byte of it and the context after it */
    uint8_t *context_of;
    uint16_t *table; /* hash of rows: row + 1 */
    uint32_t table_mask;
    uint32_t rows, max_rows;
    uint32_t *pool;
    uint32_t pool_used, pool_size;
    uint32_t starts;       /* pool offset of where members start, see rx_starts_open */
    uint32_t *start_steps; /* per context and column: pool offset + 1 of what starting there leads to */
    rx_mode *modes;
    uint32_t mode_count, max_modes;
    rx_event *events; /* from RX_EVENT on */
    uint32_t event_count, max_events;
    int64_t credit; /* work units that may be spent on growth */
    void *region;
    size_t region_size;
} rx_dfa;

/* Working memory of a builder, for automata of up to `insts` instructions and `members` programs. */
typedef struct rx_work {
    uint32_t *marks;
    uint32_t generation;
    uint32_t *next, *now, *spare, *stack, *hits;
    uint32_t next_count, now_count, hit_count;
    size_t insts, members;
} rx_work;

bool rx_work_reserve(rx_work *w, size_t insts, size_t members);
void rx_work_close(rx_work *w);

/* programs and bases (members + 1 entries) must outlive the automaton. `always` members (bit set; NULL = none)
 * never take part: they match every text. At most RX_DFA_MAX_MEMBERS programs of up to RX_DFA_MAX_PROGRAM
 * instructions. Half of `memory` goes to rows, half to positions. False: no memory, or far too little. */
bool rx_dfa_open(rx_dfa *d, rx_work *w, const rx_program *const *programs, const uint32_t *bases, uint32_t members,
                 const uint64_t *always, uint32_t max_rows, size_t memory);
void rx_dfa_close(rx_dfa *d);

/* The value of an unknown cell, computed and published; RX_STOP when there is no room for it, RX_UNKNOWN when the
 * builder is busy or short of credit. `earned`: credit of the caller, taken over when the lock was got. */
unsigned rx_dfa_grow(rx_dfa *d, rx_work *w, unsigned row, unsigned column, int64_t *earned);

static inline unsigned rx_cell(const rx_dfa *d, unsigned row, unsigned column)
{
    return __atomic_load_n(d->cells + 4 * (size_t)row + column, __ATOMIC_RELAXED);
}

/* The event that a cell names; reading the cell again orders the event's content after it. */
static inline const rx_event *rx_event_of(const rx_dfa *d, unsigned row, unsigned column)
{
    return &d->events[__atomic_load_n(d->cells + 4 * (size_t)row + column, __ATOMIC_ACQUIRE)];
}

/* The row of a text that goes on after `byte` with nothing under way, or RX_DEAD. */
static inline unsigned rx_restart_after(const rx_dfa *d, unsigned byte)
{
    return d->restart[d->context_of[d->class_of[byte]]];
}

/* Does the program match every text, whatever it holds? */
bool rx_matches_always(const rx_program *program, rx_work *w);

#endif
