/* Random values against msgpack-c, both ways: what it packs we read as it does, what we write it unpacks as we do. Skipped
 * when the library is absent. SEED and ROUNDS in the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "guarded.h"
#include "hotgate/msgpack.h"

#include <msgpack.h>

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

/* An integer whose size is random too, so that every format and every edge comes. */
static uint64_t random_bits(void)
{
    uint64_t x = next() >> next() % 64;
    return next() % 4 == 0 ? (UINT64_C(1) << next() % 64) - next() % 3 : x;
}

static size_t random_text(char *text)
{
    static const char *const pieces[] = {"a", "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80", "key", " long piece of text "};
    static const size_t counts[] = {0, 1, 5, 31, 32, 40, 300};
    size_t n = 0;
    for (size_t i = counts[next() % 7]; i > 0; i--) {
        const char *piece = pieces[next() % 6];
        memcpy(text + n, piece, strlen(piece));
        n += strlen(piece);
    }
    return n;
}

enum { TEXT_ROOM = 8192, DEEPEST = 5 };

static void pack_text(msgpack_packer *p)
{
    char text[TEXT_ROOM];
    size_t n = random_text(text);
    msgpack_pack_str(p, n);
    msgpack_pack_str_body(p, text, n);
}

static void pack_random(msgpack_packer *p, int depth)
{
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17};
    size_t n = sizes[next() % 6];
    switch (next() % (depth < DEEPEST ? 9 : 7)) {
    case 0:
        msgpack_pack_nil(p);
        return;
    case 1:
        next() % 2 ? msgpack_pack_true(p) : msgpack_pack_false(p);
        return;
    case 2:
        msgpack_pack_uint64(p, random_bits());
        return;
    case 3:
        msgpack_pack_int64(p, -(int64_t)(random_bits() >> 1));
        return;
    case 4:
        msgpack_pack_double(p, (double)(int64_t)next() / 65536);
        return;
    case 5:
        msgpack_pack_float(p, (float)(int32_t)next() / 16);
        return;
    case 6:
        pack_text(p);
        return;
    case 7:
        msgpack_pack_array(p, depth > 2 ? n % 3 : n);
        for (size_t i = depth > 2 ? n % 3 : n; i > 0; i--)
            pack_random(p, depth + 1);
        return;
    default:
        msgpack_pack_map(p, depth > 2 ? n % 3 : n);
        for (size_t i = depth > 2 ? n % 3 : n; i > 0; i--) {
            pack_text(p);
            pack_random(p, depth + 1);
        }
    }
}

static bool same_text(const msgpack_object *theirs, const hg_value *ours)
{
    return theirs->type == MSGPACK_OBJECT_STR &&
           hg_slice_equal(hg_slice_of(theirs->via.str.ptr, theirs->via.str.size), hg_value_string(ours));
}

static bool same(const msgpack_object *theirs, const hg_value *ours)
{
    switch (theirs->type) {
    case MSGPACK_OBJECT_NIL:
        return ours->type == HG_NULL;
    case MSGPACK_OBJECT_BOOLEAN:
        return ours->type == HG_BOOL && ours->b8.val == theirs->via.boolean;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return ours->type == HG_UNSIGNED && ours->u64.val == theirs->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return ours->type == HG_SIGNED && ours->i64.val == theirs->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return ours->type == HG_FLOAT && memcmp(&ours->f64.val, &theirs->via.f64, 8) == 0;
    case MSGPACK_OBJECT_STR:
        return hg_is_string(ours) && same_text(theirs, ours);
    case MSGPACK_OBJECT_ARRAY:
        if (!hg_is_array(ours) || hg_value_size(ours) != theirs->via.array.size)
            return false;
        for (size_t i = 0; i < theirs->via.array.size; i++) {
            if (!same(&theirs->via.array.ptr[i], &hg_array_items(ours)[i]))
                return false;
        }
        return true;
    case MSGPACK_OBJECT_MAP:
        if (!hg_is_map(ours) || hg_value_size(ours) != theirs->via.map.size)
            return false;
        for (size_t i = 0; i < theirs->via.map.size; i++) {
            if (!same_text(&theirs->via.map.ptr[i].key, &hg_map_pairs(ours)[i].key) ||
                !same(&theirs->via.map.ptr[i].val, &hg_map_pairs(ours)[i].val))
                return false;
        }
        return true;
    default:
        return false;
    }
}

static void expect_same(const char *bytes, size_t len, const hg_value *ours, uint64_t round)
{
    msgpack_unpacked theirs;
    msgpack_unpacked_init(&theirs);
    if (msgpack_unpack_next(&theirs, bytes, len, NULL) != MSGPACK_UNPACK_SUCCESS || !same(&theirs.data, ours))
        fail_msg("round %llu: %zu bytes are read differently", (unsigned long long)round, len);
    msgpack_unpacked_destroy(&theirs);
}

static void random_values_are_the_same_on_both_sides(void **state)
{
    (void)state;
    const char *rounds = getenv("ROUNDS"), *given = getenv("SEED");
    seed = given ? strtoull(given, NULL, 10) : 20250101;
    uint64_t most = rounds ? strtoull(rounds, NULL, 10) : 4000;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < most; round++) {
        msgpack_sbuffer packed;
        msgpack_packer p;
        msgpack_sbuffer_init(&packed);
        msgpack_packer_init(&p, &packed, msgpack_sbuffer_write);
        pack_random(&p, 0);
        guarded g = guarded_new(hg_slice_of(packed.data, packed.size));
        hg_value v;
        size_t used;
        assert_int_equal(hg_msgpack_read(g.bytes, NULL, &v, &used, hg_heap()), HG_OK);
        assert_int_equal(used, packed.size);
        expect_same(packed.data, packed.size, &v, round);
        hg_buffer written = {0};
        assert_int_equal(hg_msgpack_write(&v, &written), 0);
        expect_same(written.ptr, written.len, &v, round);
        assert_true(written.len <= packed.size || memchr(packed.data, 0xCA, packed.size) != NULL);
        guarded_free(&g);
        hg_value_free(&v, hg_heap());
        hg_buffer_free(&written);
        msgpack_sbuffer_destroy(&packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_values_are_the_same_on_both_sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
