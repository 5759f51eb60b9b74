/* The encoder: sources, limits, the report, and the check values of the benchmark objects. */
#include "value_expect.h"
#include "failing.h"
#include "guarded.h"
#include "hotgate/encode.h"
#include "hotgate/memory.h"
#include "nested_map.h"

#include "base/sha256.h"

#include <math.h>
#include <stdio.h>

/* ---- check values of marshalling section 8 ---- */

static void expect_digest(const hg_source *root, const hg_limits *limits, size_t bytes, const char *digest)
{
    hg_value v;
    assert_int_equal(hg_encode_source(root, limits, &v, hg_heap(), NULL), HG_OK);
    hg_buffer json = {0};
    hg_json_write(&v, 0, &json);
    char hex[65] = "";
    hg_sha256_hex(hg_slice_of(json.ptr, json.len), hex);
    hex[16] = 0;
    if (json.len != bytes || strcmp(hex, digest) != 0)
        fail_msg("%zu bytes %s instead of %zu %s: %.*s", json.len, hex, bytes, digest, 300, json.ptr);
    hg_buffer_free(&json);
    hg_value_free(&v, hg_heap());
}

static void nested_maps_have_the_known_digests(void **state)
{
    (void)state;
    struct {
        size_t depth;
        bool attack, variant;
        size_t bytes;
        const char *digest;
        size_t limited_bytes;
        const char *limited;
    } cases[] = {
        {10, false, false, 1705, "c4564f4ed6a9dd5c", 1705, "c4564f4ed6a9dd5c"},
        {10, true, false, 1740, "0c8cca722498ae7c", 1740, "0c8cca722498ae7c"},
        {100, false, false, 16780, "0ec64d34f335ccc4", 3244, "484bdbe443ba7bcd"},
        {100, true, false, 16815, "2ed4a68597ba14ed", 3279, "a5d371a8e5b9cb6b"},
        {1000, false, false, 167530, "ce04359799f98f9c", 3244, "484bdbe443ba7bcd"},
        {1000, true, false, 167565, "a9bdad30c95c5b82", 3279, "a5d371a8e5b9cb6b"},
        {20, false, true, 4160, "fdf74c0273b95238", 4010, "8432f673c29629fb"},
    };
    hg_limits none = hg_limits_of(HG_LIMITS_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int utf8 = 0; utf8 < 2; utf8++) {
            nested n = nested_map(cases[i].depth, cases[i].attack, cases[i].variant, utf8);
            expect_digest(&n.root, &none, cases[i].bytes, cases[i].digest);
            expect_digest(&n.root, NULL, cases[i].limited_bytes, cases[i].limited);
            nested_free(&n);
        }
    }
}

static void the_complex_body_has_the_known_digests(void **state)
{
    (void)state;
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    nested n = nested_complex_body(false);
    expect_digest(&n.root, &limits, 769, "fe5c8d5e730d8bc7");
    nested_free(&n);
    limits.flags |= HG_LIMIT_STRINGIFY;
    n = nested_complex_body(true);
    expect_digest(&n.root, &limits, 509, "342def4f3a29799c");
    nested_free(&n);
}

static void two_levels_are_emptied_and_reported(void **state)
{
    (void)state;
    nested n = nested_map(100, false, false, false);
    hg_report report;
    hg_report_init(&report);
    hg_value v;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_encode_source(&n.root, NULL, &v, hg_arena_allocator(&arena), &report);
    assert_int_equal(report.reasons, HG_REASON_OBJECT_TOO_DEEP);
    assert_int_equal(hg_report_reason(&report, HG_REASON_OBJECT_TOO_DEEP)->count, 2);
    assert_int_equal(hg_report_reason(&report, HG_REASON_OBJECT_TOO_DEEP)->max, 21);
    assert_true(hg_arena_used(&arena) <= 7728);
    hg_arena_close(&arena);
    nested_free(&n);
}

static void warm_encodes_do_not_allocate(void **state)
{
    (void)state;
    nested n = nested_map(100, false, false, false);
    uint64_t misses = 0;
    for (int i = 0; i < 10100; i++) {
        hg_arena arena;
        hg_value v;
        hg_arena_init(&arena, NULL);
        hg_encode_source(&n.root, NULL, &v, hg_arena_allocator(&arena), NULL);
        hg_arena_close(&arena);
        if (i == 100)
            misses = hg_pool_statistics().misses;
    }
    assert_int_equal(hg_pool_statistics().misses, misses);
    nested_free(&n);
}

/* ---- scalars ---- */

#define UTF8(s) {.kind = HG_SOURCE_UTF8, .count = sizeof(s) - 1, .as.text = (s)}
#define ARRAY(list) {.kind = HG_SOURCE_ARRAY, .count = sizeof(list) / sizeof((list)[0]), .as.items = (list)}
#define MAP(list) {.kind = HG_SOURCE_MAP, .count = sizeof(list) / sizeof((list)[0]), .as.pairs = (list)}

static void expect_source_at(int line, const hg_source *s, const hg_limits *limits, const char *expected)
{
    hg_value v;
    assert_int_equal(hg_encode_source(s, limits, &v, hg_heap(), NULL), HG_OK);
    expect_json_at(__FILE__, line, &v, expected);
}

#define expect_source(s, limits, expected) expect_source_at(__LINE__, s, limits, expected)

/* The footprint table of marshalling 2.5: bytes used by the tree, bytes held by its lease. */
static void nested_maps_hold_little_memory(void **state)
{
    (void)state;
    static const struct {
        size_t depth;
        bool variant;
        size_t used, held;
    } rows[] = {{10, false, 4024, 8192}, {100, false, 7728, 16384}, {1000, false, 7728, 16384}, {20, true, 16384, 16384}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nested n = nested_map(rows[i].depth, false, rows[i].variant, false);
        uint64_t before = hg_pool_statistics().bytes_loaned;
        hg_arena arena;
        hg_arena_init(&arena, NULL);
        hg_value v;
        assert_int_equal(hg_encode_source(&n.root, NULL, &v, hg_arena_allocator(&arena), NULL), HG_OK);
        assert_in_range(hg_arena_used(&arena), 1, rows[i].used);
        assert_in_range(hg_pool_statistics().bytes_loaned - before, 1, rows[i].held);
        hg_arena_close(&arena);
        nested_free(&n);
    }
}

static void every_integer_width_keeps_its_value(void **state)
{
    (void)state;
    struct {
        int8_t a;
        int16_t b;
        int32_t c;
        int64_t d;
        uint8_t e;
        uint16_t f;
        uint32_t g;
        uint64_t h;
        float i;
        double j;
        bool k;
        const char *l;
    } object = {INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX, 0.5f, 0.1, true, NULL};
    const hg_member members[] = {
        {{"a", 1}, offsetof(__typeof__(object), a), HG_MEMBER_INT8, 0, NULL},
        {{"b", 1}, offsetof(__typeof__(object), b), HG_MEMBER_INT16, 0, NULL},
        {{"c", 1}, offsetof(__typeof__(object), c), HG_MEMBER_INT32, 0, NULL},
        {{"d", 1}, offsetof(__typeof__(object), d), HG_MEMBER_INT64, 0, NULL},
        {{"e", 1}, offsetof(__typeof__(object), e), HG_MEMBER_UINT8, 0, NULL},
        {{"f", 1}, offsetof(__typeof__(object), f), HG_MEMBER_UINT16, 0, NULL},
        {{"g", 1}, offsetof(__typeof__(object), g), HG_MEMBER_UINT32, 0, NULL},
        {{"h", 1}, offsetof(__typeof__(object), h), HG_MEMBER_UINT64, 0, NULL},
        {{"i", 1}, offsetof(__typeof__(object), i), HG_MEMBER_FLOAT32, 0, NULL},
        {{"j", 1}, offsetof(__typeof__(object), j), HG_MEMBER_FLOAT64, 0, NULL},
        {{"skipped", 7}, offsetof(__typeof__(object), a), HG_MEMBER_INT8, HG_MEMBER_SKIP, NULL},
        {{"k", 1}, offsetof(__typeof__(object), k), HG_MEMBER_BOOL, 0, NULL},
        {{"l", 1}, offsetof(__typeof__(object), l), HG_MEMBER_C_STRING, 0, NULL},
    };
    const hg_layout layout = {members, sizeof members / sizeof members[0]};
    const hg_source_object o = {&object, &layout};
    hg_source s = {.kind = HG_SOURCE_STRUCT, .count = 1, .as.object = &o};
    expect_source(&s, NULL,
                  "{\"a\":-128,\"b\":-32768,\"c\":-2147483648,\"d\":-9223372036854775808,\"e\":255,\"f\":65535,"
                  "\"g\":4294967295,\"h\":18446744073709551615,\"i\":0.5,\"j\":0.1,\"k\":true,\"l\":null}");
}

static void numbers_as_text_find_their_kind(void **state)
{
    (void)state;
    const char *const texts[] = {"9223372036854775808", "18446744073709551615", "18446744073709551616", "1e300", "1e999",
                                 "-9223372036854775809", "abc"};
    const uint8_t kinds[] = {HG_UNSIGNED, HG_UNSIGNED, HG_FLOAT, HG_FLOAT, HG_SMALL_STRING, HG_FLOAT, HG_SMALL_STRING};
    for (size_t i = 0; i < sizeof kinds; i++) {
        hg_source s = {.kind = HG_SOURCE_NUMBER, .count = strlen(texts[i]), .as.text = texts[i]};
        hg_value v;
        hg_encode_source(&s, NULL, &v, hg_heap(), NULL);
        assert_int_equal(v.type, kinds[i]);
        hg_value_free(&v, hg_heap());
    }
}

static void signs_of_infinities_and_zero_survive(void **state)
{
    (void)state;
    const double values[] = {HUGE_VAL, -HUGE_VAL, -0.0, NAN};
    for (size_t i = 0; i < 4; i++) {
        hg_source s = {.kind = HG_SOURCE_FLOAT, .as.real = values[i]};
        hg_value v;
        hg_encode_source(&s, NULL, &v, hg_heap(), NULL);
        assert_memory_equal(&v.f64.val, &values[i], 8);
    }
}

static void vectors_and_pointers_are_followed(void **state)
{
    (void)state;
    const int32_t ints[] = {1, -2, 3};
    hg_source vector = {.kind = HG_SOURCE_VECTOR, .spare = HG_MEMBER_INT32, .count = 3, .as.vector = ints};
    expect_source(&vector, NULL, "[1,-2,3]");
    const hg_slice texts[] = {{"a", 1}, {"b", 1}};
    hg_source words = {.kind = HG_SOURCE_VECTOR, .spare = HG_MEMBER_SLICE, .count = 2, .as.vector = texts};
    expect_source(&words, NULL, "[\"a\",\"b\"]");
    hg_source chain[10] = {UTF8("end")};
    for (int i = 1; i < 10; i++)
        chain[i] = (hg_source){.kind = HG_SOURCE_POINTER, .as.target = &chain[i - 1]};
    expect_source(&chain[8], NULL, "\"end\"");
    expect_source(&chain[9], NULL, "null");
}

static void keys_that_are_not_text_become_text(void **state)
{
    (void)state;
    hg_source one = {.kind = HG_SOURCE_SIGNED, .as.integer = 1};
    hg_source_pair pairs[] = {
        {{.kind = HG_SOURCE_SIGNED, .as.integer = -5}, one}, {{.kind = HG_SOURCE_BOOL, .as.boolean = true}, one},
        {{.kind = HG_SOURCE_FLOAT, .as.real = 0.1}, one},    {{.kind = HG_SOURCE_NULL}, one},
        {{.kind = HG_SOURCE_ARRAY}, one},                    {UTF8(""), one},
        {{.kind = HG_SOURCE_UNSIGNED, .as.natural = 7}, one},
    };
    hg_source map = MAP(pairs);
    expect_source(&map, NULL, "{\"-5\":1,\"true\":1,\"0.1\":1,\"\":1,\"\":1,\"7\":1}");
    hg_report report;
    hg_report_init(&report);
    hg_value v;
    hg_encode_source(&map, NULL, &v, hg_heap(), &report);
    assert_int_equal(report.reasons, HG_REASON_UNSUPPORTED);
    hg_value_free(&v, hg_heap());
    hg_limits dotnet = hg_limits_of(HG_LIMITS_DOTNET);
    expect_source(&map, &dotnet, "{\"-5\":1,\"true\":1,\"0.1\":1,\"7\":1}");
}

/* ---- text ---- */

static void utf16_is_transcoded_with_lone_surrogates_replaced(void **state)
{
    (void)state;
    const uint16_t units[] = {0xE9, 0x4E2D, 0xD83D, 0xDE00, 0xD800, 'x', 0xDC00};
    hg_source s = {.kind = HG_SOURCE_UTF16, .count = 7, .as.units = units};
    expect_source(&s, NULL, "\"é中😀\xEF\xBF\xBDx\xEF\xBF\xBD\"");
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    limits.ill_formed = HG_ILL_FORMED_DROP;
    expect_source(&s, &limits, "\"é中😀x\"");
    limits.ill_formed = HG_ILL_FORMED_KEEP;
    hg_value v;
    hg_encode_source(&s, &limits, &v, hg_heap(), NULL);
    assert_true(hg_slice_equal(hg_value_string(&v), HG_SLICE("é中😀\xED\xA0\x80x\xED\xB0\x80")));
    hg_value_free(&v, hg_heap());
}

static void utf8_is_mended_by_policy(void **state)
{
    (void)state;
    hg_source s = UTF8("a\xff\xC3(\xE2\x82");
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    expect_source(&s, &limits, "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\"");
    limits.ill_formed = HG_ILL_FORMED_DROP;
    expect_source(&s, &limits, "\"a(\"");
    limits.ill_formed = HG_ILL_FORMED_LATIN1;
    expect_source(&s, &limits, "\"aÿÃ(â\xC2\x82\"");
}

static void latin1_and_bytes_follow_their_rules(void **state)
{
    (void)state;
    hg_source latin = {.kind = HG_SOURCE_LATIN1, .count = 4, .as.text = "caf\xe9"};
    expect_source(&latin, NULL, "\"café\"");
    hg_source bytes = {.kind = HG_SOURCE_BYTES, .count = 3, .as.text = "a\xff\0"};
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    expect_source(&bytes, &limits, "\"a\xEF\xBF\xBD\\u0000\"");
    limits.bytes = HG_BYTES_ARRAY;
    expect_source(&bytes, &limits, "[97,255,0]");
    limits.bytes = HG_BYTES_BASE64;
    expect_source(&bytes, &limits, "\"Yf8A\"");
    limits.bytes = HG_BYTES_SKIP;
    expect_source(&bytes, &limits, "null");
}

/* Length kept of a text of n times `unit`, and what the report says. */
static size_t kept_of(hg_source s, const hg_limits *limits, hg_report *report)
{
    hg_value v;
    hg_report_init(report);
    assert_int_equal(hg_encode_source(&s, limits, &v, hg_heap(), report), HG_OK);
    size_t len = hg_value_string(&v).len;
    hg_value_free(&v, hg_heap());
    return len;
}

static void texts_are_cut_at_4096_in_each_unit(void **state)
{
    (void)state;
    hg_report report;
    static char ascii[4098];
    static uint16_t wide[4098];
    memset(ascii, 'a', sizeof ascii);
    for (size_t i = 0; i < 4098; i++)
        wide[i] = 0x4E2D;
    hg_limits bytes = hg_limits_of(HG_LIMITS_DEFAULT), units = bytes, points = bytes;
    units.unit = HG_UNIT_UTF16;
    points.unit = HG_UNIT_CODE_POINTS;
    const hg_limits *all[] = {&bytes, &units, &points};
    for (size_t i = 0; i < 3; i++) {
        for (size_t n = 4095; n <= 4097; n++) {
            hg_source s = {.kind = HG_SOURCE_UTF8, .count = n, .as.text = ascii};
            assert_int_equal(kept_of(s, all[i], &report), n > 4096 ? 4096 : n);
            assert_int_equal(report.reasons, n > 4096 ? HG_REASON_STRING_TOO_LONG : 0);
            assert_int_equal(report.of[0].max, n > 4096 ? n : 0);
            s = (hg_source){.kind = HG_SOURCE_UTF16, .count = n, .as.units = wide};
            size_t wanted = i == 0 ? 4095 : n > 4096 ? 3 * 4096 : 3 * n;
            assert_int_equal(kept_of(s, all[i], &report), wanted);
            assert_int_equal(report.of[0].max, i == 0 ? 3 * n : n > 4096 ? n : 0);
        }
    }
}

static void a_cut_never_splits_a_character_or_a_pair(void **state)
{
    (void)state;
    const char text[] = "aé中😀aé中😀";
    const uint16_t units[] = {'a', 0xE9, 0x4E2D, 0xD83D, 0xDE00, 'a', 0xE9, 0x4E2D, 0xD83D, 0xDE00};
    const size_t ends[] = {0, 1, 3, 6, 10, 11, 13, 16, 20};
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    hg_report report;
    for (size_t max = 0; max <= 20; max++) {
        limits.max_string = (uint32_t)max;
        size_t wanted = 0;
        for (size_t i = 0; i < 9; i++)
            wanted = ends[i] <= max ? ends[i] : wanted;
        hg_source s = {.kind = HG_SOURCE_UTF8, .count = 20, .as.text = text};
        assert_int_equal(kept_of(s, &limits, &report), wanted);
        assert_int_equal(report.of[0].max, max < 20 ? 20 : 0);
        s = (hg_source){.kind = HG_SOURCE_UTF16, .count = 10, .as.units = units};
        assert_int_equal(kept_of(s, &limits, &report), wanted);
        assert_int_equal(report.of[0].max, max < 20 ? 20 : 0);
    }
    limits.unit = HG_UNIT_UTF16;
    limits.max_string = 4;
    hg_source s = {.kind = HG_SOURCE_UTF16, .count = 10, .as.units = units};
    assert_int_equal(kept_of(s, &limits, &report), 6);
    assert_int_equal(report.of[0].max, 10);
    s = (hg_source){.kind = HG_SOURCE_UTF8, .count = 20, .as.text = text};
    assert_int_equal(kept_of(s, &limits, &report), 6);
}

static void short_utf16_texts_end_at_their_last_unit(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 40; n++) {
        for (size_t odd = 0; odd <= n; odd++) {
            char memory[80], expected[100];
            size_t len = 0;
            for (size_t i = 0; i < n; i++) {
                uint16_t unit = i == odd ? 0xE9 : (uint16_t)('a' + i % 26);
                memcpy(memory + 2 * i, &unit, 2);
                if (i == odd) {
                    memcpy(expected + len, "é", 2);
                    len += 2;
                } else {
                    expected[len++] = (char)unit;
                }
            }
            guarded g = guarded_new(hg_slice_of(memory, 2 * n));
            hg_source s = {.kind = HG_SOURCE_UTF16, .count = n, .as.units = (const uint16_t *)(const void *)g.bytes.ptr};
            hg_value v;
            hg_encode_source(&s, NULL, &v, hg_heap(), NULL);
            assert_true(hg_slice_equal(hg_value_string(&v), hg_slice_of(expected, len)));
            assert_int_equal(v.type, len <= 14 ? HG_SMALL_STRING : HG_STRING);
            hg_value_free(&v, hg_heap());
            guarded_free(&g);
        }
    }
}

/* ---- containers ---- */

static void the_257th_entry_is_cut_and_counted(void **state)
{
    (void)state;
    static hg_source items[10000];
    static hg_source_pair pairs[10000];
    for (size_t i = 0; i < 10000; i++) {
        items[i] = (hg_source){.kind = HG_SOURCE_SIGNED, .as.integer = (int64_t)i};
        pairs[i] = (hg_source_pair){items[i], items[i]};
    }
    const size_t sizes[] = {255, 256, 257, 10000};
    for (size_t i = 0; i < 4; i++) {
        for (int map = 0; map < 2; map++) {
            hg_source s = {.kind = map ? HG_SOURCE_MAP : HG_SOURCE_ARRAY, .count = sizes[i]};
            if (map)
                s.as.pairs = pairs;
            else
                s.as.items = items;
            hg_report report;
            hg_report_init(&report);
            hg_value v;
            hg_encode_source(&s, NULL, &v, hg_heap(), &report);
            assert_int_equal(hg_value_size(&v), sizes[i] < 256 ? sizes[i] : 256);
            assert_int_equal(hg_value_capacity(&v), hg_value_size(&v));
            assert_int_equal(report.reasons, sizes[i] > 256 ? HG_REASON_CONTAINER_TOO_LARGE : 0);
            assert_int_equal(report.of[1].max, sizes[i] > 256 ? sizes[i] : 0);
            hg_value_free(&v, hg_heap());
        }
    }
}

static void containers_beyond_65535_entries_become_wide(void **state)
{
    (void)state;
    size_t n = 65537;
    hg_source *items = calloc(n, sizeof *items);
    hg_limits none = hg_limits_of(HG_LIMITS_NONE);
    for (size_t count = 65535; count <= n; count++) {
        hg_source s = {.kind = HG_SOURCE_ARRAY, .count = count, .as.items = items};
        hg_value v;
        hg_encode_source(&s, &none, &v, hg_heap(), NULL);
        assert_int_equal(v.type, count > 65535 ? HG_WIDE_ARRAY : HG_ARRAY);
        assert_int_equal(hg_value_size(&v), count);
        hg_value_free(&v, hg_heap());
    }
    free(items);
}

static void a_cycle_is_cut_but_a_repeat_is_not(void **state)
{
    (void)state;
    hg_source inner[1] = {UTF8("x")};
    hg_source twice[2] = {ARRAY(inner), ARRAY(inner)};
    hg_source root = ARRAY(twice);
    expect_source(&root, NULL, "[[\"x\"],[\"x\"]]");
    hg_source_pair pair[1] = {{UTF8("self"), {.kind = HG_SOURCE_NULL}}};
    hg_source map = MAP(pair);
    pair[0].val = map;
    hg_report report;
    hg_report_init(&report);
    hg_value v;
    hg_encode_source(&map, NULL, &v, hg_heap(), &report);
    assert_int_equal(hg_map_pairs(&v)[0].val.type, HG_INVALID);
    assert_int_equal(report.reasons, HG_REASON_CYCLE);
    assert_int_equal(report.of[4].count, 1);
    hg_value_free(&v, hg_heap());
    hg_source loop[2] = {UTF8("a"), {.kind = HG_SOURCE_NULL}};
    hg_source array = ARRAY(loop);
    loop[1] = array;
    expect_source(&array, NULL, "[\"a\"]");
}

static void the_first_place_is_a_json_pointer(void **state)
{
    (void)state;
    static char text[5000];
    memset(text, 'x', sizeof text);
    hg_source long_text = {.kind = HG_SOURCE_UTF8, .count = 5000, .as.text = text};
    hg_source items[] = {UTF8("a"), long_text};
    hg_source_pair pairs[] = {{UTF8("first"), UTF8("1")}, {UTF8("a/b~c"), ARRAY(items)}};
    hg_source map = MAP(pairs);
    hg_report report;
    hg_report_init(&report);
    hg_value v;
    hg_encode_source(&map, NULL, &v, hg_heap(), &report);
    assert_string_equal(report.path, "/a~1b~0c/1");
    hg_value_free(&v, hg_heap());
}

static void an_existing_value_can_be_limited_again(void **state)
{
    (void)state;
    hg_value v;
    hg_json_read(HG_SLICE("{\"a\":[1,2,3],\"b\":{\"c\":{\"d\":1}},\"e\":\"0123456789012345\"}"), NULL, &v, hg_heap(), NULL);
    hg_limits limits = {.max_depth = 2, .max_entries = 2, .max_string = 5};
    hg_source s = {.kind = HG_SOURCE_VALUE, .as.value = &v};
    expect_source(&s, &limits, "{\"a\":[1,2],\"b\":{\"c\":{}}}");
    hg_value_free(&v, hg_heap());
}

static void sorted_maps_are_cut_deterministically(void **state)
{
    (void)state;
    hg_source one = {.kind = HG_SOURCE_SIGNED, .as.integer = 1};
    hg_source_pair pairs[] = {{UTF8("c"), one}, {UTF8("a"), one}, {UTF8("b"), one}, {UTF8("ab"), one}};
    hg_source map = MAP(pairs);
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    limits.flags = HG_LIMIT_SORT_KEYS;
    limits.max_entries = 3;
    expect_source(&map, &limits, "{\"a\":1,\"ab\":1,\"b\":1}");
}

static void duplicates_go_by_policy(void **state)
{
    (void)state;
    hg_source_pair pairs[] = {{UTF8("a"), UTF8("1")}, {UTF8("b"), UTF8("a long text on the heap")}, {UTF8("a"), UTF8("2")}};
    hg_source map = MAP(pairs);
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    expect_source(&map, &limits, "{\"a\":\"1\",\"b\":\"a long text on the heap\",\"a\":\"2\"}");
    limits.duplicates = HG_DUPLICATES_FIRST;
    expect_source(&map, &limits, "{\"a\":\"1\",\"b\":\"a long text on the heap\"}");
    limits.duplicates = HG_DUPLICATES_LAST;
    expect_source(&map, &limits, "{\"a\":\"2\",\"b\":\"a long text on the heap\"}");
}

static void each_failed_allocation_is_an_error_without_a_leak(void **state)
{
    (void)state;
    nested n = nested_map(3, true, true, false);
    for (size_t at = 0;; at++) {
        failing f;
        failing_init(&f, at);
        hg_value v;
        hg_status status = hg_encode_source(&n.root, NULL, &v, &f.allocator, NULL);
        if (f.calls <= at) {
            assert_int_equal(status, HG_OK);
            hg_value_free(&v, &f.allocator);
            assert_int_equal(f.live_bytes, 0);
            break;
        }
        assert_int_equal(status, HG_ERR_NOMEM);
        assert_int_equal(v.type, HG_INVALID);
        assert_int_equal(f.live_blocks, 0);
    }
    nested_free(&n);
}

static void an_expired_deadline_closes_what_is_open(void **state)
{
    (void)state;
    nested n = nested_map(10, false, false, false);
    hg_limits limits = hg_limits_of(HG_LIMITS_DEFAULT);
    limits.deadline_ns = 1;
    hg_report report;
    hg_report_init(&report);
    hg_value v;
    assert_int_equal(hg_encode_source(&n.root, &limits, &v, hg_heap(), &report), HG_OK);
    assert_true(hg_is_map(&v));
    assert_int_equal(report.reasons, HG_REASON_TIMEOUT);
    assert_int_equal(report.of[6].count, 1);
    hg_value_free(&v, hg_heap());
    nested_free(&n);
}

/* ---- pushing ---- */

static void pushed_events_build_the_same_tree(void **state)
{
    (void)state;
    hg_encoder *e = hg_encoder_new();
    for (int round = 0; round < 2; round++) {
        hg_value v;
        hg_encode_begin(e, NULL, hg_heap(), NULL);
        hg_encode_open_map(e, NULL);
        hg_encode_key_literal(e, HG_SLICE("server.request.query"));
        assert_true(hg_encode_open_array(e, NULL));
        hg_encode_utf8(e, HG_SLICE("x"));
        hg_encode_invalid(e);
        hg_encode_float(e, 1.5);
        hg_encode_close(e);
        hg_encode_key_utf8(e, HG_SLICE("gone"));
        hg_encode_invalid(e);
        hg_encode_key_unusable(e);
        hg_encode_open_map(e, NULL);
        hg_encode_key_utf8(e, HG_SLICE("inside"));
        hg_encode_null(e);
        hg_encode_close(e);
        hg_encode_key_unsigned(e, 3);
        hg_encode_bool(e, true);
        assert_int_equal(hg_encode_end(e, &v), HG_OK);
        expect_json(&v, "{\"server.request.query\":[\"x\",1.5],\"gone\":null,\"3\":true}");
    }
    hg_value v;
    hg_encode_begin(e, NULL, hg_heap(), NULL);
    assert_int_equal(hg_encode_end(e, &v), HG_ERR_ARGUMENT);
    hg_encoder_free(e);
}

static void skipped_entries_count_towards_the_true_size(void **state)
{
    (void)state;
    hg_limits limits = {.max_depth = 20, .max_entries = 2, .max_string = 10};
    hg_report report;
    hg_report_init(&report);
    hg_encoder *e = hg_encoder_new();
    hg_value v;
    hg_encode_begin(e, &limits, hg_heap(), &report);
    hg_encode_open_array(e, NULL);
    hg_encode_null(e);
    assert_true(hg_encode_wants_more(e));
    hg_encode_null(e);
    assert_false(hg_encode_wants_more(e));
    hg_encode_skipped(e, 40);
    hg_encode_close(e);
    hg_encode_end(e, &v);
    expect_json(&v, "[null,null]");
    assert_int_equal(report.of[1].max, 42);
    hg_encoder_free(e);
}

static void depth_policies_replace_what_is_too_deep(void **state)
{
    (void)state;
    struct {
        hg_deep deep;
        const char *expected;
    } cases[] = {
        {HG_DEEP_EMPTY, "{\"m\":{\"k\":[],\"s\":1},\"a\":[[],2]}"},
        {HG_DEEP_NULL, "{\"m\":{\"k\":null,\"s\":1},\"a\":[null,2]}"},
        {HG_DEEP_INVALID, "{\"m\":{\"k\":null,\"s\":1},\"a\":[2]}"},
        {HG_DEEP_DROP, "{\"m\":{\"s\":1},\"a\":[2]}"},
        {HG_DEEP_MAP, "{\"m\":{\"k\":{},\"s\":1},\"a\":[{},2]}"},
        {HG_DEEP_CHILDREN_MAP, "{\"m\":{\"k\":{},\"s\":{}},\"a\":[{},{}]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hg_value v;
        hg_json_read(HG_SLICE("{\"m\":{\"k\":[1],\"s\":1},\"a\":[[1],2]}"), NULL, &v, hg_heap(), NULL);
        hg_limits limits = {.max_depth = 2, .max_entries = 256, .max_string = 10, .deep = (uint8_t)cases[i].deep};
        hg_source s = {.kind = HG_SOURCE_VALUE, .as.value = &v};
        expect_source(&s, &limits, cases[i].expected);
        hg_value_free(&v, hg_heap());
    }
}

static void total_budgets_stop_the_whole_tree(void **state)
{
    (void)state;
    hg_value v;
    hg_json_read(HG_SLICE("{\"a\":[1,2,3],\"b\":[4,5,6]}"), NULL, &v, hg_heap(), NULL);
    hg_source s = {.kind = HG_SOURCE_VALUE, .as.value = &v};
    hg_limits limits = {.max_depth = 20, .max_entries = 256, .max_string = 10, .max_total = 7};
    expect_source(&s, &limits, "{\"a\":[1,2,3],\"b\":[4]}");
    limits.flags = HG_LIMIT_TOTAL_KEYS;
    expect_source(&s, &limits, "{\"a\":[1,2,3]}");
    hg_value_free(&v, hg_heap());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_maps_have_the_known_digests),
        cmocka_unit_test(the_complex_body_has_the_known_digests),
        cmocka_unit_test(two_levels_are_emptied_and_reported),
        cmocka_unit_test(warm_encodes_do_not_allocate),
        cmocka_unit_test(nested_maps_hold_little_memory),
        cmocka_unit_test(every_integer_width_keeps_its_value),
        cmocka_unit_test(numbers_as_text_find_their_kind),
        cmocka_unit_test(signs_of_infinities_and_zero_survive),
        cmocka_unit_test(vectors_and_pointers_are_followed),
        cmocka_unit_test(keys_that_are_not_text_become_text),
        cmocka_unit_test(utf16_is_transcoded_with_lone_surrogates_replaced),
        cmocka_unit_test(utf8_is_mended_by_policy),
        cmocka_unit_test(latin1_and_bytes_follow_their_rules),
        cmocka_unit_test(texts_are_cut_at_4096_in_each_unit),
        cmocka_unit_test(a_cut_never_splits_a_character_or_a_pair),
        cmocka_unit_test(short_utf16_texts_end_at_their_last_unit),
        cmocka_unit_test(the_257th_entry_is_cut_and_counted),
        cmocka_unit_test(containers_beyond_65535_entries_become_wide),
        cmocka_unit_test(a_cycle_is_cut_but_a_repeat_is_not),
        cmocka_unit_test(the_first_place_is_a_json_pointer),
        cmocka_unit_test(an_existing_value_can_be_limited_again),
        cmocka_unit_test(sorted_maps_are_cut_deterministically),
        cmocka_unit_test(duplicates_go_by_policy),
        cmocka_unit_test(each_failed_allocation_is_an_error_without_a_leak),
        cmocka_unit_test(an_expired_deadline_closes_what_is_open),
        cmocka_unit_test(pushed_events_build_the_same_tree),
        cmocka_unit_test(skipped_entries_count_towards_the_true_size),
        cmocka_unit_test(depth_policies_replace_what_is_too_deep),
        cmocka_unit_test(total_budgets_stop_the_whole_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
