/* One POST of a profile to an agent, over TCP or a unix socket: multipart form data, 3 seconds at most, no retry. */
#include "prof/internal.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const uint64_t LIMIT_NS = 3000000000;
static const char PATH[] = "/profiling/v1/input", DEFAULT_PORT[] = "8126", BOUNDARY[] = "hotgate-9b1f5c27d3a84e60";

typedef struct target {
    bool is_unix;
    char host[256], port[8];
} target;

/* "unix:///path", "http://host", "http://host:port", "http://[address]:port"; a path behind it is not allowed. */
static bool parse_url(const char *url, target *t)
{
    if (strncmp(url, "unix://", 7) == 0) {
        t->is_unix = true;
        return url[7] == '/' && snprintf(t->host, sizeof t->host, "%s", url + 7) < 108;
    }
    t->is_unix = false;
    if (strncmp(url, "http://", 7) != 0)
        return false;
    const char *host = url + 7, *end = host + strcspn(host, "/");
    if (end[0] == '/' && end[1] != '\0')
        return false;
    const char *close = host[0] == '[' ? memchr(host, ']', (size_t)(end - host)) : NULL;
    const char *colon = close ? close + 1 : memchr(host, ':', (size_t)(end - host));
    if (close != NULL && colon < end && *colon != ':')
        return false;
    if (colon == NULL || colon == end)
        colon = end;
    const char *start = close ? host + 1 : host, *stop = close ? close : colon;
    if (stop == start || (size_t)(stop - start) >= sizeof t->host)
        return false;
    snprintf(t->host, sizeof t->host, "%.*s", (int)(stop - start), start);
    size_t digits = colon < end ? (size_t)(end - colon - 1) : 0;
    if (digits > 5 || (colon < end && (digits == 0 || strspn(colon + 1, "0123456789") < digits)))
        return false;
    snprintf(t->port, sizeof t->port, "%.*s", digits ? (int)digits : 4, digits ? colon + 1 : DEFAULT_PORT);
    return strtoul(t->port, NULL, 10) >= 1 && strtoul(t->port, NULL, 10) <= 65535;
}

bool url_understood(const char *url)
{
    target t;
    return parse_url(url, &t);
}

static bool wait_for(int fd, short events, uint64_t deadline)
{
    for (;;) {
        uint64_t now = hg_clock_monotonic_ns();
        if (now >= deadline)
            return false;
        struct pollfd p = {fd, events, 0};
        int ready = poll(&p, 1, (int)((deadline - now) / 1000000) + 1);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

static int connect_to(const struct sockaddr *address, socklen_t length, uint64_t deadline)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int error = 0;
    socklen_t size = sizeof error;
    if (connect(fd, address, length) == 0 ||
        (errno == EINPROGRESS && wait_for(fd, POLLOUT, deadline) &&
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0))
        return fd;
    close(fd);
    return -1;
}

static int open_target(const target *t, uint64_t deadline)
{
    if (t->is_unix) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        snprintf(address.sun_path, sizeof address.sun_path, "%.107s", t->host);
        return connect_to((const struct sockaddr *)&address, sizeof address, deadline);
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    if (getaddrinfo(t->host, t->port, &hints, &list) != 0)
        return -1;
    int fd = -1;
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next)
        fd = connect_to(a->ai_addr, a->ai_addrlen, deadline);
    freeaddrinfo(list);
    return fd;
}

static bool send_all(int fd, hg_slice s, uint64_t deadline)
{
    while (s.len > 0) {
        ssize_t sent = send(fd, s.ptr, s.len, MSG_NOSIGNAL);
        if (sent > 0)
            s = hg_slice_skip(s, (size_t)sent);
        else if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        else if (!wait_for(fd, POLLOUT, deadline))
            return false;
    }
    return true;
}

/* The status of the answer, or -1. */
static int read_status(int fd, uint64_t deadline)
{
    char text[16] = "";
    size_t have = 0;
    while (have < 12) { /* "HTTP/1.1 200" */
        ssize_t got = recv(fd, text + have, 12 - have, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return -1;
        if (got > 0)
            have += (size_t)got;
        else if (!wait_for(fd, POLLIN, deadline))
            return -1;
    }
    return strncmp(text, "HTTP/1.", 7) == 0 ? (int)strtol(text + 9, NULL, 10) : -1;
}

static void part(hg_buffer *b, const char *name, const char *file, const char *type, hg_slice content)
{
    hg_buffer_printf(b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\n", BOUNDARY, name, file);
    if (type != NULL)
        hg_buffer_printf(b, "Content-Type: %s\r\n", type);
    hg_buffer_append(b, HG_SLICE("\r\n"));
    hg_buffer_append(b, content);
    hg_buffer_append(b, HG_SLICE("\r\n"));
}

static void compose(const target *t, hg_slice pprof, hg_slice event, hg_buffer *out)
{
    hg_buffer body = {0};
    part(&body, "event", "event.json", "application/json", event);
    part(&body, "profile.pprof", "profile.pprof", NULL, pprof);
    hg_buffer_printf(&body, "--%s--\r\n", BOUNDARY);
    hg_buffer_printf(out, "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nDD-EVP-ORIGIN: hotgate\r\n"
                          "DD-EVP-ORIGIN-VERSION: %s\r\nUser-Agent: Hotgate/%s\r\n"
                          "Content-Type: multipart/form-data; boundary=%s\r\nContent-Length: %zu\r\n\r\n",
                     PATH, t->is_unix ? "localhost" : t->host, HG_VERSION, HG_VERSION, BOUNDARY, body.len);
    hg_buffer_append(out, hg_slice_of(body.ptr, body.len));
    out->failed |= body.failed;
    hg_buffer_free(&body);
}

hg_status upload_http(const hg_prof *prof, hg_slice pprof, hg_slice event)
{
    uint64_t deadline = hg_clock_monotonic_ns() + LIMIT_NS;
    target t;
    if (!parse_url(prof->url, &t))
        return HG_ERR_ARGUMENT;
    hg_buffer request = {0};
    compose(&t, pprof, event, &request);
    int fd = request.failed ? -1 : open_target(&t, deadline);
    int answer = -1;
    if (fd >= 0 && send_all(fd, hg_slice_of(request.ptr, request.len), deadline))
        answer = read_status(fd, deadline);
    if (fd >= 0)
        close(fd);
    hg_buffer_free(&request);
    if (answer >= 200 && answer < 400)
        return HG_OK;
    if (answer > 0)
        HG_LOG(HG_LOG_WARN, "profiler: %s answered %d", prof->url, answer);
    else
        HG_LOG(HG_LOG_WARN, "profiler: %s could not be reached within 3 s", prof->url);
    return hg_clock_monotonic_ns() >= deadline ? HG_ERR_TIMEOUT : HG_ERR_IO;
}
