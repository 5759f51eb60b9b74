/* bench/waf: what judging a request costs, next to the official libddwaf 1.x in the same process and the same moment.
 *
 *   build/bench/waf [--rules FILE] [--case NAME] [--ms N] [--alone N] [--threads] [--json]
 *
 * One operation is a context: made, given the request, ended. Limits are off on both sides, nothing is obfuscated, no
 * input is freed or converted. The two take turns; shown are medians over all turns. --alone N judges N times with our
 * engine only (for callgrind). --threads shows what a second thread gains, next to what it gains for a loop that
 * touches no memory. The rival is where tools/peers puts it, or $HOTGATE_DDWAF1; without it ours is shown. */
#include "hotgate/waf.h"
#include "peers/ddwaf1.h"
#include "waf_cases.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 41, TIMEOUT = 10000000 };

/* ---- Counting allocations of both engines ---- */

static size_t allocations;

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

HG_API void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

HG_API void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

HG_API void *realloc(void *ptr, size_t size)
{
    allocations++;
    return __libc_realloc(ptr, size);
}
#endif

/* Processor time of this thread: what other processes do does not count. */
static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static size_t resident(void)
{
    long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static hg_slice read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    hg_buffer text = {0};
    char block[65536];
    if (file == NULL) {
        perror(path);
        exit(3);
    }
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        hg_buffer_append(&text, hg_slice_of(block, got));
    fclose(file);
    return hg_slice_of(text.ptr, text.len);
}

/* ---- The two engines ---- */

typedef struct engines {
    hg_waf *waf;
    const ddwaf1 *peer; /* NULL: not there */
    ddwaf1_handle *handle;
    hg_slice rules;
} engines;

typedef struct request {
    hg_value ours;
    ddwaf1_object theirs;
} request;

static hg_waf *load_ours(hg_slice text)
{
    hg_arena arena;
    hg_value rules;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_arena_init(&arena, NULL);
    if (hg_json_read(text, &options, &rules, hg_arena_allocator(&arena), NULL) != HG_OK)
        exit(3);
    hg_builder *builder = hg_builder_new();
    hg_builder_set(builder, HG_SLICE("rules"), &rules, NULL, NULL);
    hg_waf *waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    hg_arena_close(&arena);
    return waf;
}

static ddwaf1_handle *load_theirs(const ddwaf1 *peer, hg_slice text)
{
    const ddwaf1_config config = {UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL, NULL, NULL};
    return ddwaf1_load(peer, text.ptr, text.len, &config);
}

static bool judge_ours(const engines *e, const request *r)
{
    const hg_result *result;
    hg_context *context = hg_context_new(e->waf);
    bool match = hg_context_eval(context, &r->ours, TIMEOUT, &result) == HG_OK && result->events > 0;
    hg_context_free(context);
    return match;
}

static bool judge_theirs(const engines *e, const request *r)
{
    ddwaf1_object result, data = r->theirs;
    ddwaf1_context *context = e->peer->context_init(e->handle);
    int code = e->peer->run(context, &data, NULL, &result, TIMEOUT);
    const ddwaf1_object *events = ddwaf1_find(&result, "events");
    bool match = code >= 0 && events != NULL && events->size > 0;
    e->peer->object_free(&result);
    e->peer->context_destroy(context);
    return match;
}

typedef bool judge_fn(const engines *e, const request *r);

/* ---- Measuring ---- */

typedef struct figures {
    double ns; /* median of one operation */
    double mallocs;
    bool match;
} figures;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static double time_batch(judge_fn *judge, const engines *e, const request *r, size_t operations)
{
    uint64_t begin = now();
    for (size_t i = 0; i < operations; i++)
        judge(e, r);
    return (double)(now() - begin) / (double)operations;
}

/* Operations that take about that long. */
static size_t calibrate(judge_fn *judge, const engines *e, const request *r, double wanted_ns)
{
    for (int i = 0; i < 3; i++)
        judge(e, r);
    double once = time_batch(judge, e, r, 3);
    return once >= wanted_ns ? 1 : (size_t)(wanted_ns / once) + 1;
}

static void count_mallocs(judge_fn *judge, const engines *e, const request *r, figures *out)
{
    size_t before = allocations;
    for (int i = 0; i < 10; i++)
        out->match = judge(e, r);
    out->mallocs = (double)(allocations - before) / 10;
}

static void print_json(const char *name, const char *engine, size_t iteration, size_t operations, double ns, size_t bytes)
{
    printf("{\"suite\":\"waf\",\"class\":\"%s\",\"method\":\"%s\",\"params\":\"\",\"toolchain\":\"%s\",\"launch\":0,"
           "\"iteration\":%zu,\"stage\":\"measured\",\"ops\":%zu,\"ns\":%.0f,\"bytes\":%zu}\n",
           name, engine, __VERSION__, iteration, operations, ns * (double)operations, bytes * operations);
}

static void measure(const engines *e, const request *r, const char *name, size_t bytes, double turn_ns, bool json,
                    figures out[2])
{
    static double times[2][ROUNDS];
    judge_fn *const judges[2] = {judge_ours, judge_theirs};
    const char *const labels[2] = {"hotgate", "libddwaf"};
    int engines_there = e->peer != NULL ? 2 : 1;
    size_t operations[2];
    for (int k = 0; k < engines_there; k++) {
        operations[k] = calibrate(judges[k], e, r, turn_ns);
        count_mallocs(judges[k], e, r, &out[k]);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < engines_there; k++) {
            times[k][round] = time_batch(judges[k], e, r, operations[k]);
            if (json)
                print_json(name, labels[k], round, operations[k], times[k][round], bytes);
        }
    }
    for (int k = 0; k < engines_there; k++)
        out[k].ns = median(times[k], ROUNDS);
}

static void make_request(const engines *e, const waf_case *c, hg_arena *arena, request *r, size_t *bytes)
{
    hg_buffer text = {0};
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    c->write(&text);
    if (hg_json_read(hg_slice_of(text.ptr, text.len), &options, &r->ours, hg_arena_allocator(arena), NULL) != HG_OK ||
        (e->peer != NULL && !e->peer->object_from_json(&r->theirs, text.ptr, (uint32_t)text.len))) {
        fprintf(stderr, "case %s is no JSON\n", c->name);
        exit(3);
    }
    *bytes = text.len;
    hg_buffer_free(&text);
}

/* ---- Threads ---- */

enum { THREAD_MS = 60, THREAD_ROUNDS = 10 };

typedef struct worker {
    const engines *e;
    const request *r; /* NULL: only spin */
    double rate;      /* operations in a nanosecond of the thread's own time */
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    uint64_t begin = now(), done = 0, spent;
    do {
        for (int i = 0; i < 20; i++, done++) {
            volatile unsigned spin = 0;
            for (int k = 0; w->r == NULL && k < 5000; k++)
                spin = spin + 1;
            if (w->r != NULL)
                judge_ours(w->e, w->r);
        }
        spent = now() - begin;
    } while (spent < THREAD_MS * 1000000u);
    w->rate = (double)done / (double)spent;
    return NULL;
}

/* The rates of that many threads at once, added up. Processor time, so that a busy machine does not decide. */
static double throughput(const engines *e, const request *r, int count)
{
    worker workers[2];
    pthread_t threads[2];
    double rate = 0;
    for (int i = 0; i < count; i++) {
        workers[i] = (worker){e, r, 0};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        rate += workers[i].rate;
    }
    return rate;
}

static void show_threads(const engines *e, const request *r)
{
    double best = 0;
    for (int i = 0; i < THREAD_ROUNDS; i++) {
        double spin = throughput(e, NULL, 1), judged = throughput(e, r, 1);
        double spin_gain = throughput(e, NULL, 2) / spin, gain = throughput(e, r, 2) / judged;
        printf("two threads: %.2f times one, spinning %.2f times, ratio %.3f\n", gain, spin_gain, gain / spin_gain);
        best = gain / spin_gain > best ? gain / spin_gain : best;
    }
    printf("best ratio %.3f\n", best);
}

/* ---- Loading ---- */

/* Memory that loading and one judgement add, in a process of its own. */
static size_t growth_of(engines *e, const request *r, bool ours)
{
    int ends[2];
    size_t grown = 0;
    if (pipe(ends) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        size_t before = resident();
        if (ours) {
            e->waf = load_ours(e->rules);
            judge_ours(e, r);
        } else {
            e->handle = load_theirs(e->peer, e->rules);
            judge_theirs(e, r);
        }
        grown = resident() - before;
        _exit(write(ends[1], &grown, sizeof grown) != sizeof grown);
    }
    if (child > 0 && read(ends[0], &grown, sizeof grown) != sizeof grown)
        grown = 0;
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return grown;
}

static void show_loading(engines *e, const request *r, bool json)
{
    double load[2][9], first[2][9];
    size_t ours = growth_of(e, r, true), theirs = e->peer != NULL ? growth_of(e, r, false) : 0;
    for (int i = 0; i < 9; i++) {
        uint64_t begin = now();
        e->waf = load_ours(e->rules);
        load[0][i] = (double)(now() - begin);
        begin = now();
        judge_ours(e, r);
        first[0][i] = (double)(now() - begin);
        hg_waf_unref(e->waf);
        if (e->peer == NULL)
            continue;
        begin = now();
        e->handle = load_theirs(e->peer, e->rules);
        load[1][i] = (double)(now() - begin);
        begin = now();
        judge_theirs(e, r);
        first[1][i] = (double)(now() - begin);
        e->peer->destroy(e->handle);
    }
    e->waf = load_ours(e->rules);
    if (e->peer != NULL)
        e->handle = load_theirs(e->peer, e->rules);
    if (json)
        return;
    printf("load            %10.0f us %10.0f us\n", median(load[0], 9) / 1000, e->peer ? median(load[1], 9) / 1000 : 0);
    printf("first judgement %10.0f us %10.0f us\n", median(first[0], 9) / 1000,
           e->peer ? median(first[1], 9) / 1000 : 0);
    printf("resident growth %10zu KB %10zu KB\n\n", ours / 1024, theirs / 1024);
}

int main(int argc, char **argv)
{
    const char *rules = NULL, *only = NULL;
    size_t alone = 0;
    double turn_ns = 2e6;
    bool json = false, threads = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--threads") == 0)
            threads = true;
        else if (i + 1 < argc && strcmp(argv[i], "--rules") == 0)
            rules = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--case") == 0)
            only = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--alone") == 0)
            alone = strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--ms") == 0)
            turn_ns = strtod(argv[++i], NULL) * 1e6;
    }
    char path[4096];
    const char *cases = getenv("HOTGATE_CASES");
    if (rules == NULL) {
        snprintf(path, sizeof path, "%s/rulesets/recommended-1.18.0.json", cases ? cases : ".");
        rules = path;
    }
    engines e = {.peer = alone ? NULL : ddwaf1_open(), .rules = read_file(rules)};
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    request r;
    size_t bytes;
    make_request(&e, &waf_cases[0], &arena, &r, &bytes);
    if (alone || threads)
        e.waf = load_ours(e.rules);
    else
        show_loading(&e, &r, json);
    if (threads) {
        show_threads(&e, &r);
        return 0;
    }
    if (!json && !alone)
        printf("%-10s %8s %12s %12s %7s %9s %9s  events\n", "case", "bytes", "hotgate ns", "libddwaf ns", "ratio",
               "mallocs", "theirs");
    for (size_t i = 0; i < sizeof waf_cases / sizeof *waf_cases; i++) {
        figures f[2] = {0};
        if (only != NULL && strcmp(only, waf_cases[i].name) != 0)
            continue;
        make_request(&e, &waf_cases[i], &arena, &r, &bytes);
        for (size_t k = 0; k < alone; k++)
            judge_ours(&e, &r);
        if (alone)
            continue;
        measure(&e, &r, waf_cases[i].name, bytes, turn_ns, json, f);
        if (!json)
            printf("%-10s %8zu %12.0f %12.0f %7.1f %9.1f %9.1f  %s\n", waf_cases[i].name, bytes, f[0].ns, f[1].ns,
                   f[1].ns / f[0].ns, f[0].mallocs, f[1].mallocs, f[0].match == f[1].match ? "agree" : "DIFFER");
    }
    return 0;
}
