/* The load program of the profiler: the published I/O workload (10 KiB writes to /dev/null, reads of 8,192 and 2,048
 * bytes from /dev/zero), or samples as fast as they can be made, against our profiler, against an emulation of the
 * common design, and against neither. Every run is a process of its own; runs of the variants are interleaved. */
#include "prof_baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITES = 163840, BUFFER = 10240, VARIANTS = 9, PENDING = 16 };

typedef struct load {
    unsigned threads, depth, stacks, services;
    double scale;
    size_t capacity, runs;
    bool synthetic, pinned, json;
    uint64_t rate, samples, seed;
    const char *only;
} load;

typedef enum kind { OFF, HOOKS, OURS, BASELINE } kind;

static const struct variant {
    const char *name;
    kind kind;
    unsigned steps;
} variants[VARIANTS] = {
    {"off", OFF, 0},
    {"hooks", HOOKS, 0},
    {"ours", OURS, 0},
    {"emulated baseline", BASELINE, 0},
    {"emulated +1 fast hash", BASELINE, 1},
    {"emulated +2 cached identity", BASELINE, 3},
    {"emulated +3 batch drain", BASELINE, 7},
    {"emulated +4 owned payload", BASELINE, 15},
    {"emulated +5 lazy identity", BASELINE, 31},
};

typedef struct result {
    double user, system, elapsed, consumer, calls; /* seconds; calls: producer calls made */
    double taken, accepted, dropped, wakes, stalls, switches, memory;
    double error, corrected; /* of the written bytes, as a share */
    double episodes, explained; /* runs of dropped samples, and those that lie in recorded stalls of the consumer */
    double shortest, deep; /* ns: the shortest of these stalls, and capacity x interval at the fastest pace */
} result;

static hg_prof_function functions[128];
static char names[128][24];

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* When the first and the last sample were dropped: between these times, monotonic ns. */
typedef struct episode {
    uint64_t first[2], last[2];
} episode;

typedef struct worker {
    const load *load;
    kind kind;
    hg_prof *prof;
    baseline *base;
    double calls;
    episode pending[PENDING]; /* not yet looked up among the stalls */
    size_t pending_count;
    uint64_t accepted; /* when the last sample was dropped */
    double episodes, explained, shortest, deep;
} worker;

/* The shortest recorded stall at this time in ns, 0: none. Neighbouring stalls overlap. */
static uint64_t stall_at(const hg_prof *prof, const uint64_t when[2])
{
    uint64_t count = atomic_load_explicit(&prof->stalls, memory_order_acquire), best = 0;
    for (uint64_t i = count < STALLS_KEPT ? 0 : count - STALLS_KEPT; i < count; i++) {
        const stall *s = &prof->stall_log[i % STALLS_KEPT];
        if (when[1] >= s->start && when[0] <= s->end && (best == 0 || s->end - s->start < best))
            best = s->end - s->start;
    }
    return best;
}

/* An episode's stall is recorded when it is over, so the newest episodes wait (unless the run has ended). */
static void settle_episodes(worker *w, bool all)
{
    size_t kept = 0, settled = all || w->pending_count < 4 ? w->pending_count : w->pending_count - 4;
    for (size_t i = 0; i < w->pending_count; i++) {
        if (i >= settled) {
            w->pending[kept++] = w->pending[i];
            continue;
        }
        uint64_t first = stall_at(w->prof, w->pending[i].first), last = stall_at(w->prof, w->pending[i].last);
        uint64_t shorter = first < last ? first : last;
        w->episodes++;
        w->explained += shorter > 0;
        if (shorter > 0 && (w->shortest == 0 || (double)shorter < w->shortest))
            w->shortest = (double)shorter;
    }
    w->pending_count = kept;
}

static uint64_t counted(const atomic_uint_fast64_t *by_type)
{
    return atomic_load(&by_type[HG_PROF_FILE_READ_SIZE]) + atomic_load(&by_type[HG_PROF_FILE_WRITE_SIZE]);
}

/* An episode ends when a sample is accepted again. */
static void note_drop(worker *w, const hg_prof_thread *t, uint64_t since)
{
    uint64_t now = hg_clock_monotonic_ns(), accepted = counted(t->counters.accepted);
    if (w->pending_count > 0 && w->accepted == accepted) {
        w->pending[w->pending_count - 1].last[0] = since;
        w->pending[w->pending_count - 1].last[1] = now;
        return;
    }
    if (w->pending_count == PENDING)
        settle_episodes(w, false);
    w->pending[w->pending_count++] = (episode){{since, now}, {since, now}};
    w->accepted = accepted;
}

static void push_frames(const load *l, hg_prof_thread *t)
{
    for (unsigned i = 0; i < l->depth; i++)
        hg_prof_push(t, &functions[i], i);
}

static void one_call(worker *w, hg_prof_thread *t, hg_prof_io class, uint64_t ns, int64_t bytes, uint64_t end)
{
    if (w->kind == OURS) {
        hg_status status = hg_prof_io_done(t, class, ns, bytes);
        if (status == HG_ERR_LIMIT)
            note_drop(w, t, end);
    } else if (w->kind == BASELINE) {
        /* the same countdowns, the other pipeline */
        if (countdown_due(&t->io_time[class], (int64_t)ns, &t->random))
            baseline_sample(w->base, t, (hg_prof_type)(HG_PROF_SOCKET_READ_TIME + 2 * (unsigned)class), (int64_t)ns);
        if (countdown_due(&t->io_size[class], bytes, &t->random))
            baseline_sample(w->base, t, (hg_prof_type)(HG_PROF_SOCKET_READ_SIZE + 2 * (unsigned)class), bytes);
    }
    if (w->kind == OURS)
        hg_prof_poll(t);
}

static void timed_io(worker *w, hg_prof_thread *t, int fd, bool write_it, size_t bytes)
{
    static char buffer[BUFFER];
    uint64_t start = w->kind == OFF ? 0 : hg_clock_monotonic_ns();
    ssize_t done = write_it ? write(fd, buffer, bytes) : read(fd, buffer, bytes);
    uint64_t end = w->kind == OFF ? 0 : hg_clock_monotonic_ns();
    if (done > 0)
        one_call(w, t, write_it ? HG_PROF_FILE_WRITE : HG_PROF_FILE_READ, end - start, done, end);
    w->calls++;
}

/* How long the channel lasts at the producer's pace while it runs; the least of all phases counts. */
static void note_pace(worker *w, const hg_prof_thread *t, uint64_t start, uint64_t before)
{
    double taken = (double)(counted(t->counters.taken) - before);
    double deep = taken > 0 ? (double)(hg_clock_thread_cpu_ns() - start) / taken * (double)w->load->capacity : 0;
    if (deep > 0 && (w->deep == 0 || deep < w->deep))
        w->deep = deep;
}

static void run_io(worker *w, hg_prof_thread *t)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC), zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    long count = (long)(WRITES * w->load->scale);
    uint64_t start = hg_clock_thread_cpu_ns(), before = counted(t->counters.taken);
    for (long i = 0; i < count; i++) {
        hg_prof_line(t, (uint32_t)(i % w->load->stacks));
        timed_io(w, t, null, true, BUFFER);
    }
    note_pace(w, t, start, before);
    start = hg_clock_thread_cpu_ns();
    before = counted(t->counters.taken);
    for (long i = 0; i < count; i++) {
        hg_prof_line(t, 1000 + (uint32_t)(i % w->load->stacks));
        timed_io(w, t, zero, false, 8192);
        timed_io(w, t, zero, false, 2048);
    }
    note_pace(w, t, start, before);
    close(null);
    close(zero);
}

static void run_synthetic(worker *w, hg_prof_thread *t)
{
    uint64_t next = hg_clock_monotonic_ns(), interval = w->load->rate ? 1000000000 / w->load->rate : 0;
    for (uint64_t i = 0; i < w->load->samples; i++) {
        if (interval > 0) {
            uint64_t now = hg_clock_monotonic_ns();
            next = next + interval > now ? next + interval : now; /* what was missed is not made up for in a burst */
            struct timespec until = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        }
        hg_prof_line(t, (uint32_t)(i % w->load->stacks));
        if (w->kind == OURS)
            hg_prof_timeline(t, HG_SLICE("gc"), 1, true);
        else if (w->kind == BASELINE)
            baseline_sample(w->base, t, HG_PROF_FILE_WRITE_SIZE, BUFFER);
        w->calls++;
    }
}

/* An aggregated sample without a timestamp, as size samples are: the row is added to, not logged. */
static void run_direct(worker *w, hg_prof_thread *t)
{
    for (uint64_t i = 0; i < w->load->samples; i++) {
        hg_prof_line(t, (uint32_t)(i % w->load->stacks));
        if (w->kind == OURS) {
            sample_values v = {0};
            sample_add(&v, HG_PROF_FILE_WRITE_SIZE, BUFFER);
            sample_add(&v, HG_PROF_FILE_WRITE_SIZE_SAMPLES, 1);
            sample_send(t, &v, records_stack(t), records_labels(t, NULL, 0), 0);
        } else if (w->kind == BASELINE) {
            baseline_sample(w->base, t, HG_PROF_FILE_WRITE_SIZE, BUFFER);
        }
        w->calls++;
    }
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *work(void *argument)
{
    worker *w = argument;
    hg_prof_thread *t;
    if (hg_prof_attach(w->prof, "worker", &t) != HG_OK)
        return NULL;
    push_frames(w->load, t);
    for (unsigned s = 0; s < w->load->services; s++) {
        char service[24];
        snprintf(service, sizeof service, "service-%u", s);
        hg_prof_context context = {.service = service, .env = "bench"};
        hg_prof_set_context(t, &context);
        if (w->load->rate > 0)
            run_synthetic(w, t);
        else if (w->load->synthetic)
            run_direct(w, t);
        else
            run_io(w, t);
    }
    hg_prof_detach(t);
    return NULL;
}

static double cpu_of_process(double *user, double *system)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *user = seconds(usage.ru_utime);
    *system = seconds(usage.ru_stime);
    return (double)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static void sum_profile(hg_prof *prof, const load *l, result *r)
{
    hg_prof_counters c;
    hg_prof_count(prof, &c);
    for (int i = 0; i < HG_PROF_TYPES; i++) {
        bool counted = (i >= HG_PROF_SOCKET_READ_TIME && (i - HG_PROF_SOCKET_READ_TIME) % 2 == 1) || i == HG_PROF_SAMPLE ||
                       i == HG_PROF_TIMELINE;
        if (counted) {
            r->taken += (double)c.taken[i];
            r->accepted += (double)c.accepted[i];
            r->dropped += (double)(c.dropped[i] + c.carried[i]);
        }
    }
    r->wakes = (double)c.wakes;
    r->stalls = (double)c.stalls;
    r->consumer = (double)c.consumer_cpu_ns / 1e9;
    double truth = WRITES * l->scale * BUFFER * l->threads * l->services, got = 0;
    epoch *e = prof->epoch; /* the consumer has ended */
    for (profile *p = e ? e->profiles : NULL; p != NULL; p = p->next) {
        unsigned at = (unsigned)__builtin_popcount(e->types & ((1u << HG_PROF_FILE_WRITE_SIZE) - 1));
        for (size_t i = 0; i < p->rows.count; i++)
            got += ((double *)p->values.items)[i * e->type_count + at];
    }
    r->error = got / truth - 1;
    r->corrected = (got + c.lost[HG_PROF_FILE_WRITE_SIZE]) / truth - 1;
}

/* Waits until the consumer has taken everything and noted its stalls; no export, so that the totals can be looked at. */
static void settle(hg_prof *prof)
{
    struct timespec brief = {0, 1000000};
    while (queue_depth(&prof->queue) > 0)
        nanosleep(&brief, NULL);
    for (int looks = 0; looks < 2; looks++) {
        uint64_t before = atomic_load(&prof->consumer_cpu);
        while (atomic_load(&prof->consumer_cpu) == before) {
            queue_wake(&prof->queue);
            nanosleep(&brief, NULL);
        }
    }
}

static result run(const load *l, const struct variant *v)
{
    result r = {0};
    hg_prof *prof;
    hg_prof_settings settings = {.families = HG_PROF_DEFAULT | HG_PROF_IO, .capacity = l->capacity, .seed = l->seed,
                                 .export_ns = 3600000000000}; /* totals are read from the one epoch */
    baseline base;
    if (hg_prof_new(&settings, &prof) != HG_OK || (v->kind == OURS && hg_prof_start(prof) != HG_OK) ||
        (v->kind == BASELINE && !baseline_start(&base, prof, v->steps, l->capacity))) {
        fprintf(stderr, "prof_load: cannot start\n");
        exit(1);
    }
    double user0, system0, user, system, switches0 = cpu_of_process(&user0, &system0);
    uint64_t start = hg_clock_monotonic_ns();
    pthread_t threads[64];
    worker workers[64];
    for (unsigned i = 0; i < l->threads; i++) {
        workers[i] = (worker){.load = l, .kind = v->kind, .prof = prof, .base = &base};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < l->threads; i++) {
        pthread_join(threads[i], NULL);
        r.calls += workers[i].calls;
    }
    if (v->kind == BASELINE)
        baseline_stop(&base);
    else if (v->kind == OURS)
        settle(prof);
    r.elapsed = (double)(hg_clock_monotonic_ns() - start) / 1e9;
    r.switches = cpu_of_process(&user, &system) - switches0;
    r.user = user - user0;
    r.system = system - system0;
    for (unsigned i = 0; i < l->threads; i++) {
        worker *w = &workers[i];
        settle_episodes(w, true);
        r.episodes += w->episodes;
        r.explained += w->explained;
        r.shortest = r.shortest == 0 || (w->shortest > 0 && w->shortest < r.shortest) ? w->shortest : r.shortest;
        r.deep = r.deep == 0 || (w->deep > 0 && w->deep < r.deep) ? w->deep : r.deep;
    }
    if (v->kind == OURS) {
        sum_profile(prof, l, &r);
    } else if (v->kind == BASELINE) {
        r.accepted = (double)atomic_load(&base.accepted);
        r.dropped = (double)atomic_load(&base.dropped);
        r.taken = r.accepted + r.dropped;
        r.consumer = (double)atomic_load(&base.consumer_cpu) / 1e9;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    r.memory = (double)usage.ru_maxrss / 1024;
    return r;
}

static result run_apart(const load *l, const struct variant *v)
{
    int ends[2];
    result r = {0};
    if (pipe(ends) != 0)
        exit(1);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (l->pinned)
            pin(0);
        r = run(l, v);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &r, sizeof r) != (ssize_t)sizeof r) {
        fprintf(stderr, "prof_load: a run of '%s' failed\n", v->name);
        exit(1);
    }
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return r;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const result *r, size_t count, size_t offset)
{
    double values[64];
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&r[i] + offset, sizeof(double));
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
#define MEDIAN(r, n, field) median(r, n, offsetof(result, field))

static void print_table(const load *l, result (*all)[64])
{
    double hooks = MEDIAN(all[HOOKS], l->runs, user);
    printf("%-28s %8s %8s %8s %9s %10s %8s %9s %8s %8s %8s\n", "variant", "user s", "sys s", "wall s", "consumer",
           "accepted", "dropped", "ns/sample", "error %", "corr. %", "wakes");
    for (int v = 0; v < VARIANTS; v++) {
        if (l->only != NULL && strcmp(l->only, variants[v].name) != 0 && variants[v].kind != HOOKS)
            continue;
        double user = MEDIAN(all[v], l->runs, user), accepted = MEDIAN(all[v], l->runs, accepted);
        printf("%-28s %8.3f %8.3f %8.3f %9.3f %10.0f %8.0f", variants[v].name, user, MEDIAN(all[v], l->runs, system),
               MEDIAN(all[v], l->runs, elapsed), MEDIAN(all[v], l->runs, consumer), accepted,
               MEDIAN(all[v], l->runs, dropped));
        if (accepted > 0)
            printf(" %9.1f", (user - hooks) / accepted * 1e9);
        if (variants[v].kind == OURS && !l->synthetic && l->rate == 0)
            printf("%s %8.3f %8.3f %8.0f", accepted > 0 ? "" : "          ", 100 * MEDIAN(all[v], l->runs, error),
                   100 * MEDIAN(all[v], l->runs, corrected), MEDIAN(all[v], l->runs, wakes));
        printf("\n");
    }
    for (size_t i = 0; i < l->runs && !l->synthetic && l->rate == 0; i++) {
        const result *r = &all[OURS][i];
        double deviation = 0.76 / sqrt(l->scale * l->threads * l->services); /* percent, of the written bytes */
        printf("%sours, run %zu: %.0f dropped in %.0f episodes, %.0f of them in stalls of the consumer (shortest %.0f us; "
               "the channel holds %.0f us); written bytes %+.3f %%, corrected %+.3f %% (%.1f deviations)\n", i ? "" : "\n",
               i + 1, r->dropped, r->episodes, r->explained, r->shortest / 1e3, r->deep / 1e3, 100 * r->error,
               100 * r->corrected, 100 * r->corrected / deviation);
    }
    double first = MEDIAN(all[3], l->runs, user), last = MEDIAN(all[8], l->runs, user);
    if (l->only == NULL && first > 0)
        printf("\nemulated baseline to all five steps: %.1f %% of user CPU saved; to ours: %.1f %%\n",
               100 * (1 - last / first), 100 * (1 - MEDIAN(all[OURS], l->runs, user) / first));
}

static void print_json(const load *l, result (*all)[64])
{
    for (int v = 0; v < VARIANTS; v++)
        for (size_t i = 0; i < l->runs; i++)
            if (all[v][i].calls > 0)
                printf("{\"suite\":\"prof\",\"class\":\"prof_load\",\"method\":\"%s\",\"params\":\"threads=%u depth=%u "
                       "stacks=%u capacity=%zu%s\",\"toolchain\":\"\",\"launch\":%zu,\"iteration\":0,\"stage\":"
                       "\"measured\",\"ops\":%.0f,\"ns\":%.0f,\"accepted\":%.0f,\"dropped\":%.0f}\n",
                       variants[v].name, l->threads, l->depth, l->stacks, l->capacity, l->synthetic ? " synthetic" : "",
                       i, all[v][i].calls, all[v][i].user * 1e9, all[v][i].accepted, all[v][i].dropped);
}

static const char usage[] =
    "usage: prof_load [--threads N] [--scale S] [--capacity C] [--depth D] [--stacks K] [--services M]\n"
    "                 [--synthetic] [--samples N] [--rate R] [--runs N] [--only VARIANT] [--one-cpu] [--json] [--seed N]\n";

static bool parse(int argc, char **argv, load *l)
{
    static const struct option known[] = {
        {"threads", 1, 0, 't'}, {"scale", 1, 0, 's'}, {"capacity", 1, 0, 'c'}, {"depth", 1, 0, 'd'},
        {"stacks", 1, 0, 'k'}, {"services", 1, 0, 'm'}, {"synthetic", 0, 0, 'y'}, {"samples", 1, 0, 'n'},
        {"rate", 1, 0, 'r'}, {"runs", 1, 0, 'R'}, {"only", 1, 0, 'o'}, {"one-cpu", 0, 0, 'p'}, {"json", 0, 0, 'j'},
        {"seed", 1, 0, 'S'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        double number = optarg ? strtod(optarg, NULL) : 0;
        switch (option) {
        case 't': l->threads = (unsigned)number; break;
        case 's': l->scale = number; break;
        case 'c': l->capacity = (size_t)number; break;
        case 'd': l->depth = (unsigned)number; break;
        case 'k': l->stacks = (unsigned)number; break;
        case 'm': l->services = (unsigned)number; break;
        case 'y': l->synthetic = true; break;
        case 'n': l->samples = (uint64_t)number; break;
        case 'r': l->rate = (uint64_t)number; break;
        case 'R': l->runs = (size_t)number; break;
        case 'o': l->only = optarg; break;
        case 'p': l->pinned = true; break;
        case 'j': l->json = true; break;
        case 'S': l->seed = (uint64_t)number; break;
        default: return false;
        }
    }
    return l->threads >= 1 && l->threads <= 64 && l->depth >= 1 && l->depth <= 128 && l->stacks >= 1 && l->runs >= 1 &&
           l->runs <= 64 && l->scale > 0 && l->services >= 1;
}

int main(int argc, char **argv)
{
    load l = {.threads = 1, .scale = 1, .capacity = 100, .depth = 4, .stacks = 1, .services = 1, .samples = 2000000,
              .runs = 5, .seed = 11};
    if (!parse(argc, argv, &l)) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 0; i < 128; i++) {
        snprintf(names[i], sizeof names[i], "function_number_%d", i);
        functions[i] = (hg_prof_function){names[i], "/srv/app/src/load.php"};
    }
    static result all[VARIANTS][64];
    uint64_t seed = l.seed;
    for (size_t i = 0; i < l.runs; i++, l.seed = seed + i)
        for (int v = 0; v < VARIANTS; v++)
            if (l.only == NULL || strcmp(l.only, variants[v].name) == 0 || variants[v].kind == HOOKS)
                all[v][i] = run_apart(&l, &variants[v]);
    (l.json ? print_json : print_table)(&l, all);
    return 0;
}
