#include "regex/memo.h"

#include "base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

/* Multipliers from the kernel; before its pool is ready, from the process's seed. */
static void choose_multipliers(hg_memo *memo)
{
    if (getrandom(memo->multipliers, sizeof memo->multipliers, GRND_NONBLOCK) == (ssize_t)sizeof memo->multipliers)
        return;
    uint64_t state = hg_hash_seed() ^ (uintptr_t)memo;
    for (size_t i = 0; i < HG_MEMO_WORDS; i++) {
        for (size_t half = 0; half < 2; half++)
            memo->multipliers[i][half] = hg_hash_u64(state += UINT64_C(0x9E3779B97F4A7C15));
    }
}

hg_memo *hg_memo_new(void)
{
    hg_memo *memo = calloc(1, sizeof *memo);
    if (memo != NULL)
        choose_multipliers(memo);
    return memo;
}
