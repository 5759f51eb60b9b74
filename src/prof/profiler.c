/* A profiler's life: settings, start, stop, flush. */
#include "prof/internal.h"

#include "base/clock.h"
#include "base/hash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 100, CAPACITY_MAX = 65536 };
static const uint64_t TICK = 10000000, EXPORT = 67000000000, ALLOCATION = 4194304, EXCEPTION = 100, IO_TIME = 10000000,
                      IO_SIZE = 102400;

static void set_default(uint64_t *value, uint64_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

static hg_status settings_check(const hg_prof_settings *s)
{
    if (s->capacity > CAPACITY_MAX || (s->tick_ns != 0 && s->tick_ns < 1000000) ||
        (s->export_ns != 0 && s->export_ns < 10000000) || s->files > HG_PROF_FILES_ONE)
        return HG_ERR_ARGUMENT;
    uint64_t distances[] = {s->allocation_distance, s->exception_distance, s->io_time_distance, s->io_size_distance};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        if (distances[i] > (uint64_t)1 << 50)
            return HG_ERR_ARGUMENT;
    return s->url == NULL || url_understood(s->url) ? HG_OK : HG_ERR_ARGUMENT;
}

static void random_uuid(char out[37])
{
    unsigned char r[16];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
        for (size_t i = 0; i < sizeof r; i++)
            r[i] = (unsigned char)(hg_hash_u64(hg_clock_wall_ns() + i) >> 8);
    r[6] = (unsigned char)((r[6] & 0x0f) | 0x40); /* version 4, RFC 9562 */
    r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
    int at = 0;
    for (int i = 0; i < 16; i++)
        at += snprintf(out + at, (size_t)(37 - at), i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", r[i]);
}

static char *common_tags(const char *family)
{
    char *tags = NULL, pid[24], uuid[37];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    random_uuid(uuid);
    tags_add(&tags, "language", family);
    tags_add(&tags, "profiler_version", HG_VERSION);
    tags_add(&tags, "process_id", pid);
    tags_add(&tags, "runtime-id", uuid);
    return tags;
}

static bool copy_text(char **out, const char *text)
{
    *out = text ? strdup(text) : NULL;
    return text == NULL || *out != NULL;
}

hg_status hg_prof_new(const hg_prof_settings *settings, hg_prof **out)
{
    if (settings == NULL || out == NULL)
        return HG_ERR_ARGUMENT;
    *out = NULL;
    hg_status status = settings_check(settings);
    if (status != HG_OK)
        return status;
    hg_prof *prof = aligned_alloc(64, (sizeof *prof + 63) / 64 * 64);
    if (prof == NULL)
        return HG_ERR_NOMEM;
    memset(prof, 0, sizeof *prof);
    hg_prof_settings *s = &prof->settings;
    *s = *settings;
    s->families = s->families ? s->families : HG_PROF_DEFAULT;
    s->capacity = s->capacity ? s->capacity : CAPACITY;
    set_default(&s->tick_ns, TICK);
    set_default(&s->export_ns, EXPORT);
    set_default(&s->allocation_distance, ALLOCATION);
    set_default(&s->exception_distance, EXCEPTION);
    set_default(&s->io_time_distance, IO_TIME);
    set_default(&s->io_size_distance, IO_SIZE);
    set_default(&s->seed, hg_hash_seed());
    prof->types = hg_prof_type_mask(s->families);
    prof->start_wall = hg_clock_wall_ns();
    pthread_mutex_init(&prof->lock, NULL);
    condition_init(&prof->changed);
    bool ok = copy_text(&prof->output, s->output) && copy_text(&prof->url, s->url) &&
              copy_text(&prof->family, s->family ? s->family : "native");
    ok = ok && (prof->common = common_tags(prof->family)) != NULL && queue_init(&prof->queue, s->capacity) == HG_OK &&
         (prof->uploader = uploader_new(prof)) != NULL;
    if (ok && (prof->types >> HG_PROF_HEAP_LIVE_SIZE & 1))
        ok = (prof->tracker = tracker_new()) != NULL;
    if (!ok) {
        hg_prof_free(prof);
        return HG_ERR_NOMEM;
    }
    *out = prof;
    return HG_OK;
}

hg_status hg_prof_start(hg_prof *prof)
{
    if (prof == NULL || prof->started || prof->in_child)
        return HG_ERR_ARGUMENT;
    hg_status status = uploader_start(prof->uploader);
    if (status != HG_OK)
        return status;
    prof->last_export_wall = hg_clock_wall_ns();
    prof->last_export_monotonic = hg_clock_monotonic_ns();
    atomic_store(&prof->running, true);
    prof->started = pthread_create(&prof->consumer, NULL, consumer_main, prof) == 0;
    if (!prof->started) {
        atomic_store(&prof->running, false);
        uploader_stop(prof->uploader);
        uploader_join(prof->uploader, 1000000000);
        return HG_ERR_NOMEM;
    }
    fork_register(prof);
    return HG_OK;
}

static uint64_t left_until(uint64_t deadline)
{
    uint64_t now = hg_clock_monotonic_ns();
    return now < deadline ? deadline - now : 0;
}

static bool consumer_ended(const void *prof)
{
    return atomic_load(&((const hg_prof *)prof)->consumer_ended);
}

hg_status hg_prof_stop(hg_prof *prof, uint64_t limit_ns)
{
    if (prof == NULL)
        return HG_ERR_ARGUMENT;
    if (!prof->started)
        return HG_OK;
    uint64_t deadline = hg_clock_monotonic_ns() + limit_ns;
    atomic_store(&prof->running, false); /* nothing new; what is in the channel still counts */
    atomic_store(&prof->stopping, true);
    queue_wake(&prof->queue);
    pthread_mutex_lock(&prof->lock);
    bool ended = condition_wait(&prof->changed, &prof->lock, consumer_ended, prof, limit_ns);
    pthread_mutex_unlock(&prof->lock);
    if (!ended)
        return HG_ERR_TIMEOUT;
    pthread_join(prof->consumer, NULL);
    uploader_stop(prof->uploader);
    if (!uploader_join(prof->uploader, left_until(deadline)))
        return HG_ERR_TIMEOUT;
    fork_forget(prof);
    prof->started = false;
    return HG_OK;
}

typedef struct flush_wait {
    const hg_prof *prof;
    uint64_t before;
} flush_wait;

static bool flushed_or_ended(const void *state)
{
    const flush_wait *w = state;
    return w->prof->flushes_done != w->before || consumer_ended(w->prof);
}

hg_status hg_prof_flush(hg_prof *prof, uint64_t limit_ns)
{
    if (prof == NULL)
        return HG_ERR_ARGUMENT;
    if (!prof->started)
        return HG_ERR_UNSUPPORTED;
    uint64_t deadline = hg_clock_monotonic_ns() + limit_ns;
    pthread_mutex_lock(&prof->lock);
    const flush_wait wait = {prof, prof->flushes_done};
    atomic_store(&prof->flush_wanted, true);
    queue_wake(&prof->queue);
    condition_wait(&prof->changed, &prof->lock, flushed_or_ended, &wait, limit_ns);
    bool done = prof->flushes_done != wait.before;
    pthread_mutex_unlock(&prof->lock);
    if (!done || !uploader_wait_idle(prof->uploader, left_until(deadline)))
        return HG_ERR_TIMEOUT;
    return HG_OK;
}

static void identity_free(identity *id)
{
    free(id->unified);
    free(id->git);
    free(id->custom);
    free(id);
}

void hg_prof_free(hg_prof *prof)
{
    if (prof == NULL)
        return;
    if (prof->queue.slots != NULL) /* endpoints that came after the last drain own memory */
        for (const queue_slot *slot; (slot = queue_peek(&prof->queue)) != NULL; queue_done(&prof->queue))
            if (slot->message.kind == MESSAGE_ENDPOINT)
                free(slot->message.resource);
    queue_free(&prof->queue);
    for (size_t i = 0; i < prof->identity_count; i++)
        identity_free(prof->identities[i]);
    for (retired_arena *old = prof->retired, *next; old != NULL; old = next) {
        next = old->next;
        hg_arena_close(&old->arena);
        free(old);
    }
    epoch_free(prof->epoch);
    tracker_free(prof->tracker);
    uploader_free(prof->uploader);
    free(prof->output);
    free(prof->url);
    free(prof->family);
    free(prof->common);
    pthread_mutex_destroy(&prof->lock);
    pthread_cond_destroy(&prof->changed);
    free(prof);
}
