#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "guarded.h"
#include "text/survey.h"
#include "text/transform.h"

typedef struct example {
    const char *names; /* space-separated */
    hg_slice in;
    hg_slice out;
    bool same;
} example;

#define TO(names, in, out) {names, HG_SLICE(in), HG_SLICE(out), false}
#define SAME(names, in) {names, HG_SLICE(in), {NULL, 0}, true}

/* Expected values: the published behaviour of libddwaf. */
static const example examples[] = {
#include "transform_examples.h"
};

static hg_transform_chain chain_of(const char *names)
{
    hg_transform_chain chain = {0};
    while (*names) {
        size_t len = strcspn(names, " ");
        int id = hg_transform_find(hg_slice_of(names, len));
        assert_true(id >= 0);
        assert_int_equal(hg_transform_chain_add(&chain, id), HG_OK);
        names += len + (names[len] == ' ');
    }
    return chain;
}

static void show(const char *label, hg_slice s)
{
    fprintf(stderr, "%s", label);
    for (size_t i = 0; i < s.len; i++)
        fprintf(stderr, s.ptr[i] > ' ' && s.ptr[i] < 127 ? "%c" : "<%02x>", (uint8_t)s.ptr[i]);
    fputc('\n', stderr);
}

static void every_example_becomes_what_it_should(void **state)
{
    (void)state;
    unsigned failures = 0;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const example *e = &examples[i];
        hg_transform_chain chain = chain_of(e->names);
        guarded g = guarded_new(e->in);
        hg_slice in = g.bytes;
        hg_slice out;
        bool changed;
        hg_status status = hg_transform_apply(&chain, in, hg_text_survey(in), &arena, &out, &changed);
        bool right = status == HG_OK && changed == !e->same &&
                     (e->same ? out.ptr == in.ptr && out.len == in.len : hg_slice_equal(out, e->out));
        if (!right) {
            failures++;
            fprintf(stderr, "%s\n", e->names);
            show("  input:    ", in);
            show("  expected: ", e->same ? e->in : e->out);
            show(changed ? "  changed:  " : "  same:     ", out);
        }
        guarded_free(&g);
    }
    hg_arena_close(&arena);
    assert_int_equal(failures, 0);
}

/* The transformer itself, without the survey. */
static bool runs_to_a_change(const hg_transform *t, hg_slice in, hg_arena *arena)
{
    size_t size = t->room_for ? t->room_for(in) : in.len;
    char *room = hg_arena_alloc(arena, size + 1, 1);
    assert_non_null(room);
    room[size] = 0x5A;
    hg_slice out;
    hg_transform_result result = t->run(in, room, &out);
    assert_int_equal(room[size], 0x5A);
    return result != HG_TRANSFORM_SAME;
}

/* All strings of up to 4 bytes over bytes that mean something to some transformer. */
static void what_the_survey_rules_out_never_changes(void **state)
{
    (void)state;
    static const char alphabet[] = "aUx4;&#.-/\\ \t%+<!*?=\"A,(_|\xC3\xA9";
    const size_t letters = sizeof alphabet; /* the final NUL too */
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    char text[4];
    for (size_t len = 1; len <= 4; len++) {
        size_t count = 1;
        for (size_t i = 0; i < len; i++)
            count *= letters;
        for (size_t n = 0; n < count; n += len < 4 ? 1 : 7) {
            size_t rest = n;
            for (size_t i = 0; i < len; i++, rest /= letters)
                text[i] = alphabet[rest % letters];
            hg_slice in = hg_slice_of(text, len);
            uint32_t traits = hg_text_survey(in);
            for (size_t id = 0; id < hg_transform_count; id++) {
                const hg_transform *t = &hg_transforms[id];
                if ((t->any & traits) && !(t->none & traits))
                    continue;
                if (runs_to_a_change(t, in, &arena)) {
                    show(t->name, in);
                    fail();
                }
                hg_arena_reset(&arena);
            }
        }
    }
    hg_arena_close(&arena);
}

/* Random chains give what their members give one after another, in fresh memory each. */
static void a_chain_is_its_members_in_order(void **state)
{
    (void)state;
    static const char pieces[][8] = {"%2541", "&lt;",  "\\x41", "\\u0042", "YWJj", "/../", "--", "/*", "*/", "  ",
                                     "A",     "\xC3\xA9", "+",   "%u00e9",  "?",    "#",    ";",  "=",  "b",  "\\"};
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    srand(7);
    for (int round = 0; round < 20000; round++) {
        char text[64];
        size_t len = 0;
        for (int i = rand() % 8; i >= 0; i--) {
            const char *piece = pieces[(size_t)rand() % (sizeof pieces / sizeof pieces[0])];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        hg_slice in = hg_slice_of(text, len);
        hg_transform_chain chain = {0};
        hg_slice want = in;
        bool want_changed = false;
        for (int i = rand() % 5; i >= 0; i--) {
            int id = rand() % (int)hg_transform_count;
            assert_int_equal(hg_transform_chain_add(&chain, id), HG_OK);
            const hg_transform *t = &hg_transforms[id];
            if (want.len == 0)
                continue;
            char *room = hg_arena_alloc(&arena, (t->room_for ? t->room_for(want) : want.len) + 1, 1);
            hg_slice next;
            hg_transform_result result = t->run(want, room, &next);
            if (result != HG_TRANSFORM_SAME)
                want = next;
            want_changed |= result == HG_TRANSFORM_CHANGED;
        }
        hg_slice out;
        bool changed;
        assert_int_equal(hg_transform_apply(&chain, in, hg_text_survey(in), &arena, &out, &changed), HG_OK);
        assert_int_equal(changed, want_changed);
        assert_true(hg_slice_equal(out, want_changed ? want : in));
        hg_arena_reset(&arena);
    }
    hg_arena_close(&arena);
}

/* Long strings meet the block kernels; one byte more or less must not matter. */
static size_t random_bytes(char *text, size_t most)
{
    static const char alphabet[] = "abcdefghij klmno pqrs.tuvAZ,;\t\"'^/-%+&#<!*=?_\\(\xC3";
    size_t len = (size_t)rand() % most;
    size_t letters = rand() % 3 ? 14 : sizeof alphabet;
    for (size_t i = 0; i < len; i++)
        text[i] = alphabet[(size_t)rand() % (rand() % 20 ? letters : sizeof alphabet)];
    return len;
}

static void every_survey_sees_what_single_bytes_show(void **state)
{
    (void)state;
    const uint32_t vague = HG_TRAIT_PERCENT | HG_TRAIT_ENTITY;
    hg_cpu_level level = hg_cpu();
    srand(13);
    for (int round = 0; round < 20000; round++) {
        char text[100];
        size_t len = random_bytes(text, sizeof text);
        if (round % 4 == 0 && len > 0)
            text[(size_t)rand() % len] = (char)(rand() % 256);
        guarded g = guarded_new(hg_slice_of(text, len));
        uint32_t want = hg_survey_bytes(g.bytes);
        uint32_t got = hg_text_survey(g.bytes);
        assert_int_equal(got & ~vague, want & ~vague);
        assert_int_equal(want & ~got, 0);
        hg_cpu_force(HG_CPU_SCALAR);
        assert_int_equal(hg_text_survey(g.bytes), want);
        hg_cpu_force(level);
        guarded_free(&g);
    }
}

/* The rule byte by byte, on the whole string. */
static size_t plain_shell(hg_slice in, char *out)
{
    size_t n = 0;
    bool begun = false;
    for (size_t i = 0; i < in.len; i++) {
        char c = in.ptr[i];
        bool space = c == ' ' || (c >= '\t' && c <= '\r');
        bool separator = space || c == ',' || c == ';';
        bool glued = i + 1 < in.len && memchr(" \t\n\v\f\r,;(/", in.ptr[i + 1], 10) != NULL;
        bool dropped = memchr("\\\"'^", c, 4) != NULL;
        begun |= dropped || (c >= 'A' && c <= 'Z') || (i + 1 < in.len && ((separator && !space) || (space && glued)));
        if (begun && (dropped || (separator && glued)))
            continue;
        out[n++] = !begun ? c : separator ? ' ' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    return n;
}

static void long_strings_are_rewritten_like_short_ones(void **state)
{
    (void)state;
    srand(17);
    for (int round = 0; round < 20000; round++) {
        char text[100], want[100], room[100];
        hg_slice in = hg_slice_of(text, random_bytes(text, sizeof text));
        if (in.len == 0)
            continue;
        hg_slice want_shell = hg_slice_of(want, plain_shell(in, want));
        hg_slice out = in;
        hg_transforms[hg_transform_find(HG_SLICE("shell_unescape"))].run(in, room, &out);
        assert_true(hg_slice_equal(out, want_shell));
        memcpy(room, text, in.len);
        out = hg_slice_of(room, in.len);
        hg_transforms[hg_transform_find(HG_SLICE("shell_unescape"))].run(out, room, &out);
        assert_true(hg_slice_equal(out, want_shell));
        bool upper = false;
        for (size_t i = 0; i < in.len; i++) {
            upper |= text[i] >= 'A' && text[i] <= 'Z';
            want[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        }
        out = in;
        assert_int_equal(hg_transforms[0].run(in, room, &out), upper ? HG_TRANSFORM_CHANGED : HG_TRANSFORM_SAME);
        assert_true(hg_slice_equal(out, hg_slice_of(want, in.len)));
    }
}

static void the_eleventh_member_is_refused(void **state)
{
    (void)state;
    hg_transform_chain chain = {0};
    for (int i = 0; i < HG_TRANSFORM_CHAIN_MAX; i++)
        assert_int_equal(hg_transform_chain_add(&chain, 0), HG_OK);
    assert_int_equal(hg_transform_chain_add(&chain, 0), HG_ERR_LIMIT);
}

static void names_and_aliases_are_found_by_exact_case(void **state)
{
    (void)state;
    assert_int_equal(hg_transform_find(HG_SLICE("lowercase")), 0);
    assert_int_equal(hg_transform_find(HG_SLICE("urlDecodeUni")), hg_transform_find(HG_SLICE("url_decode_iis")));
    assert_int_equal(hg_transform_find(HG_SLICE("Lowercase")), -1);
    assert_int_equal(hg_transform_find(HG_SLICE("length")), -1);
    assert_int_equal(hg_transform_find(HG_SLICE("")), -1);
    assert_int_equal(hg_transform_count, 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_becomes_what_it_should),
        cmocka_unit_test(what_the_survey_rules_out_never_changes),
        cmocka_unit_test(a_chain_is_its_members_in_order),
        cmocka_unit_test(every_survey_sees_what_single_bytes_show),
        cmocka_unit_test(long_strings_are_rewritten_like_short_ones),
        cmocka_unit_test(the_eleventh_member_is_refused),
        cmocka_unit_test(names_and_aliases_are_found_by_exact_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
