/* Transcoding: every code point, every boundary, every level of the CPU against a slow model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/utf.h"
#include "guarded.h"

#include <stdio.h>

static const hg_cpu_level levels[] = {HG_CPU_SCALAR, HG_CPU_SSSE3, HG_CPU_AVX2};
enum { LEVELS = 3 };

/* ---- the slow model ---- */

static size_t model_utf16(const uint16_t *u, size_t n, char *out, size_t room, hg_text_policy policy, size_t *read,
                          size_t *replaced)
{
    size_t w = 0, i = 0;
    *replaced = 0;
    while (i < n) {
        uint32_t cp = u[i];
        size_t used = 1, lone = 0;
        char text[4];
        if (cp >= 0xD800 && cp <= 0xDBFF && i + 1 < n && u[i + 1] >= 0xDC00 && u[i + 1] <= 0xDFFF) {
            cp = 0x10000 + (cp - 0xD800) * 0x400 + (u[i + 1] - 0xDC00u);
            used = 2;
        } else if (cp >= 0xD800 && cp <= 0xDFFF) {
            lone = 1;
            cp = policy == HG_TEXT_REPLACE ? 0xFFFD : cp;
        }
        size_t len = lone && policy == HG_TEXT_DROP ? 0 : hg_utf8_encode(cp, text);
        if (w + len > room)
            break;
        memcpy(out + w, text, len);
        w += len;
        i += used;
        *replaced += lone;
    }
    *read = i;
    return w;
}

/* Through every level, input and output ending at an unreadable page. */
static void check_utf16(const uint16_t *units, size_t n, size_t room, hg_text_policy policy)
{
    static char expected[4096];
    size_t read, replaced, written = model_utf16(units, n, expected, room, policy, &read, &replaced);
    guarded in = guarded_new(hg_slice_of((const char *)units, 2 * n));
    static char zeros[4096];
    guarded out = guarded_new(hg_slice_of(zeros, room));
    for (int l = 0; l < LEVELS; l++) {
        hg_cpu_force(levels[l]);
        hg_transcoded t = hg_utf16_to_utf8((const uint16_t *)(const void *)in.bytes.ptr, n, (char *)out.bytes.ptr, room, policy);
        if (t.read != read || t.written != written || t.replaced != replaced ||
            memcmp(out.bytes.ptr, expected, written) != 0)
            fail_msg("level %d: n %zu room %zu: read %zu/%zu written %zu/%zu", l, n, room, t.read, read, t.written, written);
    }
    guarded_free(&in);
    guarded_free(&out);
}

static void every_code_point_is_transcoded_at_every_position(void **state)
{
    (void)state;
    enum { PAD = 64 };
    for (int l = 0; l < LEVELS; l++) {
        hg_cpu_force(levels[l]);
        for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
            if (cp >= 0xD800 && cp <= 0xDFFF)
                continue;
            uint16_t units[PAD + 2];
            char expected[PAD + 4], out[3 * PAD + 32];
            size_t at = cp % 61, n = 0, len = 0;
            while (n < at)
                units[n++] = 'a', expected[len++] = 'a';
            if (cp > 0xFFFF) {
                units[n++] = (uint16_t)(0xD7C0 + (cp >> 10));
                units[n++] = (uint16_t)(0xDC00 | (cp & 0x3FF));
            } else {
                units[n++] = (uint16_t)cp;
            }
            len += hg_utf8_encode(cp, expected + len);
            while (n < PAD)
                units[n++] = 'b', expected[len++] = 'b';
            hg_transcoded t = hg_utf16_to_utf8(units, n, out, sizeof out, HG_TEXT_REPLACE);
            if (t.written != len || t.read != n || t.replaced != 0 || memcmp(out, expected, len) != 0)
                fail_msg("U+%04X at %zu, level %d", cp, at, l);
            assert_int_equal(hg_utf16_utf8_length(units, n), len);
        }
    }
}

static void random_mixes_equal_the_model_at_every_length_and_room(void **state)
{
    (void)state;
    static const uint16_t alphabet[] = {'a', 'b', 'c', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0xD83D, 0xDE00, 0xD800, 0xDC00, 0xE9, 0x4E2D};
    uint32_t seed = 1;
    for (int round = 0; round < 600; round++) {
        uint16_t units[150];
        size_t n = (size_t)round % 150, plain = round % 3 ? 16 : 4;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            units[i] = alphabet[(seed >> 20) % plain];
        }
        hg_text_policy policy = (hg_text_policy)(round % 3);
        check_utf16(units, n, 3 * n, policy);
        for (size_t room = 0; room < 3 * n; room += 1 + n / 16)
            check_utf16(units, n, room, policy);
    }
}

static void short_patterns_with_surrogates_equal_the_model(void **state)
{
    (void)state;
    static const uint16_t alphabet[] = {'x', 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE9};
    for (unsigned pattern = 0; pattern < 1296; pattern++) {
        uint16_t units[24];
        for (size_t i = 0; i < 24; i++)
            units[i] = 'y';
        unsigned rest = pattern;
        for (size_t i = 0; i < 4; i++, rest /= 6)
            units[10 + i] = alphabet[rest % 6];
        for (int policy = 0; policy < 3; policy++) {
            check_utf16(units + 10, 4, 12, (hg_text_policy)policy);
            check_utf16(units, 24, 72, (hg_text_policy)policy);
        }
    }
}

/* ---- UTF-8 ---- */

static bool model_valid(const uint8_t *p, size_t n, size_t *good)
{
    size_t i = 0;
    while (i < n) {
        uint8_t b = p[i];
        size_t len = b < 0x80 ? 1 : b >= 0xC2 && b <= 0xDF ? 2 : b >= 0xE0 && b <= 0xEF ? 3 : b >= 0xF0 && b <= 0xF4 ? 4 : 0;
        bool ok = len > 0 && i + len <= n;
        for (size_t k = 1; ok && k < len; k++)
            ok = (p[i + k] & 0xC0) == 0x80;
        if (ok && ((b == 0xE0 && p[i + 1] < 0xA0) || (b == 0xED && p[i + 1] > 0x9F) || (b == 0xF0 && p[i + 1] < 0x90) ||
                   (b == 0xF4 && p[i + 1] > 0x8F)))
            ok = false;
        if (!ok)
            break;
        i += len;
    }
    *good = i;
    return i == n;
}

static void check_utf8(const uint8_t *bytes, size_t n)
{
    size_t good;
    model_valid(bytes, n, &good);
    guarded g = guarded_new(hg_slice_of((const char *)bytes, n));
    for (int l = 0; l < LEVELS; l++) {
        hg_cpu_force(levels[l]);
        size_t mine = hg_utf8_valid_prefix(g.bytes);
        if (mine != good)
            fail_msg("level %d: %zu bytes good instead of %zu of %zu", l, mine, good, n);
    }
    guarded_free(&g);
}

static void validation_equals_the_model(void **state)
{
    (void)state;
    static const uint8_t alphabet[] = {'a', 'b', 0x7F, 0x80, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xF5, 0xFF};
    for (unsigned pattern = 0; pattern < 19 * 19 * 19 * 19; pattern += 3) {
        uint8_t bytes[4];
        unsigned rest = pattern;
        for (size_t i = 0; i < 4; i++, rest /= 19)
            bytes[i] = alphabet[rest % 19];
        size_t good;
        model_valid(bytes, 4, &good);
        assert_int_equal(hg_utf8_valid_prefix(hg_slice_of((const char *)bytes, 4)), good);
    }
    uint32_t seed = 3;
    for (int round = 0; round < 4000; round++) {
        uint8_t bytes[200];
        size_t n = 0, limit = (size_t)round % 190;
        while (n < limit) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t cp = seed >> 8 & (round % 2 ? 0xFFF : 0x10FFFF);
            if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
                cp = 'z';
            n += hg_utf8_encode(cp, (char *)bytes + n);
        }
        check_utf8(bytes, n);
        if (n > 0) {
            bytes[(seed >> 5) % n] = alphabet[(seed >> 13) % 19];
            check_utf8(bytes, n);
            check_utf8(bytes, (seed >> 7) % n);
        }
    }
}

static void ill_formed_subparts_become_one_replacement_each(void **state)
{
    (void)state;
    /* The example of the Unicode standard, table 3-8 */
    hg_slice in = HG_SLICE("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64");
    char out[64];
    hg_transcoded t = hg_utf8_copy(in, out, sizeof out, HG_TEXT_REPLACE);
    const char expected[] = "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "b\xEF\xBF\xBD" "c\xEF\xBF\xBD\xEF\xBF\xBD" "d";
    assert_int_equal(t.written, sizeof expected - 1);
    assert_memory_equal(out, expected, t.written);
    assert_int_equal(t.replaced, 6);
    t = hg_utf8_copy(in, out, sizeof out, HG_TEXT_DROP);
    assert_true(hg_slice_equal(hg_slice_of(out, t.written), HG_SLICE("abcd")));
    t = hg_utf8_copy(in, out, sizeof out, HG_TEXT_KEEP);
    assert_true(hg_slice_equal(hg_slice_of(out, t.written), in));
    for (size_t room = 0; room < 22; room++) {
        t = hg_utf8_copy(in, out, room, HG_TEXT_REPLACE);
        assert_true(t.written <= room && hg_utf8_valid(hg_slice_of(out, t.written)));
    }
}

static void utf8_and_utf16_and_latin1_round_trip(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp += cp < 0x3000 ? 1 : 17) {
        char text[4], back[8];
        uint16_t units[2];
        if (cp >= 0xD800 && cp <= 0xDFFF)
            continue;
        size_t n = hg_utf8_encode(cp, text);
        hg_transcoded t = hg_utf8_to_utf16(hg_slice_of(text, n), units, 2);
        assert_int_equal(t.written, cp > 0xFFFF ? 2 : 1);
        t = hg_utf16_to_utf8(units, t.written, back, sizeof back, HG_TEXT_REPLACE);
        assert_int_equal(t.written, n);
        assert_memory_equal(text, back, n);
    }
    char all[256], out[512];
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    for (int l = 0; l < LEVELS; l++) {
        hg_cpu_force(levels[l]);
        hg_transcoded t = hg_latin1_to_utf8(hg_slice_of(all, 256), out, sizeof out);
        assert_int_equal(t.written, 384);
        assert_int_equal(hg_latin1_utf8_length(hg_slice_of(all, 256)), 384);
        for (size_t i = 0, at = 0; i < 256; i++) {
            uint32_t cp;
            at += hg_utf8_decode(out + at, 384 - at, &cp);
            assert_int_equal(cp, i);
        }
        t = hg_latin1_to_utf8(hg_slice_of(all + 120, 16), out, 21);
        assert_int_equal(t.written, 20);
        assert_int_equal(t.read, 14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_transcoded_at_every_position),
        cmocka_unit_test(random_mixes_equal_the_model_at_every_length_and_room),
        cmocka_unit_test(short_patterns_with_surrogates_equal_the_model),
        cmocka_unit_test(validation_equals_the_model),
        cmocka_unit_test(ill_formed_subparts_become_one_replacement_each),
        cmocka_unit_test(utf8_and_utf16_and_latin1_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
