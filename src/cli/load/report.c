#include "cli/load/load.h"

#include "hotgate/value.h"

#include <stdio.h>

static const struct {
    const char *name;
    double share;
} shown[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};

enum { SHOWN = sizeof shown / sizeof *shown };

static double us(uint64_t ns)
{
    return (double)ns / 1000;
}

static double mean_us(const histogram *h)
{
    return h->count > 0 ? us(h->sum) / (double)h->count : 0;
}

static double each(uint64_t amount, const load_result *r)
{
    return r->counts.requests > 0 ? (double)amount / (double)r->counts.requests : 0;
}

static double rate(const load_result *r)
{
    return r->seconds > 0 ? (double)r->counts.requests / r->seconds : 0;
}

static bool measured(const load_result *r)
{
    return r->before.known && r->after.known;
}

void load_report_table(const load_options *o, const char *kind, const load_result *r, bool head)
{
    if (head) {
        printf("%-10s %6s %10s %9s", "case", "conns", "requests/s", "mean us");
        for (size_t i = 0; i < SHOWN; i++)
            printf(" %9s", shown[i].name);
        printf(" %9s %10s %10s %6s %6s\n", "max", "cpu us/req", "switch/req", "wrong", "lost");
    }
    char name[32];
    snprintf(name, sizeof name, o->rate > 0 && kind[0] == 'f' ? "%s %.0f" : "%s", kind, o->rate);
    printf("%-10s %6zu %10.0f %9.1f", name, r->connections, rate(r), mean_us(&r->latency));
    for (size_t i = 0; i < SHOWN; i++)
        printf(" %9.1f", us(histogram_at(&r->latency, shown[i].share)));
    printf(" %9.1f", us(r->latency.max));
    if (measured(r))
        printf(" %10.2f %10.4f", each(r->after.cpu_ns - r->before.cpu_ns, r) / 1000,
               each(r->after.voluntary + r->after.involuntary - r->before.voluntary - r->before.involuntary, r));
    else
        printf(" %10s %10s", "-", "-");
    printf(" %6llu %6llu\n", (unsigned long long)r->counts.wrong, (unsigned long long)r->counts.lost);
    fflush(stdout);
}

static void put_count(hg_buffer *out, const char *name, uint64_t value)
{
    hg_buffer_printf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_target(const load_result *r, pid_t pid, hg_buffer *out)
{
    hg_buffer_printf(out, ",\"daemon\":{\"pid\":%ld", (long)pid);
    if (measured(r)) {
        uint64_t voluntary = r->after.voluntary - r->before.voluntary, involuntary = r->after.involuntary - r->before.involuntary;
        hg_buffer_printf(out, ",\"cpu_us_per_request\":%.3f,\"switches_per_request\":%.5f",
                         each(r->after.cpu_ns - r->before.cpu_ns, r) / 1000, each(voluntary + involuntary, r));
        put_count(out, "cpu_ns", r->after.cpu_ns - r->before.cpu_ns);
        put_count(out, "voluntary_switches", voluntary);
        put_count(out, "involuntary_switches", involuntary);
    }
    put_count(out, "rss_kib", r->after.rss_kib);
    put_count(out, "descriptors", r->after.descriptors);
    hg_buffer_byte(out, '}');
}

void load_report_json(const load_options *o, const char *kind, const load_result *r, hg_buffer *out)
{
    hg_buffer_printf(out, "{\"case\":\"%s\",\"connections\":%zu,\"rate\":%.0f,\"seconds\":%.3f,\"attack_percent\":%u,\"calls\":%u,"
                     "\"trouble_percent\":%u,\"seed\":%llu", kind, r->connections, o->rate, r->seconds, o->attack, o->calls,
                     o->trouble, (unsigned long long)o->seed);
    put_count(out, "requests", r->counts.requests);
    hg_buffer_printf(out, ",\"requests_per_second\":%.1f,\"latency_us\":{\"mean\":%.1f", rate(r), mean_us(&r->latency));
    for (size_t i = 0; i < SHOWN; i++)
        hg_buffer_printf(out, ",\"%s\":%.1f", shown[i].name, us(histogram_at(&r->latency, shown[i].share)));
    hg_buffer_printf(out, ",\"max\":%.1f}", us(r->latency.max));
    put_count(out, "replies", r->counts.replies);
    put_count(out, "wrong", r->counts.wrong);
    put_count(out, "lost", r->counts.lost);
    put_count(out, "refused", r->counts.refused);
    put_count(out, "troubled", r->counts.troubled);
    put_count(out, "reconnects", r->counts.reconnects);
    put_count(out, "reloads", r->reloads);
    if (o->pid > 0)
        put_target(r, o->pid, out);
    hg_buffer_append(out, HG_SLICE("}\n"));
}
