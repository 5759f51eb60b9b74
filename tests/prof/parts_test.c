/* The parts of the profiler by themselves: types, distances, weights, the channel, tags. */
#include "support.h"

#include "prof/dwarf.h"
#include "prof/internal.h"

#include <math.h>

static void families_select_the_types_of_the_table(void **state)
{
    (void)state;
    static const struct {
        unsigned families;
        int count;
    } cases[] = {
        {0, 0},
        {HG_PROF_ON, 2},
        {HG_PROF_ON | HG_PROF_CPU, 3},
        {HG_PROF_ON | HG_PROF_ALLOCATION, 4},
        {HG_PROF_ON | HG_PROF_CPU | HG_PROF_ALLOCATION, 5},
        {HG_PROF_ON | HG_PROF_HEAP_LIVE, 2}, /* only together with allocations */
        {HG_PROF_ON | HG_PROF_ALLOCATION | HG_PROF_HEAP_LIVE, 6},
        {HG_PROF_ON | HG_PROF_TIMELINE_ON, 3},
        {HG_PROF_ON | HG_PROF_EXCEPTION, 3},
        {HG_PROF_ON | HG_PROF_IO, 18},
        {HG_PROF_DEFAULT, 7},
        {HG_PROF_DEFAULT | HG_PROF_IO, 23},
        {HG_PROF_DEFAULT | HG_PROF_IO | HG_PROF_HEAP_LIVE, 25},
        {HG_PROF_CPU | HG_PROF_IO, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(__builtin_popcount(hg_prof_type_mask(cases[i].families)), cases[i].count);
    assert_string_equal(hg_prof_type_name(HG_PROF_FILE_WRITE_SIZE_SAMPLES), "file-io-write-size-samples");
    assert_string_equal(hg_prof_type_unit(HG_PROF_FILE_WRITE_SIZE_SAMPLES), "count");
    assert_string_equal(hg_prof_type_name(HG_PROF_SOCKET_READ_TIME), "socket-read-time");
    assert_int_equal(HG_PROF_TYPES, 25);
}

static void weights_are_the_published_numbers(void **state)
{
    (void)state;
    assert_true(fabs(weight_of(65536, 4194304) - 64.501) < 0.001);
    assert_true(fabs(weight_of(4194304, 4194304) - 1.5820) < 0.0001);
    assert_true(fabs(weight_of(33554432, 4194304) - 1.000335) < 0.000001);
}

static void distances_are_exponential(void **state)
{
    (void)state;
    uint64_t random = 42;
    countdown c;
    double sum = 0;
    enum { DRAWS = 1000000, MEAN = 102400 };
    for (int i = 0; i < DRAWS; i++) {
        countdown_start(&c, MEAN, &random);
        sum += (double)c.left;
    }
    /* the deviation of an exponential is its mean; rounding up adds a half */
    assert_true(fabs(sum / DRAWS - MEAN - 0.5) < 4.0 * MEAN / sqrt(DRAWS));
}

static void an_event_is_sampled_with_its_probability(void **state)
{
    (void)state;
    uint64_t random = 7;
    countdown c;
    countdown_start(&c, 102400, &random);
    const double shares[] = {0.02, 1, 10};
    for (int s = 0; s < 3; s++) {
        int64_t size = (int64_t)(shares[s] * 102400);
        int hits = 0, trials = 200000;
        for (int i = 0; i < trials; i++)
            hits += countdown_due(&c, size, &random);
        double p = 1 - exp(-(double)size / 102400), sd = sqrt(p * (1 - p) / trials);
        assert_true(fabs((double)hits / trials - p) < 4.5 * sd + 1e-5);
    }
}

static void a_full_channel_refuses_at_its_capacity(void **state)
{
    (void)state;
    queue q;
    assert_int_equal(queue_init(&q, 100), HG_OK);
    message m = {.kind = MESSAGE_SAMPLE};
    for (int i = 0; i < 100; i++)
        assert_true(queue_send(&q, &m, NULL, 0));
    assert_false(queue_send(&q, &m, NULL, 0));
    assert_non_null(queue_peek(&q));
    queue_done(&q);
    assert_true(queue_send(&q, &m, NULL, 0));
    assert_false(queue_send(&q, &m, NULL, 0));
    queue_free(&q);
}

static void messages_come_out_in_order(void **state)
{
    (void)state;
    queue q;
    assert_int_equal(queue_init(&q, 5), HG_OK);
    int64_t next_in = 0, next_out = 0;
    for (int round = 0; round < 1000; round++) {
        const message m = {.kind = MESSAGE_SAMPLE};
        while (queue_send(&q, &m, &next_in, 1))
            next_in++;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(queue_peek(&q)->values[0], next_out++);
            queue_done(&q);
        }
    }
    queue_free(&q);
}

static void malformed_tags_are_refused_and_the_rest_kept(void **state)
{
    (void)state;
    char *group = NULL;
    assert_int_equal(tags_parse(&group, "a:b,:c d:,e:f ,g"), HG_ERR_SYNTAX);
    assert_string_equal(group, "a:b,e:f,g,");
    free(group);
    group = NULL;
    assert_int_equal(tags_add(&group, "service", ""), HG_OK);
    assert_null(group);
    assert_int_equal(tags_add(&group, "service", "x:"), HG_ERR_SYNTAX);
    assert_null(group);
}

static void credentials_are_cut_from_git_urls(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"https://user:secret@host/x.git", "https://host/x.git"},
        {"https://a@b@host/x@y", "https://host/x@y"},
        {"https://host/x", "https://host/x"},
        {"git@host:x.git", "git@host:x.git"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *clean = git_url_clean(cases[i][0]);
        assert_string_equal(clean, cases[i][1]);
        free(clean);
    }
}

static void identities_are_equal_by_text(void **state)
{
    (void)state;
    hg_prof *prof;
    hg_prof_settings settings = {0};
    assert_int_equal(hg_prof_new(&settings, &prof), HG_OK);
    char first[] = "a:b,c:d,", second[] = "a:b,c:d,";
    identity *one = identity_intern(prof, "service:x,", NULL, first);
    assert_ptr_equal(one, identity_intern(prof, "service:x,", NULL, second));
    assert_ptr_not_equal(one, identity_intern(prof, "service:x,", "", first)); /* absent is not empty */
    assert_ptr_not_equal(one, identity_intern(prof, "service:x,", first, NULL));
    assert_ptr_not_equal(one, identity_intern(prof, "service:y,", NULL, first));
    hg_prof_free(prof);
}

static void urls_are_checked_when_a_profiler_is_made(void **state)
{
    (void)state;
    static const char *const good[] = {"http://localhost", "http://127.0.0.1:8126", "http://[::1]:80", "unix:///run/x.sock",
                                       "http://host/"};
    static const char *const bad[] = {"https://x", "http://", "http://x:", "http://x:99999", "http://x:0", "unix://x",
                                      "http://x/path", "ftp://x", ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(url_understood(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(url_understood(bad[i]));
    hg_prof *prof;
    hg_prof_settings settings = {.url = "https://x"};
    assert_int_equal(hg_prof_new(&settings, &prof), HG_ERR_ARGUMENT);
}

/* One unit of two attributes at 0x1000 to 0x10ff, as a compiler writes it (version 5, 32-bit format). */
static const char unit_aranges[] = "\x2c\0\0\0\2\0\0\0\0\0\x08\0\0\0\0\0"
                                   "\0\x10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
static const char unit_info[] = "\x11\0\0\0\5\0\1\x08\0\0\0\0\1\0\0\0\0\4\0\0";
static const char unit_abbrev[] = "\1\x11\0\x25\x0e\3\x1f\0\0";
static const char unit_line_str[] = "abc\0src/x.c";

static dwarf unit_sections(void)
{
    return (dwarf){.aranges = hg_slice_of(unit_aranges, sizeof unit_aranges),
                   .info = hg_slice_of(unit_info, sizeof unit_info),
                   .abbrev = hg_slice_of(unit_abbrev, sizeof unit_abbrev),
                   .str = HG_SLICE("compiler\0"),
                   .line_str = hg_slice_of(unit_line_str, sizeof unit_line_str)};
}

static void an_address_has_the_file_of_its_unit(void **state)
{
    (void)state;
    dwarf d = unit_sections();
    assert_true(hg_slice_equal(dwarf_unit_file(&d, 0x1000), HG_SLICE("src/x.c")));
    assert_true(hg_slice_equal(dwarf_unit_file(&d, 0x10ff), HG_SLICE("src/x.c")));
    assert_int_equal(dwarf_unit_file(&d, 0x1100).len, 0);
    assert_int_equal(dwarf_unit_file(&d, 0xfff).len, 0);
    assert_int_equal(dwarf_unit_file(&(dwarf){.info = d.info}, 0x1000).len, 0);
}

static void cut_and_changed_debug_sections_are_survived(void **state)
{
    (void)state;
    dwarf whole = unit_sections();
    for (size_t field = 0; field < sizeof(dwarf) / sizeof(hg_slice); field++) {
        hg_slice section = ((hg_slice *)&whole)[field];
        for (size_t length = 0; length <= section.len; length++) {
            char *exact = malloc(length + 1); /* so that a sanitizer sees an over-read */
            memcpy(exact, section.ptr, length);
            dwarf d = whole;
            ((hg_slice *)&d)[field] = hg_slice_of(exact, length);
            for (int change = 0; change < 256; change += 5) {
                if (length > 0)
                    exact[length - 1] = (char)change;
                hg_slice file = dwarf_unit_file(&d, 0x1000);
                assert_true(file.len < sizeof unit_line_str);
            }
            free(exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_select_the_types_of_the_table),
        cmocka_unit_test(weights_are_the_published_numbers),
        cmocka_unit_test(distances_are_exponential),
        cmocka_unit_test(an_event_is_sampled_with_its_probability),
        cmocka_unit_test(a_full_channel_refuses_at_its_capacity),
        cmocka_unit_test(messages_come_out_in_order),
        cmocka_unit_test(malformed_tags_are_refused_and_the_rest_kept),
        cmocka_unit_test(credentials_are_cut_from_git_urls),
        cmocka_unit_test(identities_are_equal_by_text),
        cmocka_unit_test(urls_are_checked_when_a_profiler_is_made),
        cmocka_unit_test(an_address_has_the_file_of_its_unit),
        cmocka_unit_test(cut_and_changed_debug_sections_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
