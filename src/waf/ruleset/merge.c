#include "waf/ruleset/merge.h"

#include <stdlib.h>

size_t hg_merge_count(const hg_merge *m, hg_section section)
{
    size_t count = 0;
    for (size_t i = 0; i < m->merged->config_count; i++)
        count += m->merged->configs[i]->sections[section].count;
    return count;
}

bool hg_merge_each(hg_merge *m, hg_section section, bool (*visit)(hg_merge *m, const void *item, void *state),
                   void *state)
{
    for (size_t c = 0; c < m->merged->config_count; c++) {
        const hg_items *items = &m->merged->configs[c]->sections[section];
        for (uint32_t i = 0; i < items->count; i++)
            if (!visit(m, items->items[i], state))
                return false;
    }
    return true;
}

void *hg_merge_alloc(hg_arena *arena, size_t count, size_t size)
{
    return hg_arena_alloc(arena, count * size, _Alignof(max_align_t));
}

bool hg_tags_include(hg_tags tags, hg_tags wanted)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        const hg_tag *tag = hg_tags_find(tags, wanted.items[i].key);
        if (tag == NULL || !hg_slice_equal(tag->value, wanted.items[i].value))
            return false;
    }
    return true;
}

/* ---- Life ---- */

hg_ruleset *hg_ruleset_ref(hg_ruleset *ruleset)
{
    atomic_fetch_add_explicit(&((hg_merged *)ruleset)->references, 1, memory_order_relaxed);
    return ruleset;
}

void hg_ruleset_unref(hg_ruleset *ruleset)
{
    hg_merged *merged = (hg_merged *)ruleset;
    if (merged == NULL || atomic_fetch_sub_explicit(&merged->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < merged->config_count; i++)
        hg_config_unref(merged->configs[i]);
    hg_data_sets_unref(merged->data);
    hg_arena_close(&merged->arena);
    free(merged);
}

static bool take_configs(hg_merged *merged, const hg_builder *builder)
{
    merged->configs = hg_merge_alloc(&merged->arena, builder->count + 1, sizeof(hg_config *));
    if (merged->configs == NULL)
        return false;
    for (size_t i = 0; i < builder->count; i++)
        merged->configs[merged->config_count++] = hg_config_ref(builder->configs[i]);
    if (builder->base != NULL)
        merged->configs[merged->config_count++] = hg_config_ref(builder->base);
    for (size_t i = 0; i < merged->config_count; i++)
        if (merged->configs[i]->obfuscator != NULL)
            merged->ruleset.obfuscator = merged->configs[i]->obfuscator;
    return true;
}

static hg_merged *merged_new(const hg_builder *builder)
{
    hg_merged *merged = calloc(1, sizeof *merged);
    if (merged == NULL)
        return NULL;
    atomic_init(&merged->references, 1);
    merged->profile = builder->profile;
    merged->ruleset.profile = &merged->profile;
    hg_arena_init(&merged->arena, NULL);
    if (take_configs(merged, builder))
        return merged;
    hg_ruleset_unref(&merged->ruleset);
    return NULL;
}

/* The new sets are shared with the next build. */
static bool take_data(hg_merged *merged, hg_builder *builder)
{
    merged->data = hg_data_sets_build(builder);
    if (merged->data == NULL)
        return false;
    hg_data_sets_unref(builder->last_data);
    builder->last_data = hg_data_sets_ref(merged->data);
    return true;
}

static bool merge(hg_merged *merged, hg_builder *builder)
{
    hg_arena scratch;
    hg_arena_init(&scratch, NULL);
    hg_merge m = {merged, &merged->ruleset, &merged->arena, &scratch};
    bool ok = take_data(merged, builder) && hg_merge_actions(&m) && hg_merge_rules(&m) && hg_merge_filters(&m) &&
              hg_merge_processors(&m) && hg_merge_known(&m);
    hg_arena_close(&scratch);
    return ok;
}

hg_ruleset *hg_builder_ruleset(hg_builder *builder, hg_status *status)
{
    hg_merged *merged = merged_new(builder);
    *status = HG_ERR_NOMEM;
    if (merged == NULL)
        return NULL;
    if (merge(merged, builder)) {
        *status = HG_OK;
        if (merged->ruleset.rule_count == 0 && merged->ruleset.postprocessor_count == 0)
            *status = HG_ERR_SYNTAX;
    }
    if (*status == HG_OK)
        return &merged->ruleset;
    hg_ruleset_unref(&merged->ruleset);
    return NULL;
}

/* ---- Look-ups ---- */

const hg_action *hg_ruleset_action(const hg_ruleset *ruleset, hg_slice id)
{
    size_t low = 0;
    size_t high = ruleset->action_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = hg_slice_compare(id, ruleset->actions[middle].id);
        if (c == 0)
            return &ruleset->actions[middle];
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool hg_condition_matcher(const hg_ruleset *ruleset, const hg_condition *condition, hg_matcher *out)
{
    if (!condition->dynamic) {
        *out = condition->matcher;
        return true;
    }
    if (condition->data.len == 0 || condition->data_kind == HG_DATA_NONE)
        return false;
    return hg_data_sets_find(((const hg_merged *)ruleset)->data, condition->data_kind, condition->data, out);
}
