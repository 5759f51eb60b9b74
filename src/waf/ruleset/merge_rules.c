/* Rules: overrides applied, disabled ones dropped, verdicts found, sorted as they are evaluated. */
#include <stdlib.h>

#include "waf/ruleset/merge.h"

typedef struct rule_list {
    hg_rule *items;
    const hg_rule **configured; /* items[i] before overrides */
    uint32_t count;
    hg_id_map by_id;
} rule_list;

static bool add(hg_merge *m, const void *item, void *state)
{
    rule_list *list = state;
    (void)m;
    const hg_rule *rule = item;
    list->configured[list->count] = rule;
    list->items[list->count] = *rule;
    return hg_id_map_put(&list->by_id, rule->id, list->count++);
}

/* rules and rules_compat of one configuration after the other. */
static bool add_base(hg_merge *m, rule_list *list)
{
    for (size_t c = 0; c < m->merged->config_count; c++) {
        for (hg_section s = HG_SECTION_RULES; s <= HG_SECTION_RULES_COMPAT; s++) {
            const hg_items *items = &m->merged->configs[c]->sections[s];
            for (uint32_t i = 0; i < items->count; i++)
                if (!add(m, items->items[i], list))
                    return false;
        }
    }
    return true;
}

/* ---- Overrides ---- */

static bool is_own_tag(const hg_rule *configured, hg_slice key)
{
    return hg_tags_find(configured->tags, key) != NULL;
}

/* Adds tags the rule does not have from its own configuration; a later one replaces an earlier added one. */
static bool add_tags(hg_merge *m, const hg_rule *configured, hg_rule *rule, hg_tags added)
{
    hg_tag *tags = hg_merge_alloc(m->arena, rule->tags.count + added.count, sizeof(hg_tag));
    if (tags == NULL)
        return false;
    if (rule->tags.count > 0)
        memcpy(tags, rule->tags.items, rule->tags.count * sizeof(hg_tag));
    hg_tags all = {tags, rule->tags.count};
    for (uint32_t i = 0; i < added.count; i++) {
        if (is_own_tag(configured, added.items[i].key))
            continue;
        const hg_tag *there = hg_tags_find(all, added.items[i].key);
        if (there != NULL)
            tags[there - tags] = added.items[i];
        else
            tags[all.count++] = added.items[i];
    }
    hg_rule_take_tags(rule, all);
    return true;
}

static bool apply(hg_merge *m, const hg_rule *configured, hg_rule *rule, const hg_rule_override *o)
{
    if (o->has_enabled)
        rule->enabled = o->enabled;
    if (o->has_on_match)
        rule->on_match = o->on_match;
    return o->tags.count == 0 || add_tags(m, configured, rule, o->tags);
}

static bool apply_by_id(hg_merge *m, rule_list *list, const hg_rule_override *o, hg_slice id)
{
    const uint32_t *at = hg_id_map_find(&list->by_id, id);
    return at == NULL || apply(m, list->configured[*at], &list->items[*at], o);
}

static bool apply_by_tags(hg_merge *m, rule_list *list, const hg_rule_override *o, hg_tags tags)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (hg_tags_include(list->configured[i]->tags, tags) && !apply(m, list->configured[i], &list->items[i], o))
            return false;
    return true;
}

typedef struct override_pass {
    rule_list *list;
    hg_reference_kind kind;
} override_pass;

static bool apply_override(hg_merge *m, const void *item, void *state)
{
    const override_pass *pass = state;
    const hg_rule_override *o = item;
    if (o->kind != pass->kind)
        return true;
    for (uint32_t i = 0; i < o->targets.count; i++) {
        const hg_reference *target = &o->targets.items[i];
        bool ok = true;
        if (target->kind == HG_REFERENCE_ID)
            ok = apply_by_id(m, pass->list, o, target->id);
        else if (target->kind == HG_REFERENCE_TAGS)
            ok = apply_by_tags(m, pass->list, o, target->tags);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- Order ---- */

static hg_verdict verdict_of(const hg_ruleset *ruleset, const hg_rule *rule)
{
    for (uint32_t i = 0; i < rule->on_match.count; i++) {
        const hg_action *action = hg_ruleset_action(ruleset, rule->on_match.items[i]);
        if (action != NULL && hg_action_blocks(action->kind))
            return HG_VERDICT_BLOCK;
    }
    return HG_VERDICT_MONITOR;
}

static bool base_first(hg_module module)
{
    return module == HG_MODULE_NETWORK_ACL || module == HG_MODULE_AUTHENTICATION_ACL || module == HG_MODULE_RASP;
}

static int evaluation_order(const void *a, const void *b)
{
    const hg_rule *x = *(const hg_rule *const *)a;
    const hg_rule *y = *(const hg_rule *const *)b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->custom != y->custom)
        return x->custom != base_first(x->module) ? -1 : 1;
    int c = x->module == HG_MODULE_WAF ? hg_slice_compare(x->type, y->type) : 0;
    return c != 0 ? c : (x > y) - (x < y); /* order of configuration */
}

static bool sort_enabled(hg_merge *m, rule_list *list)
{
    hg_ruleset *ruleset = m->ruleset;
    const hg_rule **order = hg_merge_alloc(m->scratch, list->count, sizeof(hg_rule *));
    hg_rule *rules = hg_merge_alloc(m->arena, list->count, sizeof(hg_rule));
    if (order == NULL || rules == NULL)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        list->items[i].verdict = verdict_of(ruleset, &list->items[i]);
        if (list->items[i].enabled)
            order[count++] = &list->items[i];
    }
    qsort(order, count, sizeof(hg_rule *), evaluation_order);
    int module = 0;
    for (uint32_t i = 0; i < count; i++) {
        rules[i] = *order[i];
        while (module <= (int)rules[i].module)
            ruleset->module_begin[module++] = i;
    }
    while (module <= HG_MODULES)
        ruleset->module_begin[module++] = count;
    ruleset->rules = rules;
    ruleset->rule_count = count;
    return true;
}

bool hg_merge_rules(hg_merge *m)
{
    size_t room = hg_merge_count(m, HG_SECTION_RULES) + hg_merge_count(m, HG_SECTION_RULES_COMPAT) +
                  hg_merge_count(m, HG_SECTION_CUSTOM_RULES);
    rule_list list = {.items = hg_merge_alloc(m->scratch, room, sizeof(hg_rule)),
                      .configured = hg_merge_alloc(m->scratch, room, sizeof(hg_rule *)),
                      .by_id.arena = m->scratch};
    if (list.items == NULL || list.configured == NULL || !add_base(m, &list))
        return false;
    override_pass by_tags = {&list, HG_REFERENCE_TAGS};
    override_pass by_id = {&list, HG_REFERENCE_ID};
    return hg_merge_each(m, HG_SECTION_RULES_OVERRIDE, apply_override, &by_tags) &&
           hg_merge_each(m, HG_SECTION_RULES_OVERRIDE, apply_override, &by_id) &&
           hg_merge_each(m, HG_SECTION_CUSTOM_RULES, add, &list) && sort_enabled(m, &list);
}
