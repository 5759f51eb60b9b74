/* Exclusion filters (waf-eval 6): which rules are bypassed or change their verdict, and which objects are hidden. */
#include "waf/eval/context.h"

/* ---- Rule filters ---- */

static hg_policy stronger(hg_policy a, hg_policy b)
{
    return b.mode > a.mode ? b : a;
}

hg_policy hg_policy_of(const hg_run *run, const hg_plan_rule *rule)
{
    const hg_state *state = &run->context->state;
    hg_policy policy = {HG_EXCLUDE_NONE, {NULL, 0}};
    if (state->policy_now != NULL)
        policy = state->policy_now[rule->index];
    if (state->policy != NULL)
        policy = stronger(policy, state->policy[rule->index]);
    return policy;
}

static hg_policy *policy_table(hg_run *run, hg_policy **table, hg_arena *arena)
{
    if (*table != NULL)
        return *table;
    size_t size = (run->plan->rule_count + (size_t)1) * sizeof(hg_policy);
    hg_policy *fresh = hg_arena_alloc(arena, size, _Alignof(hg_policy));
    if (fresh == NULL || !hg_undo_note(run, table, sizeof *table)) {
        run->failed = true;
        return NULL;
    }
    memset(fresh, 0, size);
    *table = fresh;
    return fresh;
}

/* A policy table is copied before a call changes it, so that the change can be taken back. */
static hg_policy *changed_table(hg_run *run, hg_policy **table, hg_arena *arena)
{
    hg_policy *old = *table;
    if (old == NULL)
        return policy_table(run, table, arena);
    size_t size = (run->plan->rule_count + (size_t)1) * sizeof(hg_policy);
    hg_policy *fresh = hg_arena_alloc(arena, size, _Alignof(hg_policy));
    if (fresh == NULL || !hg_undo_note(run, table, sizeof *table)) {
        run->failed = true;
        return NULL;
    }
    memcpy(fresh, old, size);
    *table = fresh;
    return fresh;
}

static void apply_rule_filter(hg_run *run, const hg_plan_filter *filter, bool for_now)
{
    hg_context *context = run->context;
    hg_policy *table = for_now ? policy_table(run, &context->state.policy_now, &context->call)
                               : changed_table(run, &context->state.policy, &context->life);
    hg_policy policy = {filter->source->mode, filter->source->action};
    for (uint32_t i = 0; i < filter->source->rule_count && table != NULL; i++) {
        uint32_t rule = filter->source->rules[i];
        table[rule] = stronger(table[rule], policy);
    }
}

/* ---- Input filters ---- */

/* The object is walked along the union of trie branches; filter paths beyond this many levels hide nothing. */
enum { HIDE_LEVELS = 1000 };

typedef struct branches {
    uint32_t count;
    uint32_t *nodes;
} branches;

typedef struct hiding {
    hg_run *run;
    hg_object_set *set;
    hg_arena *arena;
} hiding;

static bool follow(const hg_plan *plan, uint32_t node, branches *out)
{
    if (node == 0)
        return false;
    if (plan->trie[node].terminal)
        return true;
    out->nodes[out->count++] = node;
    return false;
}

/* The branches that a child takes; true if one of them ends at it. */
static bool step_branches(const hiding *h, const branches *at, const hg_value *key, branches *out)
{
    const hg_plan *plan = h->run->plan;
    hg_slice text = key != NULL ? hg_value_string(key) : (hg_slice){NULL, 0};
    bool literal = key != NULL && hg_is_string(key) && (text.len > 0 || h->run->profile->literal_empty_steps);
    out->count = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        if (follow(plan, plan->trie[at->nodes[i]].any, out))
            return true;
        if (!literal)
            continue;
        for (uint32_t child = plan->trie[at->nodes[i]].child; child != 0; child = plan->trie[child].sibling)
            if (hg_slice_equal(plan->trie[child].key, text) && follow(plan, child, out))
                return true;
    }
    return false;
}

static void hide_below(const hiding *h, const hg_value *object, const branches *at, uint32_t level)
{
    size_t size = hg_value_size(object);
    branches next = {0, hg_call_alloc(h->run, 2 * at->count * sizeof(uint32_t))};
    if (level > h->run->profile->max_container_depth || level > HIDE_LEVELS || next.nodes == NULL)
        return;
    if (size > h->run->profile->max_container_size)
        size = h->run->profile->max_container_size;
    bool map = hg_is_map(object);
    for (size_t i = 0; i < size && !h->run->failed; i++) {
        const hg_value *key = map ? &hg_map_pairs(object)[i].key : NULL;
        const hg_value *child = map ? &hg_map_pairs(object)[i].val : &hg_array_items(object)[i];
        if (step_branches(h, at, key, &next)) {
            if (!hg_object_set_add(h->set, child, h->arena))
                h->run->failed = true;
        } else if (next.count > 0 && hg_is_container(child)) {
            hide_below(h, child, &next, level + 1);
        }
    }
}

static bool note_set(hg_run *run, hg_object_set *set)
{
    /* Adding may rehash in place, so the old table is kept as it is and a copy grows. */
    hg_object_set copy = {NULL, 0, 0};
    if (!hg_undo_note(run, &set->slots, sizeof set->slots) || !hg_undo_note(run, &set->mask, sizeof set->mask) ||
        !hg_undo_note(run, &set->count, sizeof set->count))
        return false;
    for (uint32_t i = 0; set->count > 0 && i <= set->mask; i++)
        if (set->slots[i] != NULL && !hg_object_set_add(&copy, set->slots[i], &run->context->life))
            return run->failed = true, false;
    *set = copy;
    return true;
}

/* False: time ran out. */
static bool apply_input_filter(hg_run *run, const hg_plan_filter *filter, bool for_now)
{
    hg_context *context = run->context;
    hg_filter_state *state = &context->state.filters[filter->id];
    for (uint32_t i = 0; i < filter->input_count; i++) {
        const hg_plan_filter_input *input = &run->plan->filter_inputs[filter->input_first + i];
        const hg_slot *slot = &context->slots[input->address];
        const hg_value **seen = &context->state.filter_seen[input->id];
        if (hg_expired(run))
            return false;
        if (slot->value == NULL || *seen == slot->value)
            continue;
        bool passing = for_now || slot->ephemeral;
        if (!passing && hg_undo_note(run, seen, sizeof *seen))
            *seen = slot->value;
        hiding h = {run, passing ? &state->excluded_now : &state->excluded,
                    passing ? &context->call : &context->life};
        if (!passing && !note_set(run, h.set))
            return true;
        context->excludes = true;
        if (run->plan->trie[input->root].terminal) {
            if (!hg_object_set_add(h.set, slot->value, h.arena))
                run->failed = true;
        } else {
            uint32_t root = input->root;
            branches at = {1, &root};
            hide_below(&h, slot->value, &at, 1);
        }
    }
    return true;
}

const hg_excluder *hg_excluder_of(hg_run *run, const hg_plan_rule *rule)
{
    if (!run->context->excludes || rule->input_filter_count == 0)
        return NULL;
    hg_excluder *excluder =
        hg_call_alloc(run, sizeof *excluder + 2 * rule->input_filter_count * sizeof excluder->sets[0]);
    if (excluder == NULL)
        return NULL;
    excluder->count = 0;
    for (uint32_t i = 0; i < rule->input_filter_count; i++) {
        const hg_filter_state *state = &run->context->state.filters[rule->input_filters[i]];
        if (state->excluded.count > 0)
            excluder->sets[excluder->count++] = &state->excluded;
        if (state->excluded_now.count > 0)
            excluder->sets[excluder->count++] = &state->excluded_now;
    }
    return excluder->count > 0 ? excluder : NULL;
}

void hg_filters_forget_call(hg_run *run)
{
    hg_state *state = &run->context->state;
    state->policy_now = NULL;
    for (uint32_t i = run->plan->rule_filter_count; i < run->plan->filter_count; i++)
        state->filters[i].excluded_now = (hg_object_set){NULL, 0, 0};
}

/* ---- Both ---- */

static bool eval_filter(hg_run *run, const hg_plan_filter *filter)
{
    hg_filter_state *state = &run->context->state.filters[filter->id];
    hg_truth truth = HG_TRUE;
    if (!state->matched) {
        truth = hg_expression_eval(run, filter->expression, NULL, NULL);
        if (truth == HG_FALSE)
            return !run->budget.expired;
        if (truth == HG_TRUE && hg_undo_note(run, &state->matched, sizeof state->matched))
            state->matched = true;
    } else if (!filter->source->for_inputs) {
        return true; /* its effect is permanent */
    }
    if (filter->source->for_inputs)
        return apply_input_filter(run, filter, truth == HG_TRUE_FOR_NOW);
    apply_rule_filter(run, filter, truth == HG_TRUE_FOR_NOW);
    return true;
}

bool hg_filters_eval(hg_run *run)
{
    for (uint32_t i = 0; i < run->plan->filter_count && !run->failed; i++)
        if (hg_expired(run) || !eval_filter(run, &run->plan->filters[i]))
            return false;
    return true;
}
