/* The time budget (marshalling L-11) with a clock that the test turns: how often it is read, and what happens when it has
 * run out. The linker puts this clock in place of the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/encode.h"
#include "nested_map.h"

uint64_t __wrap_hg_clock_monotonic_ns(void);

static uint64_t reads, late_at; /* the reading from which on it is late */

enum { DEADLINE = 1000 };

uint64_t __wrap_hg_clock_monotonic_ns(void)
{
    return ++reads < late_at ? 1 : DEADLINE;
}

/* Where trees go: an arena, which the hot loop is made for, or the heap. */
typedef struct target {
    hg_arena arena;
    const hg_allocator *a;
} target;

static void target_init(target *t, bool arena)
{
    hg_arena_init(&t->arena, NULL);
    t->a = arena ? hg_arena_allocator(&t->arena) : hg_heap();
}

static void target_end(target *t, hg_value *v)
{
    if (t->a == hg_heap())
        hg_value_free(v, t->a);
    hg_arena_close(&t->arena);
}

static hg_value encode(target *t, const hg_source *source, hg_limits_preset preset, uint64_t late, hg_report *report)
{
    hg_limits limits = hg_limits_of(preset);
    limits.deadline_ns = DEADLINE;
    reads = 0;
    late_at = late;
    hg_report_init(report);
    hg_value v;
    assert_int_equal(hg_encode_source(source, &limits, &v, t->a, report), HG_OK);
    return v;
}

static hg_source numbers(size_t n)
{
    hg_source *items = calloc(n, sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = (hg_source){.kind = HG_SOURCE_SIGNED, .as.integer = (int64_t)i};
    return (hg_source){.kind = HG_SOURCE_ARRAY, .count = n, .as.items = items};
}

/* Runs a test on both. */
static void on_both(void (*test)(bool arena))
{
    test(true);
    test(false);
}

static void read_every_64(bool arena)
{
    target t;
    target_init(&t, arena);
    hg_report report;
    hg_source source = numbers(64000);
    hg_value v = encode(&t, &source, HG_LIMITS_NONE, UINT64_MAX, &report);
    assert_int_equal(hg_value_size(&v), 64000);
    assert_in_range(reads, 1000, 1001);
    target_end(&t, &v);
    free((void *)source.as.items);
}

static void the_clock_is_read_every_64_entries(void **state)
{
    (void)state;
    on_both(read_every_64);
}

static void read_among_containers(bool arena)
{
    target t;
    target_init(&t, arena);
    hg_report report;
    enum { MANY = 6400 };
    static hg_source items[MANY], one = {.kind = HG_SOURCE_NULL};
    for (size_t i = 0; i < MANY; i++)
        items[i] = (hg_source){.kind = HG_SOURCE_ARRAY, .count = 0, .as.items = &one};
    hg_source source = {.kind = HG_SOURCE_ARRAY, .count = MANY, .as.items = items};
    hg_value v = encode(&t, &source, HG_LIMITS_NONE, UINT64_MAX, &report);
    assert_in_range(reads, MANY / 64, MANY / 64 + 1);
    target_end(&t, &v);
}

static void containers_count_as_entries(void **state)
{
    (void)state;
    on_both(read_among_containers);
}

/* 274 entries are kept, so there are four looks at the clock. */
static void nested_map_100(bool arena)
{
    target t;
    target_init(&t, arena);
    nested n = nested_map(100, false, false, false);
    hg_report report;
    hg_value v = encode(&t, &n.root, HG_LIMITS_DEFAULT, UINT64_MAX, &report);
    assert_in_range(reads, 4, 5);
    assert_int_equal(report.reasons, HG_REASON_OBJECT_TOO_DEEP);
    target_end(&t, &v);
    nested_free(&n);
}

static void nested_map_100_reads_the_clock_four_times(void **state)
{
    (void)state;
    on_both(nested_map_100);
}

static void kept_deadline(bool arena)
{
    for (int utf8 = 0; utf8 < 2; utf8++) {
        target t;
        target_init(&t, arena);
        nested n = nested_map(100, true, true, utf8);
        hg_report report, other;
        hg_value v = encode(&t, &n.root, HG_LIMITS_DEFAULT, UINT64_MAX, &report), plain;
        hg_report_init(&other);
        hg_encode_source(&n.root, NULL, &plain, hg_heap(), &other);
        assert_true(hg_value_equal(&v, &plain));
        assert_memory_equal(&report, &other, sizeof report);
        hg_value_free(&plain, hg_heap());
        target_end(&t, &v);
        nested_free(&n);
    }
}

static void a_deadline_that_is_kept_changes_nothing(void **state)
{
    (void)state;
    on_both(kept_deadline);
}

static void time_up(bool arena)
{
    hg_report report;
    hg_source source = numbers(1000);
    for (uint64_t late = 1; late < 10; late++) {
        target t;
        target_init(&t, arena);
        hg_value v = encode(&t, &source, HG_LIMITS_NONE, late, &report);
        assert_in_range(hg_value_size(&v), 64 * late - 2, 64 * late);
        assert_int_equal(report.reasons, HG_REASON_TIMEOUT);
        assert_int_equal(report.of[6].count, 1);
        assert_int_equal(reads, late);
        target_end(&t, &v);
    }
    free((void *)source.as.items);
}

static void when_time_is_up_containers_close_with_what_they_hold(void **state)
{
    (void)state;
    on_both(time_up);
}

/* In the middle of nested maps: what comes out is well-made, and a prefix of the whole but for what closes. */
static void time_up_in_nested_maps(bool arena)
{
    nested n = nested_map(30, true, true, false);
    size_t last = 0;
    for (uint64_t late = 1; late < 7; late++) {
        target t;
        target_init(&t, arena);
        hg_report report;
        hg_value v = encode(&t, &n.root, HG_LIMITS_NONE, late, &report);
        hg_buffer json = {0};
        assert_int_equal(hg_json_write(&v, 0, &json), 0);
        assert_int_equal(report.reasons, HG_REASON_TIMEOUT);
        assert_true(json.len > last);
        last = json.len;
        hg_buffer_free(&json);
        target_end(&t, &v);
    }
    nested_free(&n);
}

static void nested_maps_close_when_time_is_up(void **state)
{
    (void)state;
    on_both(time_up_in_nested_maps);
}

static void long_texts(bool arena)
{
    static char text[1025];
    memset(text, 'x', sizeof text);
    hg_source items[3];
    for (size_t i = 0; i < 3; i++)
        items[i] = (hg_source){.kind = HG_SOURCE_UTF8, .count = i == 1 ? 1024 : 1025, .as.text = text};
    hg_source source = {.kind = HG_SOURCE_ARRAY, .count = 3, .as.items = items};
    hg_report report;
    target t;
    target_init(&t, arena);
    hg_value v = encode(&t, &source, HG_LIMITS_DEFAULT, UINT64_MAX, &report);
    assert_int_equal(reads, 2);
    target_end(&t, &v);
    target_init(&t, arena);
    v = encode(&t, &source, HG_LIMITS_DEFAULT, 1, &report);
    assert_int_equal(report.reasons, HG_REASON_TIMEOUT);
    assert_in_range(hg_value_size(&v), 0, 1);
    target_end(&t, &v);
}

static void the_clock_is_read_before_each_long_text(void **state)
{
    (void)state;
    on_both(long_texts);
}

static void without_a_deadline_the_clock_is_not_read(void **state)
{
    (void)state;
    nested n = nested_map(100, false, false, false);
    hg_value v;
    reads = 0;
    hg_encode_source(&n.root, NULL, &v, hg_heap(), NULL);
    assert_int_equal(reads, 0);
    hg_value_free(&v, hg_heap());
    nested_free(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_is_read_every_64_entries),
        cmocka_unit_test(containers_count_as_entries),
        cmocka_unit_test(nested_map_100_reads_the_clock_four_times),
        cmocka_unit_test(a_deadline_that_is_kept_changes_nothing),
        cmocka_unit_test(when_time_is_up_containers_close_with_what_they_hold),
        cmocka_unit_test(nested_maps_close_when_time_is_up),
        cmocka_unit_test(the_clock_is_read_before_each_long_text),
        cmocka_unit_test(without_a_deadline_the_clock_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
