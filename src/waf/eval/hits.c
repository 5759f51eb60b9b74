/* Results of rules: what is kept of a rule that matched until it is reported. */
#include "waf/eval/context.h"

hg_verdict hg_verdict_of(const hg_plan_rule *rule, hg_policy policy)
{
    switch (policy.mode) {
    case HG_EXCLUDE_MONITOR:
        return HG_VERDICT_MONITOR;
    case HG_EXCLUDE_CUSTOM:
        return HG_VERDICT_BLOCK;
    default:
        return rule->source->verdict;
    }
}

void hg_hit_add(hg_run *run, const hg_plan_rule *rule, hg_match **matches, hg_policy policy, bool ephemeral)
{
    uint32_t count = rule->expression.count;
    hg_hit *hit = hg_call_alloc(run, sizeof *hit);
    hg_match **kept = hg_call_alloc(run, (count + (size_t)1) * sizeof(void *));
    if (hit == NULL || kept == NULL)
        return;
    if (count > 0)
        memcpy(kept, matches, count * sizeof *kept);
    *hit = (hg_hit){.rule = rule, .matches = kept, .policy = policy, .ephemeral = ephemeral, .attributes = true};
    hit->verdict = hg_verdict_of(rule, policy);
    *run->last_hit = hit;
    run->last_hit = &hit->next;
    if (run->batch_hits == NULL)
        run->batch_hits = hit;
}
