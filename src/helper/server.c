#include "helper/server.h"

#include "helper/event_log.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    EVENTS = 64,
    READ_SIZE = 65536,
    IDLE_OUT_MAX = 65536,
    WAIT_MS = 1000, /* for rules, when there are none */
    PAUSE_MS = 150, /* for newer ones */
    LOOK_MS = 20,
    DRAIN_READS = 64,
    FINISH_ROUNDS = 256,
    CONTEXTS_KEPT = 256,
    UNSENT_MAX = 16,
    UNSENT_NS = 200000,
    ACCEPTS = 8
};

typedef struct mail { /* a build that a connection waits for has ended */
    struct mail *next;
    uint64_t ticket;
} mail;

typedef struct member { /* a connection and its place in the loop */
    connection connection;
    int fd;
    uint32_t serial; /* distinguishes the users of a table entry */
    uint32_t events; /* asked of epoll */
    uint64_t paused_since; /* ns; 0: it is not paused */
} member;

typedef struct loop {
    server *server;
    unsigned number;
    int epoll, wake, spare; /* spare: a descriptor to give up when there are no more */
    pthread_t thread;
    bool started;
    member **members; /* by table position */
    size_t count, capacity, paused, lowest_free;
    uint32_t next_serial;
    pthread_mutex_t lock; /* mailbox */
    mail *mailbox;
    atomic_bool renewed; /* rules have been replaced */
    uint32_t unsent[UNSENT_MAX]; /* positions of connections that were read from and not settled yet */
    size_t unsent_count;
    uint64_t unsent_since;
    connection_place place;
    loop_counters counters;
    char buffer[READ_SIZE];
} loop;

struct server {
    server_options options;
    hg_obfuscator *obfuscator; /* of JSON lines */
    uint64_t started;
    atomic_bool stopping;
    loop *loops[LOOPS_MAX];
    size_t loop_count;
};

/* What an event is about: listeners have small numbers, connections their position behind them. */
enum { TAG_WAKE = LISTENERS_MAX, TAG_CONNECTION = LISTENERS_MAX + 1 };

/* loop << 56 | serial << 24 | position */
static uint64_t ticket_of(const loop *l, uint32_t serial, size_t position)
{
    return (uint64_t)l->number << 56 | (uint64_t)serial << 24 | position;
}

/* ---- Connections ---- */

/* Asks for what the connection can do next: it is not read from while it pauses, or does not read its answers. */
static void watch(loop *l, member *m, size_t position)
{
    size_t pending = connection_pending(&m->connection);
    bool reads = m->paused_since == 0 && pending < OUT_PENDING_HIGH && !m->connection.closing;
    uint32_t events = (reads ? (uint32_t)EPOLLIN : 0) | (pending > 0 ? (uint32_t)EPOLLOUT : 0);
    if (events == m->events)
        return;
    m->events = events;
    struct epoll_event e = {.events = events, .data.u64 = TAG_CONNECTION + position};
    epoll_ctl(l->epoll, EPOLL_CTL_MOD, m->fd, &e);
}

/* What is unread would make the peer see an error in place of the last answer. */
static void close_drained(loop *l, int fd)
{
    for (int i = 0; i < DRAIN_READS; i++)
        if (recv(fd, l->buffer, sizeof l->buffer, MSG_DONTWAIT) <= 0)
            break;
    close(fd);
}

static void drop(loop *l, size_t position)
{
    member *m = l->members[position];
    close_drained(l, m->fd);
    l->paused -= m->paused_since != 0;
    connection_close(&m->connection);
    free(m);
    l->members[position] = NULL;
    l->count--;
    if (position < l->lowest_free)
        l->lowest_free = position;
    atomic_store_explicit(&l->counters.connections, l->count, memory_order_relaxed);
}

/* Sends what there is, and looks what comes next for the connection. */
static void settle(loop *l, size_t position)
{
    member *m = l->members[position];
    connection *c = &m->connection;
    int sent = connection_flush(c, m->fd);
    if (sent < 0 || (sent > 0 && c->closing)) {
        drop(l, position);
        return;
    }
    if (sent > 0 && c->out.cap > IDLE_OUT_MAX)
        hg_buffer_free(&c->out); /* one large answer must not be kept for ever */
    if (c->paused != SESSION_GO_ON && m->paused_since == 0) {
        m->paused_since = hg_clock_monotonic_ns();
        l->paused++;
    }
    watch(l, m, position);
}

static void settle_all(loop *l)
{
    for (size_t i = 0; i < l->unsent_count; i++)
        if (l->members[l->unsent[i]] != NULL) /* else dropped meanwhile */
            settle(l, l->unsent[i]);
    l->unsent_count = 0;
}

/* The answers of a round are sent together, a few at a time: a client process that is woken by the first finds the others
 * there, and a send that wakes nobody costs half. None waits longer than the evaluation that is under way. */
static void settle_soon(loop *l, size_t position)
{
    uint64_t now = hg_clock_monotonic_ns();
    if (l->unsent_count == 0)
        l->unsent_since = now;
    l->unsent[l->unsent_count++] = (uint32_t)position;
    if (l->unsent_count == UNSENT_MAX || now - l->unsent_since > UNSENT_NS)
        settle_all(l);
}

static void read_from(loop *l, size_t position)
{
    member *m = l->members[position];
    ssize_t n = recv(m->fd, l->buffer, sizeof l->buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0 || (n > 0 && !connection_feed(&m->connection, hg_slice_of(l->buffer, (size_t)n)))) {
        drop(l, position);
        return;
    }
    if (n == 0)
        connection_end(&m->connection);
    settle_soon(l, position);
}

static bool peer_is_right(int fd, const listener *from, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0 &&
           (from->anybody || peer->uid == from->uid || peer->uid == 0);
}

static size_t free_position(loop *l)
{
    for (size_t i = l->lowest_free; i < l->capacity; i++)
        if (l->members[i] == NULL)
            return l->lowest_free = i;
    size_t capacity = l->capacity ? l->capacity * 2 : 64;
    member **grown = realloc(l->members, capacity * sizeof *grown);
    if (grown == NULL)
        return SIZE_MAX;
    memset(grown + l->capacity, 0, (capacity - l->capacity) * sizeof *grown);
    l->members = grown;
    l->lowest_free = l->capacity;
    l->capacity = capacity;
    return l->lowest_free;
}

static bool adopt(loop *l, int fd, const listener *from, unsigned peer)
{
    size_t position = l->count < l->server->options.max_connections ? free_position(l) : SIZE_MAX;
    member *m = position != SIZE_MAX ? calloc(1, sizeof *m) : NULL;
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_CONNECTION + position};
    if (m == NULL || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
        free(m);
        count_limit(&l->counters, LIMIT_CONNECTIONS, "a connection was refused");
        return false;
    }
    m->fd = fd;
    m->serial = ++l->next_serial;
    m->events = EPOLLIN;
    connection_open(&m->connection, &l->place, from->protocol, ticket_of(l, m->serial, position), from->uid, peer);
    l->members[position] = m;
    l->count++;
    count_add(&l->counters.connections_total, 1);
    atomic_store_explicit(&l->counters.connections, l->count, memory_order_relaxed);
    return true;
}

/* Without a descriptor left the waiting connection would wake the loop for ever: it is taken and closed. */
static void turn_away(loop *l, const listener *from)
{
    count_limit(&l->counters, LIMIT_CONNECTIONS, "there are no file descriptors left");
    count_add(&l->counters.refused, 1);
    close(l->spare);
    int fd = accept4(from->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    l->spare = eventfd(0, EFD_CLOEXEC);
}

/* False: nobody is waiting. */
static bool accept_one(loop *l, const listener *from)
{
    struct ucred peer = {.uid = 0};
    int fd = accept4(from->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE)
            turn_away(l, from);
        return false;
    }
    bool right = peer_is_right(fd, from, &peer);
    if (right && adopt(l, fd, from, peer.uid))
        return true;
    count_add(&l->counters.refused, 1);
    if (!right)
        HG_LOG(HG_LOG_WARN, "a connection of user %u was refused", (unsigned)peer.uid);
    close(fd);
    return true;
}

/* A few at a time: a storm costs fewer calls, and other loops get their share. */
static void accept_from(loop *l, const listener *from)
{
    for (int i = 0; i < ACCEPTS && accept_one(l, from); i++)
        continue;
}

/* ---- Waiting for rules ---- */

static member *by_ticket(loop *l, uint64_t ticket, size_t *position)
{
    *position = ticket & 0xffffff;
    member *m = *position < l->capacity ? l->members[*position] : NULL;
    return m != NULL && m->serial == (uint32_t)(ticket >> 24) && m->paused_since != 0 ? m : NULL;
}

static void go_on(loop *l, member *m, size_t position, bool in_time)
{
    m->paused_since = 0;
    l->paused--;
    if (connection_resume(&m->connection, in_time))
        settle(l, position);
    else
        drop(l, position);
}

/* Idle connections and kept contexts let go of rules that have been replaced. */
static void renew(loop *l)
{
    for (size_t i = 0; i < l->capacity; i++)
        if (l->members[i] != NULL)
            connection_renew(&l->members[i]->connection);
    hg_context_keep(CONTEXTS_KEPT);
}

static void read_mail(loop *l)
{
    uint64_t count;
    if (read(l->wake, &count, sizeof count) < 0)
        return;
    pthread_mutex_lock(&l->lock);
    mail *m = l->mailbox;
    l->mailbox = NULL;
    pthread_mutex_unlock(&l->lock);
    while (m != NULL) {
        size_t position;
        member *waiting = by_ticket(l, m->ticket, &position);
        if (waiting != NULL)
            go_on(l, waiting, position, true);
        mail *next = m->next;
        free(m);
        m = next;
    }
    if (atomic_exchange(&l->renewed, false))
        renew(l);
}

static void end_pauses(loop *l)
{
    uint64_t now = hg_clock_monotonic_ns();
    for (size_t i = 0; i < l->capacity && l->paused > 0; i++) {
        member *m = l->members[i];
        if (m == NULL || m->paused_since == 0)
            continue;
        uint64_t most = m->connection.paused == SESSION_WAIT ? WAIT_MS : PAUSE_MS;
        if (now - m->paused_since > most * 1000000)
            go_on(l, m, i, false);
    }
}

/* ---- The loop ---- */

static void handle(loop *l, const struct epoll_event *e)
{
    uint64_t tag = e->data.u64;
    if (tag < TAG_WAKE) {
        accept_from(l, &l->server->options.listeners[tag]);
        return;
    }
    if (tag == TAG_WAKE) {
        read_mail(l);
        return;
    }
    size_t position = tag - TAG_CONNECTION;
    member *m = l->members[position];
    if (m == NULL)
        return; /* dropped earlier in this round */
    if (e->events & EPOLLOUT)
        settle(l, position);
    else if (m->events & EPOLLIN)
        read_from(l, position);
    else if (e->events & (EPOLLHUP | EPOLLERR))
        drop(l, position); /* nothing is wanted of a peer that is gone */
}

/* Answers what has arrived, sends what can be sent. */
static void finish(loop *l)
{
    struct epoll_event events[EVENTS];
    for (int round = 0; round < FINISH_ROUNDS; round++) {
        int n = epoll_wait(l->epoll, events, EVENTS, 0);
        if (n <= 0)
            break;
        for (int i = 0; i < n; i++)
            if (events[i].data.u64 > TAG_WAKE)
                handle(l, &events[i]);
        settle_all(l);
    }
    for (size_t i = 0; i < l->capacity; i++)
        if (l->members[i] != NULL)
            drop(l, i);
}

static void *loop_main(void *argument)
{
    loop *l = argument;
    prctl(PR_SET_NAME, "hotgate-loop", 0ul, 0ul, 0ul);
    hg_prof_thread *sampled;
    hg_prof_native_attach(l->server->options.prof, "loop", NULL, &sampled);
    hg_context_keep(CONTEXTS_KEPT); /* one for each request that is under way */
    struct epoll_event events[EVENTS];
    while (!atomic_load_explicit(&l->server->stopping, memory_order_relaxed)) {
        int n = epoll_wait(l->epoll, events, EVENTS, l->paused > 0 ? LOOK_MS : -1);
        for (int i = 0; i < n; i++)
            handle(l, &events[i]);
        settle_all(l);
        if (l->paused > 0)
            end_pauses(l);
    }
    finish(l);
    hg_prof_detach(sampled);
    return NULL;
}

static hg_status loop_open(server *s, unsigned number)
{
    loop *l = aligned_alloc(64, (sizeof *l + 63) / 64 * 64);
    if (l == NULL)
        return HG_ERR_NOMEM;
    memset(l, 0, sizeof *l);
    l->server = s;
    l->number = number;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->spare = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&l->lock, NULL);
    s->loops[s->loop_count++] = l;
    if (loop_counters_open(&l->counters) != HG_OK)
        return HG_ERR_NOMEM;
    const server_options *o = &s->options;
    l->place = (connection_place){
        .session = {.manager = o->manager, .counters = &l->counters, .events = o->events,
                    .max_memory = o->max_memory},
        .max_line = o->max_line, .max_frame = o->max_frame, .plain = manager_base(o->manager),
        .obfuscator = s->obfuscator};
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_WAKE};
    if (l->epoll < 0 || l->wake < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->wake, &e) != 0)
        return HG_ERR_IO;
    for (size_t i = 0; i < s->options.listener_count; i++) {
        e = (struct epoll_event){.events = EPOLLIN | EPOLLEXCLUSIVE, .data.u64 = i};
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, s->options.listeners[i].fd, &e) != 0)
            return HG_ERR_IO;
    }
    return HG_OK;
}

hg_status server_new(const server_options *options, server **out)
{
    *out = NULL;
    server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return HG_ERR_NOMEM;
    s->options = *options;
    s->started = hg_clock_monotonic_ns();
    s->obfuscator = hg_obfuscator_new(HG_SLICE(""), HG_SLICE(""));
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned loops = options->loops ? options->loops : cpus > 0 ? (unsigned)cpus : 1;
    hg_status status = s->obfuscator == NULL ? HG_ERR_NOMEM :
                       options->listener_count <= LISTENERS_MAX ? HG_OK : HG_ERR_LIMIT;
    for (unsigned i = 0; i < loops && i < LOOPS_MAX && status == HG_OK; i++)
        status = loop_open(s, i);
    if (status != HG_OK) {
        server_free(s);
        return status;
    }
    *out = s;
    return HG_OK;
}

hg_status server_start(server *s)
{
    for (size_t i = 0; i < s->loop_count; i++) {
        s->loops[i]->started = pthread_create(&s->loops[i]->thread, NULL, loop_main, s->loops[i]) == 0;
        if (!s->loops[i]->started)
            return HG_ERR_NOMEM;
    }
    return HG_OK;
}

static void ring(loop *l)
{
    uint64_t one = 1;
    if (write(l->wake, &one, sizeof one) < 0)
        HG_LOG(HG_LOG_ERROR, "a loop cannot be woken: %s", strerror(errno));
}

void server_stop(server *s)
{
    atomic_store(&s->stopping, true);
    for (size_t i = 0; i < s->loop_count; i++) {
        if (!s->loops[i]->started)
            continue;
        ring(s->loops[i]);
        pthread_join(s->loops[i]->thread, NULL);
        s->loops[i]->started = false;
    }
}

void server_free(server *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->loop_count; i++) {
        loop *l = s->loops[i];
        if (l->epoll >= 0)
            close(l->epoll);
        if (l->wake >= 0)
            close(l->wake);
        if (l->spare >= 0)
            close(l->spare);
        for (mail *m = l->mailbox, *next; m != NULL; m = next) {
            next = m->next;
            free(m);
        }
        free(l->members);
        loop_counters_close(&l->counters);
        pthread_mutex_destroy(&l->lock);
        free(l);
    }
    hg_obfuscator_free(s->obfuscator);
    free(s);
}

static void renew_all(server *s)
{
    for (size_t i = 0; s != NULL && i < s->loop_count; i++) {
        atomic_store(&s->loops[i]->renewed, true);
        ring(s->loops[i]);
    }
}

void server_ready(void *state, uint64_t ticket)
{
    server *s = *(server **)state;
    if (ticket == MANAGER_RENEWED) {
        renew_all(s);
        return;
    }
    size_t number = ticket >> 56;
    mail *m = s != NULL && number < s->loop_count ? malloc(sizeof *m) : NULL;
    if (m == NULL)
        return; /* the connection gives up after its second */
    loop *l = s->loops[number];
    pthread_mutex_lock(&l->lock);
    *m = (mail){l->mailbox, ticket};
    l->mailbox = m;
    pthread_mutex_unlock(&l->lock);
    ring(l);
}

uint64_t server_events_lost(const server *s)
{
    return s->options.events != NULL ? event_log_lost(s->options.events) : 0;
}

uint64_t server_started(const server *s)
{
    return s->started;
}

size_t server_loops(const server *s)
{
    return s->loop_count;
}

const loop_counters *server_loop_counters(const server *s, size_t number)
{
    return &s->loops[number]->counters;
}
