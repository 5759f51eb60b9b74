/* Threads come and go; their context. */
#include "prof/internal.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void start_countdowns(hg_prof_thread *t)
{
    const hg_prof_settings *s = &t->prof->settings;
    countdown_start(&t->allocation, s->allocation_distance, &t->random);
    t->exception.left = (int64_t)s->exception_distance;
    for (int i = 0; i < IO_CLASSES; i++) {
        countdown_start(&t->io_time[i], s->io_time_distance, &t->random);
        countdown_start(&t->io_size[i], s->io_size_distance, &t->random);
    }
}

static void thread_free(hg_prof_thread *t)
{
    free(t->frames);
    free(t->hashes);
    free(t->unified);
    free(t->git);
    free(t->custom);
    free(t);
}

hg_status hg_prof_attach(hg_prof *prof, const char *name, hg_prof_thread **out)
{
    if (prof == NULL || out == NULL)
        return HG_ERR_ARGUMENT;
    *out = NULL;
    hg_prof_thread *t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
    if (t == NULL)
        return HG_ERR_NOMEM;
    memset(t, 0, sizeof *t);
    t->prof = prof;
    t->records = records_new();
    t->frames = malloc(64 * sizeof *t->frames);
    t->hashes = calloc(65, sizeof *t->hashes);
    if (t->records == NULL || t->frames == NULL || t->hashes == NULL) {
        records_free(t->records);
        thread_free(t);
        return HG_ERR_NOMEM;
    }
    t->frame_capacity = 64;
    t->tid = (int64_t)syscall(SYS_gettid);
    snprintf(t->name, sizeof t->name, "%s", name ? name : "");
    t->random = hg_hash_u64(prof->settings.seed + (uint64_t)atomic_fetch_add(&prof->thread_number, 1) + 1);
    start_countdowns(t);
    t->last_wall = t->attached_at = hg_clock_monotonic_ns();
    t->last_cpu = hg_clock_thread_cpu_ns();
    pthread_mutex_lock(&prof->lock);
    t->next = prof->threads;
    t->slot = &prof->threads;
    if (t->next != NULL)
        t->next->slot = &t->next;
    prof->threads = t;
    t->ticking = true;
    atomic_fetch_add(&prof->attached, 1);
    atomic_fetch_add(&prof->ticking, 1);
    pthread_mutex_unlock(&prof->lock);
    queue_wake(&prof->queue); /* the tick timer runs only while somebody gets ticks */
    *out = t;
    return HG_OK;
}

static void add_counters(hg_prof_counters *sum, const thread_counters *c)
{
    for (int i = 0; i < HG_PROF_TYPES; i++) {
        sum->taken[i] += atomic_load_explicit(&c->taken[i], memory_order_relaxed);
        sum->accepted[i] += atomic_load_explicit(&c->accepted[i], memory_order_relaxed);
        sum->dropped[i] += atomic_load_explicit(&c->dropped[i], memory_order_relaxed);
        sum->carried[i] += atomic_load_explicit(&c->carried[i], memory_order_relaxed);
        sum->lost[i] += atomic_load_explicit(&c->lost[i], memory_order_relaxed);
    }
    for (int i = 0; i < HG_PROF_REASONS; i++)
        sum->dropped_by_reason[i] += atomic_load_explicit(&c->reasons[i], memory_order_relaxed);
    sum->tracker_full += atomic_load_explicit(&c->tracker_full, memory_order_relaxed);
}

static void add_thread(hg_prof_counters *sum, const hg_prof_thread *t)
{
    add_counters(sum, &t->counters);
    const thread_counters *native = native_counters(t);
    if (native != NULL)
        add_counters(sum, native);
}

void hg_prof_detach(hg_prof_thread *t)
{
    if (t == NULL)
        return;
    hg_prof *prof = t->prof;
    native_stop(t);
    pthread_mutex_lock(&prof->lock);
    *t->slot = t->next;
    atomic_fetch_sub(&prof->attached, 1);
    atomic_fetch_sub(&prof->ticking, t->ticking);
    if (t->next != NULL)
        t->next->slot = t->slot;
    add_thread(&prof->past, t);
    pthread_mutex_unlock(&prof->lock);
    native_free(t);
    records_retire(prof, t->records);
    thread_free(t);
}

hg_status hg_prof_count(hg_prof *prof, hg_prof_counters *out)
{
    if (prof == NULL || out == NULL)
        return HG_ERR_ARGUMENT;
    pthread_mutex_lock(&prof->lock);
    *out = prof->past;
    for (const hg_prof_thread *t = prof->threads; t != NULL; t = t->next)
        add_thread(out, t);
    pthread_mutex_unlock(&prof->lock);
    /* what the consumer could not keep had been accepted before */
    for (int i = 0; i < HG_PROF_TYPES; i++) {
        uint64_t lost = atomic_load(&prof->consumer_dropped[i]);
        out->accepted[i] -= lost;
        out->dropped[i] += lost;
        out->lost[i] += atomic_load(&prof->consumer_lost[i]);
    }
    for (int i = 0; i < HG_PROF_REASONS; i++)
        out->dropped_by_reason[i] += atomic_load(&prof->consumer_reasons[i]);
    out->exports = atomic_load(&prof->exports);
    out->exports_failed = atomic_load(&prof->exports_failed);
    out->wakes = atomic_load(&prof->queue.wakes);
    out->stalls = atomic_load(&prof->stalls);
    out->consumer_cpu_ns = atomic_load(&prof->consumer_cpu);
    out->uploader_cpu_ns = atomic_load(&prof->uploader_cpu);
    return HG_OK;
}

/* ---- Context ---- */

static void replace(char **group, char *fresh)
{
    free(*group);
    *group = fresh;
}

static hg_status worst(hg_status a, hg_status b)
{
    return a != HG_OK ? a : b;
}

hg_status hg_prof_set_context(hg_prof_thread *t, const hg_prof_context *c)
{
    if (t == NULL || c == NULL)
        return HG_ERR_ARGUMENT;
    char *unified = NULL, *git = NULL, *custom = NULL, *url = NULL;
    hg_status status = tags_add(&unified, "service", c->service);
    status = worst(status, tags_add(&unified, "env", c->env));
    status = worst(status, tags_add(&unified, "version", c->version));
    status = worst(status, tags_add(&git, "git.commit.sha", c->git_commit));
    if (c->git_repository != NULL && (url = git_url_clean(c->git_repository)) == NULL)
        status = worst(status, HG_ERR_NOMEM);
    status = worst(status, tags_add(&git, "git.repository_url", url));
    status = worst(status, tags_parse(&custom, c->custom));
    free(url);
    replace(&t->unified, unified);
    replace(&t->git, git);
    replace(&t->custom, custom);
    t->identity = NULL; /* made at the next sample */
    return status;
}

hg_status hg_prof_set_spans(hg_prof_thread *t, uint64_t root, uint64_t span)
{
    if (t == NULL)
        return HG_ERR_ARGUMENT;
    if (root == t->root_span && span == t->span)
        return HG_OK;
    t->root_span = root;
    t->span = root ? span : 0;
    t->records->base_labels = NULL;
    return HG_OK;
}
