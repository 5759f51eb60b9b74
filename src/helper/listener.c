#include "helper/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
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

hg_status listener_open(const char *address, unsigned uid, protocol speaks, listener *out, char why[256])
{
    struct sockaddr_un name;
    socklen_t length = make_address(address, &name);
    *out = (listener){.fd = -1, .uid = uid, .protocol = speaks, .lock_fd = -1};
    if (length == 0)
        return refuse(why, address, "the address is empty or longer than a unix socket's");
    bool is_file = address[0] != '@';
    if (is_file) {
        hg_status status = take_lock(address, out, why);
        if (status != HG_OK) {
            listener_close(out);
            return status;
        }
        struct stat st;
        if (lstat(address, &st) == 0 && !S_ISSOCK(st.st_mode)) {
            listener_close(out);
            return refuse(why, address, "exists and is no socket");
        }
        unlink(address);
    } else if (somebody_listens(&name, length)) {
        return refuse(why, address, "is served by another process");
    }
    out->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (out->fd < 0 || bind(out->fd, (const struct sockaddr *)&name, length) != 0 ||
        (is_file && (chmod(address, 0777) != 0)) || listen_as(out->fd, uid) != 0) {
        hg_status status = refuse(why, address, errno == EPERM ? "cannot listen as that user; CAP_SETUID is needed"
                                                               : strerror(errno));
        listener_close(out);
        return status;
    }
    if (is_file)
        snprintf(out->path, sizeof out->path, "%s", address);
    return HG_OK;
}

void listener_adopt(int fd, protocol speaks, listener *out)
{
    *out = (listener){.fd = fd, .uid = geteuid(), .protocol = speaks, .lock_fd = -1};
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
