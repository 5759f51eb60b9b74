/* Running existence automata. One byte costs one dependent load; lanes hide its latency behind one another. */
#include "regex/scan.h"

/* A text shorter than SHORT is over before lanes would pay: the processor overlaps it with the next by itself. */
enum { LANES = 12, SHARED_LANES = 4, MIXED_LANES = 8, SHORT = 32, CREDIT_BYTES = 64 };

/* ---- Special cells ---- */

static rx_account *account_of(rx_runner *runner, const rx_dfa *dfa)
{
    rx_account *account = &runner->accounts[dfa->slot % RX_ACCOUNTS];
    if (account->dfa != dfa)
        *account = (rx_account){.dfa = dfa};
    return account;
}

bool rx_worth_trying(rx_runner *runner, const rx_dfa *dfa, size_t len)
{
    enum { PATIENCE = 16, RETRY = 16, SKIPPED_SHARE = 16 };
    rx_account *account = account_of(runner, dfa);
    if (account->given_up < PATIENCE || ++account->skipped % RETRY == 0)
        return true;
    account->bytes += (int64_t)(len / SKIPPED_SHARE);
    return false;
}

/* Bytes that the automaton itself got over count in full, the rest of the text for a quarter: where it keeps giving
 * up it is less worth growing. */
static void earn(rx_runner *runner, const rx_job *job)
{
    if (job->dfa == NULL || !job->dfa->metered)
        return;
    rx_account *account = account_of(runner, job->dfa);
    int64_t left = job->end - job->at;
    account->bytes += (int64_t)job->len - left + left / 4;
    account->given_up = job->outcome == RX_GIVEN_UP ? account->given_up + 1 : 0;
}

static unsigned grow(rx_runner *runner, rx_dfa *dfa, unsigned row, unsigned column)
{
    int64_t *bytes = &account_of(runner, dfa)->bytes, credit = *bytes / CREDIT_BYTES, left = credit;
    unsigned cell = rx_dfa_grow(dfa, &runner->work, row, column, &left);
    *bytes -= (credit - left) * CREDIT_BYTES;
    return cell;
}

static void take_hits(rx_job *job, const rx_event *event)
{
    const uint32_t *members = job->dfa->pool + event->hits;
    for (unsigned i = 0; i < event->count; i++)
        job->hits[members[i] / 64] |= (uint64_t)1 << (members[i] % 64);
    job->hit = true;
}

/* Takes one step on the given column, growing the automaton where needed. Leaves the outcome. */
static void step(rx_runner *runner, rx_job *job, unsigned column)
{
    unsigned cell = rx_cell(job->dfa, job->row, column), row = job->row;
    if (cell == RX_UNKNOWN)
        cell = grow(runner, job->dfa, row, column);
    if (cell == RX_UNKNOWN || cell == RX_STOP) {
        job->outcome = RX_GIVEN_UP;
        return;
    }
    if (cell >= RX_EVENT && cell < RX_ROW) {
        const rx_event *event = rx_event_of(job->dfa, row, column);
        take_hits(job, event);
        cell = event->next;
    }
    if (cell == RX_DEAD)
        job->outcome = RX_FINISHED;
    else
        job->row = cell;
}

static void step_byte(rx_runner *runner, rx_job *job)
{
    step(runner, job, job->dfa->class_of[*job->at]);
    if (job->outcome == RX_RUNNING)
        job->at++;
}

static void step_end(rx_runner *runner, rx_job *job)
{
    if (rx_cell(job->dfa, job->row, job->dfa->columns - 1u) == RX_DEAD) {
        job->outcome = RX_FINISHED;
        return;
    }
    step(runner, job, job->dfa->columns - 1u);
    if (job->outcome == RX_RUNNING)
        job->outcome = RX_FINISHED;
}

/* ---- One lane ---- */

/* Up to `end`, stopping before the first byte whose cell is no row. The place of a cell is (cells + class) + 8 x row, so
 * that all but one load of a byte are done before its row is known. */
static void run_plain(rx_job *job, const uint8_t *end)
{
    const uint8_t *class_of = job->dfa->class_of, *at = job->at;
    const char *cells = (const char *)job->dfa->cells;
    size_t row = job->row;
    while (at < end) {
        const char *column = cells + sizeof(uint16_t) * class_of[*at];
        __asm__("" : "+r"(column)); /* the compiler would add the row first */
        size_t next = __atomic_load_n((const uint16_t *)(const void *)(column + 8 * row), __ATOMIC_RELAXED);
        if (next < RX_ROW)
            break;
        row = next;
        at++;
    }
    job->at = at;
    job->row = (unsigned)row;
}

static void run_until(rx_runner *runner, rx_job *job, const uint8_t *end)
{
    while (job->outcome == RX_RUNNING) {
        run_plain(job, end);
        if (job->at == end)
            return;
        step_byte(runner, job);
    }
}

/* ---- Lanes in lockstep ---- */

/* Lanes as columns, the way the kernels keep them in registers. A parked lane stands in the row that no byte leaves,
 * over any text that is long enough. */
typedef struct lanes {
    const uint16_t *cells[LANES];
    const uint8_t *class_of[LANES];
    const uint8_t *at[LANES];
    size_t row[LANES];
    size_t left[LANES];
    rx_job *job[LANES];
    size_t count;
} lanes;

static void load_lane(lanes *l, size_t k, rx_job *job)
{
    l->cells[k] = job->dfa->cells;
    l->class_of[k] = job->dfa->class_of;
    l->at[k] = job->at;
    l->row[k] = job->row;
    l->left[k] = (size_t)(job->end - job->at);
    l->job[k] = job;
}

/* A lane that only keeps the kernel's width: lane 0's automaton, parked. */
static void pad_lane(lanes *l, size_t k)
{
    l->cells[k] = l->cells[0];
    l->class_of[k] = l->class_of[0];
    l->at[k] = l->at[0];
    l->row[k] = RX_PARKED;
    l->job[k] = NULL;
}

/* The lane's cell is no row: takes the step by the book. Returns the row; a job that came to its outcome is parked. */
static __attribute__((noinline)) size_t step_lane(rx_runner *runner, lanes *l, size_t k, size_t row, size_t done)
{
    rx_job *job = l->job[k];
    job->at = l->at[k] + done;
    job->row = (unsigned)row;
    step(runner, job, job->dfa->class_of[*job->at]);
    if (job->outcome == RX_RUNNING)
        return job->row;
    l->job[k] = NULL;
    return RX_PARKED;
}

/* What all lanes have in common; it leaves the registers to the rest. */
typedef enum common { ONE_AUTOMATON, ONE_TEXT, NOTHING } common;

/* `steps` bytes in every lane. A row is kept as the address of its cells. */
static inline __attribute__((always_inline)) void lockstep(rx_runner *runner, lanes *l, const int width,
                                                           const common what, size_t steps)
{
    const bool one_automaton = what == ONE_AUTOMATON, one_text = what == ONE_TEXT;
    const uint16_t *cells[LANES], *row[LANES];
    const uint8_t *class_of[LANES], *at[LANES];
#pragma GCC unroll 12
    for (int k = 0; k < width; k++) {
        cells[k] = l->cells[one_automaton ? 0 : k];
        class_of[k] = l->class_of[one_automaton ? 0 : k];
        at[k] = l->at[one_text ? 0 : k];
        row[k] = cells[k] + 4 * l->row[k];
    }
    for (size_t done = 0; done < steps; done++) {
        size_t next[LANES];
        int64_t low = 0;
#pragma GCC unroll 12
        for (int k = 0; k < width; k++) {
            unsigned class = class_of[one_automaton ? 0 : k][at[one_text ? 0 : k][done]];
            next[k] = __atomic_load_n(row[k] + class, __ATOMIC_RELAXED);
            low |= (int64_t)next[k] - RX_ROW;
        }
        if (__builtin_expect(low < 0, 0)) {
#pragma GCC unroll 12
            for (int k = 0; k < width; k++) {
                if (next[k] < RX_ROW)
                    next[k] = step_lane(runner, l, (size_t)k, (size_t)(row[k] - cells[k]) / 4, done);
            }
        }
#pragma GCC unroll 12
        for (int k = 0; k < width; k++)
            row[k] = cells[one_automaton ? 0 : k] + 4 * next[k];
    }
#pragma GCC unroll 12
    for (int k = 0; k < width; k++) {
        l->row[k] = (size_t)(row[k] - cells[k]) / 4;
        l->at[k] += steps;
    }
}

#define KERNEL(name, width, common)                                                                                    \
    static void name(rx_runner *runner, lanes *l, size_t steps)                                                        \
    {                                                                                                                  \
        lockstep(runner, l, width, common, steps);                                                                     \
    }

typedef void kernel(rx_runner *runner, lanes *l, size_t steps);

KERNEL(texts_2, 2, ONE_AUTOMATON)
KERNEL(texts_4, 4, ONE_AUTOMATON)
KERNEL(automata_2, 2, ONE_TEXT)
KERNEL(automata_4, 4, ONE_TEXT)
KERNEL(automata_6, 6, ONE_TEXT)
KERNEL(automata_8, 8, ONE_TEXT)
KERNEL(automata_12, 12, ONE_TEXT)
KERNEL(mixed_2, 2, NOTHING)
KERNEL(mixed_4, 4, NOTHING)
KERNEL(mixed_8, 8, NOTHING)

/* The narrowest kernel for that many lanes. */
static kernel *kernel_for(common what, size_t count, size_t *width)
{
    if (what == ONE_AUTOMATON) {
        *width = count > 2 ? 4 : 2;
        return count > 2 ? texts_4 : texts_2;
    }
    if (what == NOTHING) {
        *width = count > 4 ? 8 : count > 2 ? 4 : 2;
        return count > 4 ? mixed_8 : count > 2 ? mixed_4 : mixed_2;
    }
    *width = count > 8 ? 12 : count > 2 ? (count + 1) / 2 * 2 : 2;
    return count > 8 ? automata_12 : count > 6 ? automata_8 : count > 4 ? automata_6 : count > 2 ? automata_4 : automata_2;
}

/* Takes lanes without a running job out; texts that were read to their end are handed to `ended`. */
static void sweep(rx_runner *runner, lanes *l, void (*ended)(rx_runner *runner, rx_job *job))
{
    for (size_t k = 0; k < l->count;) {
        rx_job *job = l->job[k];
        if (job != NULL && l->left[k] > 0) {
            k++;
            continue;
        }
        if (job != NULL) {
            job->at = l->at[k];
            job->row = (unsigned)l->row[k];
            ended(runner, job);
        }
        size_t last = --l->count;
        l->cells[k] = l->cells[last];
        l->class_of[k] = l->class_of[last];
        l->at[k] = l->at[last];
        l->row[k] = l->row[last];
        l->left[k] = l->left[last];
        l->job[k] = l->job[last];
    }
}

/* Advances all lanes as far as the shortest goes, but so that parked lanes are swept out now and then. */
static void advance(rx_runner *runner, lanes *l, common what)
{
    enum { SWEEP_BYTES = 256 };
    size_t steps = SWEEP_BYTES, width;
    kernel *run = kernel_for(what, l->count, &width);
    for (size_t k = 0; k < l->count; k++)
        steps = l->left[k] < steps ? l->left[k] : steps;
    for (size_t k = l->count; k < width; k++)
        pad_lane(l, k);
    run(runner, l, steps);
    for (size_t k = 0; k < l->count; k++)
        l->left[k] -= steps;
}

/* Runs a job that is left alone in its lanes. */
static void run_rest(rx_runner *runner, lanes *l, void (*ended)(rx_runner *runner, rx_job *job))
{
    rx_job *job = l->job[0];
    job->at = l->at[0];
    job->row = (unsigned)l->row[0];
    run_until(runner, job, job->end);
    if (job->outcome == RX_RUNNING)
        ended(runner, job);
    l->count = 0;
}

static void run_alone(rx_runner *runner, rx_job *job)
{
    run_until(runner, job, job->end);
    if (job->outcome == RX_RUNNING)
        step_end(runner, job);
}

/* Lanes are refilled as texts end. */
static void run_refilling(rx_runner *runner, rx_job *jobs, size_t count, common what, size_t most)
{
    lanes l;
    l.count = 0;
    for (size_t next = 0; next < count || l.count > 0;) {
        for (; l.count < most && next < count; next++) {
            if (jobs[next].outcome != RX_RUNNING)
                continue;
            if (jobs[next].len >= SHORT)
                load_lane(&l, l.count++, &jobs[next]);
            else
                run_alone(runner, &jobs[next]);
        }
        if (l.count == 1 && next == count)
            run_rest(runner, &l, step_end);
        if (l.count == 0)
            continue;
        advance(runner, &l, what);
        sweep(runner, &l, step_end);
    }
    for (size_t i = 0; i < count; i++)
        earn(runner, &jobs[i]);
}

void rx_run_texts(rx_runner *runner, rx_job *jobs, size_t count)
{
    run_refilling(runner, jobs, count, ONE_AUTOMATON, SHARED_LANES);
}

void rx_run(rx_runner *runner, rx_job *jobs, size_t count)
{
    run_refilling(runner, jobs, count, NOTHING, MIXED_LANES);
}

/* All lanes are at the same place of the text, so none is refilled before all are through. */
void rx_run_automata(rx_runner *runner, rx_job *jobs, size_t count)
{
    lanes l;
    for (size_t next = 0; next < count;) {
        size_t running = 0, round;
        for (size_t i = next; i < count; i++)
            running += jobs[i].outcome == RX_RUNNING;
        round = running <= LANES ? running : running < 2 * LANES ? (running + 1) / 2 : LANES;
        for (l.count = 0; l.count < round; next++) {
            if (jobs[next].outcome == RX_RUNNING)
                load_lane(&l, l.count++, &jobs[next]);
        }
        while (l.count > 1) {
            advance(runner, &l, ONE_TEXT);
            sweep(runner, &l, step_end);
        }
        if (l.count == 1)
            run_rest(runner, &l, step_end);
        if (running == round)
            return;
    }
}

/* ---- One long text ---- */

enum { PIECES = 4, LONG = 1024, MEETING = 512 };

/* Not the end of the text: the next piece goes on. */
static void piece_ended(rx_runner *runner, rx_job *job)
{
    (void)runner;
    (void)job;
}

/* Runs pieces as if nothing were under way at their begins, to their ends or outcomes. */
static void run_pieces(rx_runner *runner, rx_job *pieces)
{
    lanes l;
    l.count = 0;
    for (size_t k = 0; k < PIECES; k++) {
        if (pieces[k].outcome == RX_RUNNING)
            load_lane(&l, l.count++, &pieces[k]);
    }
    while (l.count > 1) {
        advance(runner, &l, ONE_AUTOMATON);
        sweep(runner, &l, piece_ended);
    }
    if (l.count == 1)
        run_rest(runner, &l, piece_ended);
}

/* The piece began as if nothing were under way; `job` comes to its begin in the true row. Both are run side by
 * side until they agree; then the piece's end is the job's end. True: they agreed. */
static bool meet(rx_runner *runner, rx_job *job, rx_job guess, const rx_job *piece)
{
    const uint8_t *limit = (size_t)(piece->end - job->at) > MEETING ? job->at + MEETING : piece->end;
    while (job->at < limit && job->row != guess.row) {
        step_byte(runner, job);
        step_byte(runner, &guess);
        if (job->outcome != RX_RUNNING || guess.outcome != RX_RUNNING)
            return false;
    }
    if (job->row != guess.row || piece->outcome != RX_RUNNING)
        return false;
    job->at = piece->at;
    job->row = piece->row;
    return true;
}

static void run_long(rx_runner *runner, rx_job *job)
{
    rx_job pieces[PIECES], guesses[PIECES];
    size_t size = (size_t)(job->end - job->at) / PIECES;
    for (size_t k = 0; k < PIECES; k++) {
        pieces[k] = *job;
        pieces[k].at = job->at + k * size;
        pieces[k].end = k + 1 < PIECES ? pieces[k].at + size : job->end;
        if (k > 0)
            pieces[k].row = rx_restart_after(job->dfa, pieces[k].at[-1]);
        if (pieces[k].row == RX_DEAD)
            pieces[k].outcome = RX_FINISHED;
        guesses[k] = pieces[k];
    }
    run_pieces(runner, pieces);
    for (size_t k = 0; k < PIECES; k++)
        job->hit |= pieces[k].hit;
    job->at = pieces[0].at;
    job->row = pieces[0].row;
    job->outcome = pieces[0].outcome;
    for (size_t k = 1; k < PIECES && job->outcome == RX_RUNNING; k++) {
        if (guesses[k].outcome != RX_RUNNING || !meet(runner, job, guesses[k], &pieces[k]))
            run_until(runner, job, pieces[k].end);
    }
}

void rx_run_one(rx_runner *runner, rx_job *job)
{
    if (job->outcome != RX_RUNNING)
        return;
    if (job->len >= LONG && job->dfa->restart[RX_AFTER_OTHER] != RX_DEAD)
        run_long(runner, job);
    else
        run_until(runner, job, job->end);
    if (job->outcome == RX_RUNNING)
        step_end(runner, job);
    earn(runner, job);
}
