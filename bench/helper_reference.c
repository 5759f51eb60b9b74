/* bench/helper_reference: an EMULATION of how helper daemons are usually built, to compare the real daemon with.
 *
 *   build/bench/helper_reference ENGINE RULES SOCKET [WORKERS]      ENGINE: hotgate, libddwaf
 *
 * One thread owns the sockets. It reads frames and hands each to a pool of workers (by default as many as CPUs it may
 * use); a worker decodes with a heap block for each string, judges, encodes, takes the update and telemetry mutexes at the
 * end of each request, and hands the answer back to the first thread, which sends it. SIGHUP builds the rules anew under
 * the update mutex. It is nobody's product: figures of it say what this design costs with these engines, no more. */
#include "reference/protocol.h"

#include "helper/frame.h"
#include "helper/listener.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, READ_SIZE = 65536 };

typedef struct task { /* a connection; a worker has it while busy, else the first thread */
    struct task *next;
    int fd;
    bool busy, ended; /* of the first thread: handed over; the client has gone meanwhile */
    bool good;        /* of the worker: it could be answered */
    size_t frame;     /* bytes of `in` that the worker answers */
    hg_buffer in, out;
    reference_request request;
} task;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    task *first, **last;
} queue;

typedef struct reference {
    reference_service service;
    hg_buffer rules;
    int epoll, wake;
    queue jobs, done;
    task *dead; /* freed behind the events of a round, which may still name them */
} reference;

/* ---- Handing over ---- */

static void queue_init(queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    q->last = &q->first;
}

/* Whether it was empty before. */
static bool push(queue *q, task *t)
{
    t->next = NULL;
    pthread_mutex_lock(&q->lock);
    bool first = q->first == NULL;
    *q->last = t;
    q->last = &t->next;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
    return first;
}

static task *pop(queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->first == NULL)
        pthread_cond_wait(&q->filled, &q->lock);
    task *t = q->first;
    q->first = t->next;
    if (q->first == NULL)
        q->last = &q->first;
    pthread_mutex_unlock(&q->lock);
    return t;
}

static task *pop_all(queue *q)
{
    pthread_mutex_lock(&q->lock);
    task *t = q->first;
    q->first = NULL;
    q->last = &q->first;
    pthread_mutex_unlock(&q->lock);
    return t;
}

static void *work(void *argument)
{
    reference *r = argument;
    for (;;) {
        task *t = pop(&r->jobs);
        hg_slice body = hg_slice_of(t->in.ptr + FRAME_HEADER, t->frame - FRAME_HEADER);
        t->good = reference_answer(&r->service, &t->request, body, &t->out);
        uint64_t one = 1;
        if (push(&r->done, t) && write(r->wake, &one, sizeof one) < 0)
            perror("helper_reference");
    }
    return NULL;
}

/* ---- The first thread ---- */

static void bury(reference *r, task *t)
{
    epoll_ctl(r->epoll, EPOLL_CTL_DEL, t->fd, NULL);
    close(t->fd);
    reference_end(&r->service, &t->request);
    t->fd = -1;
    t->next = r->dead;
    r->dead = t;
}

/* A whole frame goes to the workers. False: it is none. */
static bool hand_over(reference *r, task *t)
{
    size_t length;
    frame_state state = frame_header(hg_slice_of(t->in.ptr, t->in.len), &length);
    if (state == FRAME_BAD_MARKER || state == FRAME_TOO_LARGE)
        return false;
    if (state == FRAME_NEED_MORE || t->in.len - FRAME_HEADER < length)
        return true;
    t->frame = FRAME_HEADER + length;
    t->busy = true;
    push(&r->jobs, t);
    return true;
}

static void readable(reference *r, task *t)
{
    if (t->fd < 0)
        return;
    if (t->busy) { /* whoever waits for its answer sends nothing: the client has gone */
        t->ended = true;
        return;
    }
    char *to = hg_buffer_reserve(&t->in, READ_SIZE);
    ssize_t n = to != NULL ? recv(t->fd, to, READ_SIZE, MSG_DONTWAIT) : 0;
    if (n < 0 && errno == EAGAIN)
        return;
    t->in.len += n > 0 ? (size_t)n : 0;
    if (n <= 0 || !hand_over(r, t))
        bury(r, t);
}

/* Answers are small and awaited one by one, so that a send takes them whole. */
static void answered(reference *r, task *t)
{
    bool whole = t->good && send(t->fd, t->out.ptr, t->out.len, MSG_NOSIGNAL) == (ssize_t)t->out.len;
    t->out.len = 0;
    t->busy = false;
    memmove(t->in.ptr, t->in.ptr + t->frame, t->in.len - t->frame);
    t->in.len -= t->frame;
    if (!whole || t->ended)
        bury(r, t);
}

static void send_answers(reference *r)
{
    uint64_t count;
    if (read(r->wake, &count, sizeof count) < 0)
        return;
    for (task *t = pop_all(&r->done), *next; t != NULL; t = next) {
        next = t->next;
        answered(r, t);
    }
}

static void adopt(reference *r, const listener *l)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    task *t = fd >= 0 ? calloc(1, sizeof *t) : NULL;
    if (t == NULL)
        return;
    t->fd = fd;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = t};
    epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e);
}

static void free_dead(reference *r)
{
    task *t = r->dead;
    r->dead = NULL;
    for (task *next; t != NULL; t = next) {
        next = t->next;
        hg_buffer_free(&t->in);
        hg_buffer_free(&t->out);
        free(t);
    }
}

static void *update(void *argument)
{
    reference *r = argument;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    for (int signal; sigwait(&set, &signal) == 0;)
        if (!reference_update(&r->service, hg_slice_of(r->rules.ptr, r->rules.len)))
            fprintf(stderr, "helper_reference: an update failed\n");
    return NULL;
}

static bool read_rules(const char *path, hg_buffer *out)
{
    FILE *file = fopen(path, "re");
    for (char *to; file != NULL && !feof(file) && !ferror(file) && (to = hg_buffer_reserve(out, READ_SIZE)) != NULL;)
        out->len += fread(to, 1, READ_SIZE, file);
    bool good = file != NULL && !ferror(file) && out->len > 0;
    if (file != NULL)
        fclose(file);
    return good;
}

static unsigned usable_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static bool start(reference *r, unsigned workers)
{
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* before the threads, which inherit it */
    bool started = pthread_create(&thread, NULL, update, r) == 0;
    for (unsigned i = 0; i < workers && started; i++)
        started = pthread_create(&thread, NULL, work, r) == 0;
    return started;
}

static void wait_for_sockets(reference *r, const listener *l)
{
    struct epoll_event events[EVENTS];
    for (;;) {
        free_dead(r);
        int n = epoll_wait(r->epoll, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == NULL)
                adopt(r, l);
            else if (events[i].data.ptr == r)
                send_answers(r);
            else
                readable(r, events[i].data.ptr);
        }
    }
}

int main(int argc, char **argv)
{
    static reference r;
    listener l;
    char why[256];
    if (argc < 4) {
        fprintf(stderr, "usage: helper_reference hotgate|libddwaf RULES SOCKET [WORKERS]\n");
        return 2;
    }
    r.service.engine = strcmp(argv[1], "hotgate") == 0 ? &reference_ours : reference_official();
    if (r.service.engine == NULL) {
        fprintf(stderr, "helper_reference: libddwaf.so is not there; tools/peers fetches it\n");
        return 77;
    }
    queue_init(&r.jobs);
    queue_init(&r.done);
    pthread_mutex_init(&r.service.update, NULL);
    pthread_mutex_init(&r.service.pointer, NULL);
    pthread_mutex_init(&r.service.telemetry, NULL);
    if (!read_rules(argv[2], &r.rules) || !reference_update(&r.service, hg_slice_of(r.rules.ptr, r.rules.len))) {
        fprintf(stderr, "helper_reference: %s: no usable rules\n", argv[2]);
        return 3;
    }
    r.epoll = epoll_create1(EPOLL_CLOEXEC);
    const listener_options lo = {.address = argv[3], .uid = geteuid(), .speaks = PROTOCOL_HELPER};
    if (listener_open(&lo, &l, why) != HG_OK) {
        fprintf(stderr, "helper_reference: %s\n", why);
        return 1;
    }
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(r.epoll, EPOLL_CTL_ADD, l.fd, &e);
    r.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    e.data.ptr = &r;
    epoll_ctl(r.epoll, EPOLL_CTL_ADD, r.wake, &e);
    if (!start(&r, argc > 4 ? (unsigned)atoi(argv[4]) : usable_cpus())) {
        fprintf(stderr, "helper_reference: the threads could not be started\n");
        return 1;
    }
    wait_for_sockets(&r, &l);
}
