#include "helper/manager.h"

#include "helper/build.h"

#include "base/clock.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KEEP_IDLE_SECONDS = 60, POLL_SECONDS = 1 };

typedef struct waiter {
    struct waiter *next;
    service *service;
    uint64_t ticket;
} waiter;

struct manager {
    manager_options options;
    manager_ready *ready;
    void *state;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    service *services;
    waiter *waiters;
    pthread_t thread;
    bool started, stopping, reload;
    hg_slice new_rules;
    manager_counts counts;
};

manager *manager_new(const manager_options *options, manager_ready *ready, void *state)
{
    manager *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->options = *options;
    m->ready = ready;
    m->state = state;
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&m->changed, &attr);
    pthread_condattr_destroy(&attr);
    return m;
}

static service *find(manager *m, const service_settings *settings)
{
    for (service *s = m->services; s != NULL; s = s->next)
        if (settings_equal(&s->settings, settings))
            return s;
    return NULL;
}

/* Time budgets, limits and names do not change what is built. */
static service *same_build(manager *m, const service_settings *a)
{
    for (service *s = m->services; s != NULL && a->remote_path.len == 0; s = s->next) {
        const service_settings *b = &s->settings;
        if (atomic_load(&s->state) == SERVICE_READY && b->remote_path.len == 0 &&
            hg_slice_equal(a->rules_file, b->rules_file) && hg_slice_equal(a->key_regex, b->key_regex) &&
            hg_slice_equal(a->value_regex, b->value_regex))
            return s;
    }
    return NULL;
}

static service *find_or_make(manager *m, const service_settings *settings)
{
    service *s = find(m, settings);
    if (s == NULL && (s = service_new(settings)) != NULL) {
        service *twin = same_build(m, settings);
        if (twin != NULL)
            share_build(s, twin); /* else it is built */
        s->next = m->services;
        m->services = s;
        m->counts.services++;
    }
    return s;
}

static bool file_allowed(const manager *m, hg_slice file)
{
    char path[4096];
    if (file.len == 0)
        return true;
    if (m->options.allow_rules == NULL || file.len >= sizeof path)
        return false;
    memcpy(path, file.ptr, file.len);
    path[file.len] = '\0';
    return fnmatch(m->options.allow_rules, path, FNM_PATHNAME) == 0;
}

service *manager_find(manager *m, const service_settings *settings, uint64_t ticket, bool *built, const char **why)
{
    if (!file_allowed(m, settings->rules_file)) {
        *why = "the rules file is not allowed; see --allow-rules";
        return NULL;
    }
    *why = "out of memory";
    pthread_mutex_lock(&m->lock);
    service *s = find_or_make(m, settings);
    if (s != NULL) {
        *built = atomic_load(&s->state) != SERVICE_BUILDING;
        waiter *w = *built ? NULL : malloc(sizeof *w);
        if (!*built && w == NULL) {
            s = NULL;
        } else {
            atomic_fetch_add(&s->references, 1);
            if (w != NULL) {
                *w = (waiter){m->waiters, s, ticket};
                m->waiters = w;
                pthread_cond_signal(&m->changed);
            }
        }
    }
    pthread_mutex_unlock(&m->lock);
    return s;
}

void manager_release(manager *m, service *s)
{
    pthread_mutex_lock(&m->lock);
    if (atomic_fetch_sub(&s->references, 1) == 1)
        s->idle_since = hg_clock_monotonic_ns();
    pthread_mutex_unlock(&m->lock);
}

hg_status manager_prepare(manager *m, const service_settings *settings)
{
    pthread_mutex_lock(&m->lock);
    service *s = find_or_make(m, settings);
    if (s != NULL)
        atomic_fetch_add(&s->references, 1); /* never idle */
    pthread_mutex_unlock(&m->lock);
    if (s == NULL)
        return HG_ERR_NOMEM;
    build_service(s, m->options.rules, m->options.rules_version);
    return atomic_load(&s->state) == SERVICE_READY ? HG_OK : HG_ERR_SYNTAX;
}

/* Whoever waited for this service is told. */
static void tell_waiters(manager *m, service *s)
{
    for (;;) {
        pthread_mutex_lock(&m->lock);
        waiter **at = &m->waiters;
        while (*at != NULL && (*at)->service != s)
            at = &(*at)->next;
        waiter *w = *at;
        if (w != NULL)
            *at = w->next;
        pthread_mutex_unlock(&m->lock);
        if (w == NULL)
            return;
        m->ready(m->state, s, w->ticket);
        free(w);
    }
}

static service *next_to_build(manager *m)
{
    for (service *s = m->services; s != NULL; s = s->next)
        if (atomic_load(&s->state) == SERVICE_BUILDING)
            return s;
    return NULL;
}

static void purge(manager *m)
{
    uint64_t now = hg_clock_monotonic_ns();
    for (service **at = &m->services; *at != NULL;) {
        service *s = *at;
        if (atomic_load(&s->references) > 0 || atomic_load(&s->state) == SERVICE_BUILDING ||
            now - s->idle_since < (uint64_t)KEEP_IDLE_SECONDS * 1000000000) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        m->counts.services--;
        service_free(s);
    }
}

static void reload_all(manager *m, hg_slice rules)
{
    pthread_mutex_lock(&m->lock);
    m->options.rules = rules;
    service *s = m->services;
    pthread_mutex_unlock(&m->lock);
    for (; s != NULL; s = s->next) { /* services are added in front and removed on this thread only */
        if (s->settings.rules_file.len > 0 || atomic_load(&s->state) == SERVICE_BUILDING)
            continue;
        bool ok = rebuild_service(s, rules, m->options.rules_version);
        pthread_mutex_lock(&m->lock);
        *(ok ? &m->counts.reloads_ok : &m->counts.reloads_failed) += 1;
        pthread_mutex_unlock(&m->lock);
    }
}

static void poll_remotes(manager *m)
{
    pthread_mutex_lock(&m->lock);
    service *s = m->services;
    pthread_mutex_unlock(&m->lock);
    for (; s != NULL; s = s->next) {
        if (atomic_load(&s->state) != SERVICE_READY || s->settings.remote_path.len == 0)
            continue;
        int changed = poll_remote(s, m->options.rules, m->options.rules_version);
        pthread_mutex_lock(&m->lock);
        m->counts.reloads_ok += changed > 0;
        m->counts.reloads_failed += changed < 0;
        pthread_mutex_unlock(&m->lock);
    }
}

static void *maintain(void *argument)
{
    manager *m = argument;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10); /* building must not slow requests down */
    hg_prof_thread *sampled;
    hg_prof_native_attach(m->options.prof, "maintenance", NULL, &sampled);
    uint64_t next_poll = hg_clock_monotonic_ns();
    pthread_mutex_lock(&m->lock);
    while (!m->stopping) {
        service *s = next_to_build(m);
        hg_slice rules = m->new_rules;
        bool reload = m->reload;
        m->reload = false;
        uint64_t now = hg_clock_monotonic_ns();
        if (s == NULL && !reload && now < next_poll) {
            struct timespec until = {(time_t)(next_poll / 1000000000), (long)(next_poll % 1000000000)};
            pthread_cond_timedwait(&m->changed, &m->lock, &until);
            continue;
        }
        pthread_mutex_unlock(&m->lock);
        if (s != NULL) {
            build_service(s, m->options.rules, m->options.rules_version);
            tell_waiters(m, s);
        }
        if (reload)
            reload_all(m, rules);
        if (now >= next_poll) {
            poll_remotes(m);
            next_poll = now + (uint64_t)POLL_SECONDS * 1000000000;
        }
        pthread_mutex_lock(&m->lock);
        purge(m);
    }
    pthread_mutex_unlock(&m->lock);
    hg_prof_detach(sampled);
    return NULL;
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

void manager_reload(manager *m, hg_slice rules)
{
    pthread_mutex_lock(&m->lock);
    m->reload = true;
    m->new_rules = rules;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

manager_counts manager_count(manager *m)
{
    pthread_mutex_lock(&m->lock);
    manager_counts counts = m->counts;
    pthread_mutex_unlock(&m->lock);
    return counts;
}

void manager_free(manager *m)
{
    if (m == NULL)
        return;
    for (service *s = m->services, *next; s != NULL; s = next) {
        next = s->next;
        service_free(s);
    }
    for (waiter *w = m->waiters, *next; w != NULL; w = next) {
        next = w->next;
        free(w);
    }
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->changed);
    free(m);
}
