/* Running existence automata over texts: alone, several interleaved, one long text in pieces. */
#ifndef REGEX_SCAN_H
#define REGEX_SCAN_H

#include "regex/dfa.h"

typedef enum rx_outcome {
    RX_RUNNING,
    RX_FINISHED, /* hits are complete */
    RX_GIVEN_UP  /* what was hit is true, the rest is not known */
} rx_outcome;

typedef struct rx_job {
    rx_dfa *dfa;
    const uint8_t *at, *end;
    size_t len; /* of the whole text */
    unsigned row;
    rx_outcome outcome;
    uint64_t *hits; /* a bit per member; set, never cleared */
    bool hit;       /* some bit was set */
    uint64_t memo_key; /* under which it may be remembered that nothing was hit; 0 = it may not */
} rx_job;

/* What a thread notes about one automaton. */
typedef struct rx_account {
    const rx_dfa *dfa;
    int64_t bytes;     /* earned for growth and not yet handed in */
    uint32_t given_up; /* texts in a row */
    uint32_t skipped;
} rx_account;

enum { RX_ACCOUNTS = 32 };

typedef struct rx_runner {
    rx_work work;
    rx_account accounts[RX_ACCOUNTS];
} rx_runner;

static inline rx_job rx_job_for(rx_dfa *dfa, hg_slice text, uint64_t *hits)
{
    rx_job job = {.dfa = dfa, .at = (const uint8_t *)text.ptr, .len = text.len, .hits = hits};
    job.row = dfa->restart[RX_AT_START];
    job.end = text.len ? job.at + text.len : job.at;
    job.outcome = job.row == RX_DEAD ? RX_FINISHED : RX_RUNNING;
    return job;
}

/* False for most texts once the automaton has given up on many in a row: then others are asked first. A text of `len`
 * bytes that is spared still earns a little. */
bool rx_worth_trying(rx_runner *runner, const rx_dfa *dfa, size_t len);

/* Run all jobs to their outcome, several at a time in lockstep: whatever they are, many texts through one automaton,
 * or one text through many automata. */
void rx_run(rx_runner *runner, rx_job *jobs, size_t count);
void rx_run_texts(rx_runner *runner, rx_job *jobs, size_t count);
void rx_run_automata(rx_runner *runner, rx_job *jobs, size_t count);

/* The same for a single job; long texts are cut into pieces that run in lockstep. */
void rx_run_one(rx_runner *runner, rx_job *job);

#endif
