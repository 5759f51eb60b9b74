#include "helper/event_log.h"

#include "helper/sink.h"

#include "base/log.h"
#include "base/ring.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8192, BATCH = 65536, LOOK_MS = 500, FLUSH_MS = 3000 };

typedef struct line {
    char *text;
    size_t size;
} line;

struct event_log {
    hg_ring *ring;
    int wake, file;
    char *path;
    void *library;
    const sink_plugin *plugin;
    void *sink;
    pthread_t thread;
    bool started;
    atomic_bool sleeping, reopen, stopping;
    atomic_uint_fast64_t lost;
    hg_buffer batch;
    uint64_t batch_lines;
};

static void ring_bell(event_log *log)
{
    uint64_t one = 1;
    if (write(log->wake, &one, sizeof one) < 0)
        HG_LOG(HG_LOG_ERROR, "the event log cannot be woken: %s", strerror(errno));
}

bool event_log_put(event_log *log, hg_buffer *text)
{
    line l = {text->ptr, text->len};
    if (text->failed || !hg_ring_push(log->ring, &l)) {
        hg_buffer_free(text);
        return false;
    }
    *text = (hg_buffer){0};
    if (atomic_exchange(&log->sleeping, false))
        ring_bell(log);
    return true;
}

void event_log_reopen(event_log *log)
{
    atomic_store(&log->reopen, true);
    ring_bell(log);
}

uint64_t event_log_lost(const event_log *log)
{
    return atomic_load(&log->lost);
}

/* ---- The writer ---- */

static bool open_file(event_log *log)
{
    if (log->path == NULL)
        return true;
    int fd = open(log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
    if (fd < 0) {
        HG_LOG(HG_LOG_ERROR, "%s cannot be opened: %s", log->path, strerror(errno));
        return false;
    }
    if (log->file >= 0)
        close(log->file);
    log->file = fd;
    return true;
}

static void write_batch(event_log *log)
{
    for (size_t at = 0; log->file >= 0 && at < log->batch.len;) {
        ssize_t n = write(log->file, log->batch.ptr + at, log->batch.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            HG_LOG(HG_LOG_ERROR, "%s cannot be written: %s", log->path, strerror(errno));
            atomic_fetch_add(&log->lost, log->batch_lines);
            break;
        }
        at += (size_t)n;
    }
    log->batch.len = 0;
    log->batch_lines = 0;
}

static void take_line(event_log *log, const line *l)
{
    if (log->path != NULL) {
        hg_buffer_append(&log->batch, hg_slice_of(l->text, l->size));
        hg_buffer_byte(&log->batch, '\n');
        log->batch_lines++;
    }
    if (log->sink != NULL && !log->plugin->put(log->sink, l->text, l->size))
        atomic_fetch_add(&log->lost, 1);
    free(l->text);
    if (log->batch.len >= BATCH)
        write_batch(log);
}

static bool take_lines(event_log *log)
{
    line l;
    bool any = false;
    while (hg_ring_pop(log->ring, &l)) {
        take_line(log, &l);
        any = true;
    }
    write_batch(log);
    if (log->sink != NULL)
        atomic_fetch_add(&log->lost, log->plugin->poll(log->sink));
    return any;
}

static void sleep_until_woken(event_log *log)
{
    struct pollfd p = {log->wake, POLLIN, 0};
    atomic_store(&log->sleeping, true);
    if (hg_ring_count(log->ring) == 0 && poll(&p, 1, log->sink != NULL ? LOOK_MS : -1) > 0) {
        uint64_t count;
        if (read(log->wake, &count, sizeof count) < 0)
            return;
    }
    atomic_store(&log->sleeping, false);
}

static void *write_events(void *argument)
{
    event_log *log = argument;
    for (;;) {
        bool stopping = atomic_load(&log->stopping); /* before the last look */
        if (atomic_exchange(&log->reopen, false))
            open_file(log);
        bool any = take_lines(log);
        if (stopping)
            return NULL;
        if (!any && !atomic_load(&log->reopen) && !atomic_load(&log->stopping))
            sleep_until_woken(log);
    }
}

/* ---- Life ---- */

static hg_status refuse(char why[256], const char *what, const char *detail)
{
    snprintf(why, 256, "%.120s: %.120s", what, detail);
    return HG_ERR_IO;
}

static hg_status load_plugin(event_log *log, const event_log_options *o, char why[256])
{
    if (o->plugin == NULL)
        return HG_OK;
    // it stays loaded: what the libraries below it keep for the process must not lose its owner
    log->library = dlopen(o->plugin, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (log->library == NULL)
        return refuse(why, o->plugin, dlerror());
    log->plugin = dlsym(log->library, "hotgate_sink");
    if (log->plugin == NULL || log->plugin->version != SINK_VERSION)
        return refuse(why, o->plugin, "is no plugin of this version");
    char detail[256] = "";
    log->sink = log->plugin->open(o->settings, detail);
    return log->sink != NULL ? HG_OK : refuse(why, log->plugin->name, detail);
}

hg_status event_log_open(const event_log_options *options, event_log **out, char why[256])
{
    event_log *log = calloc(1, sizeof *log);
    if (log == NULL)
        return refuse(why, "event log", "out of memory");
    log->file = -1;
    log->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    log->ring = hg_ring_new(SLOTS, sizeof(line));
    log->path = options->path ? strdup(options->path) : NULL;
    hg_status status = log->wake < 0 || log->ring == NULL || (options->path != NULL && log->path == NULL)
                           ? refuse(why, "event log", "out of memory") : HG_OK;
    if (status == HG_OK && !open_file(log))
        status = refuse(why, log->path, strerror(errno));
    if (status == HG_OK)
        status = load_plugin(log, options, why);
    if (status == HG_OK) {
        log->started = pthread_create(&log->thread, NULL, write_events, log) == 0;
        status = log->started ? HG_OK : refuse(why, "event log", "no thread");
    }
    if (status != HG_OK) {
        event_log_close(log);
        return status;
    }
    *out = log;
    return HG_OK;
}

void event_log_close(event_log *log)
{
    if (log == NULL)
        return;
    if (log->started) {
        atomic_store(&log->stopping, true);
        ring_bell(log);
        pthread_join(log->thread, NULL);
    }
    if (log->sink != NULL) {
        uint64_t lost = log->plugin->close(log->sink, FLUSH_MS);
        if (lost > 0)
            HG_LOG(HG_LOG_WARN, "%llu events were not delivered", (unsigned long long)lost);
    }
    if (log->library != NULL)
        dlclose(log->library);
    line l;
    while (log->ring != NULL && hg_ring_pop(log->ring, &l))
        free(l.text);
    hg_ring_free(log->ring);
    if (log->file >= 0)
        close(log->file);
    if (log->wake >= 0)
        close(log->wake);
    hg_buffer_free(&log->batch);
    free(log->path);
    free(log);
}

/* ---- Lines ---- */

static void put_text(const char *name, hg_slice text, hg_buffer *out)
{
    hg_buffer_printf(out, ",\"%s\":", name);
    hg_json_write_string(text, 0, out);
}

static void put_time(hg_buffer *out)
{
    struct timespec now;
    struct tm utc;
    char text[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    hg_buffer_printf(out, "{\"timestamp\":\"%s.%06ldZ\",\"event_type\":\"match\"", text, now.tv_nsec / 1000);
}

static const char *verdict_of(const hg_value *actions)
{
    if (actions != NULL && hg_map_find(actions, HG_SLICE("redirect_request")) != NULL)
        return "redirect";
    return actions != NULL && hg_map_find(actions, HG_SLICE("block_request")) != NULL ? "block" : "record";
}

static void put_members(const hg_value *event, hg_buffer *out)
{
    static const char *const members[] = {"rule", "rule_matches", "security_response_id"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const hg_value *v = hg_map_find(event, hg_slice_from(members[i]));
        if (v == NULL)
            continue;
        hg_buffer_printf(out, ",\"%s\":", members[i]);
        hg_json_write(v, 0, out);
    }
}

uint64_t event_log_result(event_log *log, const event_origin *origin, const hg_value *result)
{
    const hg_value *events = hg_map_find(result, HG_SLICE("events")), *actions = hg_map_find(result, HG_SLICE("actions"));
    uint64_t lost = 0;
    for (size_t i = 0; events != NULL && i < hg_value_size(events); i++) {
        hg_buffer out = {0};
        put_time(&out);
        put_text("door", hg_slice_from(origin->door), &out);
        if (origin->command != NULL)
            put_text("command", hg_slice_from(origin->command), &out);
        put_text("service", origin->service, &out);
        put_text("env", origin->env, &out);
        hg_buffer_printf(&out, ",\"client_uid\":%u", origin->peer);
        put_text("rules_version", origin->rules_version, &out);
        if (origin->rasp_rule.len > 0)
            put_text("rasp_rule", origin->rasp_rule, &out);
        put_text("verdict", hg_slice_from(verdict_of(actions)), &out);
        put_members(&hg_array_items(events)[i], &out);
        hg_buffer_byte(&out, '}');
        lost += !event_log_put(log, &out);
    }
    return lost;
}
