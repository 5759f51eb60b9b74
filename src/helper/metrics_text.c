/* Prometheus text, format 0.0.4. */
#include "helper/metrics.h"

#include <stddef.h>
#include <stdio.h>

#define FIELD(field) offsetof(loop_counters, field)

static const struct {
    const char *name, *help, *labels; /* help NULL: as the one before */
    size_t offset;
    bool gauge;
} plain[] = {
    {"hotgate_requests_total", "HTTP requests judged", "", FIELD(requests), false},
    {"hotgate_matches_total", "HTTP requests that a rule matched", "", FIELD(matches), false},
    {"hotgate_blocks_total", "HTTP requests with a blocking verdict", "", FIELD(blocks), false},
    {"hotgate_timeouts_total", "HTTP requests whose time budget ran out", "", FIELD(timeouts), false},
    {"hotgate_truncations_total", "HTTP requests that the client had to cut", "", FIELD(truncations), false},
    {"hotgate_rate_limited_total", "traces not kept because of the rate limit", "", FIELD(rate_limited), false},
    {"hotgate_waf_errors_total", "evaluations that failed", "", FIELD(errors), false},
    {"hotgate_protocol_errors_total", "messages that were answered with an error", "", FIELD(protocol_errors), false},
    {"hotgate_bytes_total", "bytes read and written", "{dir=\"in\"}", FIELD(bytes_in), false},
    {"hotgate_bytes_total", NULL, "{dir=\"out\"}", FIELD(bytes_out), false},
    {"hotgate_connections_accepted_total", "connections accepted", "", FIELD(connections_total), false},
    {"hotgate_connections_refused_total", "connections refused: wrong user, or too many", "", FIELD(refused), false},
    {"hotgate_events_lost_total", "events that the log could not take", "", FIELD(events_lost), false},
    {"hotgate_connections", "connections now", "", FIELD(connections), true},
};

uint64_t metrics_sum(const server *s, size_t offset)
{
    uint64_t total = 0;
    for (size_t i = 0; i < server_loops(s); i++) {
        const char *base = (const char *)server_loop_counters(s, i);
        total += atomic_load_explicit((const atomic_uint_fast64_t *)(const void *)(base + offset), memory_order_relaxed);
    }
    return total;
}

static void describe(const char *name, const char *help, const char *type, hg_buffer *out)
{
    hg_buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_value(uint64_t value, hg_buffer *out)
{
    hg_buffer_printf(out, " %llu\n", (unsigned long long)value);
}

static void put_plain(const server *s, hg_buffer *out)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (plain[i].help != NULL)
            describe(plain[i].name, plain[i].help, plain[i].gauge ? "gauge" : "counter", out);
        hg_buffer_printf(out, "%s%s", plain[i].name, plain[i].labels);
        put_value(metrics_sum(s, plain[i].offset) + (plain[i].offset == FIELD(events_lost) ? server_events_lost(s) : 0), out);
    }
    describe("hotgate_limit_hits_total", "times that a limit was reached", "counter", out);
    for (size_t i = 0; i < LIMIT_KINDS; i++) {
        hg_buffer_printf(out, "hotgate_limit_hits_total{limit=\"%s\"}", limit_names[i]);
        put_value(metrics_sum(s, FIELD(limits) + i * sizeof(atomic_uint_fast64_t)), out);
    }
}

/* Buckets of a histogram in a unit (nanoseconds of one); labels end with a comma or are empty. */
static void put_histogram(const server *s, const char *name, const char *labels, size_t at, double unit, hg_buffer *out)
{
    uint64_t below = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        below += metrics_sum(s, at + offsetof(time_histogram, buckets) + i * sizeof(atomic_uint_fast64_t));
        if (i < BUCKETS - 1)
            hg_buffer_printf(out, "%s_bucket{%sle=\"%.9g\"}", name, labels, 8000.0 * (double)(1u << i) / unit);
        else
            hg_buffer_printf(out, "%s_bucket{%sle=\"+Inf\"}", name, labels);
        put_value(below, out);
    }
    size_t size = strlen(labels);
    const char *open = size > 0 ? "{" : "", *close = size > 0 ? "}" : "";
    hg_buffer_printf(out, "%s_sum%s%.*s%s %.9g\n", name, open, (int)(size ? size - 1 : 0), labels, close,
                     (double)metrics_sum(s, at + offsetof(time_histogram, sum_ns)) / unit);
    hg_buffer_printf(out, "%s_count%s%.*s%s", name, open, (int)(size ? size - 1 : 0), labels, close);
    put_value(below, out);
}

/* ---- By rule ---- */

/* Value `value` of a label in all loops together. */
static uint64_t label_sum(const server *s, size_t table, hg_slice text, size_t value)
{
    uint64_t total = 0;
    for (size_t i = 0; i < server_loops(s); i++) {
        const label_table *t = (const label_table *)(const void *)((const char *)server_loop_counters(s, i) + table);
        size_t count = atomic_load_explicit(&t->count, memory_order_acquire);
        for (size_t k = 0; k < count; k++)
            if (hg_slice_equal(hg_slice_of(t->entries[k].text, t->entries[k].size), text))
                total += atomic_load_explicit(&t->entries[k].values[value], memory_order_relaxed);
    }
    return total;
}

/* Whether an earlier loop has this label, so that it is written once. */
static bool is_known_before(const server *s, size_t table, size_t loop, hg_slice text)
{
    for (size_t i = 0; i < loop; i++) {
        const label_table *t = (const label_table *)(const void *)((const char *)server_loop_counters(s, i) + table);
        size_t count = atomic_load_explicit(&t->count, memory_order_acquire);
        for (size_t k = 0; k < count; k++)
            if (hg_slice_equal(hg_slice_of(t->entries[k].text, t->entries[k].size), text))
                return true;
    }
    return false;
}

typedef void label_visit(void *state, hg_slice text);

static void each_label(const server *s, size_t table, label_visit *visit, void *state)
{
    for (size_t i = 0; i < server_loops(s); i++) {
        const label_table *t = (const label_table *)(const void *)((const char *)server_loop_counters(s, i) + table);
        size_t count = atomic_load_explicit(&t->count, memory_order_acquire);
        for (size_t k = 0; k < count; k++) {
            hg_slice text = hg_slice_of(t->entries[k].text, t->entries[k].size);
            if (!is_known_before(s, table, i, text))
                visit(state, text);
        }
    }
}

typedef struct writing {
    const server *server;
    telemetry *telemetry;
    hg_buffer *out;
    const char *name;
    size_t value;
    const char *more; /* labels after those of the text */
} writing;

static void put_rule(void *state, hg_slice id)
{
    const writing *w = state;
    uint64_t count = label_sum(w->server, FIELD(rules), id, 0);
    if (id.len == 0 && count == 0)
        return; /* all rules have an entry of their own */
    hg_buffer_append(w->out, HG_SLICE("hotgate_rule_matches_total{rule="));
    telemetry_quote(id.len ? id : HG_SLICE("(others)"), w->out);
    hg_buffer_byte(w->out, '}');
    put_value(count, w->out);
}

/* ---- The telemetry of the protocol ---- */

static void put_common(const writing *w, unsigned version)
{
    hg_buffer_append(w->out, HG_SLICE("waf_version=\"" WAF_VERSION "\",event_rules_version="));
    telemetry_put_version(w->telemetry, version, w->out);
}

static uint64_t version_sum(const server *s, unsigned version, size_t offset)
{
    return metrics_sum(s, FIELD(versions) + version * sizeof(version_counters) + offset);
}

static const char *yes(unsigned bits, unsigned bit)
{
    return bits & bit ? "true" : "false";
}

static void put_outcomes(const writing *w)
{
    describe("waf_requests", "HTTP requests by what came of them", "counter", w->out);
    for (unsigned v = 0; v < VERSIONS_MAX; v++)
        for (unsigned o = 0; o < OUTCOMES; o++) {
            uint64_t count = version_sum(w->server, v, offsetof(version_counters, outcomes) + o * sizeof(uint64_t));
            if (count == 0)
                continue;
            hg_buffer_printf(w->out, "waf_requests{rule_triggered=\"%s\",request_blocked=\"%s\",waf_error=\"%s\","
                                     "waf_timeout=\"%s\",input_truncated=\"%s\",rate_limited=\"%s\",",
                             yes(o, OUTCOME_TRIGGERED), yes(o, OUTCOME_BLOCKED), yes(o, OUTCOME_ERROR),
                             yes(o, OUTCOME_TIMEOUT), yes(o, OUTCOME_TRUNCATED), yes(o, OUTCOME_LIMITED));
            put_common(w, v);
            hg_buffer_byte(w->out, '}');
            put_value(count, w->out);
        }
    describe("waf_error", "HTTP requests with an evaluation that failed", "counter", w->out);
    for (unsigned v = 0; v < VERSIONS_MAX; v++)
        for (unsigned e = 0; e < ERROR_KINDS; e++) {
            uint64_t count = version_sum(w->server, v, offsetof(version_counters, errors) + e * sizeof(uint64_t));
            if (count == 0)
                continue;
            hg_buffer_printf(w->out, "waf_error{waf_error=\"%s\",", error_codes[e]);
            put_common(w, v);
            hg_buffer_byte(w->out, '}');
            put_value(count, w->out);
        }
}

static void put_durations(const writing *w, const char *name, const char *help, size_t offset)
{
    describe(name, help, "histogram", w->out);
    for (unsigned v = 0; v < VERSIONS_MAX; v++) {
        uint64_t sum = version_sum(w->server, v, offset + offsetof(time_histogram, sum_ns));
        if (sum == 0)
            continue;
        hg_buffer labels = {0};
        writing to = *w;
        to.out = &labels;
        put_common(&to, v);
        hg_buffer_append(&labels, hg_slice_of(",", 2)); /* with its NUL */
        if (!labels.failed)
            put_histogram(w->server, name, labels.ptr, FIELD(versions) + v * sizeof(version_counters) + offset, 1000, w->out);
        hg_buffer_free(&labels);
    }
}

static void put_rasp_label(void *state, hg_slice text)
{
    const writing *w = state;
    uint64_t count = label_sum(w->server, FIELD(rasp), text, w->value);
    if (count == 0 && (text.len == 0 || w->value != RASP_TIMEOUT)) /* timeouts are told even when there are none */
        return;
    const char *end = text.len > 1 ? memchr(text.ptr + 1, '\0', text.len - 1) : NULL;
    hg_slice type = end ? hg_slice_of(text.ptr + 1, (size_t)(end - text.ptr - 1)) : HG_SLICE("(others)");
    hg_slice variant = end ? hg_slice_of(end + 1, (size_t)(text.ptr + text.len - end - 1)) : HG_SLICE("");
    hg_buffer_printf(w->out, "%s{rule_type=", w->name);
    telemetry_quote(type, w->out);
    if (variant.len > 0) {
        hg_buffer_append(w->out, HG_SLICE(",rule_variant="));
        telemetry_quote(variant, w->out);
    }
    hg_buffer_printf(w->out, ",%s", w->more);
    put_common(w, text.len ? (unsigned char)text.ptr[0] : VERSIONS_MAX - 1);
    hg_buffer_byte(w->out, '}');
    put_value(count, w->out);
}

static void put_rasp(const writing *with, const char *name, size_t value, const char *more)
{
    writing w = *with;
    w.name = name;
    w.value = value;
    w.more = more;
    each_label(w.server, FIELD(rasp), put_rasp_label, &w);
}

static void put_rasp_all(const writing *w)
{
    describe("rasp_rule_eval", "evaluations for a kind of call", "counter", w->out);
    put_rasp(w, "rasp_rule_eval", RASP_EVAL, "");
    describe("rasp_rule_match", "of these, matches", "counter", w->out);
    put_rasp(w, "rasp_rule_match", RASP_IRRELEVANT, "block=\"irrelevant\",");
    put_rasp(w, "rasp_rule_match", RASP_BLOCKED, "block=\"success\",");
    describe("rasp_timeout", "of these, out of time", "counter", w->out);
    put_rasp(w, "rasp_timeout", RASP_TIMEOUT, "");
    describe("rasp_error", "HTTP requests with such an evaluation that failed", "counter", w->out);
    for (unsigned i = 0; i < ERROR_KINDS; i++) {
        char more[32];
        snprintf(more, sizeof more, "waf_error=\"%s\",", error_codes[i]);
        put_rasp(w, "rasp_error", RASP_ERRORS + i, more);
    }
}

static void put_series(const writing *w, const char *name, const char *help)
{
    size_t size = strlen(name);
    describe(name, help, "counter", w->out);
    pthread_mutex_lock(&w->telemetry->lock);
    for (const struct series_count *c = w->telemetry->counts; c != NULL; c = c->next)
        if (strncmp(c->series, name, size) == 0 && c->series[size] == '{') {
            hg_buffer_append(w->out, hg_slice_from(c->series));
            put_value(c->value, w->out);
        }
    pthread_mutex_unlock(&w->telemetry->lock);
}

static void put_workers(void *state, const service *s)
{
    hg_buffer *out = state;
    if (s->connections == 0)
        return;
    hg_buffer_append(out, HG_SLICE("helper_service_worker_count{service="));
    telemetry_quote(s->settings.service, out);
    hg_buffer_append(out, HG_SLICE(",env="));
    telemetry_quote(s->settings.env, out);
    hg_buffer_printf(out, ",number=\"%u\"}", s->number);
    put_value(s->connections, out);
}

void metrics_text(const server *s, manager *m, hg_buffer *out)
{
    writing w = {.server = s, .telemetry = manager_telemetry(m), .out = out};
    manager_counts c = manager_count(m);
    put_plain(s, out);
    describe("hotgate_reloads_total", "rebuilds of rules while serving", "counter", out);
    hg_buffer_printf(out, "hotgate_reloads_total{result=\"ok\"} %llu\nhotgate_reloads_total{result=\"failed\"} %llu\n",
                     (unsigned long long)c.reloads_ok, (unsigned long long)c.reloads_failed);
    describe("hotgate_services", "services known now", "gauge", out);
    hg_buffer_printf(out, "hotgate_services %zu\n", c.services);
    describe("hotgate_rule_matches_total", "matches of a rule", "counter", out);
    each_label(s, FIELD(rules), put_rule, &w);
    describe("hotgate_evaluation_seconds", "time of one evaluation", "histogram", out);
    put_histogram(s, "hotgate_evaluation_seconds", "", FIELD(evaluations), 1e9, out);
    put_outcomes(&w);
    put_durations(&w, "waf_duration", "microseconds of a request's evaluations", offsetof(version_counters, waf));
    put_durations(&w, "rasp_duration", "microseconds of a request's evaluations for calls", offsetof(version_counters, rasp));
    put_rasp_all(&w);
    put_series(&w, "waf_init", "rules built for the first time");
    put_series(&w, "waf_updates", "rules built anew");
    put_series(&w, "waf_config_errors", "what is wrong with configurations");
    describe("helper_service_worker_count", "connections of a service", "gauge", out);
    manager_each(m, put_workers, out);
}
