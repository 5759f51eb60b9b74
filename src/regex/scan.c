/* Running existence automata. One byte costs one dependent load; lanes hide its latency behind one another. */
#include "regex/scan.h"

enum { LANES = 8, CREDIT_BYTES = 64 };

/* ---- Special cells ---- */

static int64_t *earned_for(rx_runner *runner, const rx_dfa *dfa)
{
    rx_earned *slot = &runner->earned[((uintptr_t)dfa >> 6) % RX_EARNED_SLOTS];
    if (slot->dfa != dfa)
        *slot = (rx_earned){dfa, 0};
    return &slot->bytes;
}

static void earn(rx_runner *runner, const rx_dfa *dfa, size_t bytes)
{
    if (dfa->metered)
        *earned_for(runner, dfa) += (int64_t)bytes;
}

static unsigned grow(rx_runner *runner, rx_dfa *dfa, unsigned row, unsigned column)
{
    int64_t *bytes = earned_for(runner, dfa), credit = *bytes / CREDIT_BYTES, left = credit;
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
    step(runner, job, job->dfa->columns - 1u);
    if (job->outcome == RX_RUNNING)
        job->outcome = RX_FINISHED;
}

/* ---- One lane ---- */

/* Up to `end`, stopping before the first byte whose cell is no row. */
static void run_plain(rx_job *job, const uint8_t *end)
{
    const uint8_t *class_of = job->dfa->class_of, *at = job->at;
    const uint16_t *cells = job->dfa->cells;
    size_t row = job->row;
    while (at < end) {
        size_t next = __atomic_load_n(cells + 4 * row + class_of[*at], __ATOMIC_RELAXED);
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

typedef struct lane {
    const uint16_t *cells;
    const uint8_t *class_of;
    const uint8_t *at;
    size_t row;
} lane;

/* Up to `steps` bytes in every lane; stops, before the byte, where some lane's cell is no row. */
static inline __attribute__((always_inline)) size_t lockstep(lane *lanes, const int count, size_t steps)
{
    const uint16_t *cells[LANES];
    const uint8_t *class_of[LANES], *at[LANES];
    size_t row[LANES], done = 0;
    for (int k = 0; k < count; k++) {
        cells[k] = lanes[k].cells;
        class_of[k] = lanes[k].class_of;
        at[k] = lanes[k].at;
        row[k] = lanes[k].row;
    }
    for (; done < steps; done++) {
        size_t next[LANES];
        int64_t low = 0;
        for (int k = 0; k < count; k++) {
            next[k] = __atomic_load_n(cells[k] + 4 * row[k] + class_of[k][at[k][done]], __ATOMIC_RELAXED);
            low |= (int64_t)next[k] - RX_ROW;
        }
        if (low < 0)
            break;
        for (int k = 0; k < count; k++)
            row[k] = next[k];
    }
    for (int k = 0; k < count; k++) {
        lanes[k].row = row[k];
        lanes[k].at += done;
    }
    return done;
}

static size_t lockstep_8(lane *lanes, size_t steps)
{
    return lockstep(lanes, 8, steps);
}

static size_t lockstep_4(lane *lanes, size_t steps)
{
    return lockstep(lanes, 4, steps);
}

static size_t lockstep_2(lane *lanes, size_t steps)
{
    return lockstep(lanes, 2, steps);
}

/* Advances the active jobs together as far as the shortest goes or until one meets a special cell. Spare lanes of
 * the kernel repeat the first one. */
static void run_together(rx_job *const *active, size_t count)
{
    lane lanes[LANES];
    size_t steps = SIZE_MAX, width = count > 4 ? 8 : count > 2 ? 4 : 2;
    for (size_t k = 0; k < width; k++) {
        const rx_job *job = active[k < count ? k : 0];
        lanes[k] = (lane){job->dfa->cells, job->dfa->class_of, job->at, job->row};
        size_t left = (size_t)(job->end - job->at);
        if (left < steps)
            steps = left;
    }
    if (width == 8)
        lockstep_8(lanes, steps);
    else if (width == 4)
        lockstep_4(lanes, steps);
    else
        lockstep_2(lanes, steps);
    for (size_t k = 0; k < count; k++) {
        active[k]->at = lanes[k].at;
        active[k]->row = (unsigned)lanes[k].row;
    }
}

/* A job at a special cell or at its end takes that one step. */
static void attend(rx_runner *runner, rx_job *job)
{
    if (job->at == job->end) {
        step_end(runner, job);
        return;
    }
    if (rx_cell(job->dfa, job->row, job->dfa->class_of[*job->at]) < RX_ROW)
        step_byte(runner, job);
}

void rx_run(rx_runner *runner, rx_job *jobs, size_t count)
{
    rx_job *active[LANES];
    size_t lanes = 0, next = 0;
    for (;;) {
        for (; lanes < LANES && next < count; next++) {
            if (jobs[next].outcome != RX_RUNNING)
                continue;
            earn(runner, jobs[next].dfa, (size_t)(jobs[next].end - jobs[next].at));
            active[lanes++] = &jobs[next];
        }
        if (lanes == 0)
            return;
        if (lanes == 1) {
            run_until(runner, active[0], active[0]->end);
            if (active[0]->outcome == RX_RUNNING)
                step_end(runner, active[0]);
            lanes = 0;
            continue;
        }
        run_together(active, lanes);
        for (size_t k = 0; k < lanes;) {
            attend(runner, active[k]);
            if (active[k]->outcome != RX_RUNNING)
                active[k] = active[--lanes];
            else
                k++;
        }
    }
}

/* ---- One long text ---- */

enum { PIECES = 4, LONG = 1024, MEETING = 512 };

/* Runs pieces as if nothing were under way at their begins, in lockstep, to their ends or first special cells. */
static void run_pieces(rx_runner *runner, rx_job *pieces)
{
    rx_job *active[PIECES];
    size_t lanes = 0;
    for (size_t k = 0; k < PIECES; k++) {
        if (pieces[k].outcome == RX_RUNNING)
            active[lanes++] = &pieces[k];
    }
    while (lanes > 1) {
        run_together(active, lanes);
        for (size_t k = 0; k < lanes;) {
            rx_job *job = active[k];
            if (job->at < job->end && rx_cell(job->dfa, job->row, job->dfa->class_of[*job->at]) < RX_ROW)
                step_byte(runner, job);
            if (job->outcome != RX_RUNNING || job->at == job->end)
                active[k] = active[--lanes];
            else
                k++;
        }
    }
    if (lanes == 1)
        run_until(runner, active[0], active[0]->end);
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
    size_t len = (size_t)(job->end - job->at);
    earn(runner, job->dfa, len);
    if (len >= LONG && job->dfa->restart[RX_AFTER_OTHER] != RX_DEAD)
        run_long(runner, job);
    else
        run_until(runner, job, job->end);
    if (job->outcome == RX_RUNNING)
        step_end(runner, job);
}
