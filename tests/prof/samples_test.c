/* Samples from producer to file: what is in the profile, and that nothing is lost without being counted. */
#include "support.h"

#include "prof/internal.h"

#include <math.h>
#include <sys/wait.h>

static const hg_prof_function MAIN = {"main", "app.c"}, WORK = {"work", "app.c"}, LEAF = {"lib|leaf", ""};

static void push_three(hg_prof_thread *t, uint32_t line)
{
    hg_prof_push(t, &MAIN, 10);
    hg_prof_push(t, &WORK, line);
    hg_prof_push(t, &LEAF, 0);
}

static void io_samples_are_weighted_and_summed_by_stack(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_DEFAULT | HG_PROF_IO, .capacity = 65536});
    assert_int_equal(hg_prof_start(f.prof), HG_OK);
    assert_int_equal(hg_prof_attach(f.prof, "worker", &t), HG_OK);
    push_three(t, 20);
    enum { CALLS = 200000 };
    for (int i = 0; i < CALLS; i++)
        hg_prof_io_done(t, HG_PROF_FILE_WRITE, 500, 10240);
    hg_prof_detach(t);
    assert_int_equal(hg_prof_flush(f.prof, 5 * SECOND), HG_OK);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(p.type_count, 23);
    double bytes = (double)total(&p, "file-io-write-size") + c.lost[HG_PROF_FILE_WRITE_SIZE];
    double truth = CALLS * 10240.0, probability = 1 - exp(-0.1);
    double deviation = sqrt((1 - probability) / (CALLS * probability));
    assert_true(fabs(bytes / truth - 1) < 4.5 * deviation);
    double calls = (double)total(&p, "file-io-write-size-samples") + c.lost[HG_PROF_FILE_WRITE_SIZE_SAMPLES];
    assert_true(fabs(calls / CALLS - 1) < 4.5 * deviation);
    size_t rows = 0;
    for (size_t i = 0; i < p.sample_count; i++)
        if (p.samples[i].values[type_position(&p, "file-io-write-size")] > 0) {
            rows++;
            assert_int_equal(p.samples[i].location_count, 3);
            assert_true(hg_slice_equal(frame_name(&p, &p.samples[i], 0), HG_SLICE("lib|leaf")));
            assert_true(hg_slice_equal(frame_name(&p, &p.samples[i], 2), HG_SLICE("main")));
            assert_int_equal(p.locations[p.samples[i].locations[1]].lines[0].line, 20);
            assert_true(hg_slice_equal(find_label(&p.samples[i], "thread name")->text, HG_SLICE("worker")));
            assert_int_equal(find_label(&p.samples[i], "thread id")->number, gettid());
        }
    assert_int_equal(rows, 1);
    pprof_free(&p);
    close_profiler(&f);
}

static void mixed_sizes_of_one_place_are_right(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.capacity = 65536});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    double count = 0, bytes = 0;
    for (int i = 0; i < 1024; i++) {
        for (int k = 0; k < 511; k++)
            hg_prof_allocated(t, NULL, 65536);
        hg_prof_allocated(t, NULL, 33554432);
        count += 512;
        bytes += 511 * 65536.0 + 33554432.0;
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_true(fabs(((double)total(&p, "alloc-samples") + c.lost[HG_PROF_ALLOC_SAMPLES]) / count - 1) < 0.05);
    assert_true(fabs(((double)total(&p, "alloc-size") + c.lost[HG_PROF_ALLOC_SIZE]) / bytes - 1) < 0.05);
    pprof_free(&p);
    close_profiler(&f);
}

static void with_the_consumer_stopped_exactly_900_of_1000_are_dropped(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){0});
    atomic_store(&f.prof->running, true); /* producers on, no consumer */
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    int refused = 0;
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (int i = 0; i < 1000; i++)
        refused += hg_prof_timeline(t, HG_SLICE("gc"), 5, false) == HG_ERR_LIMIT;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    assert_int_equal(refused, 900);
    assert_true(end.tv_sec - start.tv_sec < 1); /* none waited or spun */
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    assert_int_equal(c.taken[HG_PROF_TIMELINE], 1000);
    assert_int_equal(c.accepted[HG_PROF_TIMELINE], 100);
    assert_int_equal(c.dropped[HG_PROF_TIMELINE], 900);
    assert_true(c.lost[HG_PROF_TIMELINE] == 4500);
    assert_int_equal(c.dropped_by_reason[HG_PROF_QUEUE_FULL], 900);
    assert_int_equal(hg_prof_start(f.prof), HG_OK); /* the hundred are still there */
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    hg_prof_count(f.prof, &c);
    assert_int_equal(c.stalls, 1); /* a channelful at once */
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(total(&p, "timeline"), 500);
    pprof_free(&p);
    close_profiler(&f);
}

static void time_of_a_dropped_sample_goes_into_the_next(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_CPU, .capacity = 2});
    atomic_store(&f.prof->running, true);
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    for (int i = 0; i < 10; i++)
        hg_prof_trigger(t);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    assert_int_equal(c.carried[HG_PROF_SAMPLE], 8);
    assert_int_equal(c.dropped[HG_PROF_WALL_TIME], 0);
    hg_prof_start(f.prof);
    hg_prof_flush(f.prof, 5 * SECOND);
    assert_int_equal(hg_prof_trigger(t), HG_OK); /* carries the eight */
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof one, two;
    assert_int_equal(load(&f, 1, &one), HG_OK);
    assert_int_equal(load(&f, 2, &two), HG_OK);
    assert_int_equal(total(&one, "sample"), 2);
    assert_in_range(total(&two, "sample"), 9, 12); /* real ticks may have come in between */
    pprof_free(&one);
    pprof_free(&two);
    close_profiler(&f);
}

static size_t frames_shown(hg_prof_thread *t, fixture *f, int file, size_t depth, hg_slice *leaf, hg_slice *root)
{
    while (t->depth > 0)
        hg_prof_pop(t);
    hg_prof_push(t, &MAIN, 0);
    for (size_t i = 2; i < depth; i++)
        hg_prof_push(t, &WORK, (uint32_t)i);
    hg_prof_push(t, &LEAF, 0);
    assert_int_equal(hg_prof_timeline(t, HG_SLICE("gc"), 1, true), HG_OK);
    hg_prof_flush(f->prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(f, file, &p), HG_OK);
    assert_int_equal(p.sample_count, 1);
    size_t count = p.samples[0].location_count;
    hg_slice l = frame_name(&p, &p.samples[0], 0), r = frame_name(&p, &p.samples[0], count - 1);
    *leaf = hg_slice_equal(l, HG_SLICE("lib|leaf")) ? HG_SLICE("leaf") : HG_SLICE("other");
    *root = hg_slice_equal(r, HG_SLICE("main")) ? HG_SLICE("main") :
            hg_slice_equal(r, HG_SLICE("[truncated]")) ? HG_SLICE("truncated") : HG_SLICE("other");
    pprof_free(&p);
    return count;
}

static void deep_stacks_show_511_frames_and_a_mark(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_TIMELINE_ON, .tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    static const struct {
        size_t depth, shown;
        const char *root;
    } cases[] = {{3, 3, "main"}, {510, 510, "main"}, {511, 512, "truncated"}, {512, 512, "truncated"},
                 {513, 512, "truncated"}, {5000, 512, "truncated"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hg_slice leaf, root;
        assert_int_equal(frames_shown(t, &f, (int)i + 1, cases[i].depth, &leaf, &root), cases[i].shown);
        assert_true(hg_slice_equal(leaf, HG_SLICE("leaf")));
        assert_true(hg_slice_equal(root, hg_slice_from(cases[i].root)));
    }
    hg_prof_detach(t);
    close_profiler(&f);
}

static void names_are_bounded_and_well_formed(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    static char fits[16384], large[16385];
    memset(fits, 'a', 16383);
    memset(large, 'a', 16384);
    const hg_prof_function functions[] = {{fits, ""}, {large, ""}, {"bad\xff\xc3(", ""}, {"", "only.c"}, {"", ""}};
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_TIMELINE_ON, .tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    for (int i = 0; i < 5; i++)
        hg_prof_push(t, &functions[i], 0);
    hg_prof_timeline(t, HG_SLICE("gc"), 1, true);
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    const pprof_sample *s = &p.samples[0];
    assert_int_equal(s->location_count, 4); /* the one without name and file is left out */
    assert_true(hg_slice_equal(frame_name(&p, s, 0), HG_SLICE("[unknown]")));
    assert_true(hg_slice_equal(frame_name(&p, s, 1), HG_SLICE("bad\xef\xbf\xbd\xef\xbf\xbd(")));
    assert_true(hg_slice_equal(frame_name(&p, s, 2), HG_SLICE("[suspiciously large string]")));
    assert_int_equal(frame_name(&p, s, 3).len, 16383);
    pprof_free(&p);
    close_profiler(&f);
}

static void endpoints_and_timestamps_become_labels(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, "w", &t);
    push_three(t, 1);
    hg_prof_set_spans(t, 0xfedcba9876543210, 5);
    hg_prof_trigger(t);
    hg_prof_trigger(t);
    hg_prof_endpoint(t, 0xfedcba9876543210, HG_SLICE("GET /cart"));
    hg_prof_set_spans(t, 0, 0);
    hg_prof_trigger(t);
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(p.sample_count, 3); /* timestamped samples are never merged */
    assert_int_equal(find_label(&p.samples[0], "local root span id")->number, (int64_t)0xfedcba9876543210);
    assert_int_equal(find_label(&p.samples[0], "span id")->number, 5);
    assert_true(hg_slice_equal(find_label(&p.samples[0], "trace endpoint")->text, HG_SLICE("GET /cart")));
    assert_null(find_label(&p.samples[2], "trace endpoint"));
    int64_t first = find_label(&p.samples[0], "end_timestamp_ns")->number;
    int64_t second = find_label(&p.samples[1], "end_timestamp_ns")->number;
    assert_true(first > 0 && first <= second);
    pprof_free(&p);
    close_profiler(&f);
}

static void equal_contexts_share_a_profile(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *a, *b;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_TIMELINE_ON, .tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &a);
    hg_prof_attach(f.prof, NULL, &b);
    char service[] = "shop";
    hg_prof_context one = {.service = "shop", .version = "1"}, same = {.service = service, .version = "1"};
    hg_prof_context other = {.service = "shop", .version = "2"};
    hg_prof_set_context(a, &one);
    hg_prof_set_context(b, &same);
    hg_prof_timeline(a, HG_SLICE("gc"), 1, false);
    hg_prof_timeline(b, HG_SLICE("gc"), 1, false);
    hg_prof_set_context(b, &other);
    hg_prof_timeline(b, HG_SLICE("gc"), 1, false);
    hg_prof_detach(a);
    hg_prof_detach(b);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p, q;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(load(&f, 2, &q), HG_OK);
    assert_int_equal(p.sample_count + q.sample_count, 3);
    assert_true(p.sample_count == 1 || q.sample_count == 1);
    pprof_free(&p);
    pprof_free(&q);
    close_profiler(&f);
}

static void live_blocks_are_in_every_export_until_freed(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_DEFAULT | HG_PROF_HEAP_LIVE, .allocation_distance = 1,
                                         .capacity = 65536, .tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    static char blocks[6000];
    for (size_t i = 0; i < 10; i++)
        hg_prof_allocated(t, blocks + i, 100);
    hg_prof_freed(f.prof, blocks + 3);
    hg_prof_freed(f.prof, blocks + 999);
    hg_prof_flush(f.prof, 5 * SECOND);
    for (size_t i = 0; i < 5; i++)
        hg_prof_freed(f.prof, blocks + i);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof one, two;
    assert_int_equal(load(&f, 1, &one), HG_OK);
    assert_int_equal(load(&f, 2, &two), HG_OK);
    assert_int_equal(total(&one, "heap-live-samples"), 9);
    assert_int_equal(total(&one, "heap-live-size"), 900);
    assert_int_equal(total(&one, "alloc-samples"), 10);
    assert_int_equal(total(&two, "heap-live-samples"), 5);
    assert_int_equal(total(&two, "alloc-samples"), 0);
    pprof_free(&one);
    pprof_free(&two);
    for (size_t i = 0; i < sizeof blocks; i++)
        hg_prof_allocated(t, blocks + i, 100);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    assert_true(c.tracker_full >= sizeof blocks - 4096);
    hg_prof_detach(t);
    close_profiler(&f);
}

static void exceptions_count_every_hundredth(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.capacity = 65536, .tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    for (int i = 0; i < 100000; i++)
        hg_prof_exception(t, HG_SLICE("IoError"), i % 2 ? HG_SLICE("disk full") : HG_SLICE(""));
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_true(fabs((double)total(&p, "exception-samples") / 100000 - 1) < 0.03);
    assert_true(hg_slice_equal(find_label(&p.samples[0], "exception type")->text, HG_SLICE("IoError")));
    pprof_free(&p);
    close_profiler(&f);
}

enum { THREADS = 4, EACH = 50000 };

static void *produce(void *argument)
{
    hg_prof *prof = argument;
    hg_prof_thread *t;
    if (hg_prof_attach(prof, "producer", &t) != HG_OK)
        return NULL;
    for (int i = 0; i < EACH; i++) {
        hg_prof_push(t, &MAIN, (uint32_t)(i % 50));
        hg_prof_timeline(t, HG_SLICE("gc"), 1, true);
        hg_prof_poll(t);
        hg_prof_pop(t);
    }
    hg_prof_detach(t);
    return NULL;
}

static void totals_of_many_producers_are_exact(void **state)
{
    (void)state;
    fixture f;
    open_profiler(&f, (hg_prof_settings){0});
    hg_prof_start(f.prof);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, produce, f.prof), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    hg_prof_flush(f.prof, 5 * SECOND);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    assert_int_equal(c.taken[HG_PROF_TIMELINE], THREADS * EACH);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(total(&p, "timeline"), (int64_t)c.accepted[HG_PROF_TIMELINE]);
    pprof_free(&p);
    close_profiler(&f);
}

static void a_forked_child_has_no_profiler_and_the_parent_loses_nothing(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(hg_prof_timeline(t, HG_SLICE("gc"), 1, false), HG_OK);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            bool off = hg_prof_timeline(t, HG_SLICE("gc"), 1, false) == HG_ERR_UNSUPPORTED;
            off &= hg_prof_flush(f.prof, SECOND) == HG_ERR_UNSUPPORTED && hg_prof_stop(f.prof, SECOND) == HG_OK;
            _exit(off ? 0 : 1);
        }
        int status;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
        assert_int_equal(hg_prof_timeline(t, HG_SLICE("gc"), 1, false), HG_OK);
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    assert_int_equal(total(&p, "timeline"), 40);
    pprof_free(&p);
    close_profiler(&f);
}

static void ticks_come_while_a_thread_is_attached(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_CPU});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    push_three(t, 1);
    struct timespec brief = {0, 1000000};
    for (int i = 0; i < 200; i++) {
        hg_prof_poll(t);
        nanosleep(&brief, NULL);
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    int64_t ticks = total(&p, "sample"), wall = total(&p, "wall-time");
    assert_true(ticks >= 10);
    /* a tick each 10 ms of wall time; on a busy machine the last ones may still be pending */
    assert_true(ticks * 10 >= wall / 10000000 * 7 && ticks <= wall / 10000000 + 3);
    pprof_free(&p);
    close_profiler(&f);
}

static volatile unsigned long sink;

__attribute__((noinline)) void busy_leaf_of_the_test(double seconds);
__attribute__((noinline)) void busy_leaf_of_the_test(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (int i = 0; i < 100000; i++)
            sink += (unsigned long)i * sink;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 < seconds);
}

#if defined(__clang__)
#define FRAMELESS __attribute__((noinline)) /* clang cannot be told for one function */
#else
#define FRAMELESS __attribute__((noinline, optimize("omit-frame-pointer")))
#endif

/* Without a frame pointer of its own: whoever follows the chain from here misses the caller. */
FRAMELESS unsigned long frameless_leaf_of_the_test(unsigned long n);
FRAMELESS unsigned long frameless_leaf_of_the_test(unsigned long n)
{
    unsigned long sum = n;
    for (unsigned long i = 0; i < n; i++)
        sum = sum * 31 + i;
    return sum;
}

__attribute__((noinline)) void caller_of_the_test(double seconds);
__attribute__((noinline)) void caller_of_the_test(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        sink += frameless_leaf_of_the_test(1000000 + (sink & 1));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 < seconds);
}

/* The share of CPU time whose stacks have this function. */
static double share_with(const pprof *p, const char *function)
{
    int cpu = type_position(p, "cpu-time");
    int64_t with = 0;
    for (size_t i = 0; i < p->sample_count; i++)
        for (size_t k = 0; k < p->samples[i].location_count; k++)
            if (hg_slice_equal(frame_name(p, &p->samples[i], k), hg_slice_from(function))) {
                with += p->samples[i].values[cpu];
                break;
            }
    return (double)with / (double)total(p, "cpu-time");
}

static void sample_natively(const hg_prof_native_settings *settings, void (*work)(double), pprof *out)
{
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_CPU});
    hg_prof_start(f.prof);
    assert_int_equal(hg_prof_native_attach(f.prof, "busy", settings, &t), HG_OK);
    work(0.4);
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    assert_int_equal(load(&f, 1, out), HG_OK);
    close_profiler(&f);
}

static void the_native_sampler_names_the_busy_function(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* ThreadSanitizer delivers signals late, from its own calls: the stack is not the program's */
#endif
    pprof p;
    sample_natively(&(hg_prof_native_settings){.rate = 200}, busy_leaf_of_the_test, &p);
    assert_true(total(&p, "sample") >= 10);
    assert_true(share_with(&p, "busy_leaf_of_the_test") > 0.5);
    pprof_free(&p);
}

static void with_libunwind_frames_without_a_pointer_have_their_caller(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip(); /* the sanitizer's signal handling is on the stack too */
#endif
    if (!hg_prof_native_can_unwind())
        skip();
    pprof p;
    sample_natively(&(hg_prof_native_settings){.rate = 200, .unwinder = true}, caller_of_the_test, &p);
    assert_true(share_with(&p, "frameless_leaf_of_the_test") > 0.8);
    assert_true(share_with(&p, "caller_of_the_test") > 0.8);
    for (size_t i = 0; i < p.sample_count; i++) /* the sampler itself is not in its stacks */
        assert_false(hg_slice_equal(frame_name(&p, &p.samples[i], 0), HG_SLICE("on_signal")));
    pprof_free(&p);
}

static void a_rate_or_thread_that_cannot_be_is_refused(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){0});
    hg_prof_start(f.prof);
    assert_int_equal(hg_prof_native_attach(NULL, "x", NULL, &t), HG_ERR_ARGUMENT);
    assert_null(t);
    assert_int_equal(hg_prof_native_attach(f.prof, "x", &(hg_prof_native_settings){.rate = 251}, &t), HG_ERR_ARGUMENT);
    assert_null(t);
    assert_int_equal(hg_prof_native_attach(f.prof, "x", NULL, &t), HG_OK);
    assert_int_equal(hg_prof_native_start(t, NULL), HG_ERR_ARGUMENT); /* twice */
    hg_prof_detach(t);
    close_profiler(&f);
}

/* Work of the given wall time at least, in a frame of its own, with safe points; how long it really took. */
static double spend(hg_prof_thread *t, const hg_prof_function *where, double seconds, bool asleep)
{
    hg_prof_push(t, where, 1);
    struct timespec start, now, whole = {0, (long)(seconds * 1e9)};
    double passed;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (asleep)
        nanosleep(&whole, NULL);
    do {
        hg_prof_poll(t);
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9;
    } while (passed < seconds);
    hg_prof_trigger(t); /* what is left of it belongs here */
    hg_prof_pop(t);
    return passed;
}

static void wall_time_goes_to_loops_and_sleeps_as_it_passed(void **state)
{
    (void)state;
    static const hg_prof_function one = {"one", ""}, two = {"two", ""}, rest = {"rest", ""};
#ifdef __SANITIZE_THREAD__
    const double tolerance = 0.15; /* a clock reading and the sample behind it lie further apart */
#else
    const double tolerance = 0.03;
#endif
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_ON | HG_PROF_CPU});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    double passed[3] = {0}; /* on a busy machine more than was asked for */
    for (int i = 0; i < 2; i++) {
        passed[0] += spend(t, &one, 0.05, false);
        passed[1] += spend(t, &two, 0.1, false);
        passed[2] += spend(t, &rest, 0.15, true);
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    double wall[3] = {0}, all = (double)total(&p, "wall-time"), sum = passed[0] + passed[1] + passed[2];
    const hg_prof_function *functions[3] = {&one, &two, &rest};
    for (size_t i = 0; i < p.sample_count; i++)
        for (int k = 0; k < 3; k++)
            if (hg_slice_equal(frame_name(&p, &p.samples[i], 0), hg_slice_from(functions[k]->name)))
                wall[k] += (double)p.samples[i].values[type_position(&p, "wall-time")] / all;
    for (int k = 0; k < 3; k++)
        assert_true(fabs(wall[k] - passed[k] / sum) < tolerance);
    pprof_free(&p);
    close_profiler(&f);
}

static void two_places_with_bytes_two_to_one_show_it(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.families = HG_PROF_DEFAULT | HG_PROF_IO, .capacity = 65536});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, NULL, &t);
    for (int i = 0; i < 300000; i++) {
        const hg_prof_function *where = i % 3 ? &WORK : &LEAF;
        hg_prof_push(t, where, 1);
        hg_prof_io_done(t, HG_PROF_SOCKET_WRITE, 100, 8192);
        hg_prof_pop(t);
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    hg_prof_counters c;
    hg_prof_count(f.prof, &c);
    assert_int_equal(c.dropped[HG_PROF_SOCKET_WRITE_SIZE], 0);
    pprof p;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    double work = 0, all = (double)total(&p, "socket-write-size");
    for (size_t i = 0; i < p.sample_count; i++)
        if (hg_slice_equal(frame_name(&p, &p.samples[i], 0), HG_SLICE("work")))
            work += (double)p.samples[i].values[type_position(&p, "socket-write-size")];
    assert_true(fabs(work / all - 0.667) < 0.02);
    assert_true(fabs(all / (300000 * 8192.0) - 1) < 0.06);
    pprof_free(&p);
    close_profiler(&f);
}

static void nothing_that_was_written_is_lost_by_a_round_trip(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, "r", &t);
    for (uint32_t i = 0; i < 50; i++) {
        hg_prof_push(t, &MAIN, i);
        hg_prof_timeline(t, HG_SLICE("gc"), i + 1, true);
    }
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p, again;
    pprof_error error;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    hg_buffer first = {0}, second = {0};
    assert_int_equal(pprof_write(&p, &first), HG_OK);
    assert_int_equal(pprof_read(hg_slice_of(first.ptr, first.len), &again, &error), HG_OK);
    assert_int_equal(pprof_write(&again, &second), HG_OK);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.ptr, second.ptr, first.len);
    assert_int_equal(total(&again, "timeline"), total(&p, "timeline"));
    int64_t before = total(&p, "timeline");
    assert_int_equal(pprof_merge(&p, &again, 1), HG_OK);
    assert_int_equal(total(&p, "timeline"), 2 * before);
    assert_int_equal(p.function_count, again.function_count);
    assert_int_equal(p.sample_count, again.sample_count);
    assert_int_equal(pprof_merge(&p, &again, -1), HG_OK);
    assert_int_equal(total(&p, "timeline"), before);
    hg_buffer_free(&first);
    hg_buffer_free(&second);
    pprof_free(&p);
    pprof_free(&again);
    close_profiler(&f);
}

static void every_truncation_of_a_profile_is_an_error_or_a_profile(void **state)
{
    (void)state;
    fixture f;
    hg_prof_thread *t;
    open_profiler(&f, (hg_prof_settings){.tick_ns = 60 * SECOND});
    hg_prof_start(f.prof);
    hg_prof_attach(f.prof, "r", &t);
    push_three(t, 4);
    hg_prof_timeline(t, HG_SLICE("gc"), 9, true);
    hg_prof_detach(t);
    hg_prof_flush(f.prof, 5 * SECOND);
    pprof p;
    pprof_error error;
    assert_int_equal(load(&f, 1, &p), HG_OK);
    hg_buffer bytes = {0};
    pprof_write(&p, &bytes);
    pprof_free(&p);
    for (size_t length = 0; length < bytes.len; length++) {
        char *exact = malloc(length + 1); /* so that a sanitizer sees an over-read */
        memcpy(exact, bytes.ptr, length);
        hg_status status = pprof_read(hg_slice_of(exact, length), &p, &error);
        if (status == HG_OK)
            pprof_free(&p);
        else
            assert_non_null(error.message);
        free(exact);
    }
    hg_buffer_free(&bytes);
    close_profiler(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(io_samples_are_weighted_and_summed_by_stack),
        cmocka_unit_test(mixed_sizes_of_one_place_are_right),
        cmocka_unit_test(with_the_consumer_stopped_exactly_900_of_1000_are_dropped),
        cmocka_unit_test(time_of_a_dropped_sample_goes_into_the_next),
        cmocka_unit_test(deep_stacks_show_511_frames_and_a_mark),
        cmocka_unit_test(names_are_bounded_and_well_formed),
        cmocka_unit_test(endpoints_and_timestamps_become_labels),
        cmocka_unit_test(equal_contexts_share_a_profile),
        cmocka_unit_test(live_blocks_are_in_every_export_until_freed),
        cmocka_unit_test(exceptions_count_every_hundredth),
        cmocka_unit_test(totals_of_many_producers_are_exact),
        cmocka_unit_test(a_forked_child_has_no_profiler_and_the_parent_loses_nothing),
        cmocka_unit_test(ticks_come_while_a_thread_is_attached),
        cmocka_unit_test(the_native_sampler_names_the_busy_function),
        cmocka_unit_test(with_libunwind_frames_without_a_pointer_have_their_caller),
        cmocka_unit_test(a_rate_or_thread_that_cannot_be_is_refused),
        cmocka_unit_test(wall_time_goes_to_loops_and_sleeps_as_it_passed),
        cmocka_unit_test(two_places_with_bytes_two_to_one_show_it),
        cmocka_unit_test(nothing_that_was_written_is_lost_by_a_round_trip),
        cmocka_unit_test(every_truncation_of_a_profile_is_an_error_or_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
