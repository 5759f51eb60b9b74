/* The trace rate limiter under a clock of our own. */
#include "helper/limiter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#define MS UINT64_C(1000000)

/* Asks `demand` times a second, evenly, for `seconds`; what is admitted in each goes into counts. */
static void drive(limiter *l, uint64_t start_ms, unsigned demand, unsigned seconds, unsigned *counts)
{
    for (unsigned s = 0; s < seconds; s++) {
        counts[s] = 0;
        for (unsigned i = 0; i < demand; i++)
            counts[s] += limiter_admit(l, (start_ms + s * 1000 + i * 1000 / demand) * MS);
    }
}

static void no_limit_admits_everything(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 0);
    for (int i = 0; i < 1000; i++)
        assert_true(limiter_admit(&l, 5 * MS));
}

static void the_first_second_admits_the_limit(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 100);
    unsigned counts[1];
    drive(&l, 7000, 200, 1, counts);
    assert_int_equal(counts[0], 100);
}

/* Demand 200/s against 100/s: after the first second about half of each is admitted, for ever. */
static void steady_demand_gets_its_limit_in_every_second(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 100);
    unsigned counts[60];
    drive(&l, 1000000, 200, 60, counts);
    unsigned total = 0;
    for (int i = 1; i < 60; i++) {
        assert_in_range(counts[i], 60, 101);
        total += counts[i];
    }
    assert_in_range(total / 59, 80, 101);
}

static void less_demand_than_the_limit_is_never_refused(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 100);
    unsigned counts[30];
    drive(&l, 123456, 90, 30, counts);
    for (int i = 0; i < 30; i++)
        assert_int_equal(counts[i], 90);
}

/* Twelve bits of seconds wrap here, thirty-two do not. */
static void nothing_happens_at_second_4096(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 10);
    unsigned counts[20];
    drive(&l, 4090 * 1000, 5, 20, counts);
    for (int i = 0; i < 20; i++)
        assert_int_equal(counts[i], 5);
}

static void a_window_slides_with_the_milliseconds(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 10);
    for (int i = 0; i < 10; i++)
        assert_true(limiter_admit(&l, 1000 * MS));
    assert_false(limiter_admit(&l, 1999 * MS));
    assert_false(limiter_admit(&l, 2000 * MS)); /* all ten still count */
    assert_true(limiter_admit(&l, 2500 * MS));  /* half of them */
    for (int i = 0; i < 4; i++)
        assert_true(limiter_admit(&l, 2500 * MS));
    assert_false(limiter_admit(&l, 2500 * MS)); /* 10 * 0.5 + 5 */
}

static void a_pause_of_two_seconds_forgets(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 10);
    for (int i = 0; i < 10; i++)
        assert_true(limiter_admit(&l, 1000 * MS));
    for (int i = 0; i < 10; i++)
        assert_true(limiter_admit(&l, 3000 * MS));
    assert_false(limiter_admit(&l, 3000 * MS));
}

static void a_late_thread_does_not_open_the_gate(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 3);
    for (int i = 0; i < 3; i++)
        assert_true(limiter_admit(&l, 9000 * MS));
    assert_false(limiter_admit(&l, 7000 * MS)); /* counts as now */
}

enum { THREADS = 4, ASKS = 20000 };

static void *ask(void *argument)
{
    limiter *l = argument;
    uintptr_t admitted = 0;
    for (int i = 0; i < ASKS; i++)
        admitted += limiter_admit(l, 5000 * MS);
    return (void *)admitted;
}

static void threads_together_get_the_limit(void **state)
{
    (void)state;
    limiter l;
    limiter_init(&l, 1000);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &l), 0);
    uintptr_t total = 0;
    for (int i = 0; i < THREADS; i++) {
        void *admitted;
        pthread_join(threads[i], &admitted);
        total += (uintptr_t)admitted;
    }
    assert_int_equal(total, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_limit_admits_everything),
        cmocka_unit_test(the_first_second_admits_the_limit),
        cmocka_unit_test(steady_demand_gets_its_limit_in_every_second),
        cmocka_unit_test(less_demand_than_the_limit_is_never_refused),
        cmocka_unit_test(nothing_happens_at_second_4096),
        cmocka_unit_test(a_window_slides_with_the_milliseconds),
        cmocka_unit_test(a_pause_of_two_seconds_forgets),
        cmocka_unit_test(a_late_thread_does_not_open_the_gate),
        cmocka_unit_test(threads_together_get_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
