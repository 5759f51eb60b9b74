/* What a second thread gains, next to what it gains for a loop that touches no memory. */
#ifndef BENCH_WAF_THREADS_H
#define BENCH_WAF_THREADS_H

#include "waf/requests.h"
#include "waf/timing.h"

#include <pthread.h>

enum { THREAD_MS = 60, THREAD_ROUNDS = 10 };

typedef struct worker {
    const engine *e;
    const requests *r; /* NULL: only spin */
    double rate;       /* operations in a nanosecond of the thread's own time */
} worker;

static inline void *work(void *argument)
{
    worker *w = argument;
    uint64_t begin = now(), done = 0, spent;
    do {
        for (size_t i = 0; i < 20; i++, done++) {
            volatile unsigned spin = 0;
            for (int k = 0; w->r == NULL && k < 5000; k++)
                spin = spin + 1;
            if (w->r != NULL)
                judge(w->e, &w->r->items[done % w->r->count]);
        }
        spent = now() - begin;
    } while (spent < THREAD_MS * 1000000u);
    w->rate = (double)done / (double)spent;
    return NULL;
}

/* The rates of that many threads at once, added up. Processor time, so that a busy machine does not decide. */
static inline double throughput(const engine *e, const requests *r, int count)
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

static inline void show_threads(const engine *e, const requests *r)
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

#endif
