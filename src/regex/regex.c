/* One pattern: compiling, reference counting, matching. */
#include "regex/internal.h"

#include <stdlib.h>

enum { DEFAULT_BUDGET = 512 * 1024 };

/* RE2 gives two thirds of its budget to the program; these are its header and instruction sizes. */
static size_t instruction_limit(int64_t budget)
{
    enum { HEADER = 432, INSTRUCTION = 8 };
    int64_t limit = (2 * (budget > 0 ? budget : DEFAULT_BUDGET) / 3 - HEADER) / INSTRUCTION;
    return limit > 0 ? (size_t)limit : 0;
}

static bool refuse_nomem(hg_regex_error *error)
{
    rx_refuse(error, HG_REGEX_OK, (hg_slice){NULL, 0});
    return false;
}

static bool compile_program(const rx_syntax *syntax, size_t limit, rx_program *out, hg_regex_error *error)
{
    bool too_large, nomem = false;
    uint64_t cost = rx_cost(syntax, &nomem);
    /* Simplifying seldom saves more than half; a pattern that may profit gets the benefit of the doubt. */
    if (!nomem && cost > limit && (cost > 2 * limit || !rx_may_simplify(syntax))) {
        rx_refuse(error, HG_REGEX_TOO_LARGE, (hg_slice){NULL, 0});
        return false;
    }
    if (nomem || !rx_compile(syntax, 8 * limit + 64, out, &too_large))
        return refuse_nomem(error);
    return true;
}

static bool find_always(hg_regex *regex)
{
    rx_work work = {0};
    if (!rx_work_reserve(&work, regex->program.count, 1))
        return false;
    regex->always = rx_matches_always(&regex->program, &work);
    rx_work_close(&work);
    return true;
}

/* A program beyond the automaton's numbers, or whose starts alone are too many for it, is only simulated. */
__attribute__((noinline)) bool rx_regex_open(hg_regex *regex, rx_work *work)
{
    enum { ROWS = 1000, DEFAULT_MEMORY = 1 << 20 };
    unsigned before = atomic_load_explicit(&regex->opening, memory_order_acquire);
    if (before != RX_UNOPENED) /* one that has none is asked again and again */
        return before == RX_OPEN;
    if (!atomic_compare_exchange_strong(&regex->opening, &before, RX_OPENING))
        return before == RX_OPEN;
    bool open = regex->program.count <= RX_DFA_MAX_PROGRAM &&
                rx_dfa_open(&regex->dfa, work, regex->programs, regex->bases, 1, NULL, ROWS,
                            regex->dfa_memory > 0 ? regex->dfa_memory : DEFAULT_MEMORY);
    atomic_store_explicit(&regex->opening, open ? RX_OPEN : RX_WITHOUT, memory_order_release);
    return open;
}

/* Everything that is made from the tree; what was made is dropped with the regex. */
static bool build(hg_regex *regex, const rx_syntax *syntax, const hg_regex_options *options, hg_regex_error *error)
{
    size_t limit = instruction_limit(options->max_mem);
    if (!compile_program(syntax, limit, &regex->program, error))
        return false;
    if (!rx_find_cuts(syntax, regex->cuts, &regex->cut_count) || !find_always(regex))
        return refuse_nomem(error);
    regex->programs[0] = &regex->program;
    regex->bases[1] = (uint32_t)regex->program.count;
    regex->dfa_memory = options->automaton_memory;
    atomic_init(&regex->opening, RX_UNOPENED);
    return true;
}

static void drop(hg_regex *regex)
{
    if (regex->cut_count > 0)
        free(regex->cuts[0].triples);
    if (atomic_load(&regex->opening) == RX_OPEN)
        rx_dfa_close(&regex->dfa);
    if (regex->bits != NULL)
        rx_bits_close(regex->bits);
    free(regex->bits);
    rx_program_close(&regex->program);
    free(regex);
}

hg_regex *hg_regex_compile(hg_slice pattern, const hg_regex_options *options, hg_regex_error *error)
{
    static const hg_regex_options defaults;
    rx_syntax syntax;
    options = options != NULL ? options : &defaults;
    if (error != NULL)
        *error = (hg_regex_error){0};
    if (!rx_parse(pattern, options->case_insensitive, &syntax, error))
        return NULL;
    hg_regex *regex = calloc(1, sizeof *regex + pattern.len);
    bool ok = regex != NULL ? build(regex, &syntax, options, error) : refuse_nomem(error);
    rx_syntax_close(&syntax);
    if (!ok) {
        if (regex != NULL)
            drop(regex);
        return NULL;
    }
    atomic_init(&regex->references, 1);
    regex->pattern_len = pattern.len;
    if (pattern.len > 0)
        memcpy(regex->pattern, pattern.ptr, pattern.len);
    return regex;
}

hg_regex *hg_regex_ref(hg_regex *regex)
{
    atomic_fetch_add_explicit(&regex->references, 1, memory_order_relaxed);
    return regex;
}

void hg_regex_unref(hg_regex *regex)
{
    if (regex == NULL || atomic_fetch_sub_explicit(&regex->references, 1, memory_order_acq_rel) != 1)
        return;
    drop(regex);
}

hg_slice hg_regex_pattern(const hg_regex *regex)
{
    return hg_slice_of(regex->pattern, regex->pattern_len);
}

unsigned hg_regex_groups(const hg_regex *regex)
{
    return regex->program.groups;
}

hg_regex_scratch *hg_regex_scratch_new(void)
{
    return calloc(1, sizeof(hg_regex_scratch));
}

void hg_regex_scratch_free(hg_regex_scratch *scratch)
{
    if (scratch == NULL)
        return;
    rx_work_close(&scratch->runner.work);
    rx_sim_close(&scratch->sim);
    free(scratch->words);
    free(scratch->memo);
    free(scratch);
}

void hg_regex_scratch_remember(hg_regex_scratch *scratch, bool wanted)
{
    scratch->forgets = !wanted;
}

hg_status hg_regex_scratch_status(const hg_regex_scratch *scratch)
{
    return scratch->status;
}

static bool fit_words(hg_regex_scratch *scratch, size_t words)
{
    if (words <= scratch->word_count)
        return true;
    free(scratch->words);
    scratch->words = malloc(words * sizeof *scratch->words);
    scratch->word_count = scratch->words != NULL ? words : 0;
    return scratch->words != NULL;
}

bool rx_scratch_grow(hg_regex_scratch *scratch, size_t insts, size_t members, size_t largest, size_t words)
{
    if (rx_work_reserve(&scratch->runner.work, insts, members) && rx_sim_reserve(&scratch->sim, largest, 2) &&
        fit_words(scratch, words))
        return true;
    scratch->status = HG_ERR_NOMEM;
    return false;
}

__attribute__((noinline)) static bool open_bits(hg_regex *regex)
{
    unsigned before = RX_UNOPENED;
    if (!atomic_compare_exchange_strong(&regex->bits_opening, &before, RX_OPENING))
        return before == RX_OPEN;
    rx_bits *bits = malloc(sizeof *bits);
    bool open = bits != NULL && rx_bits_open(bits, &regex->program);
    if (open)
        regex->bits = bits;
    else
        free(bits);
    atomic_store_explicit(&regex->bits_opening, open ? RX_OPEN : RX_WITHOUT, memory_order_release);
    return open;
}

bool rx_regex_exists_slowly(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    hg_regex *r = (hg_regex *)regex;
    unsigned opening = atomic_load_explicit(&r->bits_opening, memory_order_acquire);
    if (opening == RX_OPEN || (opening == RX_UNOPENED && open_bits(r)))
        return rx_bits_exists(r->bits, scratch->sim.bits, text);
    return rx_exists(&r->program, &scratch->sim, text, 0);
}

bool rx_regex_exists(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    uint64_t hits = 0;
    if (regex->always)
        return true;
    rx_job job = rx_regex_job(regex, &scratch->runner.work, text, &hits);
    rx_run_one(&scratch->runner, &job);
    if (job.outcome == RX_FINISHED)
        return job.hit;
    return rx_regex_exists_slowly(regex, scratch, text);
}

bool hg_regex_test(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    return rx_scratch_fit(scratch, regex->program.count, 1, regex->program.count, 0) &&
           rx_regex_exists(regex, scratch, text);
}

/* The automaton is many times faster than the simulation: it answers where there is nothing to find. */
static bool ruled_out(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    uint64_t hits = 0;
    if (regex->always || !rx_work_reserve(&scratch->runner.work, regex->program.count, 1))
        return false;
    rx_job job = rx_regex_job(regex, &scratch->runner.work, text, &hits);
    rx_run_one(&scratch->runner, &job);
    return job.outcome == RX_FINISHED && !job.hit;
}

bool hg_regex_match(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text, size_t from, hg_span *spans,
                    size_t count)
{
    size_t slots = 2 * (count > 0 ? count : 1);
    if (!rx_sim_reserve(&scratch->sim, regex->program.count, slots < RX_MAX_SLOTS ? slots : RX_MAX_SLOTS)) {
        scratch->status = HG_ERR_NOMEM;
        return false;
    }
    if (from == 0 && ruled_out(regex, scratch, text))
        return false;
    return rx_simulate(&regex->program, &scratch->sim, text, from, spans, count);
}
