/* The fast evaluator gives what the plain one gives: random rulesets and random series of calls, compared result by
 * result. SEED and ROUNDS in the environment choose others. */
#include "hotgate/waf.h"
#include "waf/ruleset/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- Random text ---- */

static uint64_t seed;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static unsigned below(unsigned n)
{
    return (unsigned)((next() >> 33) % n);
}

static bool chance(unsigned percent)
{
    return below(100) < percent;
}

#define PICK(list) list[below(sizeof list / sizeof *list)]

static const char *const words[] = {"ab",   "AB",   "abc", "aBc d", "x",     "xx  y",    "%61b", "a/../b", "1.2.3.4",
                                    "evil", "EVIL", "a+b", "5",     "",      "k'v;k",    "--ab", "é",      "A B  C",
                                    "b",    "ba",   "k",   "key",   "a\\u0000b", "<b>ab", "ab,cd", "10.1.1.1",
                                    "A;b&x", "k#v", "WOW/**/ab", "x|x", "a--w", "E$x, y", "Abc/d;k", "(ab)", "wW"};
static const char *const keys[] = {"k", "key", "K", "ab", "x", "*", "q"};
static const char *const addresses[] = {"a", "b", "c", "d", "e"};

static hg_buffer out;

static void put(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hg_buffer_append(&out, hg_slice_of(text, (size_t)length));
}

static void put_value(unsigned depth)
{
    unsigned kind = below(depth > 3 ? 7 : 11);
    if (kind < 4) {
        put("\"%s\"", PICK(words));
    } else if (kind == 4) {
        put("%d", (int)below(8) - 2);
    } else if (kind == 5) {
        put("%s", chance(50) ? "true" : "null");
    } else if (kind == 6) {
        put("%d.5", (int)below(6));
    } else {
        bool map = kind < 9;
        unsigned count = below(5);
        put(map ? "{" : "[");
        for (unsigned i = 0; i < count; i++) {
            put(i ? "," : "");
            if (map)
                put("\"%s\":", PICK(keys));
            put_value(depth + 1);
        }
        put(map ? "}" : "]");
    }
}

static void put_batch(void)
{
    unsigned count = below(4);
    put("{");
    for (unsigned i = 0; i < count; i++) {
        put("%s\"%s\":", i ? "," : "", PICK(addresses));
        put_value(0);
    }
    put("}");
}

/* ---- Random rulesets ---- */

static void put_path(bool strings_only)
{
    unsigned count = below(3);
    put("[");
    for (unsigned i = 0; i < count; i++) {
        if (!strings_only && chance(25))
            put("%s%d", i ? "," : "", (int)below(4) - 2);
        else
            put("%s\"%s\"", i ? "," : "", PICK(keys));
    }
    put("]");
}

static void put_chain(void)
{
    static const char *const names[] = {"lowercase",  "removeNulls",      "compressWhiteSpace", "cmdLine",   "urlDecodeUni",
                                        "keys_only",  "normalizePath",    "removeComments",     "js_decode", "values_only",
                                        "base64Encode", "unicode_normalize"};
    unsigned count = below(4);
    put("[");
    for (unsigned i = 0; i < count; i++)
        put("%s\"%s\"", i ? "," : "", PICK(names));
    put("]");
}

static void put_inputs(bool single)
{
    unsigned count = single ? 1 : 1 + below(3);
    put("\"inputs\":[");
    for (unsigned i = 0; i < count; i++) {
        put("%s{\"address\":\"%s\"", i ? "," : "", PICK(addresses));
        if (chance(35)) {
            put(",\"key_path\":");
            put_path(false);
        }
        if (chance(40)) {
            put(",\"transformers\":");
            put_chain();
        }
        put("}");
    }
    put("]");
}

static void put_matcher(const char *operator_name)
{
    static const char *const patterns[] = {"ab",  "^ab$", "a.*b", "(?-i:AB)",  "evil|k", "x+",  "[0-9]", ".*",
                                           "b\\\\b", "^$",   "A B",  "(?i)KEY", "a b c",  "\\\\.", "%",
                                           "[&|]x", "\\\\$x", "[w]ab?", "(?:a|k)#", "w{1}", "x&?", "b;*&", "/d", "[^;]k",
                                           "(ab)+", "\\\\bab\\\\s*c", "w*ab", "k(?:#|v)v?"};
    if (strcmp(operator_name, "match_regex") == 0)
        put("\"regex\":\"%s\",\"options\":{\"case_sensitive\":%s,\"min_length\":%u},", PICK(patterns),
            chance(40) ? "true" : "false", below(4));
    else if (strcmp(operator_name, "phrase_match") == 0)
        put("\"list\":[\"%s\",\"%s\",\"key\"],\"options\":{\"enforce_word_boundary\":%s},", chance(50) ? "ab" : "evil",
            chance(50) ? "b&x" : chance(50) ? "b c" : "AB", chance(30) ? "true" : "false");
    else if (strcmp(operator_name, "exact_match") == 0)
        put("\"list\":[\"ab\",\"%s\",\"evil\"],", chance(50) ? "x" : "AB");
    else if (strcmp(operator_name, "ip_match") == 0)
        put("\"list\":[\"1.2.3.0/24\"],");
    else if (strcmp(operator_name, "equals") == 0)
        put(chance(50) ? "\"type\":\"string\",\"value\":\"%s\"," : "\"type\":\"unsigned\",\"value\":%s,",
            chance(50) ? "5" : "3");
    else if (strcmp(operator_name, "greater_than") == 0)
        put("\"type\":\"signed\",\"value\":%d,", (int)below(6) - 2);
}

static void put_condition(void)
{
    static const char *const scalar[] = {"match_regex", "match_regex", "match_regex",  "phrase_match", "phrase_match",
                                         "exact_match", "ip_match",    "greater_than", "equals"};
    bool exists = chance(12);
    const char *name = exists ? "exists" : PICK(scalar);
    bool negated = chance(20) && strcmp(name, "greater_than") != 0;
    put("{\"operator\":\"%s%s\",\"parameters\":{", negated ? "!" : "", name);
    put_matcher(name);
    put_inputs(negated);
    put("}}");
}

static void put_conditions(unsigned least, unsigned most)
{
    unsigned count = least + below(most - least + 1);
    put("\"conditions\":[");
    for (unsigned i = 0; i < count; i++) {
        put(i ? "," : "");
        put_condition();
    }
    put("]");
}

static void put_rule(unsigned id)
{
    static const char *const modules[] = {"waf", "waf", "waf", "waf", "network-acl", "rasp", "business-logic"};
    static const char *const actions[] = {"", "", "\"block\"", "\"stack_trace\"", "\"block\",\"redir\"", "\"nope\""};
    /* Collections of several rules of the same class have no defined order of their own, but ours is one. */
    put("{\"id\":\"r%u\",\"name\":\"rule\",\"tags\":{\"type\":\"t%u\",\"module\":\"%s\"},", id, below(4), PICK(modules));
    put_conditions(1, 3);
    if (chance(40)) {
        put(",\"transformers\":");
        put_chain();
    }
    put(",\"on_match\":[%s]", PICK(actions));
    if (chance(25))
        put(",\"output\":{\"event\":%s,\"keep\":%s,\"attributes\":{\"n%u\":{\"address\":\"%s\",\"key_path\":[\"k\"]},"
            "\"l%u\":{\"value\":%u}}}",
            chance(60) ? "true" : "false", chance(50) ? "true" : "false", below(3), PICK(addresses), below(3), id);
    put("}");
}

static void put_exclusion(unsigned id, unsigned rules)
{
    put("{\"id\":\"x%u\",", id);
    put_conditions(0, chance(50) ? 1 : 0);
    put(",\"rules_target\":[{\"rule_id\":\"r%u\"},{\"tags\":{\"type\":\"t%u\"}}]", below(rules), below(4));
    if (chance(60)) {
        put(",\"inputs\":[");
        for (unsigned i = 0, count = 1 + below(3); i < count; i++) {
            put("%s{\"address\":\"%s\",\"key_path\":", i ? "," : "", PICK(addresses));
            put_path(true);
            put("}");
        }
        put("]");
    } else {
        static const char *const modes[] = {"bypass", "monitor", "redir", "nope"};
        put(",\"on_match\":\"%s\"", PICK(modes));
    }
    put("}");
}

static void put_ruleset(void)
{
    unsigned rules = 1 + below(12), exclusions = chance(50) ? below(4) : 0;
    put("{\"actions\":[{\"id\":\"redir\",\"type\":\"redirect_request\",\"parameters\":{\"location\":\"/x\"}}],");
    put("\"rules\":[");
    for (unsigned i = 0; i < rules; i++) {
        put(i ? "," : "");
        put_rule(i);
    }
    put("],\"exclusions\":[");
    for (unsigned i = 0; i < exclusions; i++) {
        put(i ? "," : "");
        put_exclusion(i, rules);
    }
    put("]}");
}

/* ---- Comparison ---- */

static bool is_volatile(hg_slice key)
{
    return hg_slice_equal(key, HG_SLICE("duration")) || hg_slice_equal(key, HG_SLICE("stack_id")) ||
           hg_slice_equal(key, HG_SLICE("security_response_id"));
}

static bool same(const hg_value *a, const hg_value *b)
{
    if (!hg_is_container(a) || !hg_is_container(b))
        return hg_value_equal(a, b);
    if (hg_is_map(a) != hg_is_map(b) || hg_value_size(a) != hg_value_size(b))
        return false;
    for (size_t i = 0; i < hg_value_size(a); i++) {
        if (!hg_is_map(a)) {
            if (!same(&hg_array_items(a)[i], &hg_array_items(b)[i]))
                return false;
            continue;
        }
        const hg_pair *x = &hg_map_pairs(a)[i], *y = &hg_map_pairs(b)[i];
        hg_slice key = hg_value_string(&x->key);
        if (!hg_slice_equal(key, hg_value_string(&y->key)) || (!is_volatile(key) && !same(&x->val, &y->val)))
            return false;
    }
    return true;
}

static void show(const char *label, const hg_value *v)
{
    hg_buffer text = {0};
    hg_json_write(v, 0, &text);
    fprintf(stderr, "%s: %.*s\n", label, (int)text.len, text.ptr);
    hg_buffer_free(&text);
}

static void differ(uint64_t round_seed, const hg_value *ruleset, const hg_value *data, const hg_result *fast,
                   const hg_result *plain)
{
    fprintf(stderr, "SEED=%llu\n", (unsigned long long)round_seed);
    show("ruleset", ruleset);
    show("data", data);
    show("fast", &fast->value);
    show("plain", &plain->value);
    fail_msg("the evaluators differ");
}

/* ---- Rounds ---- */

static hg_value read_random(void (*write)(void), hg_arena *arena)
{
    hg_value value;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    out.len = 0;
    write();
    if (hg_json_read(hg_slice_of(out.ptr, out.len), &options, &value, hg_arena_allocator(arena), NULL) != HG_OK)
        fail_msg("bad JSON: %.*s", (int)out.len, out.ptr);
    return value;
}

static void put_multi(void)
{
    put("[");
    for (unsigned i = 0, count = below(4); i < count; i++) {
        put(i ? "," : "");
        put_batch();
    }
    put("]");
}

/* Entries that point into earlier data now and then, so that the same object comes back. */
static const hg_result *run_entries(hg_context *context, const hg_entry *entries, size_t count, uint64_t timeout)
{
    const hg_result *result = NULL;
    hg_batch batch = {entries, count};
    assert_int_equal(hg_context_run(context, &batch, 1, timeout, &result), HG_OK);
    return result;
}

enum { POOL = 16 };

typedef struct round {
    uint64_t seed;
    hg_value ruleset;
    hg_arena arena;
    const hg_value *known[POOL]; /* values given earlier */
    unsigned known_count;
    bool ephemeral;
} round_state;

static void compare_entries(round_state *r, hg_context *fast, hg_context *plain, uint64_t timeout)
{
    hg_value *map = hg_arena_alloc(&r->arena, sizeof *map, 8);
    hg_entry entries[8];
    size_t count = 0;
    *map = read_random(put_batch, &r->arena);
    for (size_t i = 0; i < hg_value_size(map); i++) {
        const hg_value *value = &hg_map_pairs(map)[i].val;
        if (r->known_count > 0 && chance(30))
            value = r->known[below(r->known_count)];
        r->known[r->known_count < POOL ? r->known_count++ : below(POOL)] = value;
        entries[count++] = (hg_entry){hg_value_string(&hg_map_pairs(map)[i].key), value, r->ephemeral && chance(40)};
    }
    const hg_result *a = run_entries(fast, entries, count, timeout);
    const hg_result *b = run_entries(plain, entries, count, timeout);
    if (!same(&a->value, &b->value) || a->match != b->match || a->timeout != b->timeout)
        differ(r->seed, &r->ruleset, map, a, b);
}

static void compare_multi(round_state *r, hg_context *fast, hg_context *plain)
{
    const hg_result *a, *b;
    hg_value *batches = hg_arena_alloc(&r->arena, sizeof *batches, 8);
    *batches = read_random(put_multi, &r->arena);
    assert_int_equal(hg_context_multieval(fast, batches, 10000000, &a), HG_OK);
    assert_int_equal(hg_context_multieval(plain, batches, 10000000, &b), HG_OK);
    if (!same(&a->value, &b->value))
        differ(r->seed, &r->ruleset, batches, a, b);
}

static void compare_calls(round_state *r, hg_context *fast, hg_context *plain, unsigned calls, unsigned depth)
{
    for (unsigned i = 0; i < calls; i++) {
        if (depth < 2 && !r->ephemeral && chance(15)) {
            hg_context *sub_fast = hg_subcontext_new(fast), *sub_plain = hg_subcontext_new(plain);
            compare_calls(r, sub_fast, sub_plain, 1 + below(2), depth + 1);
            hg_context_free(sub_fast);
            hg_context_free(sub_plain);
        } else if (!r->ephemeral && chance(25)) {
            compare_multi(r, fast, plain);
        } else {
            compare_entries(r, fast, plain, chance(8) ? 0 : 10000000);
        }
    }
}

static void run_round(const hg_profile *profile, bool ephemeral)
{
    round_state r = {.seed = seed, .ephemeral = ephemeral};
    hg_arena_init(&r.arena, NULL);
    r.ruleset = read_random(put_ruleset, &r.arena);
    hg_builder *builder = hg_builder_new_with(profile, HG_SLICE(""), HG_SLICE(""));
    hg_builder_set(builder, HG_SLICE("x"), &r.ruleset, NULL, NULL);
    hg_waf *waf = hg_builder_build(builder, NULL);
    for (int contexts = 0; contexts < 3 && waf != NULL; contexts++) {
        hg_context *fast = hg_context_new(waf), *plain = hg_context_traced(waf, NULL, NULL);
        r.known_count = 0;
        compare_calls(&r, fast, plain, 1 + below(4), 0);
        hg_context_free(fast);
        hg_context_free(plain);
    }
    hg_waf_unref(waf);
    hg_builder_free(builder);
    hg_arena_close(&r.arena);
}

static unsigned rounds(unsigned usual)
{
    const char *wanted = getenv("ROUNDS");
    return wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : usual;
}

static void start_random(void)
{
    const char *wanted = getenv("SEED");
    seed = wanted != NULL ? strtoull(wanted, NULL, 10) : 20260101;
    if (seed == 0)
        seed = 1;
}

static void native_results_agree(void **state)
{
    (void)state;
    start_random();
    for (unsigned i = 0; i < rounds(1500); i++)
        run_round(&hg_profile_native, false);
    hg_buffer_free(&out);
    out = (hg_buffer){0};
}

static void results_of_profile_1_agree_with_and_without_ephemeral_data(void **state)
{
    (void)state;
    hg_profile small = hg_profile_ddwaf1;
    small.max_container_size = 3;
    small.max_container_depth = 2;
    small.max_string_length = 4;
    start_random();
    for (unsigned i = 0; i < rounds(1500); i++)
        run_round(chance(50) ? &hg_profile_ddwaf1 : &small, chance(50));
    hg_buffer_free(&out);
    out = (hg_buffer){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_results_agree),
        cmocka_unit_test(results_of_profile_1_agree_with_and_without_ephemeral_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
