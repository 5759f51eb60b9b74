/* Conditions combined with AND; what has matched is remembered. */
#include "waf/eval/context.h"

hg_trace_step hg_condition_step(const hg_plan_rule *rule, const hg_plan_condition *condition, hg_step_kind kind)
{
    return (hg_trace_step){
        .kind = kind,
        .rule = rule->source->id,
        .condition = condition->id - rule->expression.first,
        .operator_name = condition->matcher.op->name,
        .negated = condition->source->negated,
    };
}

static void trace_condition(hg_run *run, const hg_plan_rule *rule, const hg_plan_condition *condition,
                            hg_step_kind kind, bool answer)
{
    if (run->context->trace == NULL || rule == NULL)
        return;
    hg_trace_step step = hg_condition_step(rule, condition, kind);
    step.answer = answer;
    run->context->trace(run->context->trace_state, &step);
}

static hg_match *eval_condition(hg_run *run, const hg_plan_condition *condition, const hg_excluder *excluder,
                                const hg_plan_rule *rule)
{
    const hg_value **seen = &run->context->state.seen[condition->argument[0]];
    trace_condition(run, rule, condition, HG_STEP_CONDITION, false);
    run->told_rule = rule;
    hg_match *match = hg_condition_eval(run, condition, seen, excluder);
    run->told_rule = NULL;
    trace_condition(run, rule, condition, HG_STEP_ANSWER, match != NULL);
    return match;
}

hg_truth hg_expression_eval(hg_run *run, hg_plan_expression expression, const hg_excluder *excluder,
                            const hg_plan_rule *rule)
{
    hg_truth truth = HG_TRUE;
    for (uint32_t i = 0; i < expression.count; i++) {
        const hg_plan_condition *condition = &run->plan->conditions[expression.first + i];
        hg_match **known = &run->context->state.matches[condition->id];
        if (*known == NULL || (*known)->ephemeral) {
            hg_match *match = eval_condition(run, condition, excluder, rule);
            if ((match != *known && !hg_undo_note(run, known, sizeof *known)) || run->failed)
                return HG_FALSE;
            *known = match;
        }
        if (*known == NULL)
            return HG_FALSE;
        if ((*known)->ephemeral)
            truth = HG_TRUE_FOR_NOW;
    }
    return truth;
}
