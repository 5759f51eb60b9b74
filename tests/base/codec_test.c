/* SHA-256, hash, percent and base64: vectors of the standards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "base/percent.h"
#include "base/sha256.h"

#include <stdlib.h>

static void expect_digest(hg_slice s, const char *hex)
{
    char out[65];
    hg_sha256_hex(s, out);
    out[64] = 0;
    assert_string_equal(out, hex);
}

static void check_sha256_vectors(void)
{
    expect_digest(HG_SLICE(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest(HG_SLICE("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest(HG_SLICE("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    expect_digest(hg_slice_of(million, 1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void sha256_gives_the_standard_vectors_on_every_path(void **state)
{
    (void)state;
    hg_cpu_force(HG_CPU_AVX2);
    check_sha256_vectors();
    hg_cpu_force(HG_CPU_SCALAR);
    check_sha256_vectors();
    hg_cpu_force(HG_CPU_AVX2);
}

static void sha256_in_pieces_equals_the_whole(void **state)
{
    (void)state;
    char data[300];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    for (size_t len = 0; len < sizeof data; len += 13) {
        for (size_t cut = 0; cut <= len; cut += 11) {
            uint8_t whole[32], pieces[32];
            hg_sha256_of(hg_slice_of(data, len), whole);
            hg_sha256 h;
            hg_sha256_init(&h);
            hg_sha256_add(&h, hg_slice_of(data, cut));
            hg_sha256_add(&h, hg_slice_of(data + cut, len - cut));
            hg_sha256_end(&h, pieces);
            assert_memory_equal(whole, pieces, 32);
        }
    }
}

static void the_hash_depends_on_every_byte_the_length_and_the_seed(void **state)
{
    (void)state;
    char data[100] = {0};
    for (size_t len = 0; len <= sizeof data; len++) {
        uint64_t h = hg_hash(hg_slice_of(data, len), 1);
        assert_true(h == hg_hash(hg_slice_of(data, len), 1));
        assert_true(h != hg_hash(hg_slice_of(data, len), 2));
        if (len > 0)
            assert_true(h != hg_hash(hg_slice_of(data, len - 1), 1));
        for (size_t i = 0; i < len; i++) {
            data[i] = 1;
            assert_true(h != hg_hash(hg_slice_of(data, len), 1));
            data[i] = 0;
        }
    }
    assert_true(hg_hash_seed() != 0 && hg_hash_seed() == hg_hash_seed());
}

static void expect_percent(const char *text, bool plus, const char *expected)
{
    char out[64];
    size_t n = hg_percent_decode(hg_slice_from(text), plus, out);
    out[n] = 0;
    assert_string_equal(out, expected);
}

static void percent_decoding_leaves_bad_escapes(void **state)
{
    (void)state;
    expect_percent("a%20b+c", true, "a b c");
    expect_percent("a%20b+c", false, "a b+c");
    expect_percent("%4a%4A%zz%4%", false, "JJ%zz%4%");
    expect_percent("%%41", false, "%A");
    assert_false(hg_percent_needed(HG_SLICE("a+b"), false));
    assert_true(hg_percent_needed(HG_SLICE("a+b"), true));
}

static void base64_round_trips_the_rfc_vectors(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},         {"f", "Zg=="},         {"fo", "Zm8="},       {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        char out[32];
        size_t n = hg_b64_encode(hg_slice_from(vectors[i][0]), HG_BASE64_STANDARD, out);
        assert_true(hg_slice_equal(hg_slice_of(out, n), hg_slice_from(vectors[i][1])));
        ptrdiff_t back = hg_b64_decode(hg_slice_from(vectors[i][1]), HG_BASE64_STANDARD, out);
        assert_true(hg_slice_equal(hg_slice_of(out, (size_t)back), hg_slice_from(vectors[i][0])));
    }
}

static void base64_decoding_is_strict(void **state)
{
    (void)state;
    char out[32];
    assert_int_equal(hg_b64_decode(HG_SLICE("Zg"), HG_BASE64_URL, out), 1);
    assert_int_equal(hg_b64_decode(HG_SLICE("_-8"), HG_BASE64_URL, out), 2);
    assert_int_equal(hg_b64_decode(HG_SLICE("_-8"), HG_BASE64_STANDARD, out), -1);
    assert_int_equal(hg_b64_decode(HG_SLICE("Zh=="), HG_BASE64_STANDARD, out), -1);
    assert_int_equal(hg_b64_decode(HG_SLICE("Zg="), HG_BASE64_STANDARD, out), -1);
    assert_int_equal(hg_b64_decode(HG_SLICE("Z"), HG_BASE64_STANDARD, out), -1);
    assert_int_equal(hg_b64_decode(HG_SLICE("Zm 9v"), HG_BASE64_STANDARD, out), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_standard_vectors_on_every_path),
        cmocka_unit_test(sha256_in_pieces_equals_the_whole),
        cmocka_unit_test(the_hash_depends_on_every_byte_the_length_and_the_seed),
        cmocka_unit_test(percent_decoding_leaves_bad_escapes),
        cmocka_unit_test(base64_round_trips_the_rfc_vectors),
        cmocka_unit_test(base64_decoding_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
