/* What hotgate serve does while its threads work: it waits for signals and looks whether the rules file changes. */
#include "cli/serve/serve.h"

#include "helper/event_log.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUIET_MS = 200 }; /* a change counts when the folder has been quiet for so long */

typedef struct stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec time;
} stamp;

static stamp stamp_of(const char *path)
{
    struct stat st;
    if (path == NULL || stat(path, &st) != 0)
        return (stamp){.size = -1};
    return (stamp){st.st_dev, st.st_ino, st.st_size, st.st_mtim};
}

static bool same(const stamp *a, const stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->time.tv_sec == b->time.tv_sec &&
           a->time.tv_nsec == b->time.tv_nsec;
}

/* Folders are watched, as files are replaced rather than written; links are followed by looking at the file itself. */
static int watch_folder(const char *path)
{
    char copy[4096];
    if (path == NULL || strlen(path) >= sizeof copy)
        return -1;
    snprintf(copy, sizeof copy, "%s", path);
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd >= 0 && inotify_add_watch(fd, dirname(copy), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE) < 0) {
        HG_LOG(HG_LOG_WARN, "changes of %s cannot be watched: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static void reload(const serve_options *o, manager *m)
{
    hg_buffer file = {0};
    hg_slice text;
    if (o->rules == NULL)
        manager_reload(m, NULL);
    else if (serve_read_rules(o->rules, &file, &text))
        manager_reload(m, &file);
    hg_buffer_free(&file);
}

/* False: the end. */
static bool take_signal(int fd, const serve_options *o, manager *m, struct event_log *events)
{
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof info) != sizeof info)
        return true;
    if (info.ssi_signo != SIGHUP && info.ssi_signo != SIGUSR1)
        return false;
    if (events != NULL)
        event_log_reopen(events);
    if (info.ssi_signo == SIGHUP)
        reload(o, m);
    return true;
}

static void drain(int fd)
{
    char events[4096];
    while (read(fd, events, sizeof events) > 0)
        continue;
}

void serve_watch(const serve_options *o, manager *m, struct event_log *events, const sigset_t *signals)
{
    stamp seen = stamp_of(o->rules);
    int changes = watch_folder(o->rules), signal = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd p[] = {{signal, POLLIN, 0}, {changes, POLLIN, 0}};
    bool stirred = false;
    while (signal >= 0) {
        int n = poll(p, 2, stirred ? QUIET_MS : -1);
        if (n > 0 && p[0].revents != 0 && !take_signal(signal, o, m, events))
            break;
        if (n > 0 && p[1].revents != 0) {
            drain(changes);
            stirred = true;
        } else if (n == 0) {
            stamp now = stamp_of(o->rules);
            stirred = false;
            if (now.size >= 0 && !same(&now, &seen)) {
                seen = now;
                HG_LOG(HG_LOG_INFO, "%s has changed", o->rules);
                reload(o, m);
            }
        }
    }
    if (changes >= 0)
        close(changes);
    if (signal >= 0)
        close(signal);
}
