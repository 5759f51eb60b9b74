#include "helper/server.h"

#include "helper/connection.h"

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

enum { EVENTS = 64, READ_SIZE = 65536, WAIT_MS = 1000, LOOK_MS = 50, IDLE_OUT_MAX = 65536, CONTEXTS_KEPT = 256 };

typedef struct mail { /* a build that a connection waits for has ended */
    struct mail *next;
    uint64_t ticket;
} mail;

typedef struct loop {
    server *server;
    unsigned number;
    int epoll, wake;
    pthread_t thread;
    bool started;
    connection **connections; /* by table position */
    size_t count, capacity, waiting;
    uint32_t next_serial;
    pthread_mutex_t lock; /* mailbox */
    mail *mailbox;
    helper_counters counters;
    char buffer[READ_SIZE];
} loop;

struct server {
    server_options options;
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

static void watch(loop *l, connection *c, size_t position)
{
    uint32_t events = c->waiting_since != 0 ? 0 : EPOLLIN;
    struct epoll_event e = {.events = events | (c->writing ? EPOLLOUT : 0), .data.u64 = TAG_CONNECTION + position};
    epoll_ctl(l->epoll, EPOLL_CTL_MOD, c->fd, &e);
}

static void drop(loop *l, size_t position)
{
    connection *c = l->connections[position];
    close(c->fd);
    l->waiting -= c->waiting_since != 0;
    if (c->protocol == PROTOCOL_JSON) {
        generation_unref(c->session.rules);
        c->session.rules = NULL;
    }
    session_close(&c->session);
    hg_buffer_free(&c->line);
    hg_buffer_free(&c->out);
    free(c);
    l->connections[position] = NULL;
    l->count--;
    atomic_store_explicit(&l->counters.connections, l->count, memory_order_relaxed);
}

/* Sends what there is, and looks what comes next for the connection. */
static void settle(loop *l, size_t position)
{
    connection *c = l->connections[position];
    int sent = connection_flush(c);
    if (sent < 0 || (sent > 0 && c->closing)) {
        drop(l, position);
        return;
    }
    if (sent > 0 && c->out.cap > IDLE_OUT_MAX)
        hg_buffer_free(&c->out); /* one large answer must not be kept for ever */
    bool wants_write = sent == 0;
    if (wants_write != c->writing || c->waiting_since == 1) {
        c->writing = wants_write;
        if (c->waiting_since == 1) {
            c->waiting_since = hg_clock_monotonic_ns();
            l->waiting++;
        }
        watch(l, c, position);
    }
}

static void read_from(loop *l, size_t position)
{
    connection *c = l->connections[position];
    connection_limits limits = {l->server->options.max_line, l->server->options.plain};
    ssize_t n = recv(c->fd, l->buffer, sizeof l->buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || !connection_feed(c, hg_slice_of(l->buffer, (size_t)n), &limits)) {
        drop(l, position);
        return;
    }
    settle(l, position);
}

static bool peer_is_right(int fd, const listener *from)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == from->uid || peer.uid == 0);
}

static size_t free_position(loop *l)
{
    for (size_t i = 0; i < l->capacity; i++)
        if (l->connections[i] == NULL)
            return i;
    size_t capacity = l->capacity ? l->capacity * 2 : 64;
    connection **grown = realloc(l->connections, capacity * sizeof *grown);
    if (grown == NULL)
        return SIZE_MAX;
    memset(grown + l->capacity, 0, (capacity - l->capacity) * sizeof *grown);
    l->connections = grown;
    size_t first = l->capacity;
    l->capacity = capacity;
    return first;
}

static bool adopt(loop *l, int fd, const listener *from)
{
    size_t position = l->count < l->server->options.max_connections ? free_position(l) : SIZE_MAX;
    connection *c = position != SIZE_MAX ? calloc(1, sizeof *c) : NULL;
    if (c == NULL)
        return false;
    c->fd = fd;
    c->protocol = from->protocol;
    c->serial = ++l->next_serial;
    session_open(&c->session, l->server->options.manager, &l->counters, ticket_of(l, c->serial, position));
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_CONNECTION + position};
    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
        session_close(&c->session);
        free(c);
        return false;
    }
    l->connections[position] = c;
    l->count++;
    count_add(&l->counters.connections_total, 1);
    atomic_store_explicit(&l->counters.connections, l->count, memory_order_relaxed);
    return true;
}

static void accept_from(loop *l, const listener *from)
{
    int fd = accept4(from->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    bool right = peer_is_right(fd, from);
    if (right && adopt(l, fd, from))
        return;
    count_add(&l->counters.refused, 1);
    HG_LOG(HG_LOG_WARN, "a connection was refused: %s", right ? "too many connections" : "its user is not served here");
    close(fd);
}

static connection *by_ticket(loop *l, uint64_t ticket, size_t *position)
{
    *position = ticket & 0xffffff;
    connection *c = *position < l->capacity ? l->connections[*position] : NULL;
    return c != NULL && c->serial == (uint32_t)(ticket >> 24) && c->waiting_since != 0 ? c : NULL;
}

static void go_on(loop *l, connection *c, size_t position, bool built)
{
    c->waiting_since = 0;
    l->waiting--;
    session_next next = built ? session_resume(&c->session, &c->out) : session_give_up(&c->session, &c->out);
    c->closing |= next == SESSION_CLOSE;
    watch(l, c, position);
    settle(l, position);
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
        connection *c = by_ticket(l, m->ticket, &position);
        if (c != NULL)
            go_on(l, c, position, true);
        mail *next = m->next;
        free(m);
        m = next;
    }
}

static void give_up_waiting(loop *l)
{
    uint64_t now = hg_clock_monotonic_ns();
    for (size_t i = 0; i < l->capacity && l->waiting > 0; i++) {
        connection *c = l->connections[i];
        if (c != NULL && c->waiting_since > 1 && now - c->waiting_since > (uint64_t)WAIT_MS * 1000000)
            go_on(l, c, i, false);
    }
}

static void handle(loop *l, const struct epoll_event *e)
{
    uint64_t tag = e->data.u64;
    if (tag < TAG_WAKE) {
        accept_from(l, &l->server->options.listeners[tag]);
    } else if (tag == TAG_WAKE) {
        read_mail(l);
    } else {
        size_t position = tag - TAG_CONNECTION;
        if (l->connections[position] == NULL)
            return; /* dropped earlier in this round */
        if (e->events & EPOLLOUT)
            settle(l, position);
        else if (e->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
            read_from(l, position);
    }
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
        int n = epoll_wait(l->epoll, events, EVENTS, l->waiting > 0 ? LOOK_MS : -1);
        for (int i = 0; i < n; i++)
            handle(l, &events[i]);
        if (l->waiting > 0)
            give_up_waiting(l);
    }
    for (size_t i = 0; i < l->capacity; i++)
        if (l->connections[i] != NULL)
            drop(l, i);
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
    pthread_mutex_init(&l->lock, NULL);
    s->loops[s->loop_count++] = l;
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
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned loops = options->loops ? options->loops : cpus > 0 ? (unsigned)cpus : 1;
    hg_status status = options->listener_count <= LISTENERS_MAX ? HG_OK : HG_ERR_LIMIT;
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
        for (mail *m = l->mailbox, *next; m != NULL; m = next) {
            next = m->next;
            free(m);
        }
        free(l->connections);
        pthread_mutex_destroy(&l->lock);
        free(l);
    }
    free(s);
}

void server_ready(void *state, service *built, uint64_t ticket)
{
    (void)built;
    server *s = *(server **)state;
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

size_t server_loops(const server *s)
{
    return s->loop_count;
}

const helper_counters *server_loop_counters(const server *s, size_t number)
{
    return &s->loops[number]->counters;
}
