/* Random sources under random limits: what the encoder builds is well-made down to the last byte of each block, the same in
 * an arena and from an allocator, the same from pushed events, and reads back as it was. SEED and ROUNDS in the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hotgate/encode.h"
#include "hotgate/msgpack.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- random sources ---- */

enum { SOURCES = 4096, UNITS = 65536 };

static hg_source sources[SOURCES];
static uint16_t units[UNITS];
static char bytes[UNITS];
static size_t sources_used, units_used, bytes_used;

static void random_text(hg_source *s)
{
    static const uint16_t alphabet[] = {'a', 'b', '/', '~', ' ', 0, 0xE9, 0x4E2D, 0xD83D, 0xDE00, 0xD83D, 0xDE00, 0xFFFD};
    static const uint8_t lengths[] = {0, 1, 3, 4, 7, 8, 13, 14, 15, 16, 22, 40};
    bool plain = next() % 3 != 0;
    s->count = lengths[next() % sizeof lengths];
    s->kind = next() % 2 ? HG_SOURCE_UTF16 : next() % 4 ? HG_SOURCE_UTF8 : HG_SOURCE_LATIN1;
    if (units_used + s->count > UNITS || bytes_used + s->count > UNITS)
        s->count = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint16_t unit = plain ? 'a' + next() % 26 : alphabet[next() % 13];
        units[units_used + i] = unit;
        bytes[bytes_used + i] = (char)(plain || next() % 4 ? unit & 0x7F : next());
    }
    if (s->kind == HG_SOURCE_UTF16) {
        s->as.units = units + units_used;
        units_used += s->count;
    } else {
        s->as.text = bytes + bytes_used;
        bytes_used += s->count;
    }
}

static hg_source random_source(int depth);

static void random_container(hg_source *s, int depth)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 5, 9, 14};
    s->kind = next() % 2 ? HG_SOURCE_MAP : HG_SOURCE_ARRAY;
    s->count = sizes[next() % sizeof sizes];
    size_t slots = s->kind == HG_SOURCE_MAP ? 2 * s->count : s->count;
    if (sources_used + slots > SOURCES)
        slots = s->count = 0;
    hg_source *first = sources + sources_used;
    sources_used += slots;
    s->as.items = first;
    for (size_t i = 0; i < slots; i++) {
        if (s->kind == HG_SOURCE_MAP && i % 2 == 0)
            random_text(memset(&first[i], 0, sizeof first[i]));
        else
            first[i] = random_source(depth + 1);
    }
    if (s->kind == HG_SOURCE_MAP && slots > 0 && next() % 8 == 0)
        first[0] = (hg_source){.kind = next() % 2 ? HG_SOURCE_SIGNED : HG_SOURCE_ARRAY, .as.integer = -7};
    if (slots > 1 && next() % 16 == 0)
        first[1] = *s; /* a cycle */
}

static hg_source random_source(int depth)
{
    hg_source s = {.kind = HG_SOURCE_NULL};
    switch (next() % (depth < 7 ? 12 : 8)) {
    case 0:
        s.kind = HG_SOURCE_BOOL;
        s.as.boolean = next() % 2;
        return s;
    case 1:
        s.kind = next() % 2 ? HG_SOURCE_SIGNED : HG_SOURCE_UNSIGNED;
        s.as.natural = next() >> next() % 64;
        return s;
    case 2:
        s.kind = HG_SOURCE_FLOAT;
        s.as.real = (double)(int64_t)next() / 1024;
        return s;
    case 3:
        s.kind = next() % 2 ? HG_SOURCE_INVALID : HG_SOURCE_NULL;
        return s;
    case 4:
    case 5:
    case 6:
    case 7:
        random_text(&s);
        return s;
    default:
        random_container(&s, depth);
        return s;
    }
}

static hg_limits random_limits(void)
{
    hg_limits limits = hg_limits_of((hg_limits_preset)(next() % HG_LIMITS_PRESETS));
    if (next() % 4 == 0)
        return limits;
    limits.max_depth = 1 + (uint32_t)next() % 6;
    limits.max_entries = 1 + (uint32_t)next() % 8;
    limits.max_string = 1 + (uint32_t)next() % 20;
    limits.max_key = (uint32_t)next() % 20;
    limits.deep = (uint8_t)(next() % 6);
    limits.ill_formed = (uint8_t)(next() % 4);
    limits.duplicates = (uint8_t)(next() % 3);
    limits.unit = (uint8_t)(next() % 3);
    if (next() % 4 == 0)
        limits.max_total = 1 + (uint32_t)next() % 30;
    return limits;
}

/* ---- an allocator that knows its blocks ---- */

typedef struct block {
    char *ptr;
    size_t size, alignment;
    bool seen;
} block;

enum { BLOCKS = 8192 };

static block blocks[BLOCKS];
static size_t block_count;

static void *blocks_acquire(void *state, size_t size, size_t alignment)
{
    (void)state;
    assert_true(block_count < BLOCKS);
    block *b = &blocks[block_count++];
    *b = (block){malloc(size), size, alignment, false};
    return b->ptr;
}

static block *block_of(const void *ptr)
{
    for (size_t i = 0; i < block_count; i++) {
        if (blocks[i].ptr == ptr)
            return &blocks[i];
    }
    fail_msg("a pointer that is no block");
    return NULL;
}

static void blocks_release(void *state, void *ptr, size_t size, size_t alignment)
{
    (void)state;
    block *b = block_of(ptr);
    assert_int_equal(b->size, size);
    assert_int_equal(b->alignment, alignment);
    free(ptr);
    *b = blocks[--block_count];
}

static const hg_allocator recording = {blocks_acquire, blocks_release, NULL};

/* ---- the structural checker ---- */

typedef struct span {
    uintptr_t from, to;
} span;

static span spans[BLOCKS];
static size_t span_count;

static void check_span(const void *ptr, size_t size, size_t alignment, bool owned)
{
    assert_int_equal((uintptr_t)ptr % alignment, 0);
    if (owned) {
        block *b = block_of(ptr);
        assert_int_equal(b->size, size);
        assert_int_equal(b->alignment, alignment);
        assert_false(b->seen);
        b->seen = true;
        return;
    }
    assert_true(span_count < BLOCKS);
    spans[span_count++] = (span){(uintptr_t)ptr, (uintptr_t)ptr + size};
}

static void check_tree(const hg_value *v, bool owned, int depth)
{
    assert_true(depth < 64);
    switch (v->type) {
    case HG_INVALID:
    case HG_NULL:
    case HG_BOOL:
    case HG_SIGNED:
    case HG_UNSIGNED:
    case HG_FLOAT:
        return;
    case HG_SMALL_STRING:
        assert_true(v->sstr.size <= HG_SMALL_STRING_MAX);
        for (size_t i = v->sstr.size; i < HG_SMALL_STRING_MAX; i++)
            assert_int_equal(v->sstr.data[i], 0);
        return;
    case HG_STRING:
        assert_true(v->str.size > 0);
        check_span(v->str.ptr, v->str.size, 1, owned);
        return;
    case HG_ARRAY:
    case HG_MAP:
        break;
    default:
        fail_msg("tag 0x%02x", v->type);
    }
    size_t size = hg_value_size(v), capacity = hg_value_capacity(v);
    assert_true(size <= capacity);
    assert_int_equal(capacity == 0, v->wide.ptr == NULL);
    if (capacity > 0)
        check_span(v->wide.ptr, capacity * (hg_is_map(v) ? sizeof(hg_pair) : sizeof(hg_value)), 8, owned);
    for (size_t i = 0; i < size; i++) {
        if (hg_is_map(v)) {
            assert_true(hg_is_string(&hg_map_pairs(v)[i].key));
            check_tree(&hg_map_pairs(v)[i].key, owned, depth + 1);
            check_tree(&hg_map_pairs(v)[i].val, owned, depth + 1);
        } else {
            check_tree(&hg_array_items(v)[i], owned, depth + 1);
        }
    }
}

static int by_start(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void check_borrowed(const hg_value *v, const hg_arena *arena)
{
    span_count = 0;
    check_tree(v, false, 0);
    qsort(spans, span_count, sizeof spans[0], by_start);
    size_t sum = 0;
    for (size_t i = 0; i < span_count; i++) {
        sum += spans[i].to - spans[i].from;
        assert_true(i == 0 || spans[i - 1].to <= spans[i].from);
    }
    assert_true(sum <= hg_arena_used(arena));
}

static void check_owned(const hg_value *v)
{
    check_tree(v, true, 0);
    for (size_t i = 0; i < block_count; i++)
        assert_true(blocks[i].seen);
}

/* ---- pushed events ---- */

static void push(hg_encoder *e, const hg_source *s, int depth);

static void push_key(hg_encoder *e, const hg_source *key)
{
    hg_slice text = hg_slice_of(key->as.text, key->count);
    if (key->kind == HG_SOURCE_UTF16)
        hg_encode_key_utf16(e, key->as.units, key->count);
    else if (key->kind == HG_SOURCE_LATIN1)
        hg_encode_key_latin1(e, text);
    else if (key->kind == HG_SOURCE_UTF8)
        hg_encode_key_utf8(e, text);
    else if (key->kind == HG_SOURCE_SIGNED)
        hg_encode_key_signed(e, key->as.integer);
    else
        hg_encode_key_unusable(e);
}

static void push_container(hg_encoder *e, const hg_source *s, int depth)
{
    bool map = s->kind == HG_SOURCE_MAP;
    bool wanted = map ? hg_encode_open_map(e, s->as.items) : hg_encode_open_array(e, s->as.items);
    size_t i = 0;
    for (; wanted && i < s->count; i++) {
        if (map) {
            push_key(e, &s->as.pairs[i].key);
            push(e, &s->as.pairs[i].val, depth + 1);
        } else {
            push(e, &s->as.items[i], depth + 1);
        }
    }
    hg_encode_skipped(e, s->count - i);
    hg_encode_close(e);
}

static void push(hg_encoder *e, const hg_source *s, int depth)
{
    hg_slice text = hg_slice_of(s->as.text, s->count);
    switch (s->kind) {
    case HG_SOURCE_BOOL:
        hg_encode_bool(e, s->as.boolean);
        return;
    case HG_SOURCE_SIGNED:
        hg_encode_signed(e, s->as.integer);
        return;
    case HG_SOURCE_UNSIGNED:
        hg_encode_unsigned(e, s->as.natural);
        return;
    case HG_SOURCE_FLOAT:
        hg_encode_float(e, s->as.real);
        return;
    case HG_SOURCE_UTF16:
        hg_encode_utf16(e, s->as.units, s->count);
        return;
    case HG_SOURCE_UTF8:
        hg_encode_utf8(e, text);
        return;
    case HG_SOURCE_LATIN1:
        hg_encode_latin1(e, text);
        return;
    case HG_SOURCE_NULL:
        hg_encode_null(e);
        return;
    case HG_SOURCE_ARRAY:
    case HG_SOURCE_MAP:
        push_container(e, s, depth);
        return;
    default:
        hg_encode_invalid(e);
    }
}

/* ---- the tests ---- */

static void expect_equal(const hg_value *a, const hg_value *b, uint64_t round, const char *what)
{
    hg_buffer x = {0}, y = {0};
    hg_json_write(a, 0, &x);
    hg_json_write(b, 0, &y);
    if (!hg_value_equal(a, b))
        fail_msg("round %llu, %s: %.*s\ninstead of %.*s", (unsigned long long)round, what, (int)y.len, y.ptr, (int)x.len,
                 x.ptr);
    hg_buffer_free(&x);
    hg_buffer_free(&y);
}

static void expect_same_report(const hg_report *a, const hg_report *b, uint64_t round, const char *what)
{
    if (a->reasons != b->reasons || memcmp(a->of, b->of, sizeof a->of) != 0 || strcmp(a->path, b->path) != 0)
        fail_msg("round %llu, %s: reasons %x at %s instead of %x at %s; too large %llu instead of %llu",
                 (unsigned long long)round, what, b->reasons, b->path, a->reasons, a->path,
                 (unsigned long long)b->of[1].sum, (unsigned long long)a->of[1].sum);
}

/* decode(encode(decode(o))) = decode(o), over JSON and MessagePack, kinds included. */
static void check_round_trip(const hg_value *v, uint64_t round)
{
    hg_buffer json = {0}, again = {0}, pack = {0};
    hg_value back;
    assert_int_equal(hg_json_write(v, 0, &json), 0);
    assert_int_equal(hg_json_read(hg_slice_of(json.ptr, json.len), NULL, &back, hg_heap(), NULL), HG_OK);
    hg_json_write(&back, 0, &again);
    assert_int_equal(json.len, again.len);
    assert_memory_equal(json.ptr, again.ptr, json.len);
    hg_value_free(&back, hg_heap());
    assert_int_equal(hg_msgpack_write(v, &pack), 0);
    assert_int_equal(hg_msgpack_read(hg_slice_of(pack.ptr, pack.len), NULL, &back, NULL, hg_heap()), HG_OK);
    again.len = 0;
    hg_json_write(&back, 0, &again);
    assert_int_equal(json.len, again.len);
    if (memcmp(json.ptr, again.ptr, json.len) != 0)
        fail_msg("round %llu: MessagePack", (unsigned long long)round);
    hg_value_free(&back, hg_heap());
    hg_buffer_free(&json);
    hg_buffer_free(&again);
    hg_buffer_free(&pack);
}

static void one_round(uint64_t round)
{
    sources_used = units_used = bytes_used = 0;
    hg_source root = {.kind = HG_SOURCE_NULL};
    random_container(&root, 0);
    hg_limits limits = random_limits();
    hg_report borrowed_report, owned_report, pushed_report;
    hg_report_init(&borrowed_report);
    hg_report_init(&owned_report);
    hg_report_init(&pushed_report);
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value borrowed, owned, pushed;
    assert_int_equal(hg_encode_source(&root, &limits, &borrowed, hg_arena_allocator(&arena), &borrowed_report), HG_OK);
    assert_int_equal(hg_encode_source(&root, &limits, &owned, &recording, &owned_report), HG_OK);
    check_borrowed(&borrowed, &arena);
    check_owned(&owned);
    expect_equal(&borrowed, &owned, round, "owned");
    expect_same_report(&borrowed_report, &owned_report, round, "owned");
    hg_encoder *e = hg_encoder_new();
    hg_encode_begin(e, &limits, hg_heap(), &pushed_report);
    push(e, &root, 0);
    assert_int_equal(hg_encode_end(e, &pushed), HG_OK);
    expect_equal(&borrowed, &pushed, round, "pushed");
    expect_same_report(&borrowed_report, &pushed_report, round, "pushed");
    if (limits.ill_formed != HG_ILL_FORMED_KEEP && !(limits.flags & HG_LIMIT_SPLIT))
        check_round_trip(&borrowed, round);
    hg_encoder_free(e);
    hg_value_free(&pushed, hg_heap());
    hg_value_free(&owned, &recording);
    assert_int_equal(block_count, 0);
    hg_arena_close(&arena);
}

static void random_trees_are_well_made_however_they_are_built(void **state)
{
    (void)state;
    const char *rounds = getenv("ROUNDS"), *given = getenv("SEED");
    seed = given ? strtoull(given, NULL, 10) : 81;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    uint64_t most = rounds ? strtoull(rounds, NULL, 10) : 3000;
    for (uint64_t round = 0; round < most; round++)
        one_round(round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_trees_are_well_made_however_they_are_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
