/* The many-producers ring: order, bounds, and nothing lost under contention. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/ring.h"

#include <pthread.h>
#include <sched.h>

static void items_come_out_in_order_and_a_full_ring_refuses(void **state)
{
    (void)state;
    hg_ring *ring = hg_ring_new(3, sizeof(int));
    int out;
    assert_int_equal(hg_ring_slots(ring), 4);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 4; i++)
            assert_true(hg_ring_push(ring, &i));
        int extra = 9;
        assert_false(hg_ring_push(ring, &extra));
        assert_int_equal(hg_ring_count(ring), 4);
        for (int i = 0; i < 4; i++) {
            assert_true(hg_ring_pop(ring, &out));
            assert_int_equal(out, i);
        }
        assert_false(hg_ring_pop(ring, &out));
    }
    hg_ring_free(ring);
}

static void odd_item_sizes_are_kept_whole(void **state)
{
    (void)state;
    hg_ring *ring = hg_ring_new(8, 13);
    char in[13] = "abcdefghijkl", out[13];
    assert_true(hg_ring_push(ring, in));
    assert_true(hg_ring_pop(ring, out));
    assert_memory_equal(in, out, 13);
    hg_ring_free(ring);
    assert_null(hg_ring_new(SIZE_MAX, 1));
}

enum { PRODUCERS = 4, ITEMS = 50000 };

typedef struct job {
    hg_ring *ring;
    uint64_t producer;
} job;

static void *produce(void *state)
{
    job *j = state;
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t item = j->producer << 32 | i;
        while (!hg_ring_push(j->ring, &item))
            sched_yield();
    }
    return NULL;
}

static void each_producers_items_arrive_once_and_in_its_order(void **state)
{
    (void)state;
    hg_ring *ring = hg_ring_new(256, sizeof(uint64_t));
    pthread_t threads[PRODUCERS];
    job jobs[PRODUCERS];
    uint64_t next[PRODUCERS] = {0}, item, total = 0;
    for (uint64_t i = 0; i < PRODUCERS; i++) {
        jobs[i] = (job){ring, i};
        pthread_create(&threads[i], NULL, produce, &jobs[i]);
    }
    while (total < (uint64_t)PRODUCERS * ITEMS) {
        if (!hg_ring_pop(ring, &item)) {
            sched_yield();
            continue;
        }
        assert_int_equal(item & UINT32_MAX, next[item >> 32]++);
        total++;
    }
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    assert_false(hg_ring_pop(ring, &item));
    hg_ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_order_and_a_full_ring_refuses),
        cmocka_unit_test(odd_item_sizes_are_kept_whole),
        cmocka_unit_test(each_producers_items_arrive_once_and_in_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
