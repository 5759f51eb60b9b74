#include "helper/metrics.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEAD_SIZE = 4096 };

struct metrics {
    const server *server;
    manager *manager;
    int fd, wake;
    char path[108];
    pthread_t thread;
    bool started;
};

static int open_unix(const char *path, metrics *m)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct stat st;
    if (strlen(path) >= sizeof a.sun_path)
        return -1;
    strcpy(a.sun_path, path);
    if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode)) {
        errno = EEXIST;
        return -1;
    }
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

/* The request's head, within a second or not at all. */
static size_t read_head(int fd, char head[HEAD_SIZE])
{
    size_t have = 0;
    uint64_t end = hg_clock_monotonic_ns() + 1000000000;
    while (have < HEAD_SIZE && memmem(head, have, "\r\n\r\n", 4) == NULL) {
        ssize_t n = hg_clock_monotonic_ns() < end ? recv(fd, head + have, HEAD_SIZE - have, 0) : -1;
        if (n <= 0)
            return 0;
        have += (size_t)n;
    }
    return have;
}

static bool asks_for(const char *head, size_t size, const char *path)
{
    size_t length = strlen(path);
    return size > length + 4 && memcmp(head, "GET ", 4) == 0 && memcmp(head + 4, path, length) == 0 &&
           (head[4 + length] == ' ' || head[4 + length] == '?');
}

static void send_all(int fd, const hg_buffer *all)
{
    for (size_t sent = 0; sent < all->len;) {
        ssize_t n = send(fd, all->ptr + sent, all->len - sent, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        sent += (size_t)n;
    }
}

static void answer(const metrics *m, int fd)
{
    const struct timeval limit = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    char head[HEAD_SIZE];
    size_t size = read_head(fd, head);
    if (size == 0)
        return;
    hg_buffer body = {0}, all = {0};
    const char *type = "text/plain; version=0.0.4", *status = "200 OK";
    if (asks_for(head, size, "/metrics")) {
        metrics_text(m->server, m->manager, &body);
    } else if (asks_for(head, size, "/status")) {
        type = "application/json";
        status_json(m->server, m->manager, &body);
    } else {
        status = "404 Not Found";
    }
    hg_buffer_printf(&all, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
                     type, body.len);
    hg_buffer_append(&all, hg_slice_of(body.ptr, body.len));
    send_all(fd, &all);
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
