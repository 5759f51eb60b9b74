#include "cli/scan/report.h"

#include "cli/scan/tally.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
    HITS_MAX = 3000,      /* hits that can be looked at in the page */
    TEXT_MAX = 2048,      /* bytes kept of a request and of a value */
    SAMPLE_MAX = 200,     /* requests on which rules are measured */
    SAMPLE_EVERY = 50,    /* one request in so many goes into the sample once it is half full */
    BUCKETS = 60,
    ROWS = 12,
    TIMES_MAX = 1 << 20,  /* hits whose time is kept */
};

static const uint64_t time_budget = 1000000; /* microseconds a request */

struct scan_report {
    hg_buffer hits; /* JSON objects parted by commas */
    size_t hit_count;
    tally by_rule, by_category, by_client, by_path;
    int64_t *times;
    size_t time_count, time_room;
    hg_value sample[SAMPLE_MAX];
    size_t sample_count;
    uint64_t seen;
};

scan_report *scan_report_new(void)
{
    return calloc(1, sizeof(scan_report));
}

void scan_report_free(scan_report *report)
{
    if (report == NULL)
        return;
    hg_buffer_free(&report->hits);
    tally_free(&report->by_rule);
    tally_free(&report->by_category);
    tally_free(&report->by_client);
    tally_free(&report->by_path);
    for (size_t i = 0; i < report->sample_count; i++)
        hg_value_free(&report->sample[i], hg_heap());
    free(report->times);
    free(report);
}

static void keep_time(scan_report *report, int64_t time)
{
    if (time < 0 || report->time_count == TIMES_MAX)
        return;
    if (report->time_count == report->time_room) {
        size_t room = report->time_room > 0 ? report->time_room * 2 : 256;
        int64_t *times = realloc(report->times, room * sizeof *times);
        if (times == NULL)
            return;
        report->times = times;
        report->time_room = room;
    }
    report->times[report->time_count++] = time;
}

/* A JSON string that is safe inside a script element. */
static void string(hg_buffer *out, hg_slice s)
{
    hg_buffer text = {0};
    hg_json_write_string(s, HG_JSON_ASCII, &text);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '<')
            hg_buffer_append(out, HG_SLICE("\\u003c"));
        else
            hg_buffer_byte(out, text.ptr[i]);
    }
    hg_buffer_free(&text);
}

static void member(hg_buffer *out, const char *name, hg_slice s)
{
    hg_buffer_printf(out, ",\"%s\":", name);
    string(out, hg_slice_take(s, TEXT_MAX));
}

/* About TEXT_MAX bytes of the value around its highlight. */
static hg_slice around(hg_slice value, hg_slice mark)
{
    const char *found = value.len > TEXT_MAX && mark.len > 0 ? memmem(value.ptr, value.len, mark.ptr, mark.len) : NULL;
    size_t at = found != NULL ? (size_t)(found - value.ptr) : 0;
    return hg_slice_take(hg_slice_skip(value, at > TEXT_MAX / 2 ? at - TEXT_MAX / 2 : 0), TEXT_MAX);
}

static void keep_hit(scan_report *report, const cli_input *input, const cli_entry *entry, const cli_event *event)
{
    hg_buffer *out = &report->hits, place = {0};
    cli_match match = cli_event_best(event);
    cli_match_place(&match, &place);
    hg_buffer_append(out, report->hit_count++ > 0 ? HG_SLICE(",{\"where\":") : HG_SLICE("{\"where\":"));
    hg_buffer where = {0};
    hg_buffer_printf(&where, "%s:%" PRIu64, input->path, entry->index);
    string(out, hg_slice_of(where.ptr, where.len));
    hg_buffer_free(&where);
    member(out, "rule", event->id);
    member(out, "name", event->name);
    member(out, "client", entry->request.client_ip);
    member(out, "time", entry->time);
    member(out, "place", hg_slice_of(place.ptr, place.len));
    member(out, "value", around(match.value, match.highlight));
    member(out, "mark", match.highlight);
    member(out, "text", around(entry->text, match.highlight));
    hg_buffer_byte(out, '}');
    hg_buffer_free(&place);
}

static hg_slice path_of(hg_slice uri)
{
    size_t n = 0;
    while (n < uri.len && uri.ptr[n] != '?' && uri.ptr[n] != '#')
        n++;
    return hg_slice_take(uri, n);
}

void scan_report_add(scan_report *report, const cli_input *input, const cli_entry *entry, const hg_result *result)
{
    report->seen++;
    bool wanted = report->sample_count < SAMPLE_MAX / 2 || report->seen % SAMPLE_EVERY == 0;
    if (wanted && report->sample_count < SAMPLE_MAX &&
        hg_value_clone(&entry->data, &report->sample[report->sample_count], hg_heap()) == HG_OK)
        report->sample_count++;
    for (size_t i = 0; i < result->events; i++) {
        cli_event event = cli_event_at(&result->value, i);
        tally_add(&report->by_rule, event.id);
        tally_add(&report->by_category, event.category.len > 0 ? event.category : event.type);
        tally_add(&report->by_client, entry->request.client_ip.len > 0 ? entry->request.client_ip : HG_SLICE("(unknown)"));
        tally_add(&report->by_path, path_of(entry->request.uri));
        keep_time(report, scan_time(entry->time));
        if (report->hit_count < HITS_MAX)
            keep_hit(report, input, entry, &event);
    }
}

static void rows(hg_buffer *out, const char *name, tally *counts)
{
    const tally_entry *top[ROWS];
    size_t n = tally_top(counts, top, ROWS);
    hg_buffer_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        hg_buffer_append(out, i > 0 ? HG_SLICE(",[") : HG_SLICE("["));
        string(out, hg_slice_from(top[i]->name));
        hg_buffer_printf(out, ",%" PRIu64 "]", top[i]->count);
    }
    hg_buffer_byte(out, ']');
}

static void date(hg_buffer *out, int64_t seconds)
{
    char text[32];
    time_t t = (time_t)seconds;
    struct tm tm;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", gmtime_r(&t, &tm));
    string(out, hg_slice_from(text));
}

static void time_line(hg_buffer *out, const scan_report *report)
{
    uint64_t counts[BUCKETS] = {0};
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (size_t i = 0; i < report->time_count; i++) {
        from = report->times[i] < from ? report->times[i] : from;
        to = report->times[i] > to ? report->times[i] : to;
    }
    for (size_t i = 0; i < report->time_count; i++)
        counts[(report->times[i] - from) * BUCKETS / (to - from + 1)]++;
    hg_buffer_append(out, HG_SLICE(",\"time\":{\"from\":"));
    if (report->time_count > 0) {
        date(out, from);
        hg_buffer_append(out, HG_SLICE(",\"to\":"));
        date(out, to);
    } else {
        hg_buffer_append(out, HG_SLICE("\"the input has no times\",\"to\":\"\""));
    }
    hg_buffer_append(out, HG_SLICE(",\"counts\":["));
    for (size_t i = 0; i < BUCKETS; i++)
        hg_buffer_printf(out, "%s%" PRIu64, i > 0 ? "," : "", counts[i]);
    hg_buffer_append(out, HG_SLICE("]}"));
}

/* ---- Costs of the rules ---- */

typedef struct rule_cost {
    char id[64];
    double microseconds; /* per request */
} rule_cost;

typedef struct costs {
    const scan_report *report;
    const scan_report_end *end;
    rule_cost top[ROWS];
    size_t count;
} costs;

static double cost_of(const scan_report *report, hg_waf *waf)
{
    double best = 0;
    for (int round = 0; round < 3; round++) { /* the first one warms the tables up */
        uint64_t total = 0;
        for (size_t i = 0; i < report->sample_count; i++) {
            const hg_result *result;
            hg_context *context = hg_context_new(waf);
            if (context != NULL && hg_context_eval(context, &report->sample[i], time_budget, &result) == HG_OK)
                total += result->duration;
            hg_context_free(context);
        }
        double mean = (double)total / 1e3 / (double)report->sample_count;
        best = round == 0 || mean < best ? mean : best;
    }
    return best;
}

static void measure_rule(void *state, const hg_value *rule)
{
    costs *c = state;
    hg_slice id = cli_text_at(rule, "id");
    cli_rules one;
    if (id.len == 0 || cli_rules_load_only(c->end->rule_files, c->end->rule_count, id, &one) != HG_OK)
        return;
    rule_cost cost = {.microseconds = cost_of(c->report, one.waf)};
    hg_waf_unref(one.waf);
    size_t n = id.len < sizeof cost.id - 1 ? id.len : sizeof cost.id - 1;
    memcpy(cost.id, id.ptr, n);
    size_t at = c->count < ROWS ? c->count++ : ROWS - 1;
    if (at == ROWS - 1 && c->count == ROWS && c->top[at].microseconds > cost.microseconds && c->top[at].id[0] != '\0')
        return;
    while (at > 0 && c->top[at - 1].microseconds < cost.microseconds) {
        c->top[at] = c->top[at - 1];
        at--;
    }
    c->top[at] = cost;
}

static void slowest_rules(hg_buffer *out, const scan_report *report, const scan_report_end *end)
{
    costs c = {.report = report, .end = end};
    if (report->sample_count > 0)
        cli_rules_each(end->rule_files, end->rule_count, measure_rule, &c);
    hg_buffer_append(out, HG_SLICE(",\"slowest\":["));
    for (size_t i = 0; i < c.count; i++) {
        hg_buffer_append(out, i > 0 ? HG_SLICE(",[") : HG_SLICE("["));
        string(out, hg_slice_from(c.top[i].id));
        hg_buffer_printf(out, ",%.3f]", c.top[i].microseconds);
    }
    hg_buffer_printf(out, "],\"sample\":%zu", report->sample_count);
}

/* ---- The page ---- */

static void write_data(hg_buffer *out, scan_report *report, const scan_report_end *end)
{
    const scan_totals *t = end->totals;
    hg_buffer_append(out, HG_SLICE("{\"sources\":["));
    for (size_t i = 0; i < end->path_count; i++) {
        if (i > 0)
            hg_buffer_byte(out, ',');
        string(out, hg_slice_from(end->paths[i]));
    }
    hg_buffer_printf(out, "],\"requests\":%" PRIu64 ",\"matched\":%" PRIu64 ",\"hits_total\":%" PRIu64 ",\"unreadable\":%" PRIu64,
                     t->requests, t->matched, t->hits, t->bad);
    hg_buffer_printf(out, ",\"seconds\":%.3f,\"rules_loaded\":%zu,\"mean_us\":%.3f", end->seconds, end->rules_loaded,
                     t->requests > 0 ? (double)t->judging / 1e3 / (double)t->requests : 0.0);
    rows(out, "by_rule", &report->by_rule);
    rows(out, "by_category", &report->by_category);
    rows(out, "by_client", &report->by_client);
    rows(out, "by_path", &report->by_path);
    time_line(out, report);
    slowest_rules(out, report, end);
    hg_buffer_append(out, HG_SLICE(",\"hits\":["));
    hg_buffer_append(out, hg_slice_of(report->hits.ptr, report->hits.len));
    hg_buffer_append(out, HG_SLICE("]}"));
}

hg_status scan_report_write(scan_report *report, const char *file, const scan_report_end *end)
{
    static const char marker[] = "@DATA@";
    const char *at = strstr(scan_report_page, marker);
    FILE *out = fopen(file, "wb");
    if (out == NULL)
        return HG_ERR_IO;
    hg_buffer data = {0};
    write_data(&data, report, end);
    fwrite(scan_report_page, 1, (size_t)(at - scan_report_page), out);
    fwrite(data.ptr, 1, data.len, out);
    fputs(at + sizeof marker - 1, out);
    bool failed = data.failed || ferror(out) != 0;
    hg_buffer_free(&data);
    return fclose(out) != 0 || failed ? HG_ERR_IO : HG_OK;
}
