/* Each allocation fails once under text functions, detectors' preparations and generators: they say so, answer nothing
 * half done, and leave nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "hotgate/memory.h"
#include "text/exact.h"
#include "text/ipset.h"
#include "text/phrases.h"
#include "text/rasp/occurrences.h"
#include "text/rasp/shell_injection.h"
#include "text/rasp/sql_injection.h"
#include "text/transform.h"
#include "waf/processors/processor.h"

enum { LENGTH = 40000 };

static char bytes[LENGTH];
static hg_arena arena;

static hg_slice repeated(const char *piece)
{
    size_t len = strlen(piece);
    for (size_t i = 0; i + len <= sizeof bytes; i += len)
        memcpy(bytes + i, piece, len);
    return hg_slice_of(bytes, sizeof bytes / len * len);
}

/* Each returns whether it was done; only an allocation that failed may keep it from that. */
typedef bool work(void);

static bool transforms(void)
{
    hg_transform_chain chain = {0};
    const char *const names[] = {"lowercase", "unicode_normalize", "base64_encode", "url_decode"};
    for (int i = 0; i < 4; i++)
        hg_transform_chain_add(&chain, hg_transform_find(hg_slice_from(names[i])));
    hg_slice text = repeated("\xC3\x89+A"), out;
    bool changed;
    hg_status status = hg_transform_apply(&chain, text, hg_text_survey(text), &arena, &out, &changed);
    if (status == HG_OK)
        return changed && out.len == text.len; /* four bytes become three, and these four again */
    assert_int_equal(status, HG_ERR_NOMEM);
    return false;
}

static bool lists(void)
{
    enum { COUNT = 500 };
    static char texts[COUNT][16];
    static hg_slice slices[COUNT];
    for (int i = 0; i < COUNT; i++)
        slices[i] = hg_slice_of(texts[i], (size_t)snprintf(texts[i], sizeof texts[i], "10.0.%d.%d", i / 256, i % 256));
    const hg_ipset *ips = hg_ipset_build(slices, NULL, COUNT, &arena);
    const hg_exact *set = hg_exact_build(slices, NULL, COUNT, &arena);
    const hg_phrases *phrases = hg_phrases_build(slices, COUNT, true, &arena);
    return ips && set && phrases;
}

static bool statements(void)
{
    hg_sql_statement s;
    hg_status status = hg_sql_statement_init(&s, repeated("'a',"), HG_SQL_GENERIC, &arena);
    if (status != HG_OK)
        assert_int_equal(status, HG_ERR_NOMEM);
    return status == HG_OK && hg_sql_redacted(&s, &arena).ptr != NULL;
}

static bool command_lines(void)
{
    hg_shell_line line;
    hg_status status = hg_shell_line_init(&line, repeated("\"$(a"), &arena);
    if (status != HG_OK)
        assert_int_equal(status, HG_ERR_NOMEM);
    return status == HG_OK;
}

static bool occurrences(void)
{
    hg_slice text = repeated("a");
    hg_occurrences o = hg_occurrences_of(hg_slice_take(text, LENGTH / 2), text, &arena);
    size_t at, count = 0;
    while (hg_occurrences_next(&o, &at))
        count++;
    hg_occurrences_end(&o);
    assert_true(o.out_of_memory || count == LENGTH / 2 + 1);
    return !o.out_of_memory;
}

static bool never(hg_generation *g)
{
    (void)g;
    return false;
}

static bool generate(hg_slice name, const hg_value *input)
{
    uint64_t fields[64] = {0};
    hg_match_env env = {.arena = &arena};
    hg_generation g = {.profile = &hg_profile_native,
                       .inputs = {input},
                       .arena = &arena,
                       .env = &env,
                       .fields = fields,
                       .expired = never};
    hg_value out;
    hg_generated outcome = hg_generator_find(name)->generate(&g, &out);
    assert_true(outcome == HG_GENERATED_VALUE || outcome == HG_GENERATED_ERROR);
    return outcome == HG_GENERATED_VALUE;
}

static bool processors(void)
{
    hg_value uri, token;
    memcpy(bytes, "/?", 2);
    repeated("ab[]=c&d&");
    memcpy(bytes, "/?", 2);
    hg_set_literal(&uri, hg_slice_of(bytes, LENGTH - 100));
    hg_set_literal(&token, HG_SLICE("Bearer eyJhIjpbMSwyXX0.eyJhIjpbMSwyXX0.x"));
    hg_value map;
    if (hg_set_map(&map, 0, hg_arena_allocator(&arena)) != HG_OK)
        return false;
    for (int i = 0; i < 300; i++) {
        hg_value *value = hg_map_append_borrowed(&map, hg_slice_of(bytes + i, 20), hg_arena_allocator(&arena));
        if (value == NULL)
            return false;
        *value = uri;
    }
    return generate(HG_SLICE("uri_parse"), &uri) && generate(HG_SLICE("jwt_decode"), &token) &&
           generate(HG_SLICE("extract_schema"), &map) && generate(HG_SLICE("session_fingerprint"), &map) &&
           generate(HG_SLICE("http_header_fingerprint"), &map);
}

#if defined(HG_CHECKED)
enum { KEPT = 1 }; /* checked builds keep a dead pool, to see its use */
#else
enum { KEPT = 0 };
#endif

static void torture(work *run)
{
    bool failed = true;
    for (size_t at = 0; failed; at++) {
        hg_pool_shutdown();
        size_t held = malloc_live;
        malloc_arm(at);
        hg_arena_init(&arena, NULL);
        bool done = run();
        failed = malloc_disarm();
        hg_arena_close(&arena);
        hg_pool_shutdown();
        assert_in_range(malloc_live, held, held + KEPT);
        assert_true(done || failed);
        assert_true(at < 500);
    }
}

static void everything_fails_cleanly(void **state)
{
    (void)state;
    work *const all[] = {transforms, lists, statements, command_lines, occurrences, processors};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        torture(all[i]);
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("skipped: sanitizers bring an allocator of their own\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
