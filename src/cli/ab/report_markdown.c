/* GitHub-flavoured Markdown in the shape of marshalling 9.1 and 9.2. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { ROWS_MAX = 10 };
static const double P99 = 2.3263; /* sd from the mean to each end of the "p99 interval" */

typedef struct class_view {
    const comparison **rows;
    size_t count;
} class_view;

static verdict class_speed(const class_view *v)
{
    bool faster = false, all_same = true;
    for (size_t i = 0; i < v->count; i++) {
        if (v->rows[i]->speed == VERDICT_SLOWER)
            return VERDICT_SLOWER;
        faster |= v->rows[i]->speed == VERDICT_FASTER;
        all_same &= v->rows[i]->speed == VERDICT_SAME;
    }
    return faster ? VERDICT_FASTER : all_same ? VERDICT_SAME : VERDICT_UNKNOWN;
}

static alloc_verdict class_allocation(const class_view *v)
{
    bool fewer = false, all_same = true;
    for (size_t i = 0; i < v->count; i++) {
        if (v->rows[i]->allocation == ALLOC_MORE)
            return ALLOC_MORE;
        fewer |= v->rows[i]->allocation == ALLOC_FEWER;
        all_same &= v->rows[i]->allocation == ALLOC_SAME;
    }
    return fewer ? ALLOC_FEWER : all_same ? ALLOC_SAME : ALLOC_UNKNOWN;
}

static const char *speed_sign(verdict v)
{
    static const char *const signs[] = {"✔️", "🎉", "⚠️", "❔"};
    return signs[v];
}

static const char *alloc_sign(alloc_verdict v)
{
    static const char *const signs[] = {"✔️", "🎉", "⚠️", "❔"};
    return signs[v];
}

/* Cell text: a bar would end the cell. */
static void cell(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        fputs(*text == '|' ? "\\|" : *text == '\n' ? " " : (char[]){*text, '\0'}, out);
}

static void row_name(const series *s, FILE *out)
{
    fputs("| ", out);
    cell(s->class, out);
    fputs(s->class[0] ? "." : "", out);
    cell(s->method, out);
    if (s->params[0] != '\0') {
        fputc('(', out);
        cell(s->params, out);
        fputc(')', out);
    }
    fputs(s->toolchain[0] ? "-" : "", out);
    cell(s->toolchain, out);
}

static int by_ratio(const void *x, const void *y)
{
    double a = (*(const comparison *const *)x)->ratio, b = (*(const comparison *const *)y)->ratio;
    return (a < b) - (a > b);
}

static int by_signed_bytes(const void *x, const void *y)
{
    double a = (*(const comparison *const *)x)->bytes_change, b = (*(const comparison *const *)y)->bytes_change;
    return (a < b) - (a > b);
}

static int by_bytes(const void *x, const void *y)
{
    double a = fabs((*(const comparison *const *)x)->bytes_change);
    double b = fabs((*(const comparison *const *)y)->bytes_change);
    return (a < b) - (a > b);
}

static void speed_table(class_view *v, verdict wanted, FILE *out)
{
    const comparison **rows = calloc(v->count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows != NULL && i < v->count; i++)
        if (v->rows[i]->speed == wanted)
            rows[count++] = v->rows[i];
    if (count > 0) {
        qsort(rows, count, sizeof *rows, by_ratio);
        bool slower = wanted == VERDICT_SLOWER;
        fprintf(out, "\n### %s %s\n\n", slower ? "Slower" : "Faster", speed_sign(wanted));
        fprintf(out, "| Benchmark | %s | Base Median (ns) | Diff Median (ns) | Modality |\n|:--|--:|--:|--:|---|\n",
                slower ? "diff/base" : "base/diff");
        for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
            char a[48], b[48];
            row_name(rows[i]->base, out);
            fprintf(out, " | %.3f | %s | %s | %s |\n", rows[i]->ratio, format_grouped(rows[i]->base->median, 2, a),
                    format_grouped(rows[i]->diff->median, 2, b),
                    rows[i]->base->modality[0] ? rows[i]->base->modality : rows[i]->diff->modality);
        }
    }
    free(rows);
}

static void allocation_table(class_view *v, alloc_verdict wanted, bool seed_order, FILE *out)
{
    const comparison **rows = calloc(v->count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows != NULL && i < v->count; i++)
        if (v->rows[i]->allocation == wanted)
            rows[count++] = v->rows[i];
    if (count > 0) {
        qsort(rows, count, sizeof *rows, seed_order ? by_signed_bytes : by_bytes);
        fprintf(out, "\n### %s allocations %s\n\n", wanted == ALLOC_MORE ? "More" : "Fewer", alloc_sign(wanted));
        fputs("| Benchmark | Base Allocated | Diff Allocated | Change | Change % |\n|:--|--:|--:|--:|--:|\n", out);
        for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
            char a[32], b[32], c[32];
            double base = series_bytes(rows[i]->base), diff = series_bytes(rows[i]->diff);
            row_name(rows[i]->base, out);
            fprintf(out, " | %s | %s | %s%s | %+.2f%% |\n", format_bytes(base, a), format_bytes(diff, b),
                    diff < base ? "-" : "", format_bytes(fabs(diff - base), c), 100 * rows[i]->bytes_change);
        }
    }
    free(rows);
}

static bool any_gc(const class_view *v, int generation)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->rows[i]->base->gc[generation] > 0 || v->rows[i]->diff->gc[generation] > 0)
            return true;
    return false;
}

static void raw_row(const char *branch, const series *s, const class_view *v, FILE *out)
{
    char name[256], a[32], b[32], c[32];
    fputs("| ", out);
    cell(branch, out);
    fprintf(out, " | `%s` | ", short_params(s, name, sizeof name));
    cell(s->toolchain, out);
    fprintf(out, " | %s | %s | %s", format_time(s->mean, a), format_time(s->sd / sqrt((double)s->count), b),
            format_time(s->sd, c));
    for (int g = 0; g < 3; g++)
        if (any_gc(v, g))
            fprintf(out, " | %.3g", s->gc[g]);
    double bytes = series_bytes(s);
    fprintf(out, " | %s |\n", bytes < 0 ? "" : format_bytes(bytes, a));
}

static void raw_table(const report *r, const class_view *v, FILE *out)
{
    fputs("\n### Raw results\n\n| Branch | Method | Toolchain | Mean | StdError | StdDev", out);
    for (int g = 0; g < 3; g++)
        if (any_gc(v, g))
            fprintf(out, " | Gen %d", g);
    fputs(" | Allocated |\n|---|---|---|--:|--:|--:", out);
    for (int g = 0; g < 3; g++)
        if (any_gc(v, g))
            fputs("|--:", out);
    fputs("|--:|\n", out);
    for (size_t i = 0; i < v->count; i++)
        raw_row(r->base_name, v->rows[i]->base, v, out);
    for (size_t i = 0; i < v->count; i++)
        raw_row(r->diff_name, v->rows[i]->diff, v, out);
}

static void gantt_bar(const char *name, const series *s, bool crit, FILE *out)
{
    double low = (s->mean - P99 * s->sd) / 1e6, mean = s->mean / 1e6, high = (s->mean + P99 * s->sd) / 1e6;
    char text[48];
    fprintf(out, "    %s - mean (%sms) : %s%.0f, %.0f\n", name, format_grouped(mean, 0, text), crit ? "crit, " : "", low,
            high);
    fprintf(out, "     .   : milestone, %s%.0f,\n", crit ? "crit, " : "", mean);
}

/* whole-program times as a chart; one section a program, a section named baseline is never red. */
static void gantt(const report *r, FILE *out)
{
    bool open = false;
    for (size_t i = 0; i < r->count; i++) {
        const comparison *c = &r->items[i];
        if (!c->welch)
            continue;
        if (!open)
            fputs("\n## Execution time\n\n```mermaid\ngantt\n    title Execution time (ms)\n    dateFormat x\n"
                  "    axisFormat %Q\n    todayMarker off\n", out);
        open = true;
        bool baseline = strcasecmp(c->base->params, "baseline") == 0;
        fprintf(out, "    section %s%s%s\n", c->base->method, c->base->params[0] ? " " : "", c->base->params);
        gantt_bar(r->diff_name, c->diff, c->speed == VERDICT_SLOWER && !baseline, out);
        gantt_bar(r->base_name, c->base, false, out);
    }
    if (open)
        fputs("```\n", out);
}

static void summary(const report *r, FILE *out)
{
    fprintf(out, "# Benchmarks report\n\nBenchmarks for `%s` compared to `%s`:\n\n", r->diff_name, r->base_name);
    if (r->faster == 0 && r->slower == 0)
        fputs("* All benchmarks have the same speed ✔️\n", out);
    if (r->faster > 0)
        fprintf(out, "* %zu benchmark%s **faster**, with geometric mean %.3f 🎉\n", r->faster,
                r->faster == 1 ? " is" : "s are", r->faster_mean);
    if (r->slower > 0)
        fprintf(out, "* %zu benchmark%s **slower**, with geometric mean %.3f ⚠️\n", r->slower,
                r->slower == 1 ? " is" : "s are", r->slower_mean);
    if (r->fewer == 0 && r->more == 0)
        fputs("* All benchmarks have the same allocations ✔️\n", out);
    if (r->fewer > 0)
        fprintf(out, "* %zu benchmark%s **fewer** allocations 🎉\n", r->fewer, r->fewer == 1 ? " has" : "s have");
    if (r->more > 0)
        fprintf(out, "* %zu benchmark%s **more** allocations ⚠️\n", r->more, r->more == 1 ? " has" : "s have");
    const judge_options *o = &r->options;
    double relative = o->relative >= 0 ? o->relative : 0.10, absolute = o->absolute_ns >= 0 ? o->absolute_ns : 0.3;
    fprintf(out, "\nSpeeds are compared by two one-sided Mann-Whitney tests (programs: Welch's) at significance %g %% with "
                 "thresholds of %g %% and %g ns (programs: 5 %% and 5 ms unless set). Allocation changes below %g %% are "
                 "ignored.\n",
            100 * o->significance, 100 * relative, absolute, 100 * o->allocation);
}

void report_markdown(const report *r, FILE *out)
{
    summary(r, out);
    const comparison **rows = calloc(r->count + 1, sizeof *rows);
    for (size_t i = 0; rows != NULL && i < r->count; i++)
        rows[i] = &r->items[i];
    for (size_t from = 0, to; rows != NULL && from < r->count; from = to) {
        for (to = from + 1; to < r->count && strcmp(rows[to]->base->class, rows[from]->base->class) == 0;)
            to++;
        class_view v = {rows + from, to - from};
        verdict speed = class_speed(&v);
        alloc_verdict allocation = class_allocation(&v);
        fprintf(out, "\n<details>\n  <summary><b>%s</b> - %s %s %s %s</summary>\n",
                rows[from]->base->class[0] ? rows[from]->base->class : "Benchmarks", verdict_name(speed),
                speed_sign(speed), alloc_name(allocation), alloc_sign(allocation));
        speed_table(&v, VERDICT_SLOWER, out);
        speed_table(&v, VERDICT_FASTER, out);
        allocation_table(&v, ALLOC_MORE, r->seed_order, out);
        allocation_table(&v, ALLOC_FEWER, r->seed_order, out);
        raw_table(r, &v, out);
        fputs("\n</details>\n", out);
    }
    gantt(r, out);
    if (r->only_base_count + r->only_diff_count > 0)
        fputs("\nNot compared, because only one side has them:\n", out);
    for (size_t i = 0; i < r->only_base_count; i++)
        fprintf(out, "* %s.%s (%s)\n", r->only_base[i]->class, r->only_base[i]->method, r->base_name);
    for (size_t i = 0; i < r->only_diff_count; i++)
        fprintf(out, "* %s.%s (%s)\n", r->only_diff[i]->class, r->only_diff[i]->method, r->diff_name);
    free(rows);
}
