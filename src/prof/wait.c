/* Bounded waiting for what another thread brings about. */
#include "prof/internal.h"

#include "base/clock.h"

#include <time.h>

void condition_init(pthread_cond_t *changed)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(changed, &attr);
    pthread_condattr_destroy(&attr);
}

bool condition_wait(pthread_cond_t *changed, pthread_mutex_t *lock, condition *holds, const void *state,
                    uint64_t limit_ns)
{
    uint64_t until = hg_clock_monotonic_ns() + limit_ns;
    const struct timespec deadline = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    int waited = 0;
    while (!holds(state) && waited == 0)
        waited = pthread_cond_timedwait(changed, lock, &deadline);
    return holds(state);
}
