#include "helper/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static hg_status refuse(char why[256], const char *address, const char *what)
{
    snprintf(why, 256, "%.120s: %.100s", address, what);
    return HG_ERR_IO;
}

/* The exact length matters for abstract names: padded ones are other addresses. */
static socklen_t make_address(const char *address, struct sockaddr_un *out)
{
    size_t length = strlen(address);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (length == 0 || length > sizeof out->sun_path - (address[0] != '@'))
        return 0;
    memcpy(out->sun_path, address, length);
    if (address[0] == '@')
        out->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (address[0] != '@'));
}

static bool somebody_listens(const struct sockaddr_un *address, socklen_t length)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool yes = fd >= 0 && connect(fd, (const struct sockaddr *)address, length) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* The lock file next to a file socket tells a stale one from a served one. */
static hg_status take_lock(const char *address, listener *l, char why[256])
{
    size_t length = strlen(address);
    bool has_ending = length > 5 && strcmp(address + length - 5, ".sock") == 0;
    snprintf(l->lock_path, sizeof l->lock_path, "%.*s.lock", (int)(has_ending ? length - 5 : length), address);
    l->lock_fd = open(l->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (l->lock_fd < 0)
        return refuse(why, l->lock_path, strerror(errno));
    if (flock(l->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        char pid[24] = "";
        ssize_t got = pread(l->lock_fd, pid, sizeof pid - 1, 0), end = 0;
        while (end < got && pid[end] >= '0' && pid[end] <= '9')
            end++;
        pid[end > 0 ? end : 0] = '\0';
        char text[64];
        snprintf(text, sizeof text, "is served by another process (pid %s)", pid[0] ? pid : "unknown");
        close(l->lock_fd);
        l->lock_fd = -1; /* the file is theirs */
        return refuse(why, address, text);
    }
    char text[24];
    int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(l->lock_fd, 0) != 0 || pwrite(l->lock_fd, text, (size_t)size, 0) != size)
        return refuse(why, l->lock_path, strerror(errno));
    return HG_OK;
}

/* Clients check the uid that called listen(). The raw call changes this thread only. */
static int listen_as(int fd, unsigned uid)
{
    unsigned mine = geteuid();
    if (uid == mine)
        return listen(fd, BACKLOG);
    if (syscall(SYS_setresuid, -1, uid, -1) != 0)
        return -1;
    int result = listen(fd, BACKLOG), saved = errno;
    if (syscall(SYS_setresuid, -1, mine, -1) != 0)
        _exit(70); /* to go on as somebody else would be worse */
    errno = saved;
    return result;
}

/* Takes the lock of a file socket and clears the place for it. */
static hg_status prepare_file(const char *address, listener *l, char why[256])
{
    struct stat st;
    hg_status status = take_lock(address, l, why);
    if (status != HG_OK)
        return status;
    if (lstat(address, &st) == 0 && !S_ISSOCK(st.st_mode))
        return refuse(why, address, "exists and is no socket");
    unlink(address);
    return HG_OK;
}

static hg_status open_socket(const listener_options *o, const struct sockaddr_un *name, socklen_t length, listener *l,
                             char why[256])
{
    bool is_file = o->address[0] != '@';
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0 || bind(l->fd, (const struct sockaddr *)name, length) != 0)
        return refuse(why, o->address, strerror(errno));
    if (is_file)
        snprintf(l->path, sizeof l->path, "%s", o->address);
    if (is_file && chmod(o->address, o->mode ? o->mode : 0777) != 0)
        return refuse(why, o->address, strerror(errno));
    if (listen_as(l->fd, o->uid) != 0)
        return refuse(why, o->address, errno == EPERM ? "cannot listen as that user; CAP_SETUID is needed" : strerror(errno));
    return HG_OK;
}

hg_status listener_open(const listener_options *o, listener *out, char why[256])
{
    struct sockaddr_un name;
    socklen_t length = make_address(o->address, &name);
    *out = (listener){.fd = -1, .uid = o->uid, .protocol = o->speaks, .lock_fd = -1,
                      .anybody = o->mode != 0 && o->address[0] != '@'};
    if (length == 0)
        return refuse(why, o->address, "the address is empty or longer than a unix socket's");
    hg_status status = HG_OK;
    if (o->address[0] != '@')
        status = prepare_file(o->address, out, why);
    else if (somebody_listens(&name, length))
        status = refuse(why, o->address, "is served by another process");
    if (status == HG_OK)
        status = open_socket(o, &name, length, out, why);
    if (status != HG_OK)
        listener_close(out);
    return status;
}

/* "..._<uid>.sock" */
static unsigned uid_of_name(int fd)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name;
    char text[sizeof name.sun_path + 1] = "";
    if (getsockname(fd, (struct sockaddr *)&name, &length) == 0 && length > offsetof(struct sockaddr_un, sun_path))
        memcpy(text, name.sun_path, length - offsetof(struct sockaddr_un, sun_path));
    text[0] = text[0] ? text[0] : '@';
    const char *at = strrchr(text, '_');
    char *end = NULL;
    unsigned long uid = at != NULL ? strtoul(at + 1, &end, 10) : 0;
    return end != NULL && end != at + 1 && strcmp(end, ".sock") == 0 && uid < UINT32_MAX ? (unsigned)uid : geteuid();
}

void listener_adopt(int fd, protocol speaks, listener *out)
{
    *out = (listener){.fd = fd, .protocol = speaks, .lock_fd = -1, .anybody = speaks == PROTOCOL_JSON};
    out->uid = speaks == PROTOCOL_HELPER ? uid_of_name(fd) : geteuid();
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void listener_close(listener *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->path[0] != '\0')
        unlink(l->path);
    if (l->lock_fd >= 0) {
        unlink(l->lock_path);
        close(l->lock_fd);
    }
    *l = (listener){.fd = -1, .lock_fd = -1};
}
