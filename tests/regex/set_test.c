/* Sets: what a set finds is what its patterns find, on every way a text can take through it. */
#include "base/cpu.h"
#include "guarded.h"
#include "regex/internal.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *const patterns[] = {
    "union\\s+select", "<script[^>]*>", "\\b(?:sleep|benchmark)\\s*\\(", "(?:\\.\\./)+", "^GET ", "\\.php$", ".*",
    "(?m)^\\s*root:", "[0-9a-f]{16}", "\\$\\{[^}]+\\}", "on(?:load|error)\\W*=", "a?", "(?:cat|ls)\\s+/(?:etc|var)",
    "\\bor\\b\\s+\\d+\\s*=\\s*\\d+", "[\\x{400}-\\x{4ff}]{2}", "x{2,}y{2,}z", "\\Bend", "(?:a|b)*abb(?:a|b){6}c",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

typedef struct fixture {
    hg_regex *regexes[PATTERNS];
    hg_regex_set *set;
    hg_regex_scratch *scratch;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    hg_regex_options options = {.case_insensitive = true};
    for (int i = 0; i < PATTERNS; i++)
        f->regexes[i] = hg_regex_compile(hg_slice_from(patterns[i]), &options, NULL);
    f->set = hg_regex_set_new(f->regexes, PATTERNS);
    f->scratch = hg_regex_scratch_new();
    *state = f;
    return f->set == NULL || f->scratch == NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    hg_regex_set_free(f->set);
    hg_regex_scratch_free(f->scratch);
    for (int i = 0; i < PATTERNS; i++)
        hg_regex_unref(f->regexes[i]);
    free(f);
    return 0;
}

/* By simulation alone, which knows no automaton and no filter. */
static uint64_t plainly(const fixture *f, hg_slice text)
{
    rx_sim sim = {0};
    uint64_t hits = 0;
    for (int i = 0; i < PATTERNS; i++) {
        assert_true(rx_sim_reserve(&sim, f->regexes[i]->program.count, 2));
        hits |= (uint64_t)rx_exists(&f->regexes[i]->program, &sim, text, 0) << i;
    }
    rx_sim_close(&sim);
    return hits;
}

static uint64_t scanned(const fixture *f, hg_slice text)
{
    uint64_t hits;
    bool any = hg_regex_set_scan(f->set, f->scratch, text, &hits);
    assert_int_equal(any, hits != 0);
    return hits;
}

static const char *const pieces[] = {"union ", " select ", "<script src=x>", "sleep (", "../../", "GET ", "index.php", "root:",
                                     "0123456789abcdef", "${jndi}", "onload =", "cat /etc", " or 1=1", "\xD0\x96\xD1\x8F", "xxyyz",
                                     "bend", "abbabababac", "\n", "The weather is fine today. ", "id=42&", "\xFF\xFE", "aaab"};
enum { PIECES = sizeof pieces / sizeof *pieces };

static uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 20) % n);
}

static size_t random_text(uint64_t *state, char *out, size_t room)
{
    size_t len = 0;
    for (uint32_t i = random_below(state, 8); i > 0; i--) {
        const char *piece = pieces[random_below(state, PIECES)];
        size_t add = strlen(piece);
        if (len + add > room)
            break;
        memcpy(out + len, piece, add);
        len += add;
    }
    if (len > 0 && random_below(state, 4) == 0)
        out[random_below(state, (uint32_t)len)] = (char)random_below(state, 256);
    return len;
}

static void a_set_finds_what_its_patterns_find(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 7;
    char text[256];
    for (int i = 0; i < 3000; i++) {
        hg_slice s = hg_slice_of(text, random_text(&seed, text, sizeof text));
        assert_int_equal(scanned(f, s), plainly(f, s));
    }
}

static void without_credit_the_filter_and_the_patterns_answer(void **state)
{
    fixture *f = *state;
    uint64_t seed = 8;
    char text[256];
    for (int i = 0; i < 1500; i++) {
        hg_slice s = hg_slice_of(text, random_text(&seed, text, sizeof text));
        f->set->dfa.credit = -1000000;
        assert_int_equal(scanned(f, s), plainly(f, s));
    }
}

static void full_automata_fall_back_to_simulation(void **state)
{
    fixture *f = *state;
    uint64_t seed = 9;
    char text[256];
    for (int i = 0; i < PATTERNS; i++) {
        hg_regex_test(f->regexes[i], f->scratch, HG_SLICE("opens the automaton"));
        f->regexes[i]->dfa.max_rows = f->regexes[i]->dfa.rows;
    }
    f->set->dfa.max_rows = f->set->dfa.rows;
    for (int i = 0; i < 1500; i++) {
        hg_slice s = hg_slice_of(text, random_text(&seed, text, sizeof text));
        assert_int_equal(scanned(f, s), plainly(f, s));
    }
}

static void a_set_of_any_memory_gives_the_same_hits(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 14;
    char text[256];
    for (size_t memory = 1; memory < 1 << 20; memory *= 4) {
        hg_regex_set *set = hg_regex_set_new_sized(f->regexes, PATTERNS, memory);
        assert_non_null(set);
        for (int i = 0; i < 200; i++) {
            hg_slice s = hg_slice_of(text, random_text(&seed, text, sizeof text));
            uint64_t hits;
            hg_regex_set_scan(set, f->scratch, s, &hits);
            assert_int_equal(hits, plainly(f, s));
        }
        assert_true(!set->has_dfa || set->dfa.region_size <= memory + 65536);
        hg_regex_set_free(set);
    }
}

static void every_vector_level_gives_the_same_candidates(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 10;
    char text[256];
    for (int i = 0; i < 1500; i++) {
        hg_slice s = hg_slice_of(text, random_text(&seed, text, sizeof text));
        uint64_t candidates[3] = {0};
        for (int level = HG_CPU_SCALAR; level <= HG_CPU_AVX2; level++) {
            hg_cpu_force((hg_cpu_level)level);
            rx_filter_run(&f->set->filter, s, &candidates[level]);
        }
        assert_int_equal(candidates[0], candidates[1]);
        assert_int_equal(candidates[0], candidates[2]);
    }
    hg_cpu_force(HG_CPU_AVX2);
}

static void many_texts_together_give_what_each_gives_alone(void **state)
{
    const fixture *f = *state;
    enum { TEXTS = 77 };
    static char texts[TEXTS][256];
    hg_slice slices[TEXTS];
    uint64_t hits[TEXTS], job_hits[TEXTS], seed = 11;
    hg_regex_job jobs[TEXTS];
    bool any[TEXTS], filtered[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        slices[i] = hg_slice_of(texts[i], random_text(&seed, texts[i], sizeof texts[i]));
        jobs[i] = (hg_regex_job){.set = f->set, .text = slices[i], .hits = &job_hits[i]};
    }
    hg_regex_set_scan_many(f->set, f->scratch, slices, TEXTS, hits, any);
    hg_regex_set_any(f->set, f->scratch, slices, TEXTS, filtered);
    hg_regex_scan_jobs(f->scratch, jobs, TEXTS);
    for (int i = 0; i < TEXTS; i++) {
        assert_int_equal(hits[i], plainly(f, slices[i]));
        assert_int_equal(job_hits[i], hits[i]);
        assert_int_equal(any[i], hits[i] != 0);
        assert_int_equal(filtered[i], any[i]);
        assert_int_equal(jobs[i].any, any[i]);
    }
}

static void matches_across_the_pieces_of_a_long_text_are_found(void **state)
{
    const fixture *f = *state;
    enum { LEN = 8192 };
    static char text[LEN];
    for (int round = 0; round < 200; round++) {
        memset(text, round % 2 ? 'a' : ' ', LEN);
        uint64_t seed = 100 + (uint64_t)round;
        for (int piece = 1; piece < 4; piece++) {
            const char *what = pieces[random_below(&seed, PIECES)];
            memcpy(text + LEN / 4 * piece - random_below(&seed, 12), what, strlen(what));
        }
        assert_int_equal(scanned(f, hg_slice_of(text, LEN)), plainly(f, hg_slice_of(text, LEN)));
    }
}

static void a_text_is_remembered_for_its_set_alone(void **state)
{
    const fixture *f = *state;
    char harmless[] = "a long and harmless text without any of these words, 01", harmful[] = "a long and harmless text with onload = and a line end, 1";
    for (int i = 0; i < 4; i++)
        scanned(f, hg_slice_from(harmless));
    const hg_memo *memo = f->scratch->memo;
    assert_true(hg_memo_knows(memo, hg_memo_key(memo, f->set->serial, hg_slice_from(harmless))));
    assert_false(hg_memo_knows(memo, hg_memo_key(memo, f->set->serial, hg_slice_from(harmful))));
    assert_false(hg_memo_knows(memo, hg_memo_key(memo, f->set->serial + 1, hg_slice_from(harmless))));
    assert_int_equal(scanned(f, hg_slice_from(harmless)), plainly(f, hg_slice_from(harmless)));
    assert_int_equal(scanned(f, hg_slice_from(harmful)), plainly(f, hg_slice_from(harmful)));
}

static void no_byte_behind_the_text_is_read(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 12;
    char text[256];
    for (int i = 0; i < 300; i++) {
        guarded g = guarded_new(hg_slice_of(text, random_text(&seed, text, sizeof text)));
        hg_span span;
        bool any[3];
        hg_slice thrice[3] = {g.bytes, g.bytes, g.bytes};
        uint64_t hits[3];
        scanned(f, g.bytes);
        hg_regex_set_scan_many(f->set, f->scratch, thrice, 3, hits, any);
        for (int p = 0; p < PATTERNS; p++)
            hg_regex_match(f->regexes[p], f->scratch, g.bytes, 0, &span, 1);
        for (int level = HG_CPU_SCALAR; level <= HG_CPU_AVX2; level++) {
            hg_cpu_force((hg_cpu_level)level);
            rx_filter_run(&f->set->filter, g.bytes, hits);
        }
        guarded_free(&g);
    }
    hg_cpu_force(HG_CPU_AVX2);
}

static void after_the_first_scan_nothing_is_allocated(void **state)
{
#ifndef __GLIBC__
    (void)state;
    skip(); /* the heap's size is asked of glibc */
#else
    const fixture *f = *state;
    uint64_t seed = 13;
    char text[256];
    scanned(f, HG_SLICE("warm"));
    for (int i = 0; i < PATTERNS; i++)
        hg_regex_test(f->regexes[i], f->scratch, HG_SLICE("warm"));
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 500; i++)
        scanned(f, hg_slice_of(text, random_text(&seed, text, sizeof text)));
    assert_int_equal(mallinfo2().uordblks, before);
#endif
}

typedef struct worker {
    const fixture *f;
    uint64_t seed;
    size_t wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    rx_sim sim = {0};
    char text[256];
    for (int i = 0; i < 400; i++) {
        hg_slice s = hg_slice_of(text, random_text(&w->seed, text, sizeof text));
        uint64_t hits, expected = 0;
        hg_regex_set_scan(w->f->set, scratch, s, &hits);
        for (int p = 0; p < PATTERNS; p++) {
            rx_sim_reserve(&sim, w->f->regexes[p]->program.count, 2);
            expected |= (uint64_t)rx_exists(&w->f->regexes[p]->program, &sim, s, 0) << p;
        }
        w->wrong += hits != expected;
    }
    rx_sim_close(&sim);
    hg_regex_scratch_free(scratch);
    return NULL;
}

static void threads_share_a_growing_set(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){*state, 1000 + (uint64_t)i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
}

static void an_empty_set_finds_nothing(void **state)
{
    const fixture *f = *state;
    hg_regex_set *set = hg_regex_set_new(NULL, 0);
    uint64_t hits = 0;
    assert_int_equal(hg_regex_set_count(set), 0);
    assert_false(hg_regex_set_scan(set, f->scratch, HG_SLICE("text"), &hits));
    hg_regex_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_set_finds_what_its_patterns_find, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_credit_the_filter_and_the_patterns_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_automata_fall_back_to_simulation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_set_of_any_memory_gives_the_same_hits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_vector_level_gives_the_same_candidates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_texts_together_give_what_each_gives_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(matches_across_the_pieces_of_a_long_text_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_is_remembered_for_its_set_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_byte_behind_the_text_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(after_the_first_scan_nothing_is_allocated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_share_a_growing_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_set_finds_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
