#include "helper/limiter.h"

void limiter_init(limiter *l, uint32_t limit)
{
    l->limit = limit;
    atomic_init(&l->seconds[0], 0);
    atomic_init(&l->seconds[1], 0);
}

static uint32_t second_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

bool limiter_admit(limiter *l, uint64_t now_ns)
{
    if (l->limit == 0)
        return true;
    uint32_t second = (uint32_t)(now_ns / 1000000000), ms = (uint32_t)(now_ns / 1000000 % 1000);
    for (;;) {
        atomic_uint_fast64_t *cell = &l->seconds[second % 2];
        uint64_t word = atomic_load(cell), before = atomic_load(&l->seconds[(second - 1) % 2]);
        if (second_of(word) > second) { /* others are two seconds ahead: this ask counts in theirs */
            second = second_of(word);
            ms = 0;
            continue;
        }
        uint32_t current = second_of(word) == second ? (uint32_t)word : 0;
        uint32_t previous = second_of(before) == second - 1 ? (uint32_t)before : 0;
        if ((uint64_t)previous * (1000 - ms) / 1000 + current >= l->limit)
            return false;
        if (atomic_compare_exchange_weak(cell, &word, (uint64_t)second << 32 | (current + 1)))
            return true;
    }
}
