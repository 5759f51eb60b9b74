/* Memory of contexts: none is allocated once a thread has had one, running out of it harms nothing, and replacing
 * instances leaves none behind. */
#include "judge.h"

#include <errno.h>
#include <pthread.h>

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

static __thread size_t allocations;
static __thread size_t fails_at; /* 0 = never; else the allocation of that number fails, and those after it */
static size_t live;

#if OWN_MALLOC
#pragma GCC visibility push(default) /* also for what libc allocates and we free */
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *ptr);

static bool refused(void)
{
    allocations++;
    return fails_at != 0 && allocations == fails_at;
}

void *malloc(size_t size)
{
    if (refused())
        return NULL;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    void *ptr = count == 0 || size <= SIZE_MAX / count ? malloc(count * size) : NULL;
    return ptr != NULL ? memset(ptr, 0, count * size) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (refused())
        return NULL;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out != NULL ? 0 : ENOMEM;
}

void *realloc(void *ptr, size_t size)
{
    if (refused())
        return NULL;
    if (ptr == NULL)
        __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return __libc_realloc(ptr, size);
}

void free(void *ptr)
{
    if (ptr != NULL)
        __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    __libc_free(ptr);
}
#pragma GCC visibility pop
#endif

static const char rules[] =
    "{\"id\":\"r1\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"transformers\":[\"lowercase\"],\"conditions\":["
    "{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"ev[a-z]l\",\"inputs\":[{\"address\":\"a\"},{\"address\":\"b\","
    "\"transformers\":[\"urlDecodeUni\"]}]}},"
    "{\"operator\":\"phrase_match\",\"parameters\":{\"list\":[\"bad\",\"worse\"],\"inputs\":[{\"address\":\"b\"}]}}]},"
    "{\"id\":\"r2\",\"name\":\"n\",\"tags\":{\"type\":\"u\"},\"on_match\":[\"block\",\"stack_trace\"],\"conditions\":["
    "{\"operator\":\"match_regex\",\"parameters\":{\"regex\":\"x+y\",\"inputs\":[{\"address\":\"a\"}]}}]}";

static const char *const inputs[] = {
    "{\"a\":[\"fine\",\"EVIL things\",{\"k\":\"z\"}],\"b\":\"%62ad\"}",
    "{\"a\":\"no\",\"b\":[\"worse\",1,2.5,true]}",
    "{\"a\":\"xxxy\"}",
    "{\"a\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"1\",\"2\",\"3\",\"4\",\"5\"]}",
};

enum { INPUTS = sizeof inputs / sizeof *inputs };

static void judge_all(hg_context *context, hg_value *const values[INPUTS])
{
    const hg_result *result;
    for (int i = 0; i < INPUTS; i++)
        assert_int_equal(hg_context_eval(context, values[i], 10000000, &result), HG_OK);
}

static void contexts_allocate_nothing_after_the_first(void **state)
{
    (void)state;
    hg_value *values[INPUTS];
    hg_waf *waf = judge_load(rules, "");
    for (int i = 0; i < INPUTS; i++)
        values[i] = judge_value(inputs[i]);
    for (int i = 0; i < 10; i++) {
        hg_context *context = hg_context_new(waf);
        judge_all(context, values);
        hg_context_free(context);
    }
    size_t before = allocations;
    for (int i = 0; i < 100; i++) {
        hg_context *context = hg_context_new(waf);
        judge_all(context, values);
        hg_context_free(context);
    }
    assert_int_equal(allocations - before, 0);
    hg_waf_unref(waf);
}

static void many_contexts_at_once_allocate_nothing_when_as_many_are_kept(void **state)
{
    (void)state;
    enum { AT_ONCE = 40 };
    hg_value *values[INPUTS];
    hg_context *contexts[AT_ONCE];
    hg_waf *waf = judge_load(rules, "");
    size_t before = 0;
    for (int i = 0; i < INPUTS; i++)
        values[i] = judge_value(inputs[i]);
    hg_context_keep(AT_ONCE);
    for (int round = 0; round < 20; round++) {
        before = round == 10 ? allocations : before;
        for (int i = 0; i < AT_ONCE; i++)
            judge_all(contexts[i] = hg_context_new(waf), values);
        for (int i = 0; i < AT_ONCE; i++)
            hg_context_free(contexts[i]);
    }
    assert_int_equal(allocations - before, 0);
    size_t kept = live;
    hg_context_keep(8);
    assert_true(!OWN_MALLOC || live < kept);
    hg_waf_unref(waf);
}

/* ---- Running out of memory ---- */

typedef struct attempt {
    hg_waf *waf;
    hg_value *values[INPUTS];
    size_t fails_at;
    bool failed;
    bool reached; /* there was an allocation of that number */
    char events[64];
} attempt;

/* On a thread of its own, so that nothing is pooled yet. */
static void *run_attempt(void *argument)
{
    attempt *a = argument;
    const hg_result *result;
    allocations = 0;
    fails_at = a->fails_at;
    hg_context *context = hg_context_new(a->waf);
    if (context == NULL) {
        a->failed = true;
        fails_at = 0;
        context = hg_context_new(a->waf);
    }
    a->events[0] = 0;
    for (int i = 0; i < INPUTS; i++) {
        if (hg_context_eval(context, a->values[i], 10000000, &result) != HG_OK) {
            a->failed = true;
            fails_at = 0;
            assert_int_equal(hg_context_eval(context, a->values[i], 10000000, &result), HG_OK);
        }
        fails_at = 0; /* what the call hands out is read with memory there */
        strcat(a->events, judge_events(result));
        strcat(a->events, ";");
        fails_at = a->failed ? 0 : a->fails_at;
    }
    fails_at = 0;
    a->reached = allocations >= a->fails_at;
    hg_context_free(context);
    return NULL;
}

static void a_call_that_runs_out_of_memory_may_be_repeated(void **state)
{
    (void)state;
#if !OWN_MALLOC
    skip();
#endif
    attempt a = {.waf = judge_load(rules, "")};
    for (int i = 0; i < INPUTS; i++)
        a.values[i] = judge_value(inputs[i]);
    for (a.fails_at = 1;; a.fails_at++) {
        pthread_t thread;
        a.failed = false;
        assert_int_equal(pthread_create(&thread, NULL, run_attempt, &a), 0);
        pthread_join(thread, NULL);
        assert_string_equal(a.events, ";r1;r2;;");
        if (!a.reached)
            break;
    }
    assert_true(a.fails_at > 5);
    hg_waf_unref(a.waf);
}

/* ---- Replacing instances under load ---- */

typedef struct load {
    hg_waf_cell *cell;
    hg_value *value;
    bool stop;
    size_t contexts;
} load;

static void *run_load(void *argument)
{
    load *l = argument;
    while (!__atomic_load_n(&l->stop, __ATOMIC_ACQUIRE)) {
        const hg_result *result;
        hg_context *context = hg_context_of(l->cell);
        if (context == NULL || hg_context_eval(context, l->value, 10000000, &result) != HG_OK || result->events != 1)
            abort();
        hg_context_free(context);
        __atomic_add_fetch(&l->contexts, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void instances_are_replaced_while_threads_use_them(void **state)
{
    (void)state;
    enum { THREADS = 2, SWAPS = 60 };
    hg_waf *waf = judge_load(RULE("r", "t", "a", ""), "");
    hg_waf_cell *cell = hg_waf_cell_new(waf);
    hg_waf_unref(waf);
    load loads[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        loads[i] = (load){cell, judge_value("{\"a\":\"evil\"}"), false, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, run_load, &loads[i]), 0);
    }
    size_t least = 0;
    for (int i = 0; i < SWAPS || least < 10; i++) {
        waf = judge_load(RULE("r", "t", "a", ""), "");
        hg_waf_cell_set(cell, waf);
        hg_waf_unref(waf);
        least = SIZE_MAX;
        for (int k = 0; k < THREADS; k++) {
            size_t made = __atomic_load_n(&loads[k].contexts, __ATOMIC_RELAXED);
            least = made < least ? made : least;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        __atomic_store_n(&loads[i].stop, true, __ATOMIC_RELEASE);
        pthread_join(threads[i], NULL);
    }
    hg_waf_cell_free(cell);
}

static void *use_once(void *argument)
{
    hg_context_free(hg_context_new(argument));
    return NULL;
}

#if defined(HG_CHECKED)
enum { KEPT = 1 }; /* checked builds keep the dead pool of a thread, to see its use */
#else
enum { KEPT = 0 };
#endif

static void nothing_is_left_of_replaced_instances(void **state)
{
    (void)state;
    size_t before = 0;
    for (int i = 0; i < 30; i++) {
        pthread_t thread;
        hg_waf *waf = judge_load(rules, "");
        hg_context_free(hg_context_new(waf));
        assert_int_equal(pthread_create(&thread, NULL, use_once, waf), 0);
        pthread_join(thread, NULL);
        hg_waf_unref(waf);
        hg_context_free(NULL);
        hg_waf *other = judge_load(RULE("r", "t", "a", ""), "");
        hg_context_free(hg_context_new(other)); /* drops the shell of the retired instance */
        hg_waf_unref(other);
        if (i == 9)
            before = __atomic_load_n(&live, __ATOMIC_RELAXED);
    }
    assert_in_range(__atomic_load_n(&live, __ATOMIC_RELAXED), 0, before + 8 + 20 * KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JUDGE_TEST(contexts_allocate_nothing_after_the_first),
        JUDGE_TEST(many_contexts_at_once_allocate_nothing_when_as_many_are_kept),
        JUDGE_TEST(a_call_that_runs_out_of_memory_may_be_repeated),
        JUDGE_TEST(instances_are_replaced_while_threads_use_them),
        JUDGE_TEST(nothing_is_left_of_replaced_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
