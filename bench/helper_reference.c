/* bench/helper_reference: an EMULATION of how helper daemons are usually built, to compare the real daemon with.
 *
 *   build/bench/helper_reference ENGINE RULES SOCKET [WORKERS]      ENGINE: hotgate, libddwaf
 *
 * One thread waits for sockets and hands each that is ready to a pool of workers (by default as many as CPUs it may use);
 * a worker reads, decodes with a heap block for each string, judges, answers, and takes the update and telemetry mutexes
 * at the end of each request. SIGHUP builds the rules anew under the update mutex. It is nobody's product: figures of it
 * say what this design costs with these engines, no more. */
#include "reference/protocol.h"

#include "helper/frame.h"
#include "helper/server.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, READ_SIZE = 65536, WORKERS_MAX = 64 };

typedef enum task_state { TASK_IDLE, TASK_QUEUED, TASK_RUNNING, TASK_AGAIN, TASK_DEAD } task_state;

typedef struct task { /* a connection */
    struct task *next;
    int fd;
    atomic_int state;
    hg_buffer in, out;
    reference_request request;
} task;

typedef struct reference {
    reference_service service;
    hg_buffer rules;
    int epoll;
    pthread_mutex_t lock; /* queue and dead */
    pthread_cond_t filled;
    task *first, **last;
    task *dead; /* freed by the thread that waits, which may still hold events of them */
} reference;

/* ---- Scheduling ---- */

static void enqueue(reference *r, task *t)
{
    t->next = NULL;
    pthread_mutex_lock(&r->lock);
    *r->last = t;
    r->last = &t->next;
    pthread_cond_signal(&r->filled);
    pthread_mutex_unlock(&r->lock);
}

static task *dequeue(reference *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->first == NULL)
        pthread_cond_wait(&r->filled, &r->lock);
    task *t = r->first;
    r->first = t->next;
    if (r->first == NULL)
        r->last = &r->first;
    pthread_mutex_unlock(&r->lock);
    return t;
}

static void wake(reference *r, task *t)
{
    int state = atomic_load(&t->state);
    for (;;) {
        int next = state == TASK_IDLE ? TASK_QUEUED : state == TASK_RUNNING ? TASK_AGAIN : state;
        if (!atomic_compare_exchange_weak(&t->state, &state, next))
            continue;
        if (state == TASK_IDLE)
            enqueue(r, t);
        return;
    }
}

/* ---- Work ---- */

static bool answer_frames(reference *r, task *t)
{
    size_t at = 0, length;
    for (;;) {
        hg_slice left = hg_slice_of(t->in.ptr + at, t->in.len - at);
        frame_state state = frame_header(left, &length);
        if (state == FRAME_BAD_MARKER || state == FRAME_TOO_LARGE)
            return false;
        if (state == FRAME_NEED_MORE || left.len - FRAME_HEADER < length)
            break;
        if (!reference_answer(&r->service, &t->request, hg_slice_of(left.ptr + FRAME_HEADER, length), &t->out))
            return false;
        at += FRAME_HEADER + length;
    }
    memmove(t->in.ptr, t->in.ptr + at, t->in.len - at);
    t->in.len -= at;
    return true;
}

/* Answers are small and awaited one by one, so that a send takes them whole. */
static bool send_all(task *t)
{
    ssize_t n = t->out.len > 0 ? send(t->fd, t->out.ptr, t->out.len, MSG_NOSIGNAL) : 0;
    bool whole = n == (ssize_t)t->out.len;
    t->out.len = 0;
    return whole;
}

static bool serve(reference *r, task *t)
{
    for (;;) {
        char *to = hg_buffer_reserve(&t->in, READ_SIZE);
        ssize_t n = to != NULL ? recv(t->fd, to, READ_SIZE, MSG_DONTWAIT) : 0;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0)
            return false;
        t->in.len += (size_t)n;
        if (!answer_frames(r, t) || !send_all(t))
            return false;
        if (n < READ_SIZE)
            return true;
    }
}

static void bury(reference *r, task *t)
{
    epoll_ctl(r->epoll, EPOLL_CTL_DEL, t->fd, NULL);
    close(t->fd);
    reference_end(&r->service, &t->request);
    atomic_store(&t->state, TASK_DEAD);
    pthread_mutex_lock(&r->lock);
    t->next = r->dead;
    r->dead = t;
    pthread_mutex_unlock(&r->lock);
}

static void *work(void *argument)
{
    reference *r = argument;
    for (;;) {
        task *t = dequeue(r);
        bool alive;
        int expected;
        do {
            atomic_store(&t->state, TASK_RUNNING);
            alive = serve(r, t);
            expected = TASK_RUNNING;
        } while (alive && !atomic_compare_exchange_strong(&t->state, &expected, TASK_IDLE));
        if (!alive)
            bury(r, t);
    }
    return NULL;
}

/* ---- Waiting ---- */

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
    pthread_mutex_lock(&r->lock);
    task *t = r->dead;
    r->dead = NULL;
    pthread_mutex_unlock(&r->lock);
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
            else
                wake(r, events[i].data.ptr);
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
    r.last = &r.first;
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.filled, NULL);
    pthread_mutex_init(&r.service.update, NULL);
    pthread_mutex_init(&r.service.pointer, NULL);
    pthread_mutex_init(&r.service.telemetry, NULL);
    if (!read_rules(argv[2], &r.rules) || !reference_update(&r.service, hg_slice_of(r.rules.ptr, r.rules.len))) {
        fprintf(stderr, "helper_reference: %s: no usable rules\n", argv[2]);
        return 3;
    }
    r.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (listener_open(argv[3], geteuid(), PROTOCOL_HELPER, &l, why) != HG_OK) {
        fprintf(stderr, "helper_reference: %s\n", why);
        return 1;
    }
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(r.epoll, EPOLL_CTL_ADD, l.fd, &e);
    if (!start(&r, argc > 4 ? (unsigned)atoi(argv[4]) : usable_cpus())) {
        fprintf(stderr, "helper_reference: the threads could not be started\n");
        return 1;
    }
    wait_for_sockets(&r, &l);
}
