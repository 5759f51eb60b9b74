/* The objects behind hotgate/regex.h, shared inside the room. */
#ifndef REGEX_INTERNAL_H
#define REGEX_INTERNAL_H

#include "hotgate/regex.h"
#include "regex/bits.h"
#include "regex/cuts.h"
#include "regex/filter.h"
#include "regex/memo.h"
#include "regex/scan.h"
#include "regex/simulate.h"

#include <stdatomic.h>

/* The pattern's own automaton is opened by the first scan that wants it. */
typedef enum rx_opening { RX_UNOPENED, RX_OPENING, RX_OPEN, RX_WITHOUT } rx_opening;

struct hg_regex {
    atomic_uint references;
    atomic_uint opening; /* rx_opening */
    bool always;         /* matches every text */
    rx_program program;
    const rx_program *programs[1]; /* what the automaton needs: the list of one and where it is numbered from */
    uint32_t bases[2];
    size_t dfa_memory;
    rx_dfa dfa;
    atomic_uint bits_opening; /* rx_opening */
    rx_bits *bits;            /* made when the automaton is full for the first time */
    rx_cut cuts[RX_MAX_CUTS];
    uint32_t cut_count;
    size_t pattern_len;
    char pattern[]; /* pattern_len bytes */
};

struct hg_regex_scratch {
    rx_runner runner;
    rx_sim sim;
    hg_memo *memo;   /* of sets and texts; made by the first scan that wants it */
    bool forgets;    /* no memo is wanted */
    uint64_t *words; /* room for bit sets of RX_BATCH texts */
    size_t word_count;
    hg_status status; /* HG_ERR_NOMEM once memory ran out */
};

struct hg_regex_set {
    uint32_t count;
    uint32_t serial; /* differs between all sets of the process */
    uint32_t words; /* of 64 bits, for a bit per pattern */
    hg_regex **regexes;
    const rx_program **programs;
    uint32_t *bases;
    uint64_t *always;      /* patterns that match every text */
    bool any_always;
    size_t largest;        /* instructions of the largest program */
    bool has_dfa;
    rx_dfa dfa;            /* of all patterns together */
    bool has_filter;
    rx_filter filter;
};

enum { RX_BATCH = 32 };

bool rx_scratch_grow(hg_regex_scratch *scratch, size_t insts, size_t members, size_t largest, size_t words);

/* Makes the scratch large enough for one pattern or a set; false: no memory, noted in the scratch. */
static inline bool rx_scratch_fit(hg_regex_scratch *scratch, size_t insts, size_t members, size_t largest, size_t words)
{
    return (insts <= scratch->runner.work.insts && members <= scratch->runner.work.members &&
            largest <= scratch->sim.insts && words <= scratch->word_count) ||
           rx_scratch_grow(scratch, insts, members, largest, words);
}

/* Opens the automaton; false when there can be none, or another thread is at it. */
bool rx_regex_open(hg_regex *regex, rx_work *work);

/* The pattern's own automaton over a text; given up at once when there is none. */
static inline rx_job rx_regex_job(const hg_regex *regex, rx_work *work, hg_slice text, uint64_t *hits)
{
    hg_regex *r = (hg_regex *)regex;
    if (atomic_load_explicit(&r->opening, memory_order_acquire) != RX_OPEN && !rx_regex_open(r, work))
        return (rx_job){.outcome = RX_GIVEN_UP};
    return rx_job_for(&r->dfa, text, hits);
}

/* Existence without an automaton: by positions, or by simulation where that is as fast. */
bool rx_regex_exists_slowly(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text);

/* Existence by whatever works, given that the automaton gave up or was not asked. */
bool rx_regex_exists(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text);

#endif
