/* Runs two commands in turn, in random order within each pair, and records their wall times. */
#include "cli/ab/ab.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RETRIES_MAX = 3 };

typedef struct cpu_times {
    double stolen, all;
} cpu_times;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Stolen and total jiffies of the machine since boot; zeros where /proc/stat is absent. */
static cpu_times cpu_now(void)
{
    cpu_times t = {0, 0};
    FILE *file = fopen("/proc/stat", "re");
    double v[10] = {0};
    if (file == NULL)
        return t;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
        t.stolen = v[7];
        for (int i = 0; i < 8; i++)
            t.all += v[i];
    }
    fclose(file);
    return t;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull); /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static void child(const char *command, int cpu)
{
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            _exit(126);
    }
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static hg_status run_once(const char *command, int cpu, double *ns, read_error *error)
{
    double start = now_ns();
    pid_t pid = fork();
    if (pid < 0) {
        snprintf(error->message, sizeof error->message, "cannot fork: %s", strerror(errno));
        return HG_ERR_IO;
    }
    if (pid == 0)
        child(command, cpu);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return HG_ERR_IO;
    *ns = now_ns() - start;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return HG_OK;
    if (WIFSIGNALED(status))
        snprintf(error->message, sizeof error->message, "'%.160s' was killed by signal %d", command, WTERMSIG(status));
    else if (WEXITSTATUS(status) == 126 && cpu >= 0)
        snprintf(error->message, sizeof error->message, "cannot pin to CPU %d", cpu);
    else
        snprintf(error->message, sizeof error->message, "'%.160s' ended with status %d", command, WEXITSTATUS(status));
    return HG_ERR_IO;
}

/* A run during which the host took much of the CPU away says nothing: repeat it. */
static hg_status run_clean(const char *command, const run_options *o, double *ns, size_t *thrown, read_error *error)
{
    for (int attempt = 0;; attempt++) {
        cpu_times before = cpu_now();
        hg_status status = run_once(command, o->cpu, ns, error);
        cpu_times after = cpu_now();
        if (status != HG_OK)
            return status;
        double all = after.all - before.all;
        if (attempt == RETRIES_MAX || all <= 0 || (after.stolen - before.stolen) / all <= o->max_steal)
            return HG_OK;
        (*thrown)++;
    }
}

static void progress(const run_options *o, size_t done, size_t total, double start)
{
    if (!o->progress)
        return;
    double elapsed = (now_ns() - start) / 1e9;
    double left = done > 0 ? elapsed / (double)done * (double)(total - done) : 0;
    fprintf(stderr, "\r%zu/%zu runs, %.0f s left \x1b[K", done, total, left);
}

hg_status run_commands(const char *commands[2], const run_options *o, result_set sets[2], read_error *error)
{
    uint64_t random = o->seed;
    size_t total = 2 * (o->runs + o->warmup), done = 0, thrown = 0;
    double start = now_ns();
    hg_status status = HG_OK;
    for (size_t pair = 0; pair < o->runs + o->warmup && status == HG_OK; pair++) {
        int first = (int)(next_random(&random) & 1);
        for (int turn = 0; turn < 2 && status == HG_OK; turn++) {
            int which = first ^ turn;
            double ns;
            status = run_clean(commands[which], o, &ns, &thrown, error);
            progress(o, ++done, total, start);
            if (status != HG_OK || pair < o->warmup)
                continue;
            measurement m = {.class = HG_SLICE("command"), .method = HG_SLICE("run"), .ns_per_op = ns,
                             .bytes_per_op = -1, .instructions_per_op = -1, .program = true};
            status = set_add(&sets[which], &m);
        }
    }
    if (o->progress)
        fputs("\r\x1b[K", stderr);
    if (thrown > 0)
        fprintf(stderr, "hotgate ab: %zu runs repeated, because the host took CPU time away\n", thrown);
    return status;
}

hg_status save_results(const char *path, const result_set *set, read_error *error)
{
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        snprintf(error->message, sizeof error->message, "%s: %s", path, strerror(errno));
        return HG_ERR_IO;
    }
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < set->items[i].count; k++)
            fprintf(file, "{\"suite\":\"ab\",\"class\":\"command\",\"method\":\"%s\",\"params\":\"\",\"toolchain\":\"\","
                          "\"launch\":%zu,\"iteration\":0,\"stage\":\"measured\",\"ops\":1,\"ns\":%.0f}\n",
                    set->items[i].method, k, set->items[i].ns[k]);
    if (fclose(file) != 0) {
        snprintf(error->message, sizeof error->message, "%s: %s", path, strerror(errno));
        return HG_ERR_IO;
    }
    return HG_OK;
}
