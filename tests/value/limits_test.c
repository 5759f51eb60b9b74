/* Every preset of limits against its row of marshalling 5.1: what is kept of a long text, a long key, a wide array and a
 * deep tree, and what the report says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/encode.h"

#include <stdio.h>
#include <stdlib.h>

enum { LETTERS = 5000, WIDE = 3000, LEVELS = 100 };

/* What stands for an entry of the deepest populated level. */
typedef enum below { BELOW_NOTHING, BELOW_EMPTY, BELOW_NULL, BELOW_INVALID, BELOW_ALL_EMPTY_MAPS } below;

typedef struct row {
    const char *name;
    hg_limits_preset preset;
    size_t ascii; /* bytes kept of 5,000 letters */
    size_t emoji; /* bytes kept of one letter and 5,000 characters of four bytes, two UTF-16 units each */
    size_t key;   /* the same text as a key */
    size_t wide;  /* elements kept of an array of 3,000 in the root map */
    size_t levels; /* populated levels of 100 nested maps */
    below below;
    uint32_t text_reasons, wide_reasons, deep_reasons;
} row;

static const row rows[] = {
    {"default", HG_LIMITS_DEFAULT, 4096, 4093, 4093, 256, 20, BELOW_EMPTY, 1, 2, 4},
    {"none", HG_LIMITS_NONE, 5000, 20001, 20001, 3000, 100, BELOW_NOTHING, 0, 0, 0},
    {"dotnet", HG_LIMITS_DOTNET, 4096, 8189, 20001, 256, 20, BELOW_EMPTY, 0, 2, 4},
    {"dotnet_legacy", HG_LIMITS_DOTNET_LEGACY, 4096, 8189, 20001, 256, 20, BELOW_EMPTY, 0, 2, 4},
    {"go", HG_LIMITS_GO, 4096, 4096, 4096, 256, 20, BELOW_INVALID, 1, 2, 4},
    {"ruby", HG_LIMITS_RUBY, 4096, 16381, 16381, 256, 20, BELOW_EMPTY, 1, 2, 4},
    {"python", HG_LIMITS_PYTHON, 4096, 4096, 4096, 256, 20, BELOW_EMPTY, 1, 2, 6},
    {"node", HG_LIMITS_NODE, 4096, 4096, 20001, 256, 20, BELOW_ALL_EMPTY_MAPS, 1, 2, 4},
    /* budgets over the whole tree: the root and the array take two */
    {"java", HG_LIMITS_JAVA, 4096, 8189, 8189, 254, 21, BELOW_ALL_EMPTY_MAPS, 1, 2, 4},
    {"php", HG_LIMITS_PHP, 4096, 4096, 4096, 2046, 21, BELOW_NULL, 1, 2, 4},
    {"nginx", HG_LIMITS_NGINX, 5000, 20001, 20001, 3000, 100, BELOW_NOTHING, 0, 0, 0},
    {"rasp_response", HG_LIMITS_RASP_RESPONSE, 1024, 2045, 20001, 998, 64, BELOW_NULL, 1, 2, 4},
};

static char letters[LETTERS], emoji[1 + 4 * LETTERS];
static uint16_t emoji_units[1 + 2 * LETTERS];

static int make_texts(void **state)
{
    (void)state;
    memset(letters, 'a', sizeof letters);
    emoji[0] = 'a';
    emoji_units[0] = 'a';
    for (size_t i = 0; i < LETTERS; i++) {
        memcpy(emoji + 1 + 4 * i, "\xF0\x9F\x98\x80", 4);
        emoji_units[1 + 2 * i] = 0xD83D;
        emoji_units[2 + 2 * i] = 0xDE00;
    }
    return 0;
}

static hg_value encode(const row *r, const hg_source *source, hg_report *report)
{
    hg_limits limits = hg_limits_of(r->preset);
    hg_value v;
    hg_report_init(report);
    assert_int_equal(hg_encode_source(source, &limits, &v, hg_heap(), report), HG_OK);
    return v;
}

static hg_source utf8(const char *text, size_t n)
{
    return (hg_source){.kind = HG_SOURCE_UTF8, .count = n, .as.text = text};
}

static hg_source utf16(const uint16_t *units, size_t n)
{
    return (hg_source){.kind = HG_SOURCE_UTF16, .count = n, .as.units = units};
}

#define expect_size(r, actual, expected)                                                                              \
    do {                                                                                                              \
        if ((size_t)(actual) != (size_t)(expected))                                                                   \
            fail_msg("%s: %s is %zu instead of %zu", (r)->name, #actual, (size_t)(actual), (size_t)(expected));       \
    } while (0)

/* Length of the only text, or of the only key, of a map of one pair. */
static size_t length_in_map(const row *r, hg_source key, hg_source val, bool of_key, hg_report *report)
{
    hg_source_pair pair = {key, val};
    hg_source source = {.kind = HG_SOURCE_MAP, .count = 1, .as.pairs = &pair};
    hg_value v = encode(r, &source, report);
    assert_int_equal(hg_value_size(&v), 1);
    const hg_pair *kept = hg_map_pairs(&v);
    size_t length = hg_value_string(of_key ? &kept->key : &kept->val).len;
    hg_value_free(&v, hg_heap());
    return length;
}

static void texts_are_cut_as_the_runtime_cuts_them(void **state)
{
    (void)state;
    hg_report report;
    hg_source k = utf8("k", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        expect_size(r, length_in_map(r, k, utf8(letters, LETTERS), false, &report), r->ascii);
        expect_size(r, report.reasons, r->text_reasons);
        expect_size(r, length_in_map(r, k, utf8(emoji, sizeof emoji), false, &report), r->emoji);
        expect_size(r, report.reasons, r->text_reasons);
        hg_unit unit = (hg_unit)hg_limits_of(r->preset).unit;
        if (r->text_reasons)
            expect_size(r, report.of[0].max, unit == HG_UNIT_BYTES ? 20001 : unit == HG_UNIT_UTF16 ? 10001 : 5001);
    }
}

/* Transcoded text cannot be split: a byte limit keeps whole characters. */
static void utf16_texts_are_cut_at_the_same_place_or_before_the_character(void **state)
{
    (void)state;
    hg_report report;
    hg_source k = utf8("k", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        size_t kept = length_in_map(r, k, utf16(emoji_units, 1 + 2 * LETTERS), false, &report);
        expect_size(r, kept, r->emoji - (r->emoji + 3) % 4);
        expect_size(r, report.reasons, r->text_reasons);
    }
}

static void keys_are_cut_or_not_as_in_the_runtime(void **state)
{
    (void)state;
    hg_report report;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        expect_size(r, length_in_map(r, utf8(emoji, sizeof emoji), utf8("v", 1), true, &report), r->key);
        expect_size(r, report.reasons, r->key < sizeof emoji ? r->text_reasons : 0);
    }
}

static void wide_containers_are_cut_and_their_true_size_is_told(void **state)
{
    (void)state;
    hg_source *items = calloc(WIDE, sizeof *items);
    for (size_t i = 0; i < WIDE; i++)
        items[i] = (hg_source){.kind = HG_SOURCE_SIGNED, .as.integer = (int64_t)i};
    hg_source_pair pair = {utf8("k", 1), {.kind = HG_SOURCE_ARRAY, .count = WIDE, .as.items = items}};
    hg_source source = {.kind = HG_SOURCE_MAP, .count = 1, .as.pairs = &pair};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        hg_report report;
        hg_value v = encode(r, &source, &report);
        const hg_value *array = &hg_map_pairs(&v)->val;
        expect_size(r, hg_value_size(array), r->wide);
        for (size_t k = 0; k < r->wide; k++)
            assert_int_equal(hg_array_items(array)[k].i64.val, k);
        expect_size(r, report.reasons, r->wide_reasons);
        expect_size(r, report.of[1].count, r->wide < WIDE);
        expect_size(r, report.of[1].max, r->wide < WIDE ? WIDE : 0);
        hg_value_free(&v, hg_heap());
    }
    free(items);
}

/* {"s":1,"m":{"s":1,"m":...}} */
static void deep_trees_end_as_in_the_runtime(void **state)
{
    (void)state;
    hg_source_pair(*pairs)[2] = calloc(LEVELS, sizeof *pairs);
    hg_source source = {.kind = HG_SOURCE_NULL};
    for (size_t i = LEVELS; i-- > 0;) {
        pairs[i][0] = (hg_source_pair){utf8("s", 1), {.kind = HG_SOURCE_SIGNED, .as.integer = 1}};
        pairs[i][1] = (hg_source_pair){utf8("m", 1), source};
        source = (hg_source){.kind = HG_SOURCE_MAP, .count = 2, .as.pairs = pairs[i]};
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        hg_report report;
        hg_value v = encode(r, &source, &report);
        const hg_value *at = &v;
        size_t levels = 1;
        while (hg_is_map(&hg_map_pairs(at)[1].val) && hg_value_size(&hg_map_pairs(at)[1].val) > 0) {
            at = &hg_map_pairs(at)[1].val;
            levels++;
        }
        expect_size(r, levels, r->levels);
        const hg_value *scalar = &hg_map_pairs(at)[0].val, *deeper = &hg_map_pairs(at)[1].val;
        static const uint8_t tags[] = {[BELOW_NOTHING] = HG_NULL, [BELOW_EMPTY] = HG_MAP, [BELOW_NULL] = HG_NULL,
                                       [BELOW_INVALID] = HG_INVALID, [BELOW_ALL_EMPTY_MAPS] = HG_MAP};
        expect_size(r, deeper->type, tags[r->below]);
        expect_size(r, scalar->type, r->below == BELOW_ALL_EMPTY_MAPS ? HG_MAP : HG_SIGNED);
        expect_size(r, report.reasons, r->deep_reasons);
        if (r->deep_reasons)
            expect_size(r, report.of[2].max, r->levels + 1);
        hg_value_free(&v, hg_heap());
    }
    free(pairs);
}

/* Section 10, fault 25. */
static void one_level_too_many_is_one_depth_cut_and_no_size_cut(void **state)
{
    (void)state;
    hg_source levels[22] = {[21] = {.kind = HG_SOURCE_NULL}};
    for (size_t i = 0; i < 21; i++)
        levels[i] = (hg_source){.kind = HG_SOURCE_ARRAY, .count = 1, .as.items = &levels[i + 1]};
    hg_report report;
    hg_value v = encode(&rows[0], &levels[0], &report);
    assert_int_equal(report.reasons, HG_REASON_OBJECT_TOO_DEEP);
    assert_int_equal(report.of[2].count, 1);
    hg_value_free(&v, hg_heap());
}

static void every_preset_has_its_row(void **state)
{
    (void)state;
    assert_int_equal(sizeof rows / sizeof rows[0], HG_LIMITS_PRESETS);
    for (size_t i = 0; i < HG_LIMITS_PRESETS; i++)
        assert_int_equal(rows[i].preset, i);
}

/* What the rows of 5.1 say of empty keys, bytes, and text that is not well-formed. */
static void presets_treat_odd_values_as_their_runtime_does(void **state)
{
    (void)state;
    hg_report report;
    hg_source_pair pairs[] = {{utf8("", 0), utf8("v", 1)}, {utf8("k", 1), utf8("x", 1)}};
    hg_source map = {.kind = HG_SOURCE_MAP, .count = 2, .as.pairs = pairs};
    hg_source bytes = {.kind = HG_SOURCE_BYTES, .count = 3, .as.text = "a\xFF" "b"};
    hg_source_pair one = {utf8("k", 1), bytes};
    hg_source in_map = {.kind = HG_SOURCE_MAP, .count = 1, .as.pairs = &one};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        bool skips = r->preset == HG_LIMITS_DOTNET || r->preset == HG_LIMITS_DOTNET_LEGACY;
        hg_value v = encode(r, &map, &report);
        expect_size(r, hg_value_size(&v), skips ? 1 : 2);
        const hg_value *text = &hg_map_pairs(&v)[hg_value_size(&v) - 1].val;
        expect_size(r, text->type, r->preset == HG_LIMITS_DOTNET ? HG_STRING : HG_SMALL_STRING);
        hg_value_free(&v, hg_heap());
        v = encode(r, &in_map, &report);
        const hg_value *kept = &hg_map_pairs(&v)[0].val;
        hg_slice s = hg_value_string(kept);
        switch (r->preset) {
        case HG_LIMITS_GO:
            expect_size(r, kept->type, HG_INVALID);
            break;
        case HG_LIMITS_JAVA:
            expect_size(r, hg_value_size(kept), 3);
            break;
        case HG_LIMITS_PYTHON:
            assert_true(hg_slice_equal(s, HG_SLICE("ab")));
            break;
        case HG_LIMITS_PHP:
        case HG_LIMITS_NGINX:
            assert_true(hg_slice_equal(s, HG_SLICE("a\xFF" "b")));
            break;
        default:
            assert_true(hg_slice_equal(s, HG_SLICE("a\xEF\xBF\xBD" "b")));
        }
        hg_value_free(&v, hg_heap());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_has_its_row),
        cmocka_unit_test(texts_are_cut_as_the_runtime_cuts_them),
        cmocka_unit_test(utf16_texts_are_cut_at_the_same_place_or_before_the_character),
        cmocka_unit_test(keys_are_cut_or_not_as_in_the_runtime),
        cmocka_unit_test(wide_containers_are_cut_and_their_true_size_is_told),
        cmocka_unit_test(deep_trees_end_as_in_the_runtime),
        cmocka_unit_test(one_level_too_many_is_one_depth_cut_and_no_size_cut),
        cmocka_unit_test(presets_treat_odd_values_as_their_runtime_does),
    };
    return cmocka_run_group_tests(tests, make_texts, NULL);
}
