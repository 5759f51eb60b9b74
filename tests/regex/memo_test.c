/* What a thread remembers of texts in which nothing was found. */
#include "regex/memo.h"

#include "guarded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int open_memo(void **state)
{
    *state = hg_memo_new();
    return *state == NULL;
}

static int close_memo(void **state)
{
    free(*state);
    return 0;
}

static void a_text_is_known_once_it_was_noted_twice(void **state)
{
    hg_memo *memo = *state;
    uint64_t key = hg_memo_key(memo, 1, HG_SLICE("curl/8.5.0"));
    hg_memo_note(memo, key);
    assert_false(hg_memo_knows(memo, key));
    hg_memo_note(memo, key);
    assert_true(hg_memo_knows(memo, key));
}

/* Texts that differ in one byte, wherever it stands, in length only, or in their owner. */
static void different_texts_have_different_keys(void **state)
{
    const hg_memo *memo = *state;
    char text[HG_MEMO_MOST] = {0};
    for (size_t len = 1; len <= HG_MEMO_MOST; len++) {
        uint64_t key = hg_memo_key(memo, 7, hg_slice_of(text, len));
        assert_int_not_equal(key, hg_memo_key(memo, 8, hg_slice_of(text, len)));
        if (len < HG_MEMO_MOST)
            assert_int_not_equal(key, hg_memo_key(memo, 7, hg_slice_of(text, len + 1)));
        for (size_t i = 0; i < len; i++) {
            text[i] = 1;
            assert_int_not_equal(key, hg_memo_key(memo, 7, hg_slice_of(text, len)));
            text[i] = 0;
        }
    }
}

static void keys_of_two_memos_differ(void **state)
{
    hg_memo *other = hg_memo_new();
    hg_slice text = HG_SLICE("a text of more than one word");
    assert_non_null(other);
    assert_int_not_equal(hg_memo_key(*state, 1, text), hg_memo_key(other, 1, text));
    free(other);
}

static void no_byte_behind_a_text_is_read(void **state)
{
    char bytes[HG_MEMO_MOST];
    memset(bytes, 'x', sizeof bytes);
    for (size_t len = 1; len <= HG_MEMO_MOST; len++) {
        guarded g = guarded_new(hg_slice_of(bytes, len));
        assert_int_equal(hg_memo_key(*state, 1, g.bytes), hg_memo_key(*state, 1, hg_slice_of(bytes, len)));
        guarded_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_known_once_it_was_noted_twice),
        cmocka_unit_test(different_texts_have_different_keys),
        cmocka_unit_test(keys_of_two_memos_differ),
        cmocka_unit_test(no_byte_behind_a_text_is_read),
    };
    return cmocka_run_group_tests(tests, open_memo, close_memo);
}
