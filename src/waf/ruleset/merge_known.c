/* Known addresses and types of actions (waf-api 8.2). */
#include "waf/ruleset/merge.h"

/* A list of NUL-terminated strings without duplicates. */
typedef struct name_list {
    hg_merge *merge;
    const char **items;
    uint32_t count;
    uint32_t capacity;
    hg_id_map seen;
    bool ok;
} name_list;

static bool grow(name_list *list)
{
    if (list->count < list->capacity)
        return true;
    uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
    const char **items = hg_arena_resize(list->merge->arena, list->items, list->capacity * sizeof *items,
                                         capacity * sizeof *items, _Alignof(char *));
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

static bool append(name_list *list, hg_slice name)
{
    char *text = hg_arena_alloc(list->merge->arena, name.len + 1, 1);
    if (text == NULL || !grow(list) || !hg_id_map_put(&list->seen, name, list->count))
        return false;
    if (name.len > 0)
        memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    list->items[list->count++] = text;
    return true;
}

static void add(name_list *list, hg_slice name)
{
    if (list->ok && !hg_id_map_has(&list->seen, name))
        list->ok = append(list, name);
}

static void add_conditions(name_list *list, hg_conditions conditions)
{
    for (uint32_t c = 0; c < conditions.count; c++)
        for (int a = 0; a < HG_ARGUMENTS_MAX; a++)
            for (uint32_t i = 0; i < conditions.items[c].arguments[a].count; i++)
                add(list, conditions.items[c].arguments[a].inputs[i].address);
}

static void add_rule(name_list *list, const hg_rule *rule)
{
    add_conditions(list, rule->conditions);
    if (!list->merge->ruleset->profile->attribute_addresses)
        return;
    for (uint32_t i = 0; i < rule->attribute_count; i++)
        if (!rule->attributes[i].literal)
            add(list, rule->attributes[i].address);
}

static void add_filter(name_list *list, const hg_filter *filter)
{
    add_conditions(list, filter->conditions);
    for (uint32_t i = 0; i < filter->input_count; i++)
        add(list, filter->inputs[i].address);
}

static void add_processor(name_list *list, const hg_processor *processor)
{
    add_conditions(list, processor->conditions);
    for (uint32_t i = 0; i < processor->mapping_count; i++)
        for (int p = 0; p < HG_MAPPING_MAX && processor->generator->parameters[p].name.len > 0; p++)
            add(list, processor->mappings[i].inputs[p].address);
}

static void add_addresses(name_list *list, const hg_ruleset *ruleset)
{
    for (uint32_t i = 0; i < ruleset->rule_count; i++)
        add_rule(list, &ruleset->rules[i]);
    for (uint32_t i = 0; i < ruleset->rule_filter_count; i++)
        add_filter(list, &ruleset->rule_filters[i]);
    for (uint32_t i = 0; i < ruleset->input_filter_count; i++)
        add_filter(list, &ruleset->input_filters[i]);
    for (uint32_t i = 0; i < ruleset->preprocessor_count; i++)
        add_processor(list, &ruleset->preprocessors[i]);
    for (uint32_t i = 0; i < ruleset->postprocessor_count; i++)
        add_processor(list, &ruleset->postprocessors[i]);
}

static void add_action(name_list *list, hg_slice id)
{
    const hg_action *action = hg_ruleset_action(list->merge->ruleset, id);
    if (action != NULL)
        add(list, action->type);
}

/* A filter without an action of its own counts as naming the empty id, as in libddwaf. */
static void add_filter_action(name_list *list, const hg_filter *filter)
{
    add_action(list, filter->mode == HG_EXCLUDE_CUSTOM ? filter->action : HG_SLICE(""));
}

static void add_action_types(name_list *list, const hg_ruleset *ruleset)
{
    for (uint32_t i = 0; i < ruleset->rule_count; i++)
        for (uint32_t k = 0; k < ruleset->rules[i].on_match.count; k++)
            add_action(list, ruleset->rules[i].on_match.items[k]);
    for (uint32_t i = 0; i < ruleset->rule_filter_count; i++)
        add_filter_action(list, &ruleset->rule_filters[i]);
}

bool hg_merge_known(hg_merge *m)
{
    name_list addresses = {.merge = m, .seen.arena = m->scratch, .ok = true};
    name_list types = {.merge = m, .seen.arena = m->scratch, .ok = true};
    add_addresses(&addresses, m->ruleset);
    add_action_types(&types, m->ruleset);
    m->ruleset->addresses = addresses.items;
    m->ruleset->address_count = addresses.count;
    m->ruleset->action_types = types.items;
    m->ruleset->action_type_count = types.count;
    return addresses.ok && types.ok;
}
