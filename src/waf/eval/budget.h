/* The time budget of a call. Reading the clock costs more than most steps, so it is read after a certain amount of
 * work: the first check of a call always looks, later ones when enough work was noted since. */
#ifndef WAF_EVAL_BUDGET_H
#define WAF_EVAL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
    HG_WORK_PER_LOOK = 16384, /* units between two looks; a unit is about a byte scanned */
    HG_WORK_PER_CHECK = 64    /* what one check stands for */
};

typedef struct hg_budget {
    uint64_t begin; /* nanoseconds, monotonic */
    uint64_t limit; /* nanoseconds that may pass */
    uint64_t spent; /* nanoseconds, at the last look */
    int32_t credit;
    bool looked;
    bool expired;
    bool ignored; /* rules of the ACL modules run to their end */
} hg_budget;

static inline uint64_t hg_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void hg_budget_start(hg_budget *budget, uint64_t microseconds)
{
    const uint64_t most = INT64_MAX / 1000;
    *budget = (hg_budget){.begin = hg_clock(), .credit = HG_WORK_PER_LOOK};
    budget->limit = (microseconds < most ? microseconds : most) * 1000;
}

static inline bool hg_budget_look(hg_budget *budget)
{
    budget->credit = HG_WORK_PER_LOOK;
    budget->looked = true;
    budget->spent = hg_clock() - budget->begin;
    if (budget->spent >= budget->limit)
        budget->expired = true;
    return budget->expired;
}

/* Notes work done; the clock is looked at by the next check. */
static inline void hg_budget_work(hg_budget *budget, uint64_t units)
{
    budget->credit = units < (uint64_t)HG_WORK_PER_LOOK ? budget->credit - (int32_t)units : 0;
}

/* The first check costs no look at the clock: only a budget of zero can have run out by then. */
static inline bool hg_budget_check(hg_budget *budget)
{
    if (budget->ignored)
        return false;
    if (budget->expired)
        return true;
    if (!budget->looked) {
        budget->looked = true;
        budget->expired = budget->limit == 0;
        return budget->expired;
    }
    budget->credit -= HG_WORK_PER_CHECK;
    return budget->credit <= 0 && hg_budget_look(budget);
}

#endif
