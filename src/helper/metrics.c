#include "helper/metrics.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

struct metrics {
    const server *server;
    manager *manager;
    int fd, wake;
    char path[108];
    pthread_t thread;
    bool started;
};

static const struct {
    const char *name, *help, *labels;
    size_t offset;
    bool gauge;
} series[] = {
#define COUNTER(field, name, help, labels) {name, help, labels, offsetof(helper_counters, field), false}
    COUNTER(requests, "hotgate_requests_total", "HTTP requests judged", ""),
    COUNTER(matches, "hotgate_matches_total", "HTTP requests that a rule matched", ""),
    COUNTER(blocks, "hotgate_blocks_total", "HTTP requests with a blocking verdict", ""),
    COUNTER(timeouts, "hotgate_timeouts_total", "HTTP requests whose time budget ran out", ""),
    COUNTER(truncations, "hotgate_truncations_total", "HTTP requests that the client had to cut", ""),
    COUNTER(rate_limited, "hotgate_rate_limited_total", "traces not kept because of the rate limit", ""),
    COUNTER(errors, "hotgate_waf_errors_total", "evaluations that failed", ""),
    COUNTER(protocol_errors, "hotgate_protocol_errors_total", "messages that were answered with an error", ""),
    COUNTER(rasp_evaluations, "hotgate_rasp_rule_eval_total", "evaluations during requests", ""),
    COUNTER(rasp_matches, "hotgate_rasp_rule_match_total", "of these with a match", ""),
    COUNTER(rasp_timeouts, "hotgate_rasp_timeout_total", "of these out of time", ""),
    COUNTER(bytes_in, "hotgate_bytes_total", "bytes read and written", "{dir=\"in\"}"),
    COUNTER(bytes_out, "hotgate_bytes_total", NULL, "{dir=\"out\"}"),
    COUNTER(connections_total, "hotgate_connections_accepted_total", "connections accepted", ""),
    COUNTER(refused, "hotgate_connections_refused_total", "connections refused: wrong user, or too many", ""),
    {"hotgate_connections", "connections now", "", offsetof(helper_counters, connections), true},
#undef COUNTER
};

static uint64_t sum(const server *s, size_t offset)
{
    uint64_t total = 0;
    for (size_t i = 0; i < server_loops(s); i++) {
        const char *base = (const char *)server_loop_counters(s, i);
        total += atomic_load_explicit((const atomic_uint_fast64_t *)(base + offset), memory_order_relaxed);
    }
    return total;
}

static void histogram(const server *s, hg_buffer *out)
{
    hg_buffer_printf(out, "# HELP hotgate_evaluation_seconds time of one evaluation\n# TYPE hotgate_evaluation_seconds "
                          "histogram\n");
    uint64_t below = 0;
    for (unsigned i = 0; i < 16; i++) {
        below += sum(s, offsetof(helper_counters, seconds) + i * sizeof(atomic_uint_fast64_t));
        if (i < 15)
            hg_buffer_printf(out, "hotgate_evaluation_seconds_bucket{le=\"%g\"} %llu\n", 8e-6 * (double)(1u << i),
                             (unsigned long long)below);
    }
    hg_buffer_printf(out, "hotgate_evaluation_seconds_bucket{le=\"+Inf\"} %llu\nhotgate_evaluation_seconds_sum %.9f\n"
                          "hotgate_evaluation_seconds_count %llu\n",
                     (unsigned long long)below, (double)sum(s, offsetof(helper_counters, evaluation_ns)) / 1e9,
                     (unsigned long long)below);
}

void metrics_text(const server *s, manager *m, hg_buffer *out)
{
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        if (series[i].help != NULL)
            hg_buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", series[i].name, series[i].help, series[i].name,
                             series[i].gauge ? "gauge" : "counter");
        hg_buffer_printf(out, "%s%s %llu\n", series[i].name, series[i].labels,
                         (unsigned long long)sum(s, series[i].offset));
    }
    manager_counts c = manager_count(m);
    hg_buffer_printf(out, "# HELP hotgate_reloads_total rebuilds of rules while serving\n# TYPE hotgate_reloads_total "
                          "counter\nhotgate_reloads_total{result=\"ok\"} %llu\nhotgate_reloads_total{result=\"failed\"} "
                          "%llu\n# HELP hotgate_services services known now\n# TYPE hotgate_services gauge\n"
                          "hotgate_services %llu\n",
                     (unsigned long long)c.reloads_ok, (unsigned long long)c.reloads_failed,
                     (unsigned long long)c.services);
    histogram(s, out);
}

static int open_unix(const char *path, metrics *m)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path)
        return -1;
    strcpy(a.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(path);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 16) == 0) {
        strcpy(m->path, path);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Loopback only: the numbers are nobody else's business. */
static int open_port(const char *address)
{
    bool v6 = address[0] == '[';
    const char *port = strrchr(address, ':');
    if (port == NULL || (strncmp(address, "127.", 4) != 0 && strncmp(address, "[::1]:", 6) != 0)) {
        errno = EINVAL;
        return -1;
    }
    char host[64];
    snprintf(host, sizeof host, "%.*s", (int)(v6 ? 3 : port - address), address + v6);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *list = NULL;
    if (getaddrinfo(host, port + 1, &hints, &list) != 0) {
        errno = EINVAL;
        return -1;
    }
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) != 0 || listen(fd, 16) != 0) {
        int saved = errno;
        if (fd >= 0)
            close(fd);
        fd = -1;
        errno = saved;
    }
    freeaddrinfo(list);
    return fd;
}

hg_status metrics_open(const char *address, const server *s, manager *services, metrics **out, char why[256])
{
    metrics *m = calloc(1, sizeof *m);
    if (m == NULL)
        return HG_ERR_NOMEM;
    m->server = s;
    m->manager = services;
    m->wake = eventfd(0, EFD_CLOEXEC);
    m->fd = strncmp(address, "unix:", 5) == 0 ? open_unix(address + 5, m) : open_port(address);
    if (m->fd < 0 || m->wake < 0) {
        snprintf(why, 256, "%.150s: %.80s", address, errno == EINVAL ? "give unix:PATH, 127.0.0.1:PORT or [::1]:PORT"
                                                                      : strerror(errno));
        metrics_close(m);
        return HG_ERR_IO;
    }
    *out = m;
    return HG_OK;
}

static void answer(const metrics *m, int fd)
{
    struct timeval limit = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    char head[4096];
    size_t have = 0;
    while (have < sizeof head && memmem(head, have, "\r\n\r\n", 4) == NULL) {
        ssize_t n = recv(fd, head + have, sizeof head - have, 0);
        if (n <= 0)
            return;
        have += (size_t)n;
    }
    bool get = have > 12 && memcmp(head, "GET /metrics", 12) == 0;
    hg_buffer body = {0}, all = {0};
    if (get)
        metrics_text(m->server, m->manager, &body);
    hg_buffer_printf(&all, "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %zu\r\n"
                           "Connection: close\r\n\r\n", get ? "200 OK" : "404 Not Found", body.len);
    hg_buffer_append(&all, hg_slice_of(body.ptr, body.len));
    for (size_t sent = 0; sent < all.len;) {
        ssize_t n = send(fd, all.ptr + sent, all.len - sent, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        sent += (size_t)n;
    }
    hg_buffer_free(&body);
    hg_buffer_free(&all);
}

static void *serve(void *argument)
{
    metrics *m = argument;
    struct pollfd p[] = {{m->fd, POLLIN, 0}, {m->wake, POLLIN, 0}};
    while (poll(p, 2, -1) >= 0 || errno == EINTR) {
        if (p[1].revents != 0)
            break;
        int fd = p[0].revents != 0 ? accept4(m->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd >= 0) {
            answer(m, fd);
            close(fd);
        }
    }
    return NULL;
}

hg_status metrics_start(metrics *m)
{
    m->started = pthread_create(&m->thread, NULL, serve, m) == 0;
    return m->started ? HG_OK : HG_ERR_NOMEM;
}

void metrics_close(metrics *m)
{
    if (m == NULL)
        return;
    if (m->started) {
        uint64_t one = 1;
        if (write(m->wake, &one, sizeof one) == sizeof one)
            pthread_join(m->thread, NULL);
    }
    if (m->fd >= 0)
        close(m->fd);
    if (m->wake >= 0)
        close(m->wake);
    if (m->path[0] != '\0')
        unlink(m->path);
    free(m);
}
