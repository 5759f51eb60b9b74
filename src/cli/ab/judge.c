/* Verdicts (marshalling ). */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_SMALLER = 3, FEWEST_LARGER = 5 };
static const double MICRO_RELATIVE = 0.10, MICRO_ABSOLUTE = 0.3, PROGRAM_RELATIVE = 0.05, PROGRAM_ABSOLUTE = 5e6;
static const double CONFIDENCE = 0.95;

const char *verdict_name(verdict v)
{
    static const char *const names[] = {"same", "faster", "slower", "unknown"};
    return names[v];
}

const char *alloc_name(alloc_verdict v)
{
    static const char *const names[] = {"same", "fewer", "more", "unknown"};
    return names[v];
}

/* One-sided p value of "a is above b by more than shift". */
static double p_above(const series *a, const series *b, double shift, bool use_welch)
{
    if (use_welch)
        return welch(a->mean, a->sd * a->sd, a->count, b->mean, b->sd * b->sd, b->count, shift);
    return mann_whitney(a->ns, a->count, b->ns, b->count, shift);
}

/* The threshold is a share of the mean of the first array, so the two directions have different ones. */
static verdict two_tests(comparison *c, double relative, double absolute, double significance)
{
    double down = absolute + relative * c->base->mean, up = absolute + relative * c->diff->mean;
    c->p_faster = p_above(c->base, c->diff, down, c->welch);
    c->p_slower = p_above(c->diff, c->base, up, c->welch);
    if (c->p_faster < significance)
        return VERDICT_FASTER;
    return c->p_slower < significance ? VERDICT_SLOWER : VERDICT_SAME;
}

static verdict judge_speed(comparison *c, const judge_options *options)
{
    const series *a = c->base, *b = c->diff;
    size_t smaller = a->count < b->count ? a->count : b->count, larger = a->count < b->count ? b->count : a->count;
    if (a->count == b->count && a->count > 0 && memcmp(a->ns, b->ns, a->count * sizeof *a->ns) == 0) {
        c->p_faster = c->p_slower = 1;
        return VERDICT_SAME;
    }
    if (smaller < FEWEST_SMALLER || larger < FEWEST_LARGER)
        return VERDICT_UNKNOWN;
    double relative = options->relative >= 0 ? options->relative : c->welch ? PROGRAM_RELATIVE : MICRO_RELATIVE;
    double absolute = options->absolute_ns >= 0 ? options->absolute_ns : c->welch ? PROGRAM_ABSOLUTE : MICRO_ABSOLUTE;
    verdict first = two_tests(c, relative, 0, options->significance);
    if (first == VERDICT_SAME)
        return first;
    comparison second = *c;
    return two_tests(&second, 0, absolute, options->significance) == VERDICT_SAME ? VERDICT_SAME : first;
}

static alloc_verdict judge_allocation(comparison *c, double threshold)
{
    double base = series_bytes(c->base), diff = series_bytes(c->diff);
    c->bytes_change = 0;
    if (base < 0 || diff < 0)
        return ALLOC_UNKNOWN;
    if (base == diff)
        return ALLOC_SAME;
    c->bytes_change = base > 0 ? (diff - base) / base : INFINITY;
    if (fabs(c->bytes_change) < threshold)
        return ALLOC_SAME;
    return c->bytes_change > 0 ? ALLOC_MORE : ALLOC_FEWER;
}

/* Welch's interval of the difference of means, as a share of the base mean. */
static void confidence_interval(comparison *c)
{
    const series *a = c->base, *b = c->diff;
    c->change = a->mean > 0 ? (b->mean - a->mean) / a->mean : 0;
    c->low = c->high = NAN;
    if (a->count < 2 || b->count < 2 || a->mean <= 0)
        return;
    double va = a->sd * a->sd / (double)a->count, vb = b->sd * b->sd / (double)b->count;
    double half = 0;
    if (va + vb > 0) {
        double df = (va + vb) * (va + vb) / (va * va / ((double)a->count - 1) + vb * vb / ((double)b->count - 1));
        half = student_quantile(0.5 + CONFIDENCE / 2, df) * sqrt(va + vb) / a->mean;
    }
    c->low = c->change - half;
    c->high = c->change + half;
}

static void compare_one(comparison *c, const judge_options *options)
{
    c->welch = options->method == JUDGE_WELCH ||
               (options->method == JUDGE_AUTO && c->base->program && c->diff->program);
    c->p_faster = c->p_slower = NAN;
    c->speed = judge_speed(c, options);
    c->allocation = judge_allocation(c, options->allocation);
    double a = c->base->median, b = c->diff->median;
    c->ratio = c->speed == VERDICT_SLOWER ? b / a : a / b;
    confidence_interval(c);
}

static int by_key(const void *x, const void *y)
{
    const series *a = ((const comparison *)x)->base, *b = ((const comparison *)y)->base;
    int order = strcmp(a->class, b->class);
    if (order == 0)
        order = strcmp(a->method, b->method);
    if (order == 0)
        order = strcmp(a->params, b->params);
    return order ? order : strcmp(a->toolchain, b->toolchain);
}

static void summarise(report *r)
{
    double faster = 0, slower = 0; /* sums of log10 of finite ratios */
    size_t faster_finite = 0, slower_finite = 0;
    for (size_t i = 0; i < r->count; i++) {
        const comparison *c = &r->items[i];
        bool finite = isfinite(c->ratio) && c->ratio > 0;
        if (c->speed == VERDICT_FASTER) {
            r->faster++;
            faster += finite ? log10(c->ratio) : 0;
            faster_finite += finite;
        } else if (c->speed == VERDICT_SLOWER) {
            r->slower++;
            slower += finite ? log10(c->ratio) : 0;
            slower_finite += finite;
        } else if (c->speed == VERDICT_SAME) {
            r->same++;
        } else {
            r->unknown++;
        }
        r->fewer += c->allocation == ALLOC_FEWER;
        r->more += c->allocation == ALLOC_MORE;
    }
    r->faster_mean = faster_finite ? pow(10, faster / (double)faster_finite) : 1;
    r->slower_mean = slower_finite ? pow(10, slower / (double)slower_finite) : 1;
}

static hg_status only_here(const result_set *here, const result_set *there, const series ***out, size_t *count)
{
    *out = calloc(here->count + 1, sizeof **out);
    if (*out == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < here->count; i++)
        if (set_find(there, &here->items[i]) == NULL)
            (*out)[(*count)++] = &here->items[i];
    return HG_OK;
}

hg_status judge(const result_set *base, const result_set *diff, const judge_options *options, report *out)
{
    *out = (report){.base_name = base->name, .diff_name = diff->name, .rejected = base->rejected + diff->rejected,
                    .options = *options};
    out->items = calloc(base->count + 1, sizeof *out->items);
    if (out->items == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < base->count; i++) {
        const series *other = set_find(diff, &base->items[i]);
        if (other == NULL)
            continue;
        comparison *c = &out->items[out->count++];
        c->base = &base->items[i];
        c->diff = other;
        compare_one(c, options);
    }
    qsort(out->items, out->count, sizeof *out->items, by_key);
    summarise(out);
    hg_status status = only_here(base, diff, &out->only_base, &out->only_base_count);
    return status == HG_OK ? only_here(diff, base, &out->only_diff, &out->only_diff_count) : status;
}

void report_free(report *r)
{
    free(r->items);
    free(r->only_base);
    free(r->only_diff);
}
