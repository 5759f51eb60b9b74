#include "helper/sampler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 8192, LIVE_MAX = 4096, KEPT_MAX = 2730 }; /* two thirds of the live ones survive a rebuild */

typedef struct slot {
    atomic_uint_fast64_t key; /* 0: free */
    atomic_uint_fast64_t times; /* accessed << 32 | reported */
} slot;

typedef struct key_table {
    struct key_table *older; /* retired, freed at the rebuild after the next */
    atomic_uint used;
    slot slots[SLOTS];
} key_table;

struct sampler {
    uint32_t period;
    _Atomic(key_table *) table;
    pthread_mutex_t rebuild;
};

sampler *sampler_new(uint32_t period)
{
    sampler *s = calloc(1, sizeof *s);
    key_table *t = calloc(1, sizeof *t);
    if (s == NULL || t == NULL || period == 0) {
        free(s);
        free(t);
        return NULL;
    }
    s->period = period;
    atomic_init(&s->table, t);
    pthread_mutex_init(&s->rebuild, NULL);
    return s;
}

void sampler_free(sampler *s)
{
    if (s == NULL)
        return;
    for (key_table *t = atomic_load(&s->table), *older; t != NULL; t = older) {
        older = t->older;
        free(t);
    }
    pthread_mutex_destroy(&s->rebuild);
    free(s);
}

static int newest_first(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[1], y = ((const uint64_t *)b)[1];
    return (x < y) - (x > y);
}

static void insert(key_table *t, uint64_t key, uint64_t times)
{
    size_t at = key % SLOTS;
    while (atomic_load_explicit(&t->slots[at].key, memory_order_relaxed) != 0)
        at = (at + 1) % SLOTS;
    atomic_store_explicit(&t->slots[at].key, key, memory_order_relaxed);
    atomic_store_explicit(&t->slots[at].times, times, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed);
}

/* A reader may still be in the table that is replaced: it is kept until the next rebuild, which cannot come before
 * thousands of further keys. */
static void rebuild(sampler *s, uint32_t now)
{
    if (pthread_mutex_trylock(&s->rebuild) != 0)
        return;
    key_table *old = atomic_load(&s->table), *fresh = calloc(1, sizeof *fresh);
    uint64_t(*rows)[2] = malloc(SLOTS * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows != NULL && i < SLOTS; i++) {
        uint64_t key = atomic_load(&old->slots[i].key), times = atomic_load(&old->slots[i].times);
        if (key == 0 || now - (uint32_t)times >= s->period)
            continue;
        rows[count][0] = key;
        rows[count++][1] = times;
    }
    if (fresh != NULL && rows != NULL) {
        qsort(rows, count, sizeof *rows, newest_first);
        for (size_t i = 0; i < count && i < KEPT_MAX; i++)
            insert(fresh, rows[i][0], rows[i][1]);
        if (old->older != NULL) {
            free(old->older);
            old->older = NULL;
        }
        fresh->older = old;
        atomic_store(&s->table, fresh);
        fresh = NULL;
    }
    free(rows);
    free(fresh);
    pthread_mutex_unlock(&s->rebuild);
}

static bool known(sampler *s, slot *at, uint32_t now)
{
    uint64_t times = atomic_load(&at->times);
    for (;;) {
        bool due = now - (uint32_t)times >= s->period;
        uint64_t next = (uint64_t)now << 32 | (due ? now : (uint32_t)times);
        if (atomic_compare_exchange_weak(&at->times, &times, next))
            return due;
    }
}

bool sampler_hit(sampler *s, uint64_t key, uint32_t now)
{
    if (key == 0)
        return false;
    key_table *t = atomic_load(&s->table);
    for (size_t n = 0, at = key % SLOTS; n < SLOTS; n++, at = (at + 1) % SLOTS) {
        uint64_t here = atomic_load(&t->slots[at].key);
        if (here == 0) {
            atomic_store(&t->slots[at].times, (uint64_t)now << 32 | now);
            if (!atomic_compare_exchange_strong(&t->slots[at].key, &here, key)) {
                if (here == key)
                    return known(s, &t->slots[at], now);
                continue;
            }
            if (atomic_fetch_add(&t->used, 1) + 1 > LIVE_MAX)
                rebuild(s, now);
            return true;
        }
        if (here == key)
            return known(s, &t->slots[at], now);
    }
    return false; /* all slots taken: new keys are not sampled until a rebuild */
}
