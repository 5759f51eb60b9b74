/* Time and memory of loading rules, and the first judgement after it. */
#ifndef BENCH_WAF_LOADING_H
#define BENCH_WAF_LOADING_H

#include "waf/engines.h"
#include "waf/timing.h"

#include <sys/wait.h>
#include <unistd.h>

enum { LOADS = 9 };

typedef struct loading {
    double load_ns, first_ns;
    size_t grown; /* resident bytes that loading and one judgement add */
} loading;

static inline size_t resident(void)
{
    long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* In a process of its own. */
static inline size_t growth_of(engine *e, hg_slice rules, const request *r)
{
    int ends[2];
    size_t grown = 0;
    if (pipe(ends) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        size_t before = resident();
        engine_load(e, rules);
        judge(e, r);
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

/* The engines take turns; each is left loaded. */
static inline void measure_loading(engine *engines, size_t count, hg_slice rules, const request *r, loading *out)
{
    double load[2][LOADS], first[2][LOADS];
    for (size_t k = 0; k < count; k++)
        out[k].grown = growth_of(&engines[k], rules, r);
    for (size_t i = 0; i < LOADS; i++) {
        for (size_t k = 0; k < count; k++) {
            if (i > 0)
                engine_unload(&engines[k]);
            uint64_t begin = now();
            engine_load(&engines[k], rules);
            uint64_t loaded = now();
            judge(&engines[k], r);
            load[k][i] = (double)(loaded - begin);
            first[k][i] = (double)(now() - loaded);
        }
    }
    for (size_t k = 0; k < count; k++) {
        out[k].load_ns = median(load[k], LOADS);
        out[k].first_ns = median(first[k], LOADS);
    }
}

#endif
