/* Which keys are sampled, under a clock of our own. */
#include "helper/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

static void a_key_is_sampled_once_a_period(void **state)
{
    (void)state;
    sampler *s = sampler_new(30);
    assert_true(sampler_hit(s, 77, 1000));
    assert_false(sampler_hit(s, 77, 1000));
    assert_false(sampler_hit(s, 77, 1029));
    assert_true(sampler_hit(s, 77, 1030));
    assert_false(sampler_hit(s, 77, 1059));
    assert_true(sampler_hit(s, 78, 1059)); /* another key has its own period */
    sampler_free(s);
}

static void key_zero_is_never_sampled(void **state)
{
    (void)state;
    sampler *s = sampler_new(1);
    assert_false(sampler_hit(s, 0, 5));
    sampler_free(s);
}

static void keys_of_one_slot_do_not_disturb_each_other(void **state)
{
    (void)state;
    sampler *s = sampler_new(10);
    for (uint64_t i = 0; i < 5; i++)
        assert_true(sampler_hit(s, 3 + i * 8192, 100));
    for (uint64_t i = 0; i < 5; i++)
        assert_false(sampler_hit(s, 3 + i * 8192, 105));
    sampler_free(s);
}

/* More than 4,096 keys: the most recently asked two thirds stay known. */
static void the_most_recent_keys_survive_a_rebuild(void **state)
{
    (void)state;
    sampler *s = sampler_new(1000);
    for (uint64_t key = 1; key <= 4096; key++)
        assert_true(sampler_hit(s, key, (uint32_t)(100 + key / 100)));
    assert_true(sampler_hit(s, 5000, 150)); /* rebuilds */
    assert_false(sampler_hit(s, 5000, 151));
    unsigned forgotten = 0;
    for (uint64_t key = 1; key <= 1000; key++)
        forgotten += sampler_hit(s, key, 160);
    assert_int_equal(forgotten, 1000);
    for (uint64_t key = 4096; key > 4000; key--)
        assert_false(sampler_hit(s, key, 161));
    sampler_free(s);
}

static void it_goes_on_after_many_rebuilds(void **state)
{
    (void)state;
    sampler *s = sampler_new(5);
    for (uint64_t key = 1; key <= 100000; key++)
        assert_true(sampler_hit(s, key * 31, (uint32_t)(key / 1000)));
    sampler_free(s);
}

enum { THREADS = 4, KEYS = 3000 };

static void *ask_all(void *argument)
{
    uintptr_t hits = 0;
    for (uint64_t key = 1; key <= KEYS; key++)
        hits += sampler_hit(argument, key * 8191, 50);
    return (void *)hits;
}

static void threads_together_sample_each_key_once(void **state)
{
    (void)state;
    sampler *s = sampler_new(100);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all, s), 0);
    uintptr_t total = 0;
    for (int i = 0; i < THREADS; i++) {
        void *hits;
        pthread_join(threads[i], &hits);
        total += (uintptr_t)hits;
    }
    assert_int_equal(total, KEYS);
    sampler_free(s);
}

static void *rush(void *argument)
{
    for (uint64_t key = 1; key <= 20000; key++)
        sampler_hit(argument, key * 7, (uint32_t)(key / 500));
    return NULL;
}

static void rebuilds_under_use_are_safe(void **state)
{
    (void)state;
    sampler *s = sampler_new(3);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, rush, s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sampler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_sampled_once_a_period),
        cmocka_unit_test(key_zero_is_never_sampled),
        cmocka_unit_test(keys_of_one_slot_do_not_disturb_each_other),
        cmocka_unit_test(the_most_recent_keys_survive_a_rebuild),
        cmocka_unit_test(it_goes_on_after_many_rebuilds),
        cmocka_unit_test(threads_together_sample_each_key_once),
        cmocka_unit_test(rebuilds_under_use_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
