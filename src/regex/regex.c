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

static bool compile_program(const rx_syntax *syntax, size_t limit, rx_program *out, hg_regex_error *error)
{
    bool too_large, nomem = false;
    if (rx_cost(syntax, &nomem) > limit && !nomem) {
        rx_refuse(error, HG_REGEX_TOO_LARGE, (hg_slice){NULL, 0});
        return false;
    }
    if (nomem || !rx_compile(syntax, 4 * limit, out, &too_large)) {
        rx_refuse(error, HG_REGEX_OK, (hg_slice){NULL, 0});
        return false;
    }
    return true;
}

hg_regex *hg_regex_compile(hg_slice pattern, const hg_regex_options *options, hg_regex_error *error)
{
    rx_syntax syntax;
    if (error != NULL)
        *error = (hg_regex_error){0};
    if (!rx_parse(pattern, options != NULL && options->case_insensitive, &syntax, error))
        return NULL;
    rx_program program;
    size_t limit = instruction_limit(options != NULL ? options->max_mem : 0);
    bool ok = compile_program(&syntax, limit, &program, error);
    rx_syntax_close(&syntax);
    if (!ok)
        return NULL;
    hg_regex *regex = malloc(sizeof *regex + pattern.len);
    if (regex == NULL) {
        rx_program_close(&program);
        rx_refuse(error, HG_REGEX_OK, (hg_slice){NULL, 0});
        return NULL;
    }
    *regex = (hg_regex){.program = program, .pattern_len = pattern.len};
    atomic_init(&regex->references, 1);
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
    rx_program_close(&regex->program);
    free(regex);
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
    rx_sim_close(&scratch->sim);
    free(scratch);
}

bool hg_regex_test(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text)
{
    if (!rx_sim_reserve(&scratch->sim, regex->program.count, 2)) {
        scratch->status = HG_ERR_NOMEM;
        return false;
    }
    return rx_exists(&regex->program, &scratch->sim, text, 0);
}

bool hg_regex_match(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text, size_t from, hg_span *spans,
                    size_t count)
{
    size_t slots = 2 * (count > 0 ? count : 1);
    if (!rx_sim_reserve(&scratch->sim, regex->program.count, slots < RX_MAX_SLOTS ? slots : RX_MAX_SLOTS)) {
        scratch->status = HG_ERR_NOMEM;
        return false;
    }
    return rx_simulate(&regex->program, &scratch->sim, text, from, spans, count);
}
