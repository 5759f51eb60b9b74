/* Where `hotgate watch` gets its frames. */
#include "cli/watch/watch.h"

#include "cli/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 200, PATH = 4096 };

static void input_weird(void *net, const char *name, const char *addl)
{
    hg_net_input_weird(net, name, addl);
}

static void rest(void)
{
    nanosleep(&(struct timespec){0, WAIT_MS * 1000000L}, NULL);
}

/* Drops what the filter refuses. */
static size_t filtered(const hg_filter *filter, hg_net_frame *frames, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (filter == NULL || hg_filter_match(filter, &frames[i]))
            frames[kept++] = frames[i];
    return kept;
}

static bool is_newest(const char *path)
{
    char folder[PATH];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) >= sizeof folder)
        return true;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    DIR *dir = opendir(folder);
    bool newest = true;
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, slash + 1) > 0)
            newest = false;
    if (dir != NULL)
        closedir(dir);
    return newest;
}

/* in_folder: a newer file ends the wait for this one. */
static void file(watch_run *run, const char *path, bool in_folder)
{
    hg_status status;
    hg_net_frame frames[WATCH_BATCH];
    char error[HG_LIVE_ERROR];
    hg_filter *filter = NULL;
    hg_capture *capture = hg_capture_open(path, &status);
    if (capture == NULL) {
        fprintf(stderr, "hotgate watch: %s: %s\n", path, cli_capture_error(status));
        run->trouble = true;
        return;
    }
    hg_capture_follow(capture, run->options->follow);
    bool first = true;
    while (!watch_pause(run)) {
        size_t count = hg_capture_read(capture, frames, WATCH_BATCH, input_weird, run->net, &status);
        if (count == 0 && status != HG_NEED_MORE)
            break;
        if (count == 0) {
            if (in_folder && !is_newest(path))
                break;
            hg_netlog_flush(run->log);
            rest();
            continue;
        }
        if (first && frames[0].time < hg_net_clock(run->net) - 1000000)
            hg_net_finish(run->net); /* older traffic: packet time starts anew */
        first = false;
        if (run->options->filter != NULL && filter == NULL) {
            filter = hg_filter_new(run->options->filter, frames[0].link_type, 262144, error);
            if (filter == NULL) {
                fprintf(stderr, "hotgate watch: %s\n", error);
                run->trouble = true;
                break;
            }
        }
        hg_net_batch(run->net, frames, filtered(filter, frames, count));
    }
    hg_filter_free(filter);
    hg_capture_close(capture);
    if (status == HG_OK || status == HG_NEED_MORE)
        return;
    fprintf(stderr, "hotgate watch: %s: %s\n", path, hg_strerror(status));
    run->trouble = true;
}

static void folder(watch_run *run, const char *path)
{
    char last[PATH] = "", child[PATH];
    do {
        struct dirent **entries;
        int count = scandir(path, &entries, NULL, alphasort), fresh = 0;
        for (int i = 0; i < count; i++) {
            const char *name = entries[i]->d_name;
            if (name[0] != '.' && strcmp(name, last) > 0 && !watch_stop &&
                snprintf(child, sizeof child, "%s/%s", path, name) < (int)sizeof child) {
                snprintf(last, sizeof last, "%s", name);
                file(run, child, true);
                fresh++;
            }
            free(entries[i]);
        }
        if (count >= 0)
            free(entries);
        if (fresh == 0 && run->options->follow)
            rest();
    } while (run->options->follow && !watch_pause(run));
}

void watch_path(watch_run *run, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        folder(run, path);
    else
        file(run, path, false);
}

static hg_net_time wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (hg_net_time)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void watch_live(watch_run *run)
{
    char error[HG_LIVE_ERROR];
    hg_net_frame frames[WATCH_BATCH];
    hg_status status = HG_OK;
    hg_live *live = hg_live_open(run->options->interface, &run->options->live, error);
    if (live == NULL) {
        fprintf(stderr, "hotgate watch: %s\n", error);
        run->trouble = true;
        return;
    }
    fprintf(stderr, "hotgate watch: listening on %s\n", run->options->interface);
    while (!watch_pause(run) && status == HG_OK) {
        size_t count = hg_live_read(live, frames, WATCH_BATCH, WAIT_MS, &status);
        if (count > 0) {
            hg_net_batch(run->net, frames, count);
            continue;
        }
        hg_net_advance(run->net, wall_clock() - 1000000);
        hg_netlog_flush(run->log);
        fflush(stdout);
    }
    hg_net_note_drops(run->net, hg_live_drops(live));
    hg_live_close(live);
    if (status != HG_OK) {
        fprintf(stderr, "hotgate watch: %s: %s\n", run->options->interface, hg_strerror(status));
        run->trouble = true;
    }
}
