/* Memory stays flat over many updates and rebuilds while threads judge requests. Arguments: UPDATES (default 600). */
#include <pthread.h>
#include <stdatomic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hotgate/waf.h"

enum { RULES = 40 };

static unsigned updates = 600;
static hg_waf_cell *cell;
static atomic_bool stop;
static atomic_ulong judged;

static void put_rule(hg_buffer *out, unsigned i, unsigned round)
{
    hg_buffer_printf(out,
                     "%s{\"id\":\"r%u\",\"name\":\"n\",\"tags\":{\"type\":\"t%u\"},\"transformers\":[\"lowercase\"],"
                     "\"conditions\":[{\"operator\":\"match_regex\",\"parameters\":{\"inputs\":[{\"address\":\"a\"}],"
                     "\"regex\":\"evil[0-9]+x%u\"}},{\"operator\":\"phrase_match\",\"parameters\":{\"inputs\":[{\"address\":"
                     "\"a\"}],\"list\":[\"evil%u\"]}}]}",
                     i > 0 ? "," : "", i, i, i % 8 == 0 ? round % 5 : i, i);
}

/* Loads one round's configurations and publishes the new instance. */
static void reload(hg_builder *builder, unsigned round)
{
    hg_buffer text = {0};
    hg_arena arena;
    hg_value root;
    hg_arena_init(&arena, NULL);
    hg_buffer_append(&text, HG_SLICE("{\"rules\":["));
    for (unsigned i = 0; i < RULES; i++)
        put_rule(&text, i, round);
    hg_buffer_append(&text, HG_SLICE("]}"));
    assert_int_equal(hg_json_read(hg_slice_of(text.ptr, text.len), NULL, &root, hg_arena_allocator(&arena), NULL), HG_OK);
    assert_int_equal(hg_builder_set(builder, HG_SLICE("rules"), &root, NULL, NULL), HG_OK);
    text.len = 0;
    hg_buffer_printf(&text, "{\"rules_data\":[{\"id\":\"d%u\",\"type\":\"ip_with_expiration\",\"data\":[{\"value\":"
                            "\"10.0.%u.0/24\"}]}]}", round % 3, round % 200);
    assert_int_equal(hg_json_read(hg_slice_of(text.ptr, text.len), NULL, &root, hg_arena_allocator(&arena), NULL), HG_OK);
    assert_int_equal(hg_builder_set(builder, HG_SLICE("data"), &root, NULL, NULL), HG_OK);
    hg_waf *waf = hg_builder_build(builder, NULL);
    assert_non_null(waf);
    hg_waf_cell_set(cell, waf);
    hg_waf_unref(waf);
    hg_buffer_free(&text);
    hg_arena_close(&arena);
}

static void *judge(void *argument)
{
    hg_value map, text;
    hg_arena arena;
    (void)argument;
    hg_arena_init(&arena, NULL);
    hg_set_map(&map, 1, hg_arena_allocator(&arena));
    hg_set_literal(&text, HG_SLICE("some EVIL7x7 text of a request"));
    *hg_map_append_literal(&map, HG_SLICE("a"), hg_arena_allocator(&arena)) = text;
    while (!atomic_load(&stop)) {
        const hg_result *result;
        hg_context *context = hg_context_of(cell);
        if (hg_context_eval(context, &map, 10000000, &result) != HG_OK || !result->match)
            abort();
        hg_context_free(context);
        atomic_fetch_add(&judged, 1);
    }
    hg_arena_close(&arena);
    return NULL;
}

static size_t resident_pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    size_t size = 0, resident = 0;
    if (f == NULL || fscanf(f, "%zu %zu", &size, &resident) != 2)
        resident = 0;
    if (f != NULL)
        fclose(f);
    return resident;
}

enum { SETTLED = 100, EVERY = 5, WINDOW = 40 };

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static size_t median(size_t *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, by_size);
    return samples[count / 2];
}

/* Instances overlap while a thread waits for the processor, so single samples scatter; medians tell a trend. */
static void memory_stays_flat(void **state)
{
    (void)state;
    hg_builder *builder = hg_builder_new();
    cell = hg_waf_cell_new(NULL);
    reload(builder, 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, judge, NULL), 0);
    size_t *samples = calloc(updates / EVERY + 1, sizeof *samples), count = 0;
    for (unsigned round = 1; round <= updates; round++) {
        reload(builder, round);
        if (round % EVERY == 0)
            samples[count++] = resident_pages();
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    hg_waf_cell_free(cell);
    hg_builder_free(builder);
    size_t first = median(samples + SETTLED / EVERY, WINDOW);
    size_t last = median(samples + count - WINDOW, WINDOW);
    printf("%u updates, %lu requests judged, resident pages: %zu after the first %d, %zu at the end (medians)\n", updates,
           atomic_load(&judged), first, SETTLED, last);
    free(samples);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("memory not judged: sanitizers keep what was freed\n");
    return;
#endif
    /* half a megabyte: what the heaps of three threads may still take before they settle */
    assert_true(last <= first + first / 100 + (updates < 5000 ? 128 : 0));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_stays_flat)};
    if (argc > 1)
        updates = (unsigned)strtoul(argv[1], NULL, 10);
    if (updates < 600)
        updates = 600;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
