/* The sockets of hotgate serve: those of the options, or those that systemd opened. */
#include "cli/serve/serve.h"

#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LIST_SIZE = 1024 };

static int add_socket(sockets *s, const char *address, unsigned uid, protocol speaks, unsigned mode)
{
    char why[256];
    if (s->count == LISTENERS_MAX)
        return cli_usage_error("serve", "too many sockets at", address);
    const listener_options options = {.address = address, .uid = uid, .speaks = speaks, .mode = mode};
    if (listener_open(&options, &s->items[s->count], why) != HG_OK) {
        fprintf(stderr, "hotgate serve: %s\n", why);
        return SERVE_FAILED;
    }
    HG_LOG(HG_LOG_INFO, "listening on %s for uid %u", address, uid);
    s->count++;
    return SERVE_OK;
}

/* Sockets handed over by systemd: LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES (sd_listen_fds(3)). */
static void adopt_sockets(sockets *s)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS"), *names = getenv("LISTEN_FDNAMES");
    if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid())
        return;
    long fds = strtol(count, NULL, 10);
    for (long i = 0; i < fds && s->count < LISTENERS_MAX; i++) {
        bool json = names != NULL && strncmp(names, "json", 4) == 0;
        listener_adopt((int)(3 + i), json ? PROTOCOL_JSON : PROTOCOL_HELPER, &s->items[s->count++]);
        names = names ? strchr(names, ':') : NULL;
        names = names ? names + 1 : NULL;
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
}

static int helper_sockets(const serve_options *o, sockets *s)
{
    char versions[LIST_SIZE], own[24];
    if (strlen(o->versions) >= sizeof versions || (o->uids != NULL && strlen(o->uids) >= sizeof versions))
        return cli_usage_error("serve", "too long a list:", o->versions);
    snprintf(versions, sizeof versions, "%s", o->versions);
    snprintf(own, sizeof own, "%u", (unsigned)getuid());
    char *outer, *inner;
    for (char *v = strtok_r(versions, ",", &outer); v != NULL; v = strtok_r(NULL, ",", &outer)) {
        char uids[LIST_SIZE];
        snprintf(uids, sizeof uids, "%s", o->uids ? o->uids : own);
        for (char *u = strtok_r(uids, ",", &inner); u != NULL; u = strtok_r(NULL, ",", &inner)) {
            unsigned long uid;
            char *end;
            errno = 0;
            uid = strtoul(u, &end, 10);
            if (u[0] < '0' || u[0] > '9' || *end != '\0' || errno != 0 || uid >= UINT32_MAX)
                return cli_usage_error("serve", "not a user id:", u);
            char address[512];
            bool slash = o->base[0] != '\0' && o->base[strlen(o->base) - 1] == '/';
            snprintf(address, sizeof address, "%s%sddappsec_%s_%lu.sock", o->base, slash ? "" : "/", v, uid);
            int result = add_socket(s, address, (unsigned)uid, PROTOCOL_HELPER, 0);
            if (result != SERVE_OK)
                return result;
        }
    }
    return SERVE_OK;
}

int serve_open_sockets(const serve_options *o, sockets *s)
{
    adopt_sockets(s);
    if (s->count > 0)
        return SERVE_OK;
    int result = o->versions ? helper_sockets(o, s) : SERVE_OK;
    if (result == SERVE_OK && o->json)
        result = add_socket(s, o->socket, geteuid(), PROTOCOL_JSON, o->socket_mode);
    if (result == SERVE_OK && s->count == 0)
        return cli_usage_error("serve", "nothing to listen on: give", "--version or --protocol json");
    return result;
}

/* sd_notify(3) without its library: a datagram to $NOTIFY_SOCKET. */
void serve_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof a.sun_path)
        return;
    memcpy(a.sun_path, path, strlen(path));
    if (path[0] == '@')
        a.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
        close(fd);
    }
}

void serve_close_sockets(sockets *s)
{
    for (size_t i = 0; i < s->count; i++)
        listener_close(&s->items[i]);
}
