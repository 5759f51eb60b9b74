/* Exclusions: their targets resolved to rules, split by form. */
#include "waf/ruleset/merge.h"

typedef struct filter_lists {
    hg_filter *rule_filters;
    hg_filter *input_filters;
    const uint32_t *all; /* every rule */
    bool *hit;           /* one a rule */
    hg_id_map by_id;
} filter_lists;

static void hit_targets(const hg_ruleset *ruleset, const filter_lists *lists, hg_references targets)
{
    memset(lists->hit, 0, ruleset->rule_count);
    for (uint32_t t = 0; t < targets.count; t++) {
        const hg_reference *target = &targets.items[t];
        if (target->kind == HG_REFERENCE_ID) {
            const uint32_t *at = hg_id_map_find(&lists->by_id, target->id);
            if (at != NULL)
                lists->hit[*at] = true;
        } else if (target->kind == HG_REFERENCE_TAGS) {
            for (uint32_t i = 0; i < ruleset->rule_count; i++)
                lists->hit[i] |= hg_tags_include(ruleset->rules[i].tags, target->tags);
        }
    }
}

static bool resolve(hg_merge *m, const filter_lists *lists, hg_references targets, hg_filter *filter)
{
    const hg_ruleset *ruleset = m->ruleset;
    if (targets.count == 0) {
        filter->rules = lists->all;
        filter->rule_count = ruleset->rule_count;
        return true;
    }
    hit_targets(ruleset, lists, targets);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ruleset->rule_count; i++)
        count += lists->hit[i];
    uint32_t *rules = hg_merge_alloc(m->arena, count, sizeof *rules);
    if (rules == NULL)
        return false;
    filter->rules = rules;
    filter->rule_count = count;
    for (uint32_t i = 0; i < ruleset->rule_count; i++)
        if (lists->hit[i])
            *rules++ = i;
    return true;
}

static bool add(hg_merge *m, const void *item, void *state)
{
    const filter_lists *lists = state;
    const hg_filter_config *config = item;
    bool for_inputs = config->filter.for_inputs;
    hg_filter *filter = for_inputs ? &lists->input_filters[m->ruleset->input_filter_count++]
                                   : &lists->rule_filters[m->ruleset->rule_filter_count++];
    *filter = config->filter;
    return resolve(m, lists, config->targets, filter);
}

static bool prepare(hg_merge *m, filter_lists *lists)
{
    const hg_ruleset *ruleset = m->ruleset;
    size_t room = hg_merge_count(m, HG_SECTION_EXCLUSIONS);
    uint32_t *all = hg_merge_alloc(m->arena, ruleset->rule_count, sizeof *all);
    lists->rule_filters = hg_merge_alloc(m->arena, room, sizeof(hg_filter));
    lists->input_filters = hg_merge_alloc(m->arena, room, sizeof(hg_filter));
    lists->hit = hg_merge_alloc(m->scratch, ruleset->rule_count, sizeof(bool));
    lists->by_id.arena = m->scratch;
    lists->all = all;
    if (all == NULL || lists->rule_filters == NULL || lists->input_filters == NULL || lists->hit == NULL)
        return false;
    for (uint32_t i = 0; i < ruleset->rule_count; i++) {
        all[i] = i;
        if (!hg_id_map_put(&lists->by_id, ruleset->rules[i].id, i))
            return false;
    }
    return true;
}

bool hg_merge_filters(hg_merge *m)
{
    filter_lists lists;
    memset(&lists, 0, sizeof lists);
    if (!prepare(m, &lists))
        return false;
    m->ruleset->rule_filters = lists.rule_filters;
    m->ruleset->input_filters = lists.input_filters;
    return hg_merge_each(m, HG_SECTION_EXCLUSIONS, add, &lists);
}
