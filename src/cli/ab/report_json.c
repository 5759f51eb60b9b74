/* All verdicts for machines. */
#include "cli/ab/ab.h"

#include <math.h>

static void text(hg_buffer *b, const char *name, const char *value)
{
    hg_buffer_printf(b, "\"%s\":", name);
    hg_json_write_string(hg_slice_from(value), 0, b);
    hg_buffer_byte(b, ',');
}

static void number(hg_buffer *b, const char *name, double value)
{
    if (isfinite(value))
        hg_buffer_printf(b, "\"%s\":%.17g,", name, value);
    else
        hg_buffer_printf(b, "\"%s\":null,", name);
}

static void side(hg_buffer *b, const char *name, const series *s)
{
    hg_buffer_printf(b, "\"%s\":{\"count\":%zu,", name, s->count);
    number(b, "mean_ns", s->mean);
    number(b, "median_ns", s->median);
    number(b, "sd_ns", s->sd);
    number(b, "min_ns", s->minimum);
    number(b, "max_ns", s->maximum);
    number(b, "bytes", s->bytes_count ? series_bytes(s) : NAN);
    number(b, "instructions", s->instructions_count ? s->instructions_sum / (double)s->instructions_count : NAN);
    text(b, "modality", s->modality);
    hg_buffer_printf(b, "\"outliers\":%zu},", s->outliers);
}

static void one(hg_buffer *b, const comparison *c)
{
    hg_buffer_byte(b, '{');
    text(b, "suite", c->base->suite);
    text(b, "class", c->base->class);
    text(b, "method", c->base->method);
    text(b, "params", c->base->params);
    text(b, "toolchain", c->base->toolchain);
    text(b, "verdict", verdict_name(c->speed));
    text(b, "allocation", alloc_name(c->allocation));
    text(b, "test", c->welch ? "welch" : "mann-whitney");
    number(b, "ratio", c->ratio);
    number(b, "change", c->change);
    number(b, "change_low", c->low);
    number(b, "change_high", c->high);
    number(b, "p_faster", c->p_faster);
    number(b, "p_slower", c->p_slower);
    number(b, "bytes_change", c->bytes_change);
    side(b, "base", c->base);
    side(b, "diff", c->diff);
    b->len--; /* the last comma */
    hg_buffer_byte(b, '}');
}

static void names(hg_buffer *b, const char *name, const series *const *items, size_t count)
{
    hg_buffer_printf(b, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        char full[600];
        snprintf(full, sizeof full, "%s.%s(%s)%s", items[i]->class, items[i]->method, items[i]->params,
                 items[i]->toolchain);
        if (i > 0)
            hg_buffer_byte(b, ',');
        hg_json_write_string(hg_slice_from(full), 0, b);
    }
    hg_buffer_byte(b, ']');
}

void report_json(const report *r, FILE *out)
{
    hg_buffer b = {0};
    hg_buffer_byte(&b, '{');
    text(&b, "base", r->base_name);
    text(&b, "diff", r->diff_name);
    hg_buffer_printf(&b, "\"faster\":%zu,\"slower\":%zu,\"same\":%zu,\"unknown\":%zu,\"fewer\":%zu,\"more\":%zu,"
                         "\"rejected\":%zu,", r->faster, r->slower, r->same, r->unknown, r->fewer, r->more, r->rejected);
    number(&b, "faster_geometric_mean", r->faster_mean);
    number(&b, "slower_geometric_mean", r->slower_mean);
    hg_buffer_append(&b, HG_SLICE("\"benchmarks\":["));
    for (size_t i = 0; i < r->count; i++) {
        if (i > 0)
            hg_buffer_byte(&b, ',');
        one(&b, &r->items[i]);
    }
    hg_buffer_byte(&b, ']');
    names(&b, "only_base", r->only_base, r->only_base_count);
    names(&b, "only_diff", r->only_diff, r->only_diff_count);
    hg_buffer_append(&b, HG_SLICE("}\n"));
    fwrite(b.ptr, 1, b.len, out);
    hg_buffer_free(&b);
}
