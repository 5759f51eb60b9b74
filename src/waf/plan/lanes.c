#include "waf/plan/lanes.h"

#include "waf/plan/patterns.h"

#include <stdlib.h>

typedef struct builder {
    hg_plan *plan;
    hg_lanes *lanes;
    hg_lane *lanes_made; /* with room for the most there can be */
    uint32_t *chain_of_input; /* by plan input */
    uint32_t *rule_of_input;
    const hg_plan_condition **condition_of_input;
} builder;

static void *room(hg_plan *plan, size_t count, size_t size)
{
    void *ptr = hg_arena_alloc(&plan->arena, (count + 1) * size, _Alignof(max_align_t));
    if (ptr != NULL)
        memset(ptr, 0, (count + 1) * size);
    return ptr;
}

/* ---- Which lane an input belongs to ---- */

static bool same_path(hg_key_path a, hg_key_path b)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++) {
        const hg_step *x = &a.steps[i], *y = &b.steps[i];
        if (x->by_index != y->by_index || x->index != y->index || !hg_slice_equal(x->key, y->key))
            return false;
    }
    return true;
}

static bool same_chain(const hg_transform_chain *a, const hg_transform_chain *b)
{
    return a->count == b->count && memcmp(a->ids, b->ids, a->count) == 0;
}

/* After lower case nothing upper is left, so what only looks for that changes nothing more. */
static hg_lane_chain describe_chain(const hg_transform_chain *chain)
{
    const int lowercase = hg_transform_find(HG_SLICE("lowercase"));
    hg_lane_chain out = {.chain = *chain};
    for (int i = 0; i < chain->count; i++) {
        uint32_t any = hg_transforms[chain->ids[i]].any;
        if (out.folds)
            any &= ~(uint32_t)HG_TRAIT_UPPER;
        if (chain->ids[i] == lowercase)
            out.folds = true;
        else
            out.alters |= any;
    }
    return out;
}

/* The chain's number in the lane, which is added if there is room; HG_LANE_CHAINS if not. */
static uint32_t lane_chain(hg_lane *lane, const hg_transform_chain *chain)
{
    for (uint32_t i = 0; i < lane->chain_count; i++)
        if (same_chain(&lane->chains[i].chain, chain))
            return i;
    if (lane->chain_count == HG_LANE_CHAINS)
        return HG_LANE_CHAINS;
    lane->chains[lane->chain_count] = describe_chain(chain);
    return lane->chain_count++;
}

static void assign_input(builder *b, const hg_plan_condition *condition, uint32_t rule, uint32_t index)
{
    const hg_plan_input *input = &b->plan->inputs[index];
    hg_lane *lane = NULL;
    uint32_t chain = HG_LANE_CHAINS;
    for (uint32_t i = 0; i < b->lanes->count && chain == HG_LANE_CHAINS; i++) {
        lane = &b->lanes_made[i];
        if (lane->address == input->address && lane->keys == input->source->keys &&
            same_path(lane->path, input->source->path))
            chain = lane_chain(lane, &input->chain);
    }
    if (chain == HG_LANE_CHAINS) {
        lane = &b->lanes_made[b->lanes->count++];
        *lane = (hg_lane){.address = input->address, .path = input->source->path, .keys = input->source->keys,
                          .first_rule = rule};
        if (lane->path.count > 0 && !lane->path.steps[0].by_index)
            lane->key_mark = hg_key_mark(lane->path.steps[0].key);
        chain = lane_chain(lane, &input->chain);
    }
    b->lanes->lane_of_input[index] = (uint32_t)(lane - b->lanes_made);
    b->chain_of_input[index] = chain;
    b->rule_of_input[index] = rule;
    b->condition_of_input[index] = condition;
    lane->use_count++;
    if (condition->matcher.accepts & HG_ACCEPT_HEAP_STRING)
        lane->tags_matter |= !(condition->matcher.accepts & HG_ACCEPT_STRING);
    lane->other_accepts |= condition->matcher.accepts & ~(uint32_t)(HG_ACCEPT_STRING | HG_ACCEPT_HEAP_STRING);
}

/* False when out of memory. */
static bool assign_inputs(builder *b)
{
    const hg_plan *plan = b->plan;
    for (uint32_t i = 0; i < plan->input_count; i++)
        b->lanes->lane_of_input[i] = UINT32_MAX;
    for (uint32_t r = 0; r < plan->rule_count; r++) {
        const hg_plan_expression *expression = &plan->rules[r].expression;
        for (uint32_t c = 0; c < expression->count; c++) {
            const hg_plan_condition *condition = &plan->conditions[expression->first + c];
            if (condition->kind != HG_CONDITION_SCALAR || !condition->answerable)
                continue;
            for (uint32_t i = condition->argument[0]; i < condition->argument[1]; i++)
                assign_input(b, condition, r, i);
        }
    }
    b->lanes->lanes = room(b->plan, b->lanes->count, sizeof *b->lanes->lanes);
    if (b->lanes->lanes == NULL)
        return false;
    memcpy(b->lanes->lanes, b->lanes_made, b->lanes->count * sizeof *b->lanes_made);
    free(b->lanes_made);
    b->lanes_made = NULL;
    return true;
}

/* ---- What lanes look for ---- */

/* What the uses of a chain need; none if one of them needs nothing in particular. */
static bool fill_needs(builder *b, hg_lane *lane, uint32_t chain)
{
    hg_lane_chain *out = &lane->chains[chain];
    if (out->alters == 0 || !hg_chain_shrinks(&out->chain))
        return true;
    uint8_t *needs = room(b->plan, lane->use_count, sizeof *needs);
    uint32_t count = 0;
    if (lane->needs == NULL)
        lane->needs = room(b->plan, 1, sizeof *lane->needs);
    if (needs == NULL || lane->needs == NULL)
        return false;
    for (uint32_t i = 0; i < lane->use_count; i++) {
        if (lane->uses[i].chain != chain)
            continue;
        hg_need need = hg_need_of(lane->uses[i].matcher);
        needs[count] = hg_need_index_add(lane->needs, &need);
        if (needs[count++] == 0)
            return true;
    }
    out->needs = needs;
    out->need_count = count;
    return true;
}

static bool fill_lanes(builder *b)
{
    hg_lanes *lanes = b->lanes;
    for (uint32_t i = 0; i < lanes->count; i++) {
        hg_lane *lane = &lanes->lanes[i];
        for (uint32_t c = 0; c < lane->chain_count; c++)
            lane->alters |= lane->chains[c].alters;
        lane->uses = room(b->plan, lane->use_count, sizeof *lane->uses);
        if (lane->uses == NULL)
            return false;
        lane->use_count = 0;
    }
    for (uint32_t i = 0; i < b->plan->input_count; i++) {
        if (lanes->lane_of_input[i] == UINT32_MAX)
            continue;
        hg_lane *lane = &lanes->lanes[lanes->lane_of_input[i]];
        lane->uses[lane->use_count++] = (hg_use){.rule = b->rule_of_input[i], .input = i,
                                                 .matcher = &b->condition_of_input[i]->matcher,
                                                 .chain = (uint8_t)b->chain_of_input[i]};
    }
    if (!hg_lanes_join_patterns(b->plan))
        return false;
    for (uint32_t i = 0; i < lanes->count; i++) {
        hg_lane *lane = &lanes->lanes[i];
        for (uint32_t c = 0; c < lane->chain_count; c++)
            if (!fill_needs(b, lane, c))
                return false;
        lane->hit_first = lanes->use_total;
        lane->hit_words = (lane->use_count + 63) / 64;
        lane->word_first = lanes->word_total;
        lanes->use_total += lane->use_count;
        lanes->word_total += lane->hit_words;
        if (lane->pattern_count > lanes->pattern_most)
            lanes->pattern_most = lane->pattern_count;
        for (uint32_t u = 0; u < lane->use_count; u++)
            lanes->use_of_input[lane->uses[u].input] = u;
    }
    return true;
}

/* ---- What concerns an address ---- */

static bool list_add(hg_plan *plan, hg_number_list *list, uint32_t number)
{
    if (list->count > 0 && list->items[list->count - 1] == number)
        return true;
    if ((list->count & (list->count - 1)) == 0) {
        uint32_t *items = room(plan, list->count ? list->count * 2 : 1, sizeof *items);
        if (items == NULL)
            return false;
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
    }
    list->items[list->count++] = number;
    return true;
}

/* Detectors need their resource, negated conditions their only input. */
static uint32_t gate_of(const hg_plan *plan, const hg_plan_expression *expression)
{
    if (expression->count == 0)
        return HG_NO_ADDRESS;
    const hg_plan_condition *first = &plan->conditions[expression->first];
    if (first->kind == HG_CONDITION_DETECTOR || first->kind == HG_CONDITION_NEGATED)
        return plan->inputs[first->argument[0]].address;
    return HG_NO_ADDRESS;
}

static bool list_irregular(builder *b)
{
    const hg_plan *plan = b->plan;
    for (uint32_t r = 0; r < plan->rule_count; r++) {
        const hg_plan_expression *expression = &plan->rules[r].expression;
        b->lanes->gate[r] = gate_of(plan, expression);
        for (uint32_t c = 0; c < expression->count; c++) {
            const hg_plan_condition *condition = &plan->conditions[expression->first + c];
            if (condition->kind == HG_CONDITION_SCALAR)
                continue;
            for (uint32_t i = condition->argument[0]; i < condition->argument[HG_ARGUMENTS_MAX]; i++)
                if (!list_add(b->plan, &b->lanes->irregular[plan->inputs[i].address], r))
                    return false;
        }
    }
    return true;
}

static bool list_addresses(builder *b)
{
    for (uint32_t i = 0; i < b->lanes->count; i++)
        if (!list_add(b->plan, &b->lanes->of_address[b->lanes->lanes[i].address], i))
            return false;
    return list_irregular(b);
}

static bool list_unconditional(builder *b)
{
    for (uint32_t r = 0; r < b->plan->rule_count; r++)
        if (b->plan->rules[r].expression.count == 0 && !list_add(b->plan, &b->lanes->unconditional, r))
            return false;
    return true;
}

static void number_collections(builder *b)
{
    for (uint32_t r = 0; r < b->plan->rule_count; r++)
        b->lanes->collection_of_rule[r] = UINT32_MAX;
    for (uint32_t c = 0; c < b->plan->collection_count; c++)
        for (uint32_t i = 0; i < b->plan->collections[c].count; i++)
            b->lanes->collection_of_rule[b->plan->collections[c].first + i] = c;
}

hg_lanes *hg_lanes_new(hg_plan *plan)
{
    hg_lanes *lanes = room(plan, 1, sizeof *lanes);
    if (lanes == NULL)
        return NULL;
    static uint32_t last_serial;
    builder b = {.plan = plan, .lanes = lanes};
    lanes->serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
    plan->lanes = lanes; /* so that what was made so far is freed with the plan */
    lanes->sets = hg_set_store_new();
    b.lanes_made = malloc((plan->input_count + (size_t)1) * sizeof *b.lanes_made);
    lanes->use_of_input = room(plan, plan->input_count, sizeof *lanes->use_of_input);
    lanes->lane_of_input = room(plan, plan->input_count, sizeof *lanes->lane_of_input);
    lanes->of_address = room(plan, plan->addresses.count, sizeof *lanes->of_address);
    lanes->irregular = room(plan, plan->addresses.count, sizeof *lanes->irregular);
    lanes->gate = room(plan, plan->rule_count, sizeof *lanes->gate);
    lanes->collection_of_rule = room(plan, plan->rule_count, sizeof *lanes->collection_of_rule);
    b.chain_of_input = room(plan, plan->input_count, sizeof *b.chain_of_input);
    b.rule_of_input = room(plan, plan->input_count, sizeof *b.rule_of_input);
    b.condition_of_input = room(plan, plan->input_count, sizeof *b.condition_of_input);
    if (!lanes->sets || !b.lanes_made || !lanes->use_of_input || !lanes->lane_of_input || !lanes->of_address ||
        !lanes->irregular || !lanes->gate || !lanes->collection_of_rule || !b.chain_of_input || !b.rule_of_input ||
        !b.condition_of_input || !assign_inputs(&b)) {
        free(b.lanes_made);
        return NULL;
    }
    number_collections(&b);
    return fill_lanes(&b) && list_addresses(&b) && list_unconditional(&b) ? lanes : NULL;
}

void hg_lanes_free(hg_lanes *lanes)
{
    if (lanes != NULL)
        hg_set_store_free(lanes->sets);
}
