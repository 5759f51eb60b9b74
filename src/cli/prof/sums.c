/* Per function: its own cost, and its cost with what it calls (once a sample, however often it is on the stack). */
#include "cli/prof/prof.h"

#include "base/hash.h"

#include <stdlib.h>

typedef struct lookup {
    uint32_t *cells; /* position + 1 */
    size_t capacity;
} lookup;

static int by_self(const void *a, const void *b)
{
    const function_sum *x = a, *y = b;
    if (x->self != y->self)
        return (x->self < y->self) - (x->self > y->self);
    if (x->total != y->total)
        return (x->total < y->total) - (x->total > y->total);
    return hg_slice_compare(x->name, y->name);
}

/* Functions of equal name and file are one, whatever their ids. */
static uint32_t find(function_sums *s, lookup *t, hg_slice name, hg_slice file)
{
    size_t at = hg_hash(file, hg_hash(name, 0)) & (t->capacity - 1);
    for (; t->cells[at] != 0; at = (at + 1) & (t->capacity - 1)) {
        const function_sum *f = &s->items[t->cells[at] - 1];
        if (hg_slice_equal(f->name, name) && hg_slice_equal(f->file, file))
            return t->cells[at] - 1;
    }
    s->items[s->count] = (function_sum){.name = name, .file = file};
    t->cells[at] = (uint32_t)s->count + 1;
    return (uint32_t)s->count++;
}

static void add_sample(const pprof *p, const pprof_sample *sample, int64_t value, const uint32_t *sum_of,
                       uint64_t *seen, uint64_t stamp, function_sums *out)
{
    bool leaf = true;
    out->all += value;
    for (size_t i = 0; i < sample->location_count; i++) {
        const pprof_location *l = &p->locations[sample->locations[i]];
        for (size_t k = 0; k < l->line_count; k++) {
            uint32_t f = sum_of[l->lines[k].function];
            if (leaf)
                out->items[f].self += value;
            leaf = false;
            if (seen[f] != stamp)
                out->items[f].total += value;
            seen[f] = stamp;
        }
    }
}

hg_status sums_of(const pprof *p, size_t type, function_sums *out)
{
    *out = (function_sums){0};
    lookup t = {.capacity = 64};
    while (t.capacity < p->function_count * 2)
        t.capacity *= 2;
    t.cells = calloc(t.capacity, sizeof *t.cells);
    out->items = calloc(p->function_count + 1, sizeof *out->items);
    uint32_t *sum_of = malloc((p->function_count + 1) * sizeof *sum_of);
    uint64_t *seen = calloc(p->function_count + 1, sizeof *seen);
    hg_status status = t.cells && out->items && sum_of && seen ? HG_OK : HG_ERR_NOMEM;
    for (size_t i = 0; status == HG_OK && i < p->function_count; i++)
        sum_of[i] = find(out, &t, p->functions[i].name, p->functions[i].file);
    for (size_t i = 0; status == HG_OK && i < p->sample_count; i++)
        if (p->samples[i].values[type] != 0)
            add_sample(p, &p->samples[i], p->samples[i].values[type], sum_of, seen, i + 1, out);
    if (status == HG_OK && out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, by_self);
    free(t.cells);
    free(sum_of);
    free(seen);
    if (status != HG_OK)
        sums_free(out);
    return status;
}

void sums_free(function_sums *s)
{
    free(s->items);
    *s = (function_sums){0};
}
