/* Who may end when: input lives in arenas (leases), contexts read it until they end, and both may end on another thread than
 * they began on. */
#include "judge.h"

#include "hotgate/encode.h"
#include "hotgate/memory.h"

#include <pthread.h>

#define BOTH_RULE                                                                                                     \
    "{\"id\":\"both\",\"name\":\"n\",\"tags\":{\"type\":\"t\"},\"conditions\":["                                      \
    "{\"operator\":\"phrase_match\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],\"list\":[\"evil\"]}},"          \
    "{\"operator\":\"phrase_match\",\"parameters\":{\"inputs\":[{\"address\":\"b\"}],\"list\":[\"evil\"]}}]}"

/* {"address": "a long text, evil"} as a runtime with UTF-16 hands it over, encoded into the arena. */
static hg_value encode(hg_arena *arena, const char *address)
{
    static const uint16_t text[] = u"a text that does not fit inside, evil, and ends";
    hg_source_pair pair = {{.kind = HG_SOURCE_UTF8, .count = 1, .as.text = address},
                           {.kind = HG_SOURCE_UTF16, .count = sizeof text / 2 - 1, .as.units = text}};
    hg_source source = {.kind = HG_SOURCE_MAP, .count = 1, .as.pairs = &pair};
    hg_value v;
    assert_int_equal(hg_encode_source(&source, NULL, &v, hg_arena_allocator(arena), NULL), HG_OK);
    return v;
}

static const hg_result *run(hg_context *context, const hg_value *v)
{
    const hg_result *result = NULL;
    assert_int_equal(hg_context_eval(context, v, 10000000, &result), HG_OK);
    return result;
}

/* Blocks of the sizes that arenas use, written all over: memory that was given back too early would show it. */
static void make_noise(void)
{
    for (int i = 0; i < 8; i++) {
        void *block = hg_pool_rent(NULL, 4096 + 16);
        memset(block, 0xA5, 4096);
        hg_pool_return(NULL, block);
    }
}

static void a_later_run_reads_what_an_earlier_one_brought(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(BOTH_RULE, "");
    hg_context *context = hg_context_new(waf);
    hg_arena first, second;
    hg_arena_init(&first, NULL);
    hg_arena_init(&second, NULL);
    hg_value v = encode(&first, "a");
    assert_false(run(context, &v)->match);
    hg_set_invalid(&v); /* the map itself is no longer needed, its entries are */
    make_noise();
    v = encode(&second, "b");
    const hg_result *result = run(context, &v);
    assert_string_equal(judge_events(result), "both");
    assert_non_null(strstr(judge_entry(result, "events"), "a text that does not fit inside"));
    hg_context_free(context);
    hg_arena_close(&first);
    hg_arena_close(&second);
    hg_waf_unref(waf);
}

/* ---- two busy threads that end each other's contexts ---- */

enum { TRADES = 10000 };

typedef struct trade {
    struct trade *next;
    hg_context *context;
    hg_arena arena;
} trade;

typedef struct trader {
    hg_waf *waf;
    pthread_mutex_t lock;
    trade *inbox;
    bool closed;
    struct trader *other;
} trader;

static trade *take(trader *t, bool *closed)
{
    pthread_mutex_lock(&t->lock);
    trade *list = t->inbox;
    t->inbox = NULL;
    *closed = t->closed;
    pthread_mutex_unlock(&t->lock);
    return list;
}

static void end_all(trade *list)
{
    while (list != NULL) {
        trade *next = list->next;
        hg_context_free(list->context);
        hg_arena_close(&list->arena);
        free(list);
        list = next;
    }
}

static void *work(void *state)
{
    trader *me = state;
    bool closed = false;
    for (int i = 0; i < TRADES; i++) {
        trade *t = malloc(sizeof *t);
        hg_arena_init(&t->arena, NULL);
        t->context = hg_context_new(me->waf);
        hg_value a = encode(&t->arena, "a"), b = encode(&t->arena, "b");
        assert_false(run(t->context, &a)->match);
        assert_true(run(t->context, &b)->match);
        pthread_mutex_lock(&me->other->lock);
        t->next = me->other->inbox;
        me->other->inbox = t;
        pthread_mutex_unlock(&me->other->lock);
        end_all(take(me, &closed));
    }
    pthread_mutex_lock(&me->other->lock);
    me->other->closed = true;
    pthread_mutex_unlock(&me->other->lock);
    while (!closed)
        end_all(take(me, &closed));
    end_all(take(me, &closed));
    return NULL;
}

static void contexts_and_leases_may_end_on_another_thread(void **state)
{
    (void)state;
    hg_waf *waf = judge_load(BOTH_RULE, "");
    hg_pool_shutdown();
    uint64_t before = hg_pool_statistics().bytes_loaned;
    trader traders[2] = {{.waf = waf}, {.waf = waf}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        traders[i].other = &traders[1 - i];
        pthread_mutex_init(&traders[i].lock, NULL);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &traders[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(hg_pool_statistics().bytes_loaned, before);
    hg_waf_unref(waf);
}

/* ---- nothing stays behind ---- */

static size_t resident_kib(void)
{
    size_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%*u %zu", &pages) != 1)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * 4;
}

static void one_cycle(hg_waf *waf)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_context *context = hg_context_new(waf);
    hg_value a = encode(&arena, "a"), b = encode(&arena, "b");
    run(context, &a);
    assert_true(run(context, &b)->match);
    hg_context_free(context);
    hg_arena_close(&arena);
}

/* HG_CYCLES=1000000 for the long form. */
static void cycles_leave_no_lease_and_no_memory_behind(void **state)
{
    (void)state;
    const char *wanted = getenv("HG_CYCLES");
    long cycles = wanted ? atol(wanted) : 50000;
    hg_waf *waf = judge_load(BOTH_RULE, "");
    for (int i = 0; i < 5000; i++)
        one_cycle(waf);
    size_t resident = resident_kib();
    uint64_t loaned = hg_pool_statistics().bytes_loaned, misses = hg_pool_statistics().misses;
    for (long i = 0; i < cycles; i++)
        one_cycle(waf);
    assert_int_equal(hg_pool_statistics().bytes_loaned, loaned);
    assert_int_equal(hg_pool_statistics().misses, misses);
    assert_in_range(resident_kib(), 0, resident + 1024);
    hg_waf_unref(waf);
}

static int close_input(void **state)
{
    (void)state;
    hg_arena_close(&judge_arena);
    return 0;
}

int main(void)
{
    hg_arena_init(&judge_arena, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_run_reads_what_an_earlier_one_brought),
        cmocka_unit_test(contexts_and_leases_may_end_on_another_thread),
        cmocka_unit_test(cycles_leave_no_lease_and_no_memory_behind),
    };
    return cmocka_run_group_tests(tests, NULL, close_input);
}
