/* Rulesets whose answers depend on the order of things that libddwaf keeps in hash tables are not compared. */
#include "diff.h"

#include "waf/ruleset/builder.h"

static bool same_class(const hg_rule *a, const hg_rule *b)
{
    return a->module == b->module && a->verdict == b->verdict && a->custom == b->custom &&
           (a->module != HG_MODULE_WAF || hg_slice_equal(a->type, b->type));
}

static bool is_ordered(const hg_ruleset *ruleset)
{
    for (uint32_t i = 1; i < ruleset->rule_count; i++)
        if (same_class(&ruleset->rules[i - 1], &ruleset->rules[i]))
            return false;
    return true;
}

bool is_determined(const char *json, size_t length)
{
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_arena arena;
    hg_value root;
    hg_status status;
    hg_arena_init(&arena, NULL);
    hg_builder *builder = hg_builder_new_with(&hg_profile_ddwaf1, HG_SLICE(""), HG_SLICE(""));
    hg_json_read(hg_slice_of(json, length), &options, &root, hg_arena_allocator(&arena), NULL);
    hg_builder_set(builder, HG_SLICE("x"), &root, NULL, NULL);
    hg_ruleset *ruleset = hg_builder_ruleset(builder, &status);
    bool ordered = ruleset == NULL || is_ordered(ruleset);
    hg_ruleset_unref(ruleset);
    hg_builder_free(builder);
    hg_arena_close(&arena);
    return ordered;
}
