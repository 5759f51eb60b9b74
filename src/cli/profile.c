/* --profile of the verbs: the native sampler on the program itself. */
#include "cli/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_RATE = 250 };
static const uint64_t NEVER_NS = (uint64_t)1 << 61, END_LIMIT_NS = 10000000000;

static bool complain(const char *verb, const char *path, const char *why)
{
    fprintf(stderr, "hotgate %s: --profile %s: %s\n", verb, path, why);
    return false;
}

static bool start(cli_profile *p, const char *verb, const char *path, hg_prof_settings settings)
{
    settings.families = HG_PROF_ON | HG_PROF_CPU; /* without the timeline equal stacks are one row */
    p->path = path;
    hg_status status = hg_prof_new(&settings, &p->prof);
    if (status == HG_OK && (status = hg_prof_start(p->prof)) != HG_OK) {
        hg_prof_free(p->prof);
        p->prof = NULL;
    }
    return status == HG_OK || complain(verb, path, hg_strerror(status));
}

/* An hour's work must not end with "permission denied". */
static bool is_writable(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return fd >= 0 && close(fd) == 0;
}

bool cli_profile_file(cli_profile *p, const char *verb, const char *path)
{
    const hg_prof_settings settings = {.output = path, .files = HG_PROF_FILES_ONE, .export_ns = NEVER_NS};
    const hg_prof_native_settings native = {.rate = FILE_RATE};
    if (!is_writable(path))
        return complain(verb, path, strerror(errno));
    if (!start(p, verb, path, settings))
        return false;
    hg_status status = hg_prof_native_attach(p->prof, verb, &native, &p->thread);
    if (status == HG_OK)
        return true;
    cli_profile_end(p, verb);
    return complain(verb, path, hg_strerror(status));
}

bool cli_profile_folder(cli_profile *p, const char *verb, const char *folder)
{
    struct stat st;
    char prefix[4000];
    if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0)
        return complain(verb, folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return complain(verb, folder, "not a folder");
    int length = snprintf(prefix, sizeof prefix, "%s/hotgate-%s", folder, verb);
    if (length < 0 || (size_t)length >= sizeof prefix)
        return complain(verb, folder, "too long");
    const hg_prof_settings settings = {.output = prefix, .files = HG_PROF_FILES_TIMED};
    return start(p, verb, folder, settings);
}

bool cli_profile_end(cli_profile *p, const char *verb)
{
    if (p->prof == NULL)
        return true;
    hg_prof_counters counters;
    hg_prof_detach(p->thread);
    if (hg_prof_stop(p->prof, END_LIMIT_NS) != HG_OK)
        return complain(verb, p->path, "could not be written in time"); /* and not freed: its threads still run */
    hg_prof_count(p->prof, &counters);
    hg_prof_free(p->prof);
    *p = (cli_profile){.path = p->path};
    return counters.exports_failed == 0 || complain(verb, p->path, "could not be written");
}
