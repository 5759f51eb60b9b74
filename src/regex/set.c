/* Pattern sets: what is built for a set and how a text goes through it. First the automaton of all patterns; where
 * it has no answer yet, the pair filter names candidates and their own automata decide; a pattern whose automaton
 * is full is simulated. */
#include "regex/benign.h"
#include "regex/internal.h"

#include <stdlib.h>

/* ---- Building ---- */

/* A set that is too large for one automaton does without: the filter and the patterns' own automata serve it. */
static bool fits_dfa(const hg_regex_set *set)
{
    enum { MOST_INSTRUCTIONS = 1 << 22 };
    return set->count > 0 && set->count <= RX_DFA_MAX_MEMBERS && set->largest <= RX_DFA_MAX_PROGRAM &&
           set->bases[set->count] < MOST_INSTRUCTIONS;
}

/* Grows the automaton a little over harmless texts, so that the first requests find the common rows. */
static void train(hg_regex_set *set, rx_runner *runner)
{
    enum { ROUNDS = 3, CREDIT_PER_TEXT = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; rx_benign_texts[i] != NULL; i++) {
            uint64_t hits[(RX_DFA_MAX_MEMBERS + 64) / 64];
            rx_job job = rx_job_for(&set->dfa, hg_slice_from(rx_benign_texts[i]), hits);
            set->dfa.credit = CREDIT_PER_TEXT;
            rx_run_one(runner, &job);
        }
    }
}

/* Opens a pattern's own automaton and lets it grow a little. */
static void open_pattern(hg_regex *regex, rx_runner *runner)
{
    enum { EVERY = 3 };
    if (regex->always || atomic_load_explicit(&regex->opening, memory_order_acquire) != RX_UNOPENED)
        return;
    for (size_t t = 0; rx_benign_texts[t] != NULL; t++) {
        uint64_t hits = 0;
        if (t % EVERY != 0)
            continue;
        rx_job job = rx_regex_job(regex, &runner->work, hg_slice_from(rx_benign_texts[t]), &hits);
        rx_run_one(runner, &job);
    }
}

/* Patterns that harmless texts make candidates get their automata before the first text does. */
static void open_likely(const hg_regex_set *set, rx_runner *runner)
{
    static const float likely = 0.003f;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->count == 1 || set->regexes[i]->cut_count == 0 || set->regexes[i]->cuts[0].odds > likely)
            open_pattern(set->regexes[i], runner);
    }
}

static void open_own_dfa(hg_regex_set *set, rx_runner *runner, size_t memory)
{
    enum { ROWS = 4096, DEFAULT_MEMORY = 4 << 20, FIRST_CREDIT = 16 };
    set->has_dfa = rx_dfa_open(&set->dfa, &runner->work, set->programs, set->bases, set->count, set->always, ROWS,
                               memory > 0 ? memory : DEFAULT_MEMORY);
    if (!set->has_dfa)
        return;
    set->dfa.metered = true;
    set->dfa.slot = (uint8_t)set->serial;
    train(set, runner);
    set->dfa.credit = FIRST_CREDIT;
}

static bool open_dfas(hg_regex_set *set, size_t memory)
{
    if (!fits_dfa(set))
        return true;
    rx_runner *runner = calloc(1, sizeof *runner);
    bool ok = runner != NULL && rx_work_reserve(&runner->work, set->bases[set->count], set->count);
    if (ok) {
        if (set->count > 1)
            open_own_dfa(set, runner, memory);
        open_likely(set, runner);
        rx_work_close(&runner->work);
    }
    free(runner);
    return ok;
}

static bool open_filter(hg_regex_set *set)
{
    if (set->count <= 1 || set->count > RX_FILTER_MEMBERS)
        return true;
    const rx_cut **cuts = malloc(set->count * sizeof *cuts);
    uint32_t *counts = malloc(set->count * sizeof *counts);
    for (uint32_t i = 0; cuts != NULL && counts != NULL && i < set->count; i++) {
        cuts[i] = set->regexes[i]->cuts;
        counts[i] = set->regexes[i]->cut_count;
    }
    set->has_filter = cuts != NULL && counts != NULL && rx_filter_open(&set->filter, cuts, counts, set->count);
    free(cuts);
    free(counts);
    return set->has_filter;
}

static bool take_patterns(hg_regex_set *set, hg_regex *const *regexes, size_t count)
{
    size_t room = count ? count : 1;
    set->words = (uint32_t)((count + 63) / 64);
    set->regexes = malloc(room * sizeof *set->regexes);
    set->programs = malloc(room * sizeof *set->programs);
    set->bases = calloc(room + 1, sizeof *set->bases);
    set->always = calloc(set->words + 1, sizeof *set->always);
    if (set->regexes == NULL || set->programs == NULL || set->bases == NULL || set->always == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const hg_regex *r = regexes[i];
        set->regexes[i] = hg_regex_ref(regexes[i]);
        set->programs[i] = &r->program;
        set->bases[i + 1] = set->bases[i] + (uint32_t)r->program.count;
        if (r->program.count > set->largest)
            set->largest = r->program.count;
        if (r->always) {
            set->always[i / 64] |= (uint64_t)1 << (i % 64);
            set->any_always = true;
        }
    }
    set->count = (uint32_t)count;
    return true;
}

hg_regex_set *hg_regex_set_new(hg_regex *const *regexes, size_t count)
{
    return hg_regex_set_new_sized(regexes, count, 0);
}

hg_regex_set *hg_regex_set_new_sized(hg_regex *const *regexes, size_t count, size_t automaton_memory)
{
    hg_regex_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    static atomic_uint last_serial;
    set->serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
    if (take_patterns(set, regexes, count) && open_dfas(set, automaton_memory) && open_filter(set))
        return set;
    hg_regex_set_free(set);
    return NULL;
}

void hg_regex_set_free(hg_regex_set *set)
{
    if (set == NULL)
        return;
    if (set->has_dfa)
        rx_dfa_close(&set->dfa);
    if (set->has_filter)
        rx_filter_close(&set->filter);
    for (size_t i = 0; i < set->count; i++)
        hg_regex_unref(set->regexes[i]);
    free(set->regexes);
    free(set->programs);
    free(set->bases);
    free(set->always);
    free(set);
}

size_t hg_regex_set_count(const hg_regex_set *set)
{
    return set->count;
}

/* ---- Scanning ---- */

static bool fit(const hg_regex_set *set, hg_regex_scratch *scratch)
{
    size_t insts = set->has_dfa ? set->bases[set->count] : set->largest;
    return rx_scratch_fit(scratch, insts, set->count, set->largest, RX_BATCH * (size_t)set->words);
}

enum { MEMO_LEAST_PATTERNS = 16 };

/* The same for scans that remember; without memory for it nothing is remembered. */
static bool fit_with_memo(const hg_regex_set *set, hg_regex_scratch *scratch)
{
    if (scratch->memo == NULL && set->count >= MEMO_LEAST_PATTERNS && !scratch->forgets)
        scratch->memo = hg_memo_new();
    return fit(set, scratch);
}

/* Runs the patterns' own automata for the candidates and adds what they find. */
static bool run_candidates(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text,
                           const uint64_t *candidates, uint64_t *hits)
{
    enum { ROUND = 64 };
    rx_job jobs[ROUND];
    uint64_t found = 0; /* a job's one member is told by job.hit */
    uint32_t members[ROUND];
    bool any = false;
    for (uint32_t w = 0; w < set->words; w++) {
        size_t count = 0;
        for (uint64_t todo = candidates[w]; todo != 0; todo &= todo - 1, count++) {
            members[count] = w * 64 + (uint32_t)__builtin_ctzll(todo);
            jobs[count] = rx_regex_job(set->regexes[members[count]], &scratch->runner.work, text, &found);
        }
        rx_run_automata(&scratch->runner, jobs, count);
        for (size_t i = 0; i < count; i++) {
            bool hit = jobs[i].hit || (jobs[i].outcome == RX_GIVEN_UP &&
                                       rx_regex_exists_slowly(set->regexes[members[i]], scratch, text));
            hits[w] |= (uint64_t)hit << (members[i] % 64);
            any |= hit;
        }
    }
    return any;
}

/* Completes hits that are true but perhaps not all. */
static bool scan_by_pattern(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits)
{
    uint64_t candidates[RX_FILTER_WORDS];
    bool any = false;
    if (set->has_filter) {
        rx_filter_run(&set->filter, text, candidates);
        for (uint32_t w = 0; w < set->words; w++) {
            candidates[w] &= ~hits[w];
            any |= hits[w] != 0;
        }
        return run_candidates(set, scratch, text, candidates, hits) || any;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (rx_regex_exists(set->regexes[i], scratch, text))
            hits[i / 64] |= (uint64_t)1 << (i % 64);
        any |= (hits[i / 64] >> (i % 64)) & 1;
    }
    return any;
}

/* Writes the hits that need no scan and says what is to be run. */
static rx_job begin(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits)
{
    for (uint32_t w = 0; w < set->words; w++)
        hits[w] = set->always[w];
    if (!set->has_dfa || !rx_worth_trying(&scratch->runner, &set->dfa, text.len))
        return (rx_job){.outcome = RX_GIVEN_UP};
    return rx_job_for((rx_dfa *)&set->dfa, text, hits);
}

/* Shorter texts and those of small sets are scanned as fast. */
static bool is_memorable(const hg_regex_set *set, const hg_regex_scratch *scratch, hg_slice text)
{
    enum { LEAST = 40 };
    return scratch->memo != NULL && !scratch->forgets && set->count >= MEMO_LEAST_PATTERNS && text.len >= LEAST &&
           text.len <= HG_MEMO_MOST;
}

/* The same, unless the thread remembers that nothing is found. */
static rx_job begin_or_recall(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits)
{
    if (!is_memorable(set, scratch, text))
        return begin(set, scratch, text, hits);
    uint64_t key = hg_memo_key(scratch->memo, set->serial, text);
    if (hg_memo_knows(scratch->memo, key)) {
        memcpy(hits, set->always, set->words * sizeof *hits);
        return (rx_job){.outcome = RX_FINISHED};
    }
    rx_job job = begin(set, scratch, text, hits);
    job.memo_key = key;
    return job;
}

/* What is left to do when the automaton of all has run (or there is none). */
static bool finish(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, const rx_job *job,
                   uint64_t *hits)
{
    bool found = job->outcome == RX_FINISHED ? job->hit || set->any_always : scan_by_pattern(set, scratch, text, hits);
    if (job->memo_key != 0 && !job->hit && memcmp(hits, set->always, set->words * sizeof *hits) == 0)
        hg_memo_note(scratch->memo, job->memo_key);
    return found;
}

bool hg_regex_set_scan(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits)
{
    if (!fit_with_memo(set, scratch)) {
        memset(hits, 0, set->words * sizeof *hits);
        return false;
    }
    rx_job job = begin_or_recall(set, scratch, text, hits);
    rx_run_one(&scratch->runner, &job);
    return finish(set, scratch, text, &job, hits);
}

void hg_regex_set_scan_many(const hg_regex_set *set, hg_regex_scratch *scratch, const hg_slice *texts, size_t count,
                            uint64_t *hits, bool *any)
{
    bool fits = fit_with_memo(set, scratch);
    for (size_t from = 0; from < count; from += RX_BATCH) {
        rx_job jobs[RX_BATCH];
        size_t batch = count - from < RX_BATCH ? count - from : RX_BATCH;
        for (size_t i = 0; i < batch; i++)
            jobs[i] = begin_or_recall(set, scratch, texts[from + i], hits + (from + i) * set->words);
        if (fits)
            rx_run_texts(&scratch->runner, jobs, batch);
        for (size_t i = 0; i < batch; i++) {
            uint64_t *own = hits + (from + i) * set->words;
            bool found = fits && finish(set, scratch, texts[from + i], &jobs[i], own);
            if (!fits)
                memset(own, 0, set->words * sizeof *own);
            if (any != NULL)
                any[from + i] = found;
        }
    }
}

void hg_regex_scan_jobs(hg_regex_scratch *scratch, hg_regex_job *jobs, size_t count)
{
    enum { LONG = 2048 }; /* texts that gain more from being cut into pieces than from company */
    const hg_regex_set *fitted = NULL;
    bool fits = false;
    for (size_t from = 0; from < count; from += RX_BATCH) {
        rx_job running[RX_BATCH];
        size_t batch = count - from < RX_BATCH ? count - from : RX_BATCH;
        for (size_t i = 0; i < batch; i++) {
            hg_regex_job *job = &jobs[from + i];
            if (job->set != fitted)
                fits = fit(fitted = job->set, scratch);
            running[i] = fits ? begin(job->set, scratch, job->text, job->hits) : (rx_job){.outcome = RX_GIVEN_UP};
            job->any = fits;
            if (job->text.len >= LONG) {
                rx_run_one(&scratch->runner, &running[i]);
                running[i].dfa = NULL; /* its account is settled */
            }
        }
        rx_run(&scratch->runner, running, batch);
        for (size_t i = 0; i < batch; i++) {
            hg_regex_job *job = &jobs[from + i];
            if (job->any)
                job->any = finish(job->set, scratch, job->text, &running[i], job->hits);
            else
                memset(job->hits, 0, job->set->words * sizeof *job->hits);
        }
    }
}

void hg_regex_set_any(const hg_regex_set *set, hg_regex_scratch *scratch, const hg_slice *texts, size_t count,
                      bool *any)
{
    bool fits = fit(set, scratch);
    for (size_t from = 0; fits && from < count; from += RX_BATCH) {
        size_t batch = count - from < RX_BATCH ? count - from : RX_BATCH;
        hg_regex_set_scan_many(set, scratch, texts + from, batch, scratch->words, any + from);
    }
    if (!fits)
        memset(any, 0, count * sizeof *any);
}
