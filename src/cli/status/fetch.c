#include "cli/status/status.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_unix(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof a.sun_path)
        return -1;
    strcpy(a.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static int connect_port(const char *address)
{
    char host[64];
    const char *port = strrchr(address, ':');
    bool v6 = address[0] == '[';
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *list = NULL;
    errno = EINVAL;
    if (port == NULL || port - address >= (ptrdiff_t)sizeof host)
        return -1;
    snprintf(host, sizeof host, "%.*s", (int)(port - address) - 2 * v6, address + v6);
    if (getaddrinfo(host, port + 1, &hints, &list) != 0)
        return -1;
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, list->ai_addr, list->ai_addrlen) != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        fd = -1;
    }
    freeaddrinfo(list);
    return fd;
}

static bool exchange(int fd, hg_buffer *text)
{
    static const char ask[] = "GET /status HTTP/1.1\r\nHost: hotgate\r\n\r\n";
    const struct timeval limit = {3, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (send(fd, ask, sizeof ask - 1, MSG_NOSIGNAL) != sizeof ask - 1)
        return false;
    char piece[16384];
    ssize_t n;
    while ((n = recv(fd, piece, sizeof piece, 0)) > 0)
        hg_buffer_append(text, hg_slice_of(piece, (size_t)n));
    return n == 0 && !text->failed;
}

bool status_fetch(const char *address, daemon_status *out, char why[256])
{
    *out = (daemon_status){.text = {0}};
    hg_arena_init(&out->arena, NULL);
    int fd = strncmp(address, "unix:", 5) == 0 ? connect_unix(address + 5) : connect_port(address);
    if (fd < 0) {
        snprintf(why, 256, "%.150s: %.90s", address, strerror(errno));
        return false;
    }
    bool ok = exchange(fd, &out->text);
    close(fd);
    const char *body = ok && out->text.len > 0 ? memmem(out->text.ptr, out->text.len, "\r\n\r\n", 4) : NULL;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    if (body != NULL) {
        size_t head = (size_t)(body + 4 - out->text.ptr);
        out->text.len -= head;
        memmove(out->text.ptr, body + 4, out->text.len);
        if (hg_json_read(hg_slice_of(out->text.ptr, out->text.len), &options, &out->root, hg_arena_allocator(&out->arena),
                         NULL) == HG_OK && hg_is_map(&out->root))
            return true;
    }
    snprintf(why, 256, "%.150s: that is no hotgate serve", address);
    status_free(out);
    return false;
}

void status_free(daemon_status *s)
{
    hg_arena_close(&s->arena);
    hg_buffer_free(&s->text);
}

uint64_t status_number(const hg_value *map, const char *name)
{
    const hg_value *v = hg_map_find(map, hg_slice_from(name));
    return v != NULL && (v->type == HG_UNSIGNED || (v->type == HG_SIGNED && v->i64.val > 0)) ? v->u64.val : 0;
}

hg_slice status_text(const hg_value *map, const char *name)
{
    const hg_value *v = hg_map_find(map, hg_slice_from(name));
    return v != NULL ? hg_value_string(v) : HG_SLICE("");
}

static uint64_t bucket(const hg_value *status, size_t i, const char *member)
{
    const hg_value *list = status != NULL ? hg_map_find(status, HG_SLICE("evaluation_us")) : NULL;
    return list != NULL && hg_is_array(list) && i < hg_value_size(list) ? status_number(&hg_array_items(list)[i], member) : 0;
}

uint64_t status_quantile(const hg_value *before, const hg_value *now, double share)
{
    uint64_t counts[STATUS_BUCKETS], total = 0, seen = 0;
    for (size_t i = 0; i < STATUS_BUCKETS; i++)
        total += counts[i] = bucket(now, i, "count") - bucket(before, i, "count");
    for (size_t i = 0; i < STATUS_BUCKETS && total > 0; i++) {
        seen += counts[i];
        if ((double)seen >= share * (double)total)
            return i < STATUS_BUCKETS - 1 ? bucket(now, i, "to") : UINT64_MAX;
    }
    return 0;
}
