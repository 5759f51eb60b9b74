/* From the effective ruleset to the plan: names become numbers, data sets become matchers, paths become tries. */
#include "waf/plan/plan.h"
#include "waf/plan/lanes.h"

#include <stdlib.h>

typedef struct tally {
    size_t conditions, inputs, attributes, filter_inputs, trie_nodes, processors, mappings, addresses;
} tally;

static void tally_conditions(tally *t, hg_conditions conditions)
{
    t->conditions += conditions.count;
    for (uint32_t i = 0; i < conditions.count; i++)
        for (int k = 0; k < HG_ARGUMENTS_MAX; k++)
            t->inputs += conditions.items[i].arguments[k].count;
}

static void tally_filters(tally *t, const hg_filter *filters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tally_conditions(t, filters[i].conditions);
        if (!filters[i].for_inputs)
            continue;
        t->filter_inputs += filters[i].input_count;
        t->trie_nodes += filters[i].input_count;
        for (uint32_t k = 0; k < filters[i].input_count; k++)
            t->trie_nodes += filters[i].inputs[k].path.count;
    }
}

static void tally_processors(tally *t, const hg_processor *processors, uint32_t count)
{
    t->processors += count;
    for (uint32_t i = 0; i < count; i++) {
        tally_conditions(t, processors[i].conditions);
        t->mappings += processors[i].mapping_count;
    }
}

static tally tally_ruleset(const hg_ruleset *rs)
{
    tally t = {0};
    for (uint32_t i = 0; i < rs->rule_count; i++) {
        tally_conditions(&t, rs->rules[i].conditions);
        t.attributes += rs->rules[i].attribute_count;
    }
    tally_filters(&t, rs->rule_filters, rs->rule_filter_count);
    tally_filters(&t, rs->input_filters, rs->input_filter_count);
    tally_processors(&t, rs->preprocessors, rs->preprocessor_count);
    tally_processors(&t, rs->postprocessors, rs->postprocessor_count);
    t.addresses = t.inputs + t.attributes + t.filter_inputs + t.mappings * (HG_MAPPING_MAX + 1) + 1;
    return t;
}

static void *room(hg_plan *plan, size_t count, size_t size)
{
    void *ptr = hg_arena_alloc(&plan->arena, (count + 1) * size, _Alignof(max_align_t));
    if (ptr != NULL)
        memset(ptr, 0, (count + 1) * size);
    return ptr;
}

static bool plan_rooms(hg_plan *plan, const tally *t)
{
    const hg_ruleset *rs = plan->ruleset;
    plan->conditions = room(plan, t->conditions, sizeof *plan->conditions);
    plan->inputs = room(plan, t->inputs, sizeof *plan->inputs);
    plan->rules = room(plan, rs->rule_count, sizeof *plan->rules);
    plan->attributes = room(plan, t->attributes, sizeof *plan->attributes);
    plan->collections = room(plan, rs->rule_count, sizeof *plan->collections);
    plan->filters = room(plan, rs->rule_filter_count + (size_t)rs->input_filter_count, sizeof *plan->filters);
    plan->filter_inputs = room(plan, t->filter_inputs, sizeof *plan->filter_inputs);
    plan->trie = room(plan, t->trie_nodes + 1, sizeof *plan->trie);
    plan->processors = room(plan, t->processors, sizeof *plan->processors);
    plan->mappings = room(plan, t->mappings, sizeof *plan->mappings);
    plan->address_use = room(plan, t->addresses, 1);
    return plan->conditions && plan->inputs && plan->rules && plan->attributes && plan->collections &&
           plan->filters && plan->filter_inputs && plan->trie && plan->processors && plan->mappings &&
           plan->address_use && hg_addresses_init(&plan->addresses, (uint32_t)t->addresses, &plan->arena);
}

static uint32_t address_of(hg_plan *plan, hg_slice name, uint8_t use)
{
    uint32_t address = hg_addresses_add(&plan->addresses, name);
    plan->address_use[address] |= use;
    return address;
}

static void compile_input(hg_plan *plan, const hg_input *source, uint8_t use)
{
    hg_plan_input *input = &plan->inputs[plan->input_count++];
    input->source = source;
    input->address = address_of(plan, source->address, use);
    input->chain = source->chain;
}

static hg_condition_kind kind_of(const hg_condition *condition)
{
    if (condition->matcher.op->kind == HG_OPERATOR_EXISTS)
        return HG_CONDITION_EXISTS;
    if (condition->matcher.op->kind == HG_OPERATOR_DETECTOR)
        return HG_CONDITION_DETECTOR;
    return condition->negated ? HG_CONDITION_NEGATED : HG_CONDITION_SCALAR;
}

static hg_plan_expression compile_expression(hg_plan *plan, hg_conditions source, uint8_t use)
{
    hg_plan_expression expression = {plan->condition_count, source.count};
    for (uint32_t i = 0; i < source.count; i++) {
        hg_plan_condition *condition = &plan->conditions[plan->condition_count];
        condition->id = plan->condition_count++;
        condition->source = &source.items[i];
        condition->kind = kind_of(condition->source);
        condition->answerable = hg_condition_matcher(plan->ruleset, condition->source, &condition->matcher);
        for (int k = 0; k < HG_ARGUMENTS_MAX; k++) {
            condition->argument[k] = plan->input_count;
            for (uint32_t n = 0; n < condition->source->arguments[k].count; n++)
                compile_input(plan, &condition->source->arguments[k].inputs[n], use);
        }
        condition->argument[HG_ARGUMENTS_MAX] = plan->input_count;
    }
    return expression;
}

static void compile_processors(hg_plan *plan, const hg_processor *source, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hg_plan_processor *processor = &plan->processors[plan->processor_count];
        processor->id = plan->processor_count++;
        processor->source = &source[i];
        processor->expression = compile_expression(plan, source[i].conditions, 0);
        processor->mapping_first = plan->mapping_count;
        processor->mapping_count = source[i].mapping_count;
        for (uint32_t m = 0; m < source[i].mapping_count; m++) {
            hg_plan_mapping *mapping = &plan->mappings[plan->mapping_count];
            mapping->id = plan->mapping_count++;
            mapping->source = &source[i].mappings[m];
            for (int k = 0; k < HG_MAPPING_MAX; k++)
                mapping->inputs[k] = source[i].generator->parameters[k].name.len > 0
                                         ? address_of(plan, mapping->source->inputs[k].address, 0)
                                         : HG_NO_ADDRESS;
            mapping->output = address_of(plan, mapping->source->output, 0);
        }
    }
}

/* ---- Tries of input filters ---- */

static uint32_t trie_child(hg_plan *plan, uint32_t node, hg_slice key)
{
    bool any = hg_slice_equal(key, HG_SLICE("*"));
    if (any && plan->trie[node].any != 0)
        return plan->trie[node].any;
    for (uint32_t child = any ? 0 : plan->trie[node].child; child != 0; child = plan->trie[child].sibling)
        if (hg_slice_equal(plan->trie[child].key, key))
            return child;
    uint32_t child = plan->trie_count++;
    plan->trie[child].key = key;
    if (any) {
        plan->trie[node].any = child;
    } else {
        plan->trie[child].sibling = plan->trie[node].child;
        plan->trie[node].child = child;
    }
    return child;
}

/* An extension of a listed path adds nothing; a prefix of listed ones replaces them. */
static void trie_add(hg_plan *plan, uint32_t root, hg_slices path)
{
    uint32_t node = root;
    for (uint32_t i = 0; i < path.count; i++) {
        if (plan->trie[node].terminal)
            return;
        node = trie_child(plan, node, path.items[i]);
    }
    plan->trie[node].terminal = true;
    plan->trie[node].child = plan->trie[node].any = 0;
}

static void compile_filter_inputs(hg_plan *plan, hg_plan_filter *filter)
{
    filter->input_first = plan->filter_input_count;
    for (uint32_t i = 0; i < filter->source->input_count; i++) {
        const hg_filter_input *source = &filter->source->inputs[i];
        uint32_t address = address_of(plan, source->address, HG_USED_BY_FILTERS);
        hg_plan_filter_input *input = NULL;
        for (uint32_t k = filter->input_first; k < plan->filter_input_count; k++)
            if (plan->filter_inputs[k].address == address)
                input = &plan->filter_inputs[k];
        if (input == NULL) {
            input = &plan->filter_inputs[plan->filter_input_count];
            *input = (hg_plan_filter_input){address, plan->filter_input_count++, plan->trie_count++};
            plan->trie[input->root].terminal = source->path.count == 0;
            if (source->path.count > 0)
                trie_add(plan, input->root, source->path);
        } else if (source->path.count > 0) {
            /* The empty path only counts when it stands alone. */
            plan->trie[input->root].terminal = false;
            trie_add(plan, input->root, source->path);
        }
    }
    filter->input_count = plan->filter_input_count - filter->input_first;
}

static void compile_filters(hg_plan *plan, const hg_filter *source, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hg_plan_filter *filter = &plan->filters[plan->filter_count];
        filter->id = plan->filter_count++;
        filter->source = &source[i];
        filter->expression = compile_expression(plan, source[i].conditions, HG_USED_BY_FILTERS);
        if (source[i].for_inputs)
            compile_filter_inputs(plan, filter);
    }
}

/* ---- Rules ---- */

static bool link_input_filters(hg_plan *plan)
{
    uint32_t *counts = room(plan, plan->rule_count, sizeof *counts);
    if (counts == NULL)
        return false;
    for (uint32_t f = plan->rule_filter_count; f < plan->filter_count; f++)
        for (uint32_t k = 0; k < plan->filters[f].source->rule_count; k++)
            counts[plan->filters[f].source->rules[k]]++;
    for (uint32_t r = 0; r < plan->rule_count; r++) {
        uint32_t *list = counts[r] ? room(plan, counts[r], sizeof *list) : NULL;
        if (counts[r] > 0 && list == NULL)
            return false;
        plan->rules[r].input_filters = list;
    }
    for (uint32_t f = plan->rule_filter_count; f < plan->filter_count; f++) {
        for (uint32_t k = 0; k < plan->filters[f].source->rule_count; k++) {
            hg_plan_rule *rule = &plan->rules[plan->filters[f].source->rules[k]];
            ((uint32_t *)rule->input_filters)[rule->input_filter_count++] = f;
        }
    }
    return true;
}

/* Numbers types by first appearance; types are compared among rules, so a table of addresses serves. */
static bool number_types(hg_plan *plan)
{
    hg_address_table types;
    if (!hg_addresses_init(&types, plan->rule_count, &plan->arena))
        return false;
    for (uint32_t r = 0; r < plan->rule_count; r++)
        plan->rules[r].type = hg_addresses_add(&types, plan->rules[r].source->type);
    plan->type_count = types.count;
    return true;
}

static void compile_rules(hg_plan *plan)
{
    const hg_ruleset *rs = plan->ruleset;
    for (uint32_t r = 0; r < rs->rule_count; r++) {
        hg_plan_rule *rule = &plan->rules[r];
        rule->source = &rs->rules[r];
        rule->index = r;
        rule->expression = compile_expression(plan, rule->source->conditions, HG_USED_BY_RULES);
        rule->attribute_first = plan->attribute_count;
        rule->attribute_count = rule->source->attribute_count;
        for (uint32_t k = 0; k < rule->attribute_count; k++) {
            const hg_attribute *source = &rule->source->attributes[k];
            hg_plan_attribute *attribute = &plan->attributes[plan->attribute_count++];
            attribute->source = source;
            attribute->address =
                source->literal ? HG_NO_ADDRESS : address_of(plan, source->address, HG_USED_BY_RULES);
        }
    }
    plan->rule_count = rs->rule_count;
}

/* Maximal runs of equal type; leading rules without a type open none. */
static void cut_collections(hg_plan *plan)
{
    const uint32_t *begin = plan->ruleset->module_begin;
    hg_slice previous = {NULL, 0};
    for (uint32_t r = begin[HG_MODULE_WAF]; r < begin[HG_MODULE_WAF + 1]; r++) {
        const hg_plan_rule *rule = &plan->rules[r];
        if (!hg_slice_equal(rule->source->type, previous)) {
            previous = rule->source->type;
            plan->collections[plan->collection_count++] =
                (hg_plan_collection){r, 0, rule->type, rule->source->verdict};
        }
        if (plan->collection_count > 0)
            plan->collections[plan->collection_count - 1].count++;
    }
}

static bool compile_plan(hg_plan *plan)
{
    const hg_ruleset *rs = plan->ruleset;
    tally t = tally_ruleset(rs);
    if (!plan_rooms(plan, &t))
        return false;
    plan->trie_count = 1;
    plan->context_event = address_of(plan, HG_SLICE("waf.context.event"), 0);
    compile_processors(plan, rs->preprocessors, rs->preprocessor_count);
    plan->preprocessor_count = plan->processor_count;
    compile_processors(plan, rs->postprocessors, rs->postprocessor_count);
    compile_filters(plan, rs->rule_filters, rs->rule_filter_count);
    plan->rule_filter_count = plan->filter_count;
    compile_filters(plan, rs->input_filters, rs->input_filter_count);
    plan->side_condition_count = plan->condition_count;
    plan->side_input_count = plan->input_count;
    compile_rules(plan);
    if (!number_types(plan) || !link_input_filters(plan))
        return false;
    cut_collections(plan);
    return hg_lanes_new(plan) != NULL;
}

hg_waf *hg_waf_compile(hg_ruleset *ruleset)
{
    hg_waf *waf = calloc(1, sizeof *waf);
    if (waf == NULL)
        return NULL;
    waf->references = waf->handles = 1;
    waf->plan.ruleset = hg_ruleset_ref(ruleset);
    waf->plan.profile = ruleset->profile;
    hg_arena_init(&waf->plan.arena, NULL);
    if (!compile_plan(&waf->plan)) {
        hg_waf_unref(waf);
        return NULL;
    }
    hg_waf_warm(waf);
    return waf;
}

void hg_waf_keep(hg_waf *waf)
{
    __atomic_add_fetch(&waf->references, 1, __ATOMIC_RELAXED);
}

void hg_waf_drop(hg_waf *waf)
{
    if (__atomic_sub_fetch(&waf->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    hg_lanes_free(waf->plan.lanes);
    hg_ruleset_unref(waf->plan.ruleset);
    hg_arena_close(&waf->plan.arena);
    free(waf);
}

hg_waf *hg_waf_ref(hg_waf *waf)
{
    __atomic_add_fetch(&waf->handles, 1, __ATOMIC_RELAXED);
    return waf;
}

size_t hg_waf_retirements;

void hg_waf_unref(hg_waf *waf)
{
    if (waf == NULL || __atomic_sub_fetch(&waf->handles, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    __atomic_store_n(&waf->retired, true, __ATOMIC_RELEASE);
    __atomic_add_fetch(&hg_waf_retirements, 1, __ATOMIC_RELEASE);
    hg_waf_drop(waf);
}

const char *const *hg_waf_addresses(const hg_waf *waf, size_t *count)
{
    *count = waf->plan.ruleset->address_count;
    return *count > 0 ? waf->plan.ruleset->addresses : NULL;
}

const char *const *hg_waf_actions(const hg_waf *waf, size_t *count)
{
    *count = waf->plan.ruleset->action_type_count;
    return *count > 0 ? waf->plan.ruleset->action_types : NULL;
}
