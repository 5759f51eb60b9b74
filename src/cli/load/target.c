/* The daemon from outside: its socket, its processor time, its switches, its memory. */
#include "cli/load/load.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int load_connect(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = strlen(address);
    bool is_abstract = address[0] == '@';
    if (length == 0 || length > sizeof to.sun_path - !is_abstract) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(to.sun_path, address, length);
    if (is_abstract)
        to.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !is_abstract);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, size) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

pid_t load_target_pid(const char *address)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    int fd = load_connect(address);
    if (fd < 0)
        return 0;
    bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    close(fd);
    return known && peer.pid > 1 ? peer.pid : 0; /* 1: a service manager opened it */
}

/* The number after `name` in a status file; 0 when it is not there. */
static uint64_t status_number(const char *path, const char *name)
{
    char line[256];
    uint64_t value = 0;
    size_t length = strlen(name);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0)
            value = strtoull(line + length, NULL, 10);
    if (file != NULL)
        fclose(file);
    return value;
}

static void add_thread(const char *folder, const char *thread, load_target *out)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s/schedstat", folder, thread);
    FILE *file = fopen(path, "re");
    unsigned long long ns = 0;
    if (file != NULL) {
        out->known |= fscanf(file, "%llu", &ns) == 1;
        fclose(file);
    }
    out->cpu_ns += ns;
    snprintf(path, sizeof path, "%s/%s/status", folder, thread);
    out->voluntary += status_number(path, "voluntary_ctxt_switches:");
    out->involuntary += status_number(path, "nonvoluntary_ctxt_switches:");
}

static size_t for_entries(const char *folder, void (*each)(const char *, const char *, load_target *), load_target *out)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (each != NULL)
            each(folder, entry->d_name, out);
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

void load_target_read(pid_t pid, load_target *out)
{
    char path[64];
    *out = (load_target){0};
    if (pid <= 0)
        return;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    for_entries(path, add_thread, out);
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    out->rss_kib = status_number(path, "VmRSS:");
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    out->descriptors = for_entries(path, NULL, NULL);
}
