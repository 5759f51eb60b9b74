#include "helper/telemetry.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>

enum { SERIES_MAX = 512 };

const char *const error_codes[ERROR_KINDS] = {"-3", "-2", "-1", "-127"};
const char *const limit_names[LIMIT_KINDS] = {"connections", "frame", "memory", "output", "subcontexts", "line",
                                              "services"};

unsigned error_kind(hg_status status)
{
    return status == HG_ERR_NOMEM ? 0 : status == HG_ERR_SYNTAX ? 1 : status == HG_ERR_ARGUMENT ? 2 : 3;
}

hg_status loop_counters_open(loop_counters *c)
{
    hg_status status = label_table_open(&c->rules, RULE_LABELS);
    return status == HG_OK ? label_table_open(&c->rasp, RASP_LABELS) : status;
}

void loop_counters_close(loop_counters *c)
{
    label_table_close(&c->rules);
    label_table_close(&c->rasp);
}

void count_time(time_histogram *h, uint64_t ns)
{
    unsigned at = 0;
    for (uint64_t limit = 8000; ns > limit && at < BUCKETS - 1; limit *= 2)
        at++;
    count_add(&h->buckets[at], 1);
    count_add(&h->sum_ns, ns);
}

void count_limit(loop_counters *c, limit_kind kind, const char *detail)
{
    count_add(&c->limits[kind], 1);
    uint64_t now = hg_clock_monotonic_ns();
    if (c->said[kind] != 0 && now - c->said[kind] < 1000000000)
        return;
    c->said[kind] = now;
    HG_LOG(HG_LOG_WARN, "limit of %s reached: %s", limit_names[kind], detail);
}

/* ---- Of the process ---- */

void telemetry_open(telemetry *t)
{
    *t = (telemetry){.counts = NULL};
    pthread_mutex_init(&t->lock, NULL);
}

void telemetry_close(telemetry *t)
{
    for (struct series_count *c = t->counts, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    for (unsigned i = 0; i < t->version_count; i++)
        free(t->versions[i]);
    pthread_mutex_destroy(&t->lock);
}

unsigned telemetry_version(telemetry *t, const char *version)
{
    pthread_mutex_lock(&t->lock);
    unsigned i = 0;
    while (i < t->version_count && strcmp(t->versions[i], version) != 0)
        i++;
    if (i == t->version_count && i < VERSIONS_MAX - 1) {
        t->versions[i] = strdup(version);
        if (t->versions[i] != NULL)
            t->version_count++;
        else
            i = VERSIONS_MAX - 1;
    }
    pthread_mutex_unlock(&t->lock);
    return i;
}

void telemetry_quote(hg_slice text, hg_buffer *out)
{
    hg_buffer_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n')
            hg_buffer_append(out, HG_SLICE("\\n"));
        else if (c == '"' || c == '\\')
            hg_buffer_append(out, hg_slice_of((char[]){'\\', (char)c}, 2));
        else
            hg_buffer_byte(out, c >= 0x20 && c < 0x7f ? (char)c : '?'); /* the format wants UTF-8 */
    }
    hg_buffer_byte(out, '"');
}

static void put_version(const char *version, hg_buffer *out)
{
    telemetry_quote(hg_slice_from(version[0] ? version : "unknown"), out);
}

void telemetry_put_version(telemetry *t, unsigned number, hg_buffer *out)
{
    pthread_mutex_lock(&t->lock);
    put_version(number < t->version_count ? t->versions[number] : "other", out);
    pthread_mutex_unlock(&t->lock);
}

static void count_series(telemetry *t, const hg_buffer *series, uint64_t by)
{
    if (series->failed)
        return;
    hg_slice text = hg_slice_of(series->ptr, series->len);
    pthread_mutex_lock(&t->lock);
    struct series_count **at = &t->counts;
    size_t known = 0;
    while (*at != NULL && !hg_slice_equal(hg_slice_from((*at)->series), text)) {
        at = &(*at)->next;
        known++;
    }
    if (*at == NULL && known < SERIES_MAX && (*at = calloc(1, sizeof **at + text.len + 1)) != NULL)
        memcpy((*at)->series, text.ptr, text.len);
    if (*at != NULL)
        (*at)->value += by;
    pthread_mutex_unlock(&t->lock);
}

static void put_common(const char *version, hg_buffer *out)
{
    hg_buffer_append(out, HG_SLICE("waf_version=\"" WAF_VERSION "\",event_rules_version="));
    put_version(version, out);
}

void telemetry_loaded(telemetry *t, bool init, bool success, const char *version)
{
    hg_buffer series = {0};
    hg_buffer_printf(&series, "%s{success=\"%s\",", init ? "waf_init" : "waf_updates", success ? "true" : "false");
    put_common(version, &series);
    hg_buffer_byte(&series, '}');
    count_series(t, &series, 1);
    hg_buffer_free(&series);
}

static void count_errors(telemetry *t, bool init, const char *version, const char *section, const char *scope, uint64_t by)
{
    hg_buffer series = {0};
    hg_buffer_printf(&series, "waf_config_errors{action=\"%s\",config_key=\"%s\",scope=\"%s\",", init ? "init" : "update",
                     section, scope);
    put_common(version, &series);
    hg_buffer_byte(&series, '}');
    count_series(t, &series, by);
    hg_buffer_free(&series);
}

void telemetry_diagnostics(telemetry *t, bool init, const char *version, const hg_value *diagnostics)
{
    static const char *const sections[] = {"actions", "custom_rules", "exclusion_data", "exclusions", "processors",
                                           "rules", "rules_data", "rules_override", "scanners"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const hg_value *section = hg_map_find(diagnostics, hg_slice_from(sections[i]));
        if (section == NULL)
            continue;
        if (hg_map_find(section, HG_SLICE("error")) != NULL)
            count_errors(t, init, version, sections[i], "top-level", 1);
        const hg_value *errors = hg_map_find(section, HG_SLICE("errors"));
        uint64_t ids = 0;
        for (size_t k = 0; errors != NULL && hg_is_map(errors) && k < hg_value_size(errors); k++)
            ids += hg_value_size(&hg_map_pairs(errors)[k].val);
        if (ids > 0)
            count_errors(t, init, version, sections[i], "item", ids);
    }
}
