/* The table for a terminal. */
#include "cli/ab/ab.h"

#include <math.h>

static const char *paint(verdict v, bool color)
{
    if (!color)
        return "";
    return v == VERDICT_SLOWER ? "\x1b[31m" : v == VERDICT_FASTER ? "\x1b[32m" : v == VERDICT_UNKNOWN ? "\x1b[33m" : "";
}

static void one_row(const comparison *c, bool color, FILE *out)
{
    char name[256], a[32], b[32], ratio[32] = "", interval[64] = "";
    short_params(c->base, name, sizeof name);
    if (c->base->toolchain[0] != '\0') {
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, " %s", c->base->toolchain);
    }
    if (c->speed == VERDICT_FASTER || c->speed == VERDICT_SLOWER)
        snprintf(ratio, sizeof ratio, "%.3fx", c->ratio);
    if (!isnan(c->low))
        snprintf(interval, sizeof interval, "%+.1f%% [%+.1f, %+.1f]", 100 * c->change, 100 * c->low, 100 * c->high);
    fprintf(out, "  %s%-8s%s %-8s %-44.80s %10s %10s  %-26s", paint(c->speed, color), verdict_name(c->speed),
            color ? "\x1b[0m" : "", ratio, name, format_time(c->base->median, a), format_time(c->diff->median, b),
            interval);
    double before = series_bytes(c->base), after = series_bytes(c->diff);
    if (c->allocation == ALLOC_MORE || c->allocation == ALLOC_FEWER)
        fprintf(out, " %s allocations: %s -> %s", alloc_name(c->allocation), format_bytes(before, a),
                format_bytes(after, b));
    const char *modality = c->base->modality[0] ? c->base->modality : c->diff->modality;
    if (modality[0] != '\0')
        fprintf(out, " %s", modality);
    if (c->base->outliers + c->diff->outliers > 0)
        fprintf(out, " outliers %zu/%zu", c->base->outliers, c->diff->outliers);
    fputc('\n', out);
}

static void only(const series *const *items, size_t count, const char *where, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  only in %s: %s %s %s\n", where, items[i]->class, items[i]->method, items[i]->params);
}

void report_text(const report *r, bool color, FILE *out)
{
    fprintf(out, "base %s, candidate %s\n\n", r->base_name, r->diff_name);
    fprintf(out, "  %-8s %-8s %-44s %10s %10s  %s\n", "verdict", "ratio", "benchmark", "base", "candidate",
            "change of mean [95 %]");
    const char *class = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (class == NULL || strcmp(class, r->items[i].base->class) != 0) {
            class = r->items[i].base->class;
            if (class[0] != '\0')
                fprintf(out, " %s\n", class);
        }
        one_row(&r->items[i], color, out);
    }
    only(r->only_base, r->only_base_count, r->base_name, out);
    only(r->only_diff, r->only_diff_count, r->diff_name, out);
    fprintf(out, "\n%zu compared: %zu faster", r->count, r->faster);
    if (r->faster > 0)
        fprintf(out, " (geometric mean %.3f)", r->faster_mean);
    fprintf(out, ", %zu slower", r->slower);
    if (r->slower > 0)
        fprintf(out, " (geometric mean %.3f)", r->slower_mean);
    fprintf(out, ", %zu same, %zu unknown; %zu with fewer, %zu with more allocations\n", r->same, r->unknown, r->fewer,
            r->more);
    if (r->rejected > 0)
        fprintf(out, "%zu measurements were not usable and left out\n", r->rejected);
}
