/* The uploader: encodes finished epochs, writes files, posts to an agent. Its queue is bounded; whoever offers to a
 * full one keeps the epoch. */
#include "prof/internal.h"

#include "prof/gzip.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct uploader {
    hg_prof *prof;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    epoch *waiting[UPLOADS_MAX];
    size_t count;
    bool busy, stopping, ended, pause, paused;
    uint64_t files;
};

uploader *uploader_new(hg_prof *prof)
{
    uploader *u = calloc(1, sizeof *u);
    if (u == NULL)
        return NULL;
    u->prof = prof;
    pthread_mutex_init(&u->lock, NULL);
    condition_init(&u->changed);
    return u;
}

static void append_text(hg_buffer *b, const char *key, const char *value)
{
    hg_buffer_printf(b, "\"%s\":", key);
    hg_json_write_string(hg_slice_from(value), 0, b);
    hg_buffer_byte(b, ',');
}

static void append_time(hg_buffer *b, const char *key, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm tm;
    char text[40];
    gmtime_r(&seconds, &tm);
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + length, sizeof text - length, ".%09uZ", (unsigned)(ns % 1000000000));
    append_text(b, key, text);
}

static void append_counters(hg_prof *prof, hg_buffer *b)
{
    hg_prof_counters c;
    hg_prof_count(prof, &c);
    static const char *const reasons[] = {"queue_full", "upload_full", "too_many_identities", "no_memory", "reentrant",
                                          "off"};
    uint64_t dropped = 0;
    for (int i = 0; i < HG_PROF_REASONS; i++)
        dropped += c.dropped_by_reason[i];
    hg_buffer_printf(b, "\"internal\":{\"dropped_samples\":%llu,\"dropped_by_reason\":{", (unsigned long long)dropped);
    for (int i = 0; i < HG_PROF_REASONS; i++)
        hg_buffer_printf(b, "%s\"%s\":%llu", i ? "," : "", reasons[i], (unsigned long long)c.dropped_by_reason[i]);
    hg_buffer_printf(b, "},\"dropped_by_type\":{");
    bool first = true;
    for (int i = 0; i < HG_PROF_TYPES; i++) {
        if (c.dropped[i] + c.carried[i] == 0)
            continue;
        hg_buffer_printf(b, "%s\"%s\":{\"dropped\":%llu,\"carried\":%llu,\"lost\":%.0f}", first ? "" : ",",
                         hg_prof_type_name((hg_prof_type)i), (unsigned long long)c.dropped[i],
                         (unsigned long long)c.carried[i], c.lost[i]);
        first = false;
    }
    hg_buffer_printf(b, "},\"tracker_full\":%llu,\"consumer_cpu_time_ns\":%llu,\"uploader_cpu_time_ns\":%llu}",
                     (unsigned long long)c.tracker_full, (unsigned long long)c.consumer_cpu_ns,
                     (unsigned long long)c.uploader_cpu_ns);
}

static void event_json(hg_prof *prof, const epoch *e, const profile *p, hg_buffer *b)
{
    char *tags = identity_text(p->identity, prof->common);
    char all[64];
    snprintf(all, sizeof all, "runtime_platform:%s",
#if defined(__x86_64__)
             "x86_64-linux"
#elif defined(__aarch64__)
             "aarch64-linux"
#else
             "linux"
#endif
    );
    hg_buffer_printf(b, "{\"attachments\":[\"profile.pprof\"],");
    hg_buffer joined = {0};
    hg_buffer_append(&joined, hg_slice_from(tags ? tags : ""));
    hg_buffer_append(&joined, hg_slice_from(all));
    hg_buffer_append(b, HG_SLICE("\"tags_profiler\":"));
    hg_json_write_string(hg_slice_of(joined.ptr, joined.len), 0, b);
    hg_buffer_byte(b, ',');
    hg_buffer_free(&joined);
    append_time(b, "start", e->start_wall);
    append_time(b, "end", e->end_wall);
    append_text(b, "family", prof->family);
    append_text(b, "version", "4");
    hg_buffer_append(b, HG_SLICE("\"endpoint_counts\":"));
    const endpoint_count *counts = p->endpoint_counts.items;
    hg_buffer_append(b, p->endpoint_counts.count ? HG_SLICE("{") : HG_SLICE("null,"));
    for (size_t i = 0; i < p->endpoint_counts.count; i++) {
        hg_json_write_string(((const hg_slice *)e->strings.items)[counts[i].resource], 0, b);
        hg_buffer_printf(b, ":%llu%s", (unsigned long long)counts[i].count, i + 1 < p->endpoint_counts.count ? "," : "},");
    }
    hg_buffer_append(b, HG_SLICE("\"process_tags\":null,"));
    append_counters(prof, b);
    hg_buffer_append(b, HG_SLICE(",\"info\":{\"application\":{"));
    append_time(b, "start_time", prof->start_wall);
    b->len--;
    hg_buffer_append(b, HG_SLICE("}}}"));
    free(tags);
}

static void file_name(const hg_prof *prof, uint64_t number, bool compressed, char *out, size_t size)
{
    unsigned long long n = number;
    const char *ending = compressed ? ".pb.gz" : ".pb";
    time_t now = (time_t)(hg_clock_wall_ns() / 1000000000);
    struct tm tm;
    char when[32];
    switch (prof->settings.files) {
    case HG_PROF_FILES_NUMBERED:
        snprintf(out, size, "%s.%llu%s", prof->output, n, ending);
        break;
    case HG_PROF_FILES_TIMED:
        strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
        snprintf(out, size, "%s-%s-%ld-%llu%s", prof->output, when, (long)getpid(), n, ending);
        break;
    case HG_PROF_FILES_ONE:
        if (n > 1)
            snprintf(out, size, "%s.%llu", prof->output, n);
        else
            snprintf(out, size, "%s", prof->output);
        break;
    }
}

/* Files of a series get their name when they are complete, for those who watch the folder. A path that was given is
 * written as it is: it may be a device or a pipe. */
static hg_status write_file(uploader *u, hg_slice bytes, bool compressed)
{
    bool series = u->prof->settings.files != HG_PROF_FILES_ONE;
    char path[4096], part[4104];
    file_name(u->prof, ++u->files, compressed, path, sizeof path);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(series ? part : path, "we");
    bool ok = file != NULL && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;
    if (file != NULL)
        ok &= fclose(file) == 0;
    ok = ok && (!series || rename(part, path) == 0);
    if (!ok)
        HG_LOG(HG_LOG_ERROR, "profiler: %s: %s", path, strerror(errno));
    return ok ? HG_OK : HG_ERR_IO;
}

static hg_status deliver(uploader *u, epoch *e, const profile *p)
{
    hg_buffer plain = {0}, packed = {0};
    hg_status status = profile_encode(e, p, &plain);
    bool compressed = status == HG_OK && gzip_pack(hg_slice_of(plain.ptr, plain.len), &packed) == HG_OK;
    hg_slice bytes = compressed ? hg_slice_of(packed.ptr, packed.len) : hg_slice_of(plain.ptr, plain.len);
    if (status == HG_OK && u->prof->output != NULL)
        status = write_file(u, bytes, compressed);
    if (status == HG_OK && u->prof->url != NULL) {
        hg_buffer event = {0};
        event_json(u->prof, e, p, &event);
        status = event.failed ? HG_ERR_NOMEM : upload_http(u->prof, bytes, hg_slice_of(event.ptr, event.len));
        hg_buffer_free(&event);
    }
    hg_buffer_free(&plain);
    hg_buffer_free(&packed);
    return status;
}

static void deliver_epoch(uploader *u, epoch *e)
{
    symbolise(e);
    for (const profile *p = e->profiles; p != NULL; p = p->next)
        count_up(deliver(u, e, p) == HG_OK ? &u->prof->exports : &u->prof->exports_failed, 1);
    epoch_free(e);
    atomic_store_explicit(&u->prof->uploader_cpu, hg_clock_thread_cpu_ns(), memory_order_relaxed);
}

static void *uploader_main(void *argument)
{
    uploader *u = argument;
    block_signals();
    prctl(PR_SET_NAME, "hg_prof_upload", 0ul, 0ul, 0ul);
    pthread_mutex_lock(&u->lock);
    for (;;) {
        while (u->pause) {
            u->paused = true;
            pthread_cond_broadcast(&u->changed);
            pthread_cond_wait(&u->changed, &u->lock);
        }
        u->paused = false;
        if (u->count > 0) {
            epoch *e = u->waiting[0];
            memmove(u->waiting, u->waiting + 1, --u->count * sizeof *u->waiting);
            u->busy = true;
            pthread_mutex_unlock(&u->lock);
            deliver_epoch(u, e);
            pthread_mutex_lock(&u->lock);
            u->busy = false;
            pthread_cond_broadcast(&u->changed);
        } else if (u->stopping) {
            break;
        } else {
            pthread_cond_wait(&u->changed, &u->lock);
        }
    }
    u->ended = true;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
    return NULL;
}

hg_status uploader_start(uploader *u)
{
    u->started = pthread_create(&u->thread, NULL, uploader_main, u) == 0;
    return u->started ? HG_OK : HG_ERR_NOMEM;
}

bool uploader_offer(uploader *u, epoch *e)
{
    pthread_mutex_lock(&u->lock);
    bool room = u->count < UPLOADS_MAX;
    if (room) {
        u->waiting[u->count++] = e;
        pthread_cond_broadcast(&u->changed);
    }
    pthread_mutex_unlock(&u->lock);
    return room;
}

bool uploader_has_room(uploader *u)
{
    pthread_mutex_lock(&u->lock);
    bool room = u->count < UPLOADS_MAX;
    pthread_mutex_unlock(&u->lock);
    return room;
}

static bool is_idle(const void *state)
{
    const uploader *u = state;
    return u->count == 0 && !u->busy;
}

static bool has_ended(const void *state)
{
    return ((const uploader *)state)->ended;
}

static bool stands_still(const void *state)
{
    const uploader *u = state;
    return !u->pause || u->paused;
}

static bool wait_until(uploader *u, condition *holds, uint64_t limit_ns)
{
    pthread_mutex_lock(&u->lock);
    bool result = condition_wait(&u->changed, &u->lock, holds, u, limit_ns);
    pthread_mutex_unlock(&u->lock);
    return result;
}

bool uploader_wait_idle(uploader *u, uint64_t limit_ns)
{
    return wait_until(u, is_idle, limit_ns);
}

void uploader_stop(uploader *u)
{
    pthread_mutex_lock(&u->lock);
    u->stopping = true;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
}

bool uploader_join(uploader *u, uint64_t limit_ns)
{
    if (!u->started)
        return true;
    if (!wait_until(u, has_ended, limit_ns))
        return false;
    pthread_join(u->thread, NULL);
    u->started = false;
    return true;
}

void uploader_free(uploader *u)
{
    if (u == NULL)
        return;
    for (size_t i = 0; i < u->count; i++)
        epoch_free(u->waiting[i]);
    pthread_mutex_destroy(&u->lock);
    pthread_cond_destroy(&u->changed);
    free(u);
}

bool uploader_pause(uploader *u, uint64_t limit_ns)
{
    pthread_mutex_lock(&u->lock);
    u->pause = u->started && !u->ended;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
    return wait_until(u, stands_still, limit_ns);
}

void uploader_resume(uploader *u)
{
    pthread_mutex_lock(&u->lock);
    u->pause = u->paused = false;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
}
