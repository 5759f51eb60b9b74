#include "helper/sampler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 8192, LIVE_MAX = 4096, KEPT_MAX = 2730 }; /* two thirds of the live ones survive a rebuild */

typedef struct slot {
    atomic_uint_fast64_t key;   /* 0: free */
    atomic_uint_fast64_t times; /* accessed << 32 | reported */
} slot;

typedef struct key_table {
    atomic_uint used;
    slot slots[SLOTS];
} key_table;

typedef struct row {
    uint64_t key, times;
} row;

/* Tables are never freed: a thread that is late in the retired one finds odd answers there, but memory. */
struct sampler {
    uint32_t period;
    _Atomic(key_table *) current;
    pthread_mutex_t rebuild;
    key_table tables[2];
    row rows[SLOTS]; /* of a rebuild */
};

sampler *sampler_new(uint32_t period)
{
    sampler *s = period > 0 ? calloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return NULL;
    s->period = period;
    atomic_init(&s->current, &s->tables[0]);
    pthread_mutex_init(&s->rebuild, NULL);
    return s;
}

void sampler_free(sampler *s)
{
    if (s == NULL)
        return;
    pthread_mutex_destroy(&s->rebuild);
    free(s);
}

static int newest_first(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->times, y = ((const row *)b)->times;
    return (x < y) - (x > y);
}

static void clear(key_table *t)
{
    for (size_t i = 0; i < SLOTS; i++)
        atomic_store_explicit(&t->slots[i].key, 0, memory_order_relaxed);
    atomic_store(&t->used, 0);
}

static void insert(key_table *t, const row *r)
{
    size_t at = r->key % SLOTS;
    while (atomic_load_explicit(&t->slots[at].key, memory_order_relaxed) != 0)
        at = (at + 1) % SLOTS;
    atomic_store_explicit(&t->slots[at].times, r->times, memory_order_relaxed);
    atomic_store_explicit(&t->slots[at].key, r->key, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed);
}

static void rebuild(sampler *s, key_table *old, uint32_t now)
{
    if (pthread_mutex_trylock(&s->rebuild) != 0)
        return;
    if (atomic_load(&s->current) == old) {
        key_table *fresh = old == &s->tables[0] ? &s->tables[1] : &s->tables[0];
        size_t count = 0;
        for (size_t i = 0; i < SLOTS; i++) {
            row r = {atomic_load(&old->slots[i].key), atomic_load(&old->slots[i].times)};
            if (r.key != 0 && now - (uint32_t)r.times < s->period)
                s->rows[count++] = r;
        }
        qsort(s->rows, count, sizeof *s->rows, newest_first);
        clear(fresh);
        for (size_t i = 0; i < count && i < KEPT_MAX; i++)
            insert(fresh, &s->rows[i]);
        atomic_store(&s->current, fresh);
    }
    pthread_mutex_unlock(&s->rebuild);
}

static bool known(const sampler *s, slot *at, uint32_t now)
{
    uint64_t times = atomic_load(&at->times);
    for (;;) {
        bool due = now - (uint32_t)times >= s->period;
        uint64_t next = (uint64_t)now << 32 | (due ? now : (uint32_t)times);
        if (next == times || atomic_compare_exchange_weak(&at->times, &times, next))
            return due;
    }
}

bool sampler_hit(sampler *s, uint64_t key, uint32_t now)
{
    if (key == 0)
        return false;
    key_table *t = atomic_load(&s->current);
    for (size_t n = 0, at = key % SLOTS; n < SLOTS; n++, at = (at + 1) % SLOTS) {
        uint64_t here = atomic_load(&t->slots[at].key);
        if (here == 0) {
            atomic_store(&t->slots[at].times, (uint64_t)now << 32 | now);
            if (atomic_compare_exchange_strong(&t->slots[at].key, &here, key)) {
                if (atomic_fetch_add(&t->used, 1) + 1 > LIVE_MAX)
                    rebuild(s, t, now);
                return true;
            }
        }
        if (here == key)
            return known(s, &t->slots[at], now);
    }
    return false; /* all slots taken: new keys are not sampled until a rebuild */
}
