#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guarded.h"
#include "text/phrases.h"

enum { PHRASES_MAX = 300 };

/* Phrases are given space-separated. */
static size_t split(const char *list, hg_slice *out)
{
    size_t n = 0;
    while (*list) {
        size_t len = strcspn(list, " ");
        out[n++] = hg_slice_of(list, len);
        list += len + (list[len] == ' ');
    }
    return n;
}

static const char *find(const char *list, bool words_only, const char *text)
{
    static char shown[64];
    hg_slice phrases[PHRASES_MAX];
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_phrases *set = hg_phrases_build(phrases, split(list, phrases), words_only, &arena);
    assert_non_null(set);
    guarded g = guarded_new(hg_slice_from(text));
    hg_slice found;
    bool hit = hg_phrases_find(set, g.bytes, &found);
    if (hit)
        snprintf(shown, sizeof shown, "%zu:%.*s", (size_t)(found.ptr - g.bytes.ptr), (int)found.len, found.ptr);
    guarded_free(&g);
    hg_arena_close(&arena);
    return hit ? shown : "none";
}

static void the_first_phrase_to_end_is_found(void **state)
{
    (void)state;
    assert_string_equal(find("abc abcd", false, "abcd"), "0:abc");
    assert_string_equal(find("he she his", false, "ushers"), "1:she");
    assert_string_equal(find("x", false, "abcx"), "3:x");
    assert_string_equal(find("Abc", false, "abc"), "none");
    assert_string_equal(find("", false, "abc"), "none");
    assert_string_equal(find("abc", false, ""), "none");
}

static void a_tail_of_a_phrase_being_read_is_seen_when_that_fails(void **state)
{
    (void)state;
    assert_string_equal(find("abcd bc", false, "abc"), "none");
    assert_string_equal(find("abcd bc", false, "abcx"), "1:bc");
    assert_string_equal(find("abcd bc", false, "abcd"), "0:abcd");
    assert_string_equal(find("abcd bc", false, "xbc"), "1:bc");
}

static void whole_words_only(void **state)
{
    (void)state;
    assert_string_equal(find("abc", true, "x abc y"), "2:abc");
    assert_string_equal(find("abc", true, "xabc y"), "none");
    assert_string_equal(find("abc", true, "abcd"), "none");
    assert_string_equal(find("/etc/", true, "a/etc/b"), "1:/etc/");
    assert_string_equal(find("/etc", true, "a/etcb"), "none");
    assert_string_equal(find("abc", true, "xabc abc"), "none");
    assert_string_equal(find("ab abcde", true, "ab xabcde"), "none");
    assert_string_equal(find("ab cde", true, "ab cde"), "3:cde");
    assert_string_equal(find("ab cd", true, "ab cd"), "0:ab");
}

static void phrases_may_hold_any_byte(void **state)
{
    (void)state;
    hg_slice phrase = HG_SLICE("a\0b");
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_phrases *set = hg_phrases_build(&phrase, 1, false, &arena);
    hg_slice found;
    assert_true(hg_phrases_find(set, HG_SLICE("xa\0b"), &found));
    assert_false(hg_phrases_find(set, HG_SLICE("xab"), &found));
    uint8_t bytes[256];
    hg_slice all[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (uint8_t)i;
        all[i] = hg_slice_of((const char *)bytes + i, 1);
    }
    set = hg_phrases_build(all, 256, false, &arena);
    for (int i = 0; i < 256; i++)
        assert_true(hg_phrases_find(set, all[i], &found));
    hg_arena_close(&arena);
}

/* ---- The rule as it is told, over sets of strings instead of nodes: the oracle. ---- */

typedef struct plain {
    const hg_slice *phrases;
    size_t count;
} plain;

static bool is_prefix(const plain *p, hg_slice s)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->phrases[i].len >= s.len && memcmp(p->phrases[i].ptr, s.ptr, s.len) == 0)
            return true;
    return s.len == 0;
}

static bool is_phrase(const plain *p, hg_slice s)
{
    for (size_t i = 0; i < p->count; i++)
        if (s.len > 0 && hg_slice_equal(p->phrases[i], s))
            return true;
    return false;
}

static bool word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool plain_find(const plain *p, bool words_only, hg_slice text, hg_slice *found)
{
    hg_slice state = {text.ptr, 0}; /* always a part of the text that ends where we are */
    *found = (hg_slice){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        while (!is_prefix(p, hg_slice_of(state.ptr, state.len + 1)) && state.len > 0) {
            do
                state = hg_slice_skip(state, 1);
            while (!is_prefix(p, state));
            if (is_phrase(p, state) && state.len > found->len) {
                *found = state;
                if (!words_only)
                    return true;
            }
        }
        if (is_prefix(p, hg_slice_of(state.ptr, state.len + 1)))
            state.len++;
        else
            state = hg_slice_of(text.ptr + i + 1, 0);
        if (is_phrase(p, state) && state.len > found->len) {
            *found = state;
            if (!words_only)
                return true;
        }
    }
    if (found->len == 0)
        return false;
    const char *first = found->ptr;
    const char *last = found->ptr + found->len - 1;
    bool begins = first == text.ptr || !word(*first) || !word(first[-1]);
    bool ends = last == text.ptr + text.len - 1 || !word(*last) || !word(last[1]);
    return !words_only || (begins && ends);
}

static void random_phrases_are_found_as_the_plain_rule_says(void **state)
{
    (void)state;
    srand(5);
    for (int round = 0; round < 4000; round++) {
        char bytes[PHRASES_MAX][8];
        hg_slice phrases[PHRASES_MAX];
        static const char alphabet[] = "ab cd";
        size_t letters = 2 + (size_t)rand() % 4;
        size_t count = round % 50 == 0 ? PHRASES_MAX : (size_t)rand() % 6;
        for (size_t i = 0; i < count; i++) {
            size_t len = (size_t)rand() % 7;
            for (size_t k = 0; k < len; k++)
                bytes[i][k] = alphabet[(size_t)rand() % letters];
            phrases[i] = hg_slice_of(bytes[i], len);
        }
        bool words_only = rand() % 2;
        plain p = {phrases, count};
        hg_arena arena;
        hg_arena_init(&arena, NULL);
        const hg_phrases *set = hg_phrases_build(phrases, count, words_only, &arena);
        for (int k = 0; k < 20; k++) {
            char text[32];
            size_t len = (size_t)rand() % sizeof text;
            for (size_t i = 0; i < len; i++)
                text[i] = alphabet[(size_t)rand() % letters];
            hg_slice found, want;
            bool hit = hg_phrases_find(set, hg_slice_of(text, len), &found);
            assert_int_equal(hit, plain_find(&p, words_only, hg_slice_of(text, len), &want));
            if (hit) {
                assert_ptr_equal(found.ptr, want.ptr);
                assert_int_equal(found.len, want.len);
            }
        }
        hg_arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_phrase_to_end_is_found),
        cmocka_unit_test(a_tail_of_a_phrase_being_read_is_seen_when_that_fails),
        cmocka_unit_test(whole_words_only),
        cmocka_unit_test(phrases_may_hold_any_byte),
        cmocka_unit_test(random_phrases_are_found_as_the_plain_rule_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
