#include "helper/manager.h"

#include "base/clock.h"
#include "base/log.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KEEP_IDLE_SECONDS = 60, POLL_SECONDS = 1, RETRY_SECONDS = 3, SOURCES_MAX = 256 };

static const uint64_t SECOND = 1000000000;

typedef struct waiter {
    struct waiter *next;
    source *source;
    uint64_t ticket;
} waiter;

struct manager {
    manager_options options;
    manager_ready *ready;
    void *state;
    telemetry telemetry;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    service *services;
    unsigned last_number;
    source *sources; /* added in front under the lock, removed by the maintenance thread only */
    source *base;
    waiter *waiters;
    pthread_t thread;
    bool started, stopping, reload;
    hg_buffer new_text, text; /* of reloaded rules */
    uint64_t next_poll;
    manager_counts counts;
};

static source *add_source(manager *m, const source_key *key)
{
    source *s = m->counts.sources < SOURCES_MAX ? source_new(key) : NULL;
    if (s == NULL)
        return NULL;
    s->next = m->sources;
    m->sources = s;
    m->counts.sources++;
    return s;
}

manager *manager_new(const manager_options *options, manager_ready *ready, void *state)
{
    manager *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->options = *options;
    m->ready = ready;
    m->state = state;
    telemetry_open(&m->telemetry);
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&m->changed, &attr);
    pthread_condattr_destroy(&attr);
    const source_key own = {.reader = 0};
    m->base = add_source(m, &own);
    if (m->base == NULL) {
        manager_free(m);
        return NULL;
    }
    m->base->services = 1; /* for ever */
    return m;
}

void manager_free(manager *m)
{
    if (m == NULL)
        return;
    for (service *s = m->services, *next; s != NULL; s = next) {
        next = s->next;
        service_free(s);
    }
    for (source *s = m->sources, *next; s != NULL; s = next) {
        next = s->next;
        source_free(s);
    }
    for (waiter *w = m->waiters, *next; w != NULL; w = next) {
        next = w->next;
        free(w);
    }
    hg_buffer_free(&m->text);
    hg_buffer_free(&m->new_text);
    telemetry_close(&m->telemetry);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->changed);
    free(m);
}

static source_rules rules_now(manager *m)
{
    return (source_rules){m->options.rules, m->options.rules_version, &m->telemetry};
}

hg_status manager_prepare(manager *m)
{
    source_rules rules = rules_now(m);
    source_build(m->base, &rules);
    return atomic_load(&m->base->state) == SOURCE_READY ? HG_OK : HG_ERR_SYNTAX;
}

/* ---- Services ---- */

static service *find(manager *m, const service_settings *settings)
{
    for (service *s = m->services; s != NULL; s = s->next)
        if (settings_equal(&s->settings, settings))
            return s;
    return NULL;
}

static source *find_source(manager *m, const source_key *key)
{
    if (key->rules_file.len == 0 && key->remote_path.len == 0)
        return m->base;
    for (source *s = m->sources; s != NULL; s = s->next)
        if (source_key_equal(&s->key, key))
            return s;
    source *s = add_source(m, key);
    if (s != NULL && key->rules_file.len == 0)
        source_borrow(s, m->base);
    return s;
}

/* Gives a new service its source and its place. False: there is no room. */
static bool enter(manager *m, service *s)
{
    s->source = m->counts.services < SERVICES_MAX ? find_source(m, &s->settings.from) : NULL;
    if (s->source == NULL)
        return false;
    s->source->services++;
    s->number = ++m->last_number;
    s->next = m->services;
    m->services = s;
    m->counts.services++;
    return true;
}

static bool file_allowed(const manager *m, hg_slice file)
{
    char path[4096];
    if (file.len == 0)
        return true;
    if (m->options.allow_rules == NULL || file.len >= sizeof path || memchr(file.ptr, '\0', file.len) != NULL)
        return false;
    memcpy(path, file.ptr, file.len);
    path[file.len] = '\0';
    return strstr(path, "/../") == NULL && fnmatch(m->options.allow_rules, path, FNM_PATHNAME | FNM_PERIOD) == 0;
}

static manager_answer refuse(service **out, char why[FAILURE_SIZE], const char *text)
{
    *out = NULL;
    snprintf(why, FAILURE_SIZE, "%s", text);
    return MANAGER_REFUSED;
}

/* Under the lock. A build that failed is tried again after a while. */
static manager_answer answer_of(service *s, char why[FAILURE_SIZE])
{
    source *from = s->source;
    int failed = SOURCE_FAILED;
    switch (atomic_load(&from->state)) {
    case SOURCE_READY:
        return MANAGER_READY;
    case SOURCE_SETTLING:
        return MANAGER_SOON;
    case SOURCE_FAILED:
        source_failure(from, why);
        if (hg_clock_monotonic_ns() - from->failed_at < RETRY_SECONDS * SECOND)
            return MANAGER_REFUSED;
        atomic_compare_exchange_strong(&from->state, &failed, SOURCE_BUILDING);
        break;
    }
    return MANAGER_WAIT;
}

static bool await(manager *m, source *from, uint64_t ticket)
{
    waiter *w = malloc(sizeof *w);
    if (w == NULL)
        return false;
    *w = (waiter){m->waiters, from, ticket};
    m->waiters = w;
    pthread_cond_signal(&m->changed);
    return true;
}

manager_answer manager_find(manager *m, const service_settings *settings, uint64_t ticket, service **out,
                            char why[FAILURE_SIZE])
{
    if (!file_allowed(m, settings->from.rules_file))
        return refuse(out, why, "the rules file is not allowed; see --allow-rules");
    pthread_mutex_lock(&m->lock);
    service *s = find(m, settings), *fresh = NULL;
    if (s == NULL) { /* made without the lock, as it compiles patterns */
        pthread_mutex_unlock(&m->lock);
        fresh = service_new(settings);
        pthread_mutex_lock(&m->lock);
        s = find(m, settings);
        if (s == NULL && fresh != NULL && enter(m, fresh)) {
            s = fresh;
            fresh = NULL;
        }
    }
    manager_answer answer = s != NULL ? answer_of(s, why) : MANAGER_FULL;
    if (s == NULL)
        refuse(out, why, "too many different settings, or no memory");
    if ((answer == MANAGER_SOON || answer == MANAGER_WAIT) && !await(m, s->source, ticket))
        answer = refuse(out, why, "out of memory");
    if (answer < MANAGER_REFUSED) {
        s->connections++;
        *out = s;
    } else {
        *out = NULL;
    }
    pthread_mutex_unlock(&m->lock);
    service_free(fresh);
    return answer;
}

void manager_release(manager *m, service *s)
{
    pthread_mutex_lock(&m->lock);
    if (--s->connections == 0) {
        s->idle_since = hg_clock_monotonic_ns();
        pthread_cond_signal(&m->changed); /* it will have to be purged */
    }
    pthread_mutex_unlock(&m->lock);
}

/* ---- The maintenance thread ---- */

/* Whoever waited for this source is told. */
static void tell_waiters(manager *m, source *from)
{
    for (;;) {
        pthread_mutex_lock(&m->lock);
        waiter **at = &m->waiters;
        while (*at != NULL && (*at)->source != from)
            at = &(*at)->next;
        waiter *w = *at;
        if (w != NULL)
            *at = w->next;
        pthread_mutex_unlock(&m->lock);
        if (w == NULL)
            return;
        m->ready(m->state, w->ticket);
        free(w);
    }
}

static bool is_waited_for(const source *s)
{
    int state = atomic_load(&s->state);
    return state == SOURCE_BUILDING || state == SOURCE_SETTLING;
}

static source *next_to_build(manager *m)
{
    for (source *s = m->sources; s != NULL; s = s->next)
        if (is_waited_for(s))
            return s;
    return NULL;
}

static void purge_sources(manager *m)
{
    for (source **at = &m->sources; *at != NULL;) {
        source *s = *at;
        if (s->services > 0 || is_waited_for(s)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        m->counts.sources--;
        source_free(s);
    }
}

static void purge(manager *m)
{
    uint64_t now = hg_clock_monotonic_ns();
    for (service **at = &m->services; *at != NULL;) {
        service *s = *at;
        if (s->connections > 0 || is_waited_for(s->source) || now - s->idle_since < KEEP_IDLE_SECONDS * SECOND) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        m->counts.services--;
        s->source->services--;
        service_free(s);
    }
    purge_sources(m);
}

static source *first_source(manager *m)
{
    pthread_mutex_lock(&m->lock);
    source *s = m->sources;
    pthread_mutex_unlock(&m->lock);
    return s;
}

static void count_reload(manager *m, int changed)
{
    pthread_mutex_lock(&m->lock);
    m->counts.reloads_ok += changed > 0;
    m->counts.reloads_failed += changed < 0;
    pthread_mutex_unlock(&m->lock);
}

static bool reload_one(manager *m, source *s)
{
    source_rules rules = rules_now(m);
    bool ok = source_reload(s, &rules);
    count_reload(m, ok ? 1 : -1);
    return ok;
}

/* New rules of the daemon come into force for all or, when they cannot be built, for none. */
static bool take_text(manager *m, hg_buffer *text)
{
    hg_slice old = m->options.rules;
    if (text->ptr == NULL)
        return false;
    m->options.rules = hg_slice_of(text->ptr, text->len);
    if (!reload_one(m, m->base)) {
        m->options.rules = old;
        hg_buffer_free(text);
        return false;
    }
    hg_buffer_free(&m->text);
    m->text = *text;
    return true;
}

/* What builds and earlier rules have left is given back to the system: it lies between what is in use and would add up. */
static void return_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static void reload(manager *m, hg_buffer *text)
{
    bool taken = take_text(m, text);
    for (source *s = first_source(m); s != NULL; s = s->next)
        if (s != m->base && (taken || s->key.rules_file.len > 0) && atomic_load(&s->state) == SOURCE_READY)
            reload_one(m, s);
    m->ready(m->state, MANAGER_RENEWED);
    return_memory();
    HG_LOG(HG_LOG_INFO, "rules were read again%s", taken ? "" : "; the daemon's own did not change");
}

static void poll_remotes(manager *m)
{
    for (source *s = first_source(m); s != NULL; s = s->next) {
        if (atomic_load(&s->state) != SOURCE_READY || s->key.remote_path.len == 0)
            continue;
        source_rules rules = rules_now(m);
        int changed = source_poll(s, &rules);
        count_reload(m, changed);
        if (changed > 0)
            m->ready(m->state, MANAGER_RENEWED);
    }
}

/* Under the lock, which is given up for the work. False: there was none. */
static bool turn(manager *m)
{
    source *s = next_to_build(m);
    bool wanted = m->reload;
    hg_buffer text = m->new_text;
    uint64_t now = hg_clock_monotonic_ns();
    if (s == NULL && !wanted && now < m->next_poll)
        return false;
    m->reload = false;
    m->new_text = (hg_buffer){0};
    pthread_mutex_unlock(&m->lock);
    if (s != NULL) {
        source_rules rules = rules_now(m);
        source_build(s, &rules);
        tell_waiters(m, s);
    }
    if (wanted)
        reload(m, &text);
    if (now >= m->next_poll) {
        poll_remotes(m);
        m->next_poll = now + POLL_SECONDS * SECOND;
    }
    pthread_mutex_lock(&m->lock);
    purge(m);
    return true;
}

/* Whether something is due at a time, not at an event: so a daemon with nothing to look after sleeps. */
static bool keeps_time(const manager *m)
{
    for (const service *s = m->services; s != NULL; s = s->next)
        if (s->connections == 0)
            return true;
    for (const source *s = m->sources; s != NULL; s = s->next)
        if (s->key.remote_path.len > 0)
            return true;
    return false;
}

static void *maintain(void *argument)
{
    manager *m = argument;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10); /* building must not slow requests down */
    hg_prof_thread *sampled;
    hg_prof_native_attach(m->options.prof, "maintenance", NULL, &sampled);
    pthread_mutex_lock(&m->lock);
    while (!m->stopping) {
        if (turn(m))
            continue;
        struct timespec until = {(time_t)(m->next_poll / SECOND), (long)(m->next_poll % SECOND)};
        if (keeps_time(m))
            pthread_cond_timedwait(&m->changed, &m->lock, &until);
        else
            pthread_cond_wait(&m->changed, &m->lock);
    }
    pthread_mutex_unlock(&m->lock);
    hg_prof_detach(sampled);
    return NULL;
}

void manager_turn(manager *m)
{
    pthread_mutex_lock(&m->lock);
    m->next_poll = 0;
    turn(m);
    while (next_to_build(m) != NULL)
        turn(m);
    pthread_mutex_unlock(&m->lock);
}

hg_status manager_start(manager *m)
{
    m->started = pthread_create(&m->thread, NULL, maintain, m) == 0;
    return m->started ? HG_OK : HG_ERR_NOMEM;
}

void manager_stop(manager *m)
{
    if (!m->started)
        return;
    pthread_mutex_lock(&m->lock);
    m->stopping = true;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
    pthread_join(m->thread, NULL);
    m->started = false;
}

void manager_reload(manager *m, hg_buffer *text)
{
    pthread_mutex_lock(&m->lock);
    m->reload = true;
    if (text != NULL) {
        hg_buffer_free(&m->new_text);
        m->new_text = *text;
        *text = (hg_buffer){0};
    }
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

/* ---- Looking ---- */

manager_counts manager_count(manager *m)
{
    pthread_mutex_lock(&m->lock);
    manager_counts counts = m->counts;
    pthread_mutex_unlock(&m->lock);
    return counts;
}

void manager_each(manager *m, manager_visit *visit, void *state)
{
    pthread_mutex_lock(&m->lock);
    for (const service *s = m->services; s != NULL; s = s->next)
        visit(state, s);
    pthread_mutex_unlock(&m->lock);
}

source *manager_base(manager *m)
{
    return m->base;
}

telemetry *manager_telemetry(manager *m)
{
    return &m->telemetry;
}
