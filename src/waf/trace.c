/* The plain evaluator: every rule, condition by condition, element by element, exactly in the order of the
 * specification and with nothing shared between rules. It explains verdicts and is what the fast evaluator is
 * compared with. */
#include "waf/eval/context.h"

static void trace_rule(hg_run *run, const hg_plan_rule *rule, hg_step_kind kind, bool answer)
{
    if (run->context->trace == NULL)
        return;
    hg_trace_step step = {.kind = kind, .rule = rule->source->id, .answer = answer};
    run->context->trace(run->context->trace_state, &step);
}

static void set_flag(hg_run *run, uint8_t *flags, uint8_t flag)
{
    if (!(*flags & flag) && hg_undo_note(run, flags, sizeof *flags))
        *flags |= flag;
}

/* The hit of the rule if it matches now, else NULL. */
static const hg_hit *eval_rule(hg_run *run, const hg_plan_rule *rule)
{
    hg_state *state = &run->context->state;
    uint8_t *flags = &state->rules[rule->index];
    hg_policy policy = hg_policy_of(run, rule);
    if ((*flags & HG_RULE_MATCHED) || policy.mode == HG_EXCLUDE_BYPASS)
        return NULL;
    trace_rule(run, rule, HG_STEP_RULE, false);
    hg_truth truth = hg_expression_eval(run, rule->expression, hg_excluder_of(run, rule), rule);
    trace_rule(run, rule, HG_STEP_RESULT, truth != HG_FALSE);
    if (truth == HG_FALSE || run->failed)
        return NULL;
    hg_hit **end = run->last_hit;
    hg_hit_add(run, rule, &state->matches[rule->expression.first], policy, truth == HG_TRUE_FOR_NOW);
    if (*end == NULL)
        return NULL;
    (*end)->attributes = !(*flags & HG_RULE_REPORTED);
    set_flag(run, flags, HG_RULE_REPORTED);
    if (truth == HG_TRUE || !rule->source->event)
        set_flag(run, flags, HG_RULE_MATCHED);
    return *end;
}

/* Rules one after the other; a block ends them. False: time ran out. */
static bool eval_rules(hg_run *run, uint32_t first, uint32_t end, hg_verdict *verdict)
{
    for (uint32_t r = first; r < end && !run->failed; r++) {
        if (hg_expired(run))
            return false;
        const hg_hit *hit = eval_rule(run, &run->plan->rules[r]);
        if (run->budget.expired && !run->budget.ignored)
            return false;
        run->rules_reached = r + 1;
        if (hit == NULL)
            continue;
        *verdict = hit->verdict;
        if (hit->verdict == HG_VERDICT_BLOCK)
            return true;
    }
    return true;
}

static void cache_verdict(hg_run *run, hg_type_state *type, hg_verdict verdict, bool ephemeral)
{
    if (hg_undo_note(run, &type->verdict, 1) && hg_undo_note(run, &type->ephemeral, 1)) {
        type->verdict = (uint8_t)verdict;
        type->ephemeral = ephemeral;
    }
}

/* A verdict of that strength was given before. One that rests on ephemeral data is forgotten when its turn comes. */
static bool is_settled(hg_run *run, const hg_plan_collection *collection, hg_type_state *type)
{
    if (type->verdict < collection->verdict)
        return false;
    if (type->verdict > collection->verdict || !type->ephemeral)
        return true;
    cache_verdict(run, type, HG_VERDICT_NONE, false);
    return false;
}

/* One collection gives at most one result. False: time ran out. */
static bool eval_collection(hg_run *run, const hg_plan_collection *collection, hg_verdict *verdict)
{
    hg_type_state *type = &run->context->state.types[collection->type];
    if (is_settled(run, collection, type))
        return true;
    for (uint32_t r = collection->first; r < collection->first + collection->count && !run->failed; r++) {
        if (hg_expired(run))
            return false;
        const hg_hit *hit = eval_rule(run, &run->plan->rules[r]);
        if (run->budget.expired)
            return false;
        run->rules_reached = r + 1;
        if (hit == NULL)
            continue;
        cache_verdict(run, type, hit->verdict, hit->ephemeral && hit->rule->source->event);
        *verdict = hit->verdict;
        return true;
    }
    return true;
}

static bool eval_collections(hg_run *run, hg_verdict *verdict)
{
    for (uint32_t c = 0; c < run->plan->collection_count && !run->failed; c++) {
        if (!eval_collection(run, &run->plan->collections[c], verdict))
            return false;
        if (*verdict == HG_VERDICT_BLOCK)
            return true;
    }
    return true;
}

static bool eval_module(hg_run *run, hg_module module, hg_verdict *verdict)
{
    const uint32_t *begin = run->plan->ruleset->module_begin;
    *verdict = HG_VERDICT_NONE;
    if (module == HG_MODULE_WAF && run->plan->collection_count > 0)
        return eval_collections(run, verdict);
    run->budget.ignored = module == HG_MODULE_NETWORK_ACL || module == HG_MODULE_AUTHENTICATION_ACL;
    bool in_time = eval_rules(run, begin[module], begin[module + 1], verdict);
    run->budget.ignored = false;
    return in_time;
}

bool hg_trace_rules(hg_run *run, hg_verdict *verdict)
{
    const uint32_t *begin = run->plan->ruleset->module_begin;
    hg_verdict last = HG_VERDICT_NONE;
    for (int module = 0; module < HG_MODULES && !run->failed; module++) {
        if (begin[module] == begin[module + 1])
            continue;
        bool in_time = eval_module(run, (hg_module)module, &last);
        *verdict = last;
        if (!in_time)
            return false;
        if (last == HG_VERDICT_BLOCK)
            return true;
    }
    return true;
}
