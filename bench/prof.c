/* What one producer call of the profiler costs for a stack that the thread has had before: groups of eight calls,
 * because the counter's steps are coarse (median and tail), and batches of 64, in which the wake of the consumer is too.
 * Nothing may be allocated. */
#include "hotgate/prof.h"

#include "prof/internal.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { GROUP = 8, BATCH = 64, BATCHES = 4000, GROUPS = BATCH / GROUP * BATCHES, DEPTH = 4 };

static __thread size_t allocations;

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *ptr, size_t size)
{
    allocations++;
    return __libc_realloc(ptr, size);
}
#endif

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    unsigned cpu;
    return __rdtscp(&cpu);
#else
    return hg_clock_monotonic_ns();
#endif
}

static double ns_per_tick(void)
{
    uint64_t start_ns = hg_clock_monotonic_ns(), start = ticks();
    struct timespec pause = {0, 50000000};
    nanosleep(&pause, NULL);
    return (double)(hg_clock_monotonic_ns() - start_ns) / (double)(ticks() - start);
}

static hg_status size_sample(hg_prof_thread *t)
{
    return hg_prof_io_done(t, HG_PROF_FILE_WRITE, 0, 10240);
}

static hg_status exception(hg_prof_thread *t)
{
    return hg_prof_exception(t, HG_SLICE("IoError"), HG_SLICE(""));
}

static hg_status event(hg_prof_thread *t)
{
    return hg_prof_timeline(t, HG_SLICE("gc"), 5, true);
}

static hg_status nothing_due(hg_prof_thread *t)
{
    return hg_prof_poll(t);
}

static hg_status time_sample(hg_prof_thread *t)
{
    return hg_prof_trigger(t);
}

static hg_status no_call(hg_prof_thread *t)
{
    (void)t;
    return HG_OK;
}

typedef hg_status producer_call(hg_prof_thread *t);

static const struct {
    const char *name;
    producer_call *call;
} calls[] = {
    {"(the measurement itself)", no_call},
    {"poll, no tick", nothing_due},
    {"size sample", size_sample},
    {"exception sample", exception},
    {"timeline sample", event},
    {"time sample, with CPU clock", time_sample},
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void wait_until_empty(hg_prof *prof)
{
    queue_wake(&prof->queue);
    while (queue_depth(&prof->queue) > 0) {
        struct timespec pause = {0, 20000};
        nanosleep(&pause, NULL);
    }
}

/* Fewer calls than the channel holds, then a pause until it is empty: nothing is dropped. Returns the median group. */
static uint64_t measure(hg_prof *prof, hg_prof_thread *t, size_t which, double scale, uint64_t floor)
{
    static uint64_t groups[GROUPS], batches[BATCHES];
    producer_call *call = calls[which].call;
    size_t refused = 0, group = 0;
    call(t); /* the thread meets its stack and labels */
    wait_until_empty(prof);
    size_t before = allocations;
    for (size_t b = 0; b < BATCHES; b++) {
        uint64_t start = ticks(), last = start;
        for (size_t i = 0; i < BATCH; i++) {
            refused += call(t) != HG_OK;
            if ((i + 1) % GROUP != 0)
                continue;
            uint64_t now = ticks();
            groups[group++] = now - last;
            last = now;
        }
        batches[b] = last - start;
        wait_until_empty(prof);
    }
    size_t allocated = allocations - before;
    qsort(groups, GROUPS, sizeof *groups, by_value);
    qsort(batches, BATCHES, sizeof *batches, by_value);
    scale /= GROUP;
    printf("%-28s %8.1f %8.1f %8.1f %12.1f %8zu %8zu\n", calls[which].name,
           ((double)groups[GROUPS / 2] - (double)floor) * scale, (double)groups[GROUPS / 10 * 9] * scale,
           (double)groups[GROUPS / 100 * 99] * scale, (double)batches[BATCHES / 2] * scale * GROUP / BATCH, allocated,
           refused);
    return groups[GROUPS / 2];
}

int main(void)
{
    static const hg_prof_function functions[DEPTH] = {
        {"main", "app.c"}, {"serve", "app.c"}, {"handle", "app.c"}, {"lib|write", ""}};
    const hg_prof_settings settings = {.families = HG_PROF_DEFAULT | HG_PROF_IO, .io_size_distance = 1,
                                       .exception_distance = 1, .tick_ns = 60000000000, .seed = 1};
    hg_prof *prof;
    hg_prof_thread *t;
    if (hg_prof_new(&settings, &prof) != HG_OK || hg_prof_start(prof) != HG_OK ||
        hg_prof_attach(prof, "bench", &t) != HG_OK)
        return 1;
    for (size_t i = 0; i < DEPTH; i++)
        hg_prof_push(t, &functions[i], (uint32_t)i + 1);
    double scale = ns_per_tick();
    printf("%-28s %8s %8s %8s %12s %8s %8s\n", "ns a call, 4 frames", "median", "p90", "p99", "batch of 64", "allocs",
           "refused");
    uint64_t floor = measure(prof, t, 0, scale, 0);
    for (size_t i = 1; i < sizeof calls / sizeof *calls; i++)
        measure(prof, t, i, scale, floor);
    hg_prof_detach(t);
    hg_status status = hg_prof_stop(prof, 5000000000);
    if (status == HG_OK)
        hg_prof_free(prof);
    return status != HG_OK;
}
