/* Worker threads: each an epoll loop over its share of the connections. The main thread counts the seconds. */
#include "cli/load/client.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 128, CONNECT_PATIENCE_MS = 1500 };
enum { SECOND = 1000000000, TICK_NS = 1000000, LOOK_NS = 100000000, RETRY_NS = 20000000 };
enum { TIMER = UINT32_MAX };

typedef enum phase { PHASE_WARM, PHASE_MEASURE, PHASE_DRAIN } phase;

/* Shared by the threads of a case; the main thread writes. */
typedef struct stage {
    atomic_int phase;
    atomic_uint_fast64_t measure_from;
} stage;

typedef struct worker {
    client_env env;
    stage *stage;
    size_t number, step; /* of the schedule's arrivals it takes every step-th, from number on */
    size_t count;
    client *clients;
    uint32_t *idle; /* stack of the clients that have nothing to do */
    size_t idle_count;
    size_t busy, asleep;
    int epoll, timer;
    uint64_t begun, arrivals; /* schedule: start, and how many have begun */
    uint64_t next_look, armed;
    histogram latency;
    bool storm;
    pthread_t thread;
    bool started;
} worker;

static uint64_t due_at(const worker *w, uint64_t arrival)
{
    double position = (double)w->number + (double)arrival * (double)w->step;
    return w->begun + (uint64_t)(position * SECOND / w->env.options->rate);
}

static bool is_phase(const worker *w, phase p)
{
    return atomic_load_explicit(&w->stage->phase, memory_order_relaxed) == (int)p;
}

/* ---- Clients ---- */

static void open_client(worker *w, uint32_t at, uint64_t now);

static void note_done(worker *w, const client *c, uint64_t now)
{
    if (!is_phase(w, PHASE_MEASURE) || c->begun < atomic_load_explicit(&w->stage->measure_from, memory_order_relaxed))
        return;
    w->env.counts.requests++;
    histogram_add(&w->latency, now > c->begun ? now - c->begun : 0);
}

static void begin(worker *w, uint32_t at, uint64_t due, uint64_t now);

/* A client has nothing to do: it takes what is overdue, or the next one of a closed loop. */
static void rest(worker *w, uint32_t at, uint64_t now)
{
    if (!w->storm && !is_phase(w, PHASE_DRAIN)) {
        bool open_loop = w->env.options->rate > 0;
        uint64_t due = open_loop ? due_at(w, w->arrivals) : now;
        if (due <= now) {
            w->arrivals++;
            begin(w, at, due, now);
            return;
        }
    }
    w->idle[w->idle_count++] = at;
}

static void follow(worker *w, uint32_t at, client_event event, bool slept, uint64_t now)
{
    client *c = &w->clients[at];
    w->asleep += (c->wakes != 0) - (size_t)slept;
    if (event == CLIENT_WAITS)
        return;
    w->busy--;
    if (event == CLIENT_DONE)
        note_done(w, c, now);
    if (event == CLIENT_GREETED && w->storm) {
        histogram_add(&w->latency, now - w->begun);
        w->env.counts.requests++;
    }
    if (event != CLIENT_GONE) {
        rest(w, at, now);
    } else if (!is_phase(w, PHASE_DRAIN) && !w->storm) {
        w->env.counts.reconnects++;
        open_client(w, at, now);
    }
}

static void begin(worker *w, uint32_t at, uint64_t due, uint64_t now)
{
    w->busy++;
    follow(w, at, client_begin(&w->clients[at], &w->env, due, now), false, now);
}

static void open_client(worker *w, uint32_t at, uint64_t now)
{
    client *c = &w->clients[at];
    client_event event = client_open(c, &w->env, now);
    if (c->step == CLIENT_CLOSED) { /* the backlog is full, or the daemon is not there: again soon */
        w->env.counts.refused += errno != EAGAIN;
        c->wakes = now + (errno == EAGAIN ? TICK_NS : RETRY_NS);
        w->asleep++;
        return;
    }
    struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.u32 = at};
    epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->fd, &e);
    w->busy++;
    follow(w, at, event, false, now);
}

/* An idle client whose connection the daemon has closed is on the stack and cannot be taken out: it is replaced in place. */
static void readable(worker *w, uint32_t at, uint64_t now)
{
    client *c = &w->clients[at];
    if (c->fd < 0 || c->wakes != 0)
        return;
    if (c->step != CLIENT_IDLE) {
        follow(w, at, client_read(c, &w->env, now), false, now);
        return;
    }
    if (client_read(c, &w->env, now) != CLIENT_GONE)
        return;
    for (size_t i = 0; i < w->idle_count; i++)
        if (w->idle[i] == at) {
            w->idle[i] = w->idle[--w->idle_count];
            break;
        }
    w->env.counts.reconnects++;
    open_client(w, at, now);
}

/* ---- Time ---- */

static void wake_sleepers(worker *w, uint64_t now)
{
    for (uint32_t i = 0; i < w->count && w->asleep > 0; i++) {
        client *c = &w->clients[i];
        if (c->wakes == 0 || c->wakes > now)
            continue;
        if (c->step == CLIENT_CLOSED) {
            w->asleep--;
            c->wakes = 0;
            if (!is_phase(w, PHASE_DRAIN) || w->storm)
                open_client(w, i, now);
        } else {
            follow(w, i, client_wake(c, &w->env, now), true, now);
        }
    }
}

static void look_for_lost(worker *w, uint64_t now)
{
    uint64_t patience = (uint64_t)(w->env.options->timeout * SECOND);
    for (uint32_t i = 0; i < w->count; i++) {
        client *c = &w->clients[i];
        if ((c->step == CLIENT_HELLO || c->step == CLIENT_BUSY) && now - c->sent_at > patience && now > c->sent_at) {
            bool slept = c->wakes != 0;
            follow(w, i, client_give_up(c, &w->env), slept, now);
        }
    }
}

static void begin_due(worker *w, uint64_t now)
{
    while (w->idle_count > 0 && !is_phase(w, PHASE_DRAIN)) {
        uint64_t due = due_at(w, w->arrivals);
        if (due > now)
            return;
        w->arrivals++;
        begin(w, w->idle[--w->idle_count], due, now);
    }
}

static void arm(worker *w, uint64_t now)
{
    uint64_t next = w->next_look;
    if (w->asleep > 0 && now + TICK_NS < next)
        next = now + TICK_NS;
    if (w->env.options->rate > 0 && !w->storm && w->idle_count > 0 && due_at(w, w->arrivals) < next)
        next = due_at(w, w->arrivals);
    if (next == w->armed)
        return;
    w->armed = next;
    struct itimerspec at = {.it_value = {(time_t)(next / SECOND), (long)(next % SECOND)}};
    timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void on_time(worker *w, uint64_t now)
{
    uint64_t expired;
    if (read(w->timer, &expired, sizeof expired) > 0)
        w->armed = 0;
    wake_sleepers(w, now);
    if (now >= w->next_look) {
        look_for_lost(w, now);
        w->next_look = now + LOOK_NS;
    }
    if (w->env.options->rate > 0)
        begin_due(w, now);
}

static bool finished(const worker *w)
{
    if (w->storm)
        return w->busy == 0 && w->asleep == 0;
    return is_phase(w, PHASE_DRAIN) && w->busy == 0;
}

static void *work(void *argument)
{
    worker *w = argument;
    struct epoll_event events[EVENTS];
    w->begun = hg_clock_monotonic_ns();
    w->next_look = w->begun + LOOK_NS;
    for (uint32_t i = 0; i < w->count; i++)
        open_client(w, i, w->storm ? w->begun : hg_clock_monotonic_ns());
    while (!finished(w)) {
        arm(w, hg_clock_monotonic_ns());
        int n = epoll_wait(w->epoll, events, EVENTS, -1);
        bool timer = false;
        for (int i = 0; i < n; i++) {
            if (events[i].data.u32 == TIMER)
                timer = true;
            else
                readable(w, events[i].data.u32, hg_clock_monotonic_ns());
        }
        if (timer)
            on_time(w, hg_clock_monotonic_ns());
    }
    return NULL;
}

/* ---- A case ---- */

static hg_status worker_open(worker *w, const load_options *o, const load_messages *m, stage *s, size_t number, size_t step,
                             size_t count)
{
    w->env = (client_env){.options = o, .messages = m, .random = (o->seed + number) * 0x9E3779B97F4A7C15u + 1};
    hg_arena_init(&w->env.arena, NULL);
    w->stage = s;
    w->number = number;
    w->step = step;
    w->count = count;
    w->clients = calloc(count, sizeof *w->clients);
    w->idle = calloc(count, sizeof *w->idle);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = TIMER};
    if (w->clients == NULL || w->idle == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        w->clients[i].fd = -1;
    return w->epoll >= 0 && w->timer >= 0 && epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->timer, &e) == 0 ? HG_OK : HG_ERR_IO;
}

static void worker_close(worker *w)
{
    for (size_t i = 0; w->clients != NULL && i < w->count; i++)
        client_close(&w->clients[i]);
    free(w->clients);
    free(w->idle);
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->timer >= 0)
        close(w->timer);
    hg_arena_close(&w->env.arena);
}

static void sleep_until(uint64_t ns)
{
    struct timespec at = {(time_t)(ns / SECOND), (long)(ns % SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

/* The measured time, with a SIGHUP to the daemon every so often. */
static void measure(const load_options *o, stage *s, load_result *out)
{
    sleep_until(hg_clock_monotonic_ns() + (uint64_t)(o->warmup * SECOND));
    load_target_read(o->pid, &out->before);
    uint64_t from = hg_clock_monotonic_ns(), end = from + (uint64_t)(o->seconds * SECOND);
    atomic_store(&s->measure_from, from);
    atomic_store(&s->phase, PHASE_MEASURE);
    uint64_t every = (uint64_t)(o->reload * SECOND);
    for (uint64_t next = from + every / 2; every > 0 && next < end; next += every) {
        sleep_until(next);
        out->reloads += kill(o->pid, SIGHUP) == 0;
    }
    sleep_until(end);
    atomic_store(&s->phase, PHASE_DRAIN);
    out->seconds = (double)(hg_clock_monotonic_ns() - from) / SECOND;
    load_target_read(o->pid, &out->after);
}

/* Waits as long as a PHP worker would. */
static bool reachable(const load_options *o)
{
    for (int waited = 0;; waited += 100) {
        int fd = load_connect(o->address);
        if (fd >= 0 || errno == EAGAIN) {
            if (fd >= 0)
                close(fd);
            return true;
        }
        if (waited >= CONNECT_PATIENCE_MS || (errno != ENOENT && errno != ECONNREFUSED)) {
            fprintf(stderr, "hotgate load: %s: %s\n", o->address, strerror(errno));
            return false;
        }
        sleep_until(hg_clock_monotonic_ns() + LOOK_NS);
    }
}

static hg_status start(worker *workers, size_t threads, size_t connections, const load_options *o, const load_messages *m,
                       stage *s, bool storm)
{
    for (size_t i = 0; i < threads; i++) {
        workers[i].storm = storm;
        size_t share = connections / threads + (i < connections % threads);
        hg_status status = worker_open(&workers[i], o, m, s, i, threads, share);
        if (status != HG_OK)
            return status;
    }
    for (size_t i = 0; i < threads; i++) {
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        if (!workers[i].started)
            return HG_ERR_NOMEM;
    }
    return HG_OK;
}

static hg_status run_case(const load_options *o, const load_messages *m, size_t connections, bool storm, load_result *out)
{
    size_t threads = o->threads < connections ? o->threads : connections;
    worker *workers = calloc(threads, sizeof *workers);
    stage s = {0};
    *out = (load_result){.connections = connections};
    if (workers == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < threads; i++)
        workers[i].epoll = workers[i].timer = -1;
    hg_status status = reachable(o) ? start(workers, threads, connections, o, m, &s, storm) : HG_ERR_IO;
    if (status == HG_OK && !storm)
        measure(o, &s, out);
    atomic_store(&s.phase, PHASE_DRAIN);
    for (size_t i = 0; i < threads; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        histogram_merge(&out->latency, &workers[i].latency);
        load_counts_add(&out->counts, &workers[i].env.counts);
        worker_close(&workers[i]);
    }
    free(workers);
    return status;
}

hg_status load_run(const load_options *o, const load_messages *m, size_t connections, load_result *out)
{
    return run_case(o, m, connections, false, out);
}

hg_status load_storm(const load_options *o, const load_messages *m, size_t connections, load_result *out)
{
    hg_status status = run_case(o, m, connections, true, out);
    out->seconds = (double)out->latency.max / SECOND;
    load_target_read(o->pid, &out->after);
    return status;
}
