/* One self-contained page: a row a benchmark, both distributions drawn over one axis. */
#include "cli/ab/ab.h"

#include <math.h>

enum { WIDTH = 520, HEIGHT = 74, BINS = 64, BASE_LINE = 60 };

static const char head[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Benchmark comparison</title>\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>\n"
    ":root{--ink:#1d2530;--soft:#66707d;--line:#dfe3e8;--paper:#fff;--base:#5a7fb5;--diff:#e08a2e;--good:#23803c;"
    "--bad:#c0341d}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#98a2b0;--line:#343b46;--paper:#171b21;--base:#7ea6e0;"
    "--diff:#f0a04b;--good:#5cc47a;--bad:#f0705a}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1180px;margin:2rem auto;"
    "padding:0 1rem}h1{font-size:1.4rem}h2{font-size:1.05rem;margin:2rem 0 .4rem}\n"
    "table{border-collapse:collapse;width:100%}td,th{padding:.45rem .6rem;border-bottom:1px solid var(--line);"
    "text-align:left;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".faster{color:var(--good);font-weight:600}.slower{color:var(--bad);font-weight:600}.unknown,.soft{color:var(--soft)}\n"
    ".key i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em;border-radius:2px}\n"
    "svg text{fill:var(--soft);font-size:10px}.b{fill:var(--base)}.d{fill:var(--diff)}.b,.d{fill-opacity:.55}\n"
    ".mb{stroke:var(--base)}.md{stroke:var(--diff)}.mb,.md{stroke-width:2}.ax{stroke:var(--line)}\n"
    "</style></head><body>\n";

static void escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

/* Both histograms share the axis, which leaves out the far 1 % so that one slow run does not flatten the rest. */
static void histogram(const series *s, double low, double high, const char *class, FILE *out)
{
    size_t bins[BINS] = {0}, highest = 0;
    for (size_t i = 0; i < s->count; i++) {
        double at = (s->ns[i] - low) / (high - low) * BINS;
        if (at < 0 || at > BINS)
            continue;
        size_t bin = at >= BINS ? BINS - 1 : (size_t)at;
        if (++bins[bin] > highest)
            highest = bins[bin];
    }
    for (int i = 0; i < BINS && highest > 0; i++) {
        double h = (BASE_LINE - 6) * (double)bins[i] / (double)highest;
        if (bins[i] > 0)
            fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class,
                    (double)i * WIDTH / BINS, BASE_LINE - h, (double)WIDTH / BINS - 0.6, h);
    }
}

static void median_line(const series *s, double low, double high, const char *class, FILE *out)
{
    double x = (s->median - low) / (high - low) * WIDTH;
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"2\" y2=\"%d\"/>", class, x, x, BASE_LINE);
}

static void drawing(const comparison *c, FILE *out)
{
    const series *a = c->base, *b = c->diff;
    double low = fmin(a->minimum, b->minimum);
    double high = fmax(sorted_quantile(a->ns, a->count, 0.99), sorted_quantile(b->ns, b->count, 0.99));
    if (!(high > low))
        high = low + fmax(1, low * 0.01);
    char left[32], right[32];
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"distributions\">", WIDTH,
            HEIGHT, WIDTH, HEIGHT);
    histogram(a, low, high, "b", out);
    histogram(b, low, high, "d", out);
    median_line(a, low, high, "mb", out);
    median_line(b, low, high, "md", out);
    fprintf(out, "<line class=\"ax\" x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text x=\"0\" y=\"72\">%s</text>"
                 "<text x=\"%d\" y=\"72\" text-anchor=\"end\">%s</text></svg>",
            WIDTH, BASE_LINE, BASE_LINE, format_time(low, left), WIDTH, format_time(high, right));
}

static void one_row(const comparison *c, FILE *out)
{
    char a[32], b[32];
    fputs("<tr><td>", out);
    escaped(c->base->method, out);
    fputs(c->base->params[0] ? " <span class=\"soft\">" : " <span>", out);
    escaped(c->base->params, out);
    fputs(" ", out);
    escaped(c->base->toolchain, out);
    fprintf(out, "</span><br><span class=\"%s\">%s</span>", verdict_name(c->speed), verdict_name(c->speed));
    if (c->speed == VERDICT_FASTER || c->speed == VERDICT_SLOWER)
        fprintf(out, " <b>%.3f&times;</b>", c->ratio);
    if (!isnan(c->low))
        fprintf(out, "<br><span class=\"soft\">%+.1f %% [%+.1f, %+.1f]</span>", 100 * c->change, 100 * c->low,
                100 * c->high);
    fprintf(out, "</td><td>");
    drawing(c, out);
    fprintf(out, "</td><td class=\"n\">%s<br>%s</td><td class=\"n soft\">n %zu / %zu<br>outliers %zu / %zu<br>%s</td></tr>\n",
            format_time(c->base->median, a), format_time(c->diff->median, b), c->base->count, c->diff->count,
            c->base->outliers, c->diff->outliers, c->base->modality[0] ? c->base->modality : c->diff->modality);
}

void report_html(const report *r, FILE *out)
{
    fputs(head, out);
    fputs("<h1>Benchmark comparison</h1><p class=\"key\"><i style=\"background:var(--base)\"></i>", out);
    escaped(r->base_name, out);
    fputs(" (base) <i style=\"background:var(--diff)\"></i>", out);
    escaped(r->diff_name, out);
    fprintf(out, " (candidate)</p><p>%zu compared: <b>%zu faster</b>", r->count, r->faster);
    if (r->faster > 0)
        fprintf(out, " (geometric mean %.3f)", r->faster_mean);
    fprintf(out, ", <b>%zu slower</b>", r->slower);
    if (r->slower > 0)
        fprintf(out, " (geometric mean %.3f)", r->slower_mean);
    fprintf(out, ", %zu same, %zu unknown; %zu with fewer and %zu with more allocations.</p>\n", r->same, r->unknown,
            r->fewer, r->more);
    const char *class = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const comparison *c = &r->items[i];
        if (class == NULL || strcmp(class, c->base->class) != 0) {
            if (class != NULL)
                fputs("</table>", out);
            class = c->base->class;
            fputs("<h2>", out);
            escaped(class[0] ? class : "Benchmarks", out);
            fputs("</h2><table><tr><th>benchmark</th><th>distribution, lines are medians</th><th>median</th><th></th></tr>\n",
                  out);
        }
        one_row(c, out);
    }
    if (class != NULL)
        fputs("</table>", out);
    fputs("</body></html>\n", out);
}
