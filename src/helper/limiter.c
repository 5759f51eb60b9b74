#include "helper/limiter.h"

void limiter_init(limiter *l, uint32_t limit)
{
    l->limit = limit;
    atomic_init(&l->window, 0);
    atomic_init(&l->previous, 0);
}

static uint64_t pack(uint32_t second, uint32_t count)
{
    return (uint64_t)second << 32 | count;
}

/* Admitted in the second before this one; a second without asks leaves an older entry, which counts nothing. */
static uint32_t count_of(uint64_t word, uint32_t second)
{
    return (uint32_t)(word >> 32) == second ? (uint32_t)word : 0;
}

bool limiter_admit(limiter *l, uint64_t now_ns)
{
    if (l->limit == 0)
        return true;
    uint32_t second = (uint32_t)(now_ns / 1000000000), ms = (uint32_t)(now_ns / 1000000 % 1000);
    uint64_t window = atomic_load(&l->window);
    for (;;) {
        uint32_t at = (uint32_t)(window >> 32);
        uint64_t next = window;
        if (at != second) { /* the first ask of a second closes the one before it */
            next = pack(second, 0);
            if (!atomic_compare_exchange_weak(&l->window, &window, next))
                continue;
            atomic_store(&l->previous, at + 1 == second ? window : pack(second - 1, 0));
            window = next;
            continue;
        }
        uint32_t current = (uint32_t)window, previous = count_of(atomic_load(&l->previous), second - 1);
        uint64_t estimate = (uint64_t)previous * (1000 - ms) / 1000 + current;
        if (estimate >= l->limit)
            return false;
        if (atomic_compare_exchange_weak(&l->window, &window, pack(second, current + 1)))
            return true;
    }
}
