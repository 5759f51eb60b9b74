/* The pattern sets of a ruleset: one set per (address, key path), keys apart, as an evaluation scans strings that
 * no transformer changes. */
#ifndef BENCH_REGEX_SETS_H
#define BENCH_REGEX_SETS_H

#include "hotgate/regex.h"
#include "hotgate/value.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PATTERNS = 512, MAX_SETS = 64 };

typedef struct pattern {
    hg_slice text;
    bool insensitive;
} pattern;

typedef struct named_set {
    char name[160];
    int members[MAX_PATTERNS];
    int count;
} named_set;

typedef struct ruleset {
    hg_arena arena;
    pattern patterns[MAX_PATTERNS];
    int count;
    named_set sets[MAX_SETS];
    int set_count;
} ruleset;

static bool read_file(const char *path, hg_slice *out)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return false;
    }
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(size + 1);
    *out = hg_slice_of(bytes, bytes ? fread(bytes, 1, size, f) : 0);
    fclose(f);
    return bytes != NULL;
}

static const hg_value *member(const hg_value *map, const char *key)
{
    return map != NULL && hg_is_map(map) ? hg_map_find(map, hg_slice_from(key)) : NULL;
}

static int add_pattern(ruleset *r, const hg_value *parameters)
{
    const hg_value *sensitive = member(member(parameters, "options"), "case_sensitive");
    pattern p = {hg_value_string(member(parameters, "regex")),
                 !(sensitive != NULL && sensitive->type == HG_BOOL && sensitive->b8.val)};
    for (int i = 0; i < r->count; i++) {
        if (hg_slice_equal(r->patterns[i].text, p.text) && r->patterns[i].insensitive == p.insensitive)
            return i;
    }
    r->patterns[r->count] = p;
    return r->count++;
}

static named_set *set_called(ruleset *r, const char *name)
{
    for (int i = 0; i < r->set_count; i++) {
        if (strcmp(r->sets[i].name, name) == 0)
            return &r->sets[i];
    }
    snprintf(r->sets[r->set_count].name, sizeof r->sets->name, "%s", name);
    return &r->sets[r->set_count++];
}

static void add_to_set(named_set *set, int index)
{
    for (int i = 0; i < set->count; i++) {
        if (set->members[i] == index)
            return;
    }
    set->members[set->count++] = index;
}

static bool keys_only(const hg_value *transformers)
{
    for (size_t i = 0; transformers != NULL && i < hg_value_size(transformers); i++) {
        if (hg_slice_equal(hg_value_string(&hg_array_items(transformers)[i]), HG_SLICE("keys_only")))
            return true;
    }
    return false;
}

static void add_input(ruleset *r, const hg_value *rule, const hg_value *input, int index)
{
    char name[160];
    hg_slice address = hg_value_string(member(input, "address")), key = {"", 0};
    const hg_value *path = member(input, "key_path"), *transformers = member(input, "transformers");
    if (path != NULL && hg_value_size(path) > 0)
        key = hg_value_string(&hg_array_items(path)[0]);
    bool keys = keys_only(transformers != NULL ? transformers : member(rule, "transformers"));
    snprintf(name, sizeof name, "%.*s%s%.*s%s", (int)address.len, address.ptr, key.len ? ":" : "", (int)key.len,
             key.ptr, keys ? " keys" : "");
    add_to_set(set_called(r, name), index);
}

/* Walks everything below v: rules bring inputs, scanners only patterns. */
static void collect(ruleset *r, const hg_value *v, const hg_value *rule, bool with_sets)
{
    if (hg_is_array(v)) {
        for (size_t i = 0; i < hg_value_size(v); i++)
            collect(r, &hg_array_items(v)[i], rule, with_sets);
        return;
    }
    if (!hg_is_map(v))
        return;
    if (member(v, "conditions") != NULL)
        rule = v;
    const hg_value *operator= member(v, "operator"), *parameters = member(v, "parameters");
    if (operator!= NULL && hg_slice_equal(hg_value_string(operator), HG_SLICE("match_regex"))) {
        int index = add_pattern(r, parameters);
        const hg_value *inputs = member(parameters, "inputs");
        for (size_t i = 0; with_sets && inputs != NULL && i < hg_value_size(inputs); i++)
            add_input(r, rule, &hg_array_items(inputs)[i], index);
    }
    for (size_t i = 0; i < hg_value_size(v); i++)
        collect(r, &hg_map_pairs(v)[i].val, rule, with_sets);
}

static bool ruleset_load(ruleset *r, const char *path)
{
    hg_slice text;
    hg_value root;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    *r = (ruleset){0};
    hg_arena_init(&r->arena, NULL);
    if (!read_file(path, &text) ||
        hg_json_read(text, &options, &root, hg_arena_allocator(&r->arena), NULL) != HG_OK)
        return false;
    free((char *)text.ptr);
    collect(r, member(&root, "rules"), NULL, true);
    named_set *rules = set_called(r, "all rules");
    for (int i = 0; i < r->count; i++)
        add_to_set(rules, i);
    collect(r, member(&root, "rules_compat"), NULL, false);
    collect(r, member(&root, "scanners"), NULL, false);
    named_set *all = set_called(r, "all patterns");
    for (int i = 0; i < r->count; i++)
        add_to_set(all, i);
    return true;
}

static const named_set *ruleset_find(const ruleset *r, const char *name)
{
    for (int i = 0; i < r->set_count; i++) {
        if (strcmp(r->sets[i].name, name) == 0)
            return &r->sets[i];
    }
    fprintf(stderr, "the ruleset has no set %s\n", name);
    exit(1);
}

#endif
