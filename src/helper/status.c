/* What `hotgate status` and `hotgate top` show. */
#include "helper/metrics.h"

#include "base/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void put_count(const char *name, uint64_t value, hg_buffer *out)
{
    hg_buffer_printf(out, "\"%s\":%llu,", name, (unsigned long long)value);
}

static void put_text(const char *name, hg_slice text, hg_buffer *out)
{
    hg_buffer_printf(out, "\"%s\":", name);
    hg_json_write_string(text, 0, out);
    hg_buffer_byte(out, ',');
}

static const char *state_name(int state)
{
    static const char *const names[] = {[SOURCE_BUILDING] = "building", [SOURCE_SETTLING] = "settling",
                                        [SOURCE_READY] = "ready", [SOURCE_FAILED] = "failed"};
    return names[state];
}

static void put_rules(source *from, hg_buffer *out)
{
    generation *g = source_generation(from);
    put_text("state", hg_slice_from(state_name(atomic_load(&from->state))), out);
    put_text("rules_version", hg_slice_from(g ? g->version : ""), out);
    put_count("rules_loaded", g ? g->loaded : 0, out);
    put_count("rules_failed", g ? g->failed : 0, out);
    generation_unref(g);
}

static void put_service(void *state, const service *s)
{
    hg_buffer *out = state;
    hg_buffer_byte(out, '{');
    put_text("service", s->settings.service, out);
    put_text("env", s->settings.env, out);
    put_text("rules_file", s->settings.from.rules_file, out);
    put_text("remote_path", s->settings.from.remote_path, out);
    put_rules(s->source, out);
    hg_buffer_printf(out, "\"connections\":%zu},", s->connections);
}

/* Removes the comma behind the last element. */
static void end_list(const char *end, hg_buffer *out)
{
    if (out->len > 0 && out->ptr[out->len - 1] == ',')
        out->len--;
    hg_buffer_append(out, hg_slice_from(end));
}

static void put_histogram(const server *s, hg_buffer *out)
{
    hg_buffer_append(out, HG_SLICE("\"evaluation_us\":["));
    for (unsigned i = 0; i < BUCKETS; i++)
        hg_buffer_printf(out, "{\"to\":%u,\"count\":%llu},", i < BUCKETS - 1 ? 8u << i : 0,
                         (unsigned long long)metrics_sum(s, offsetof(loop_counters, evaluations) +
                                                                i * sizeof(atomic_uint_fast64_t)));
    end_list("],", out);
}

void status_json(const server *s, manager *m, hg_buffer *out)
{
    static const struct {
        const char *name;
        size_t offset;
    } counters[] = {
        {"requests", offsetof(loop_counters, requests)},
        {"matches", offsetof(loop_counters, matches)},
        {"blocks", offsetof(loop_counters, blocks)},
        {"timeouts", offsetof(loop_counters, timeouts)},
        {"truncations", offsetof(loop_counters, truncations)},
        {"waf_errors", offsetof(loop_counters, errors)},
        {"protocol_errors", offsetof(loop_counters, protocol_errors)},
        {"connections", offsetof(loop_counters, connections)},
        {"connections_accepted", offsetof(loop_counters, connections_total)},
        {"connections_refused", offsetof(loop_counters, refused)},
        {"events_lost", offsetof(loop_counters, events_lost)},
        {"bytes_in", offsetof(loop_counters, bytes_in)},
        {"bytes_out", offsetof(loop_counters, bytes_out)},
        {"evaluation_ns", offsetof(loop_counters, evaluations.sum_ns)},
    };
    manager_counts c = manager_count(m);
    hg_buffer_byte(out, '{');
    put_text("version", HG_SLICE(HG_VERSION), out);
    put_count("pid", (uint64_t)getpid(), out);
    put_count("uptime_s", (hg_clock_monotonic_ns() - server_started(s)) / 1000000000, out);
    put_count("time_ns", hg_clock_monotonic_ns(), out);
    put_count("rss_bytes", resident_bytes(), out);
    put_count("loops", server_loops(s), out);
    put_rules(manager_base(m), out);
    put_count("reloads_ok", c.reloads_ok, out);
    put_count("reloads_failed", c.reloads_failed, out);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        put_count(counters[i].name, metrics_sum(s, counters[i].offset), out);
    hg_buffer_append(out, HG_SLICE("\"limits\":{"));
    for (size_t i = 0; i < LIMIT_KINDS; i++)
        put_count(limit_names[i], metrics_sum(s, offsetof(loop_counters, limits) + i * sizeof(atomic_uint_fast64_t)), out);
    end_list("},", out);
    put_histogram(s, out);
    hg_buffer_append(out, HG_SLICE("\"services\":["));
    manager_each(m, put_service, out);
    end_list("]}\n", out);
}
