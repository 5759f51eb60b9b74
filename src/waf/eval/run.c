/* One call: batches are applied and judged one after the other (waf-eval 2). */
#include "waf/eval/pool.h"

/* Any result of a rule, even one without event, announces itself to processors. */
static void announce_event(hg_run *run)
{
    hg_context *context = run->context;
    uint32_t address = run->plan->context_event;
    if (run->batch_hits == NULL || run->event_announced)
        return;
    run->event_announced = true;
    if (context->slots[address].value != NULL)
        return;
    hg_set_bool(&context->context_event, true);
    hg_store_set(run, address, &context->context_event, false);
}

static bool eval_rules(hg_run *run, hg_verdict *verdict)
{
    bool in_time = run->context->plain ? hg_trace_rules(run, verdict) : hg_rules_eval(run, verdict);
    if (!in_time)
        run->unrun |= HG_UNRUN_RULES;
    else
        announce_event(run);
    return in_time;
}

/* Filters and rules, as far as what is new concerns them. False: time ran out. */
static bool judge(hg_run *run, hg_verdict *verdict)
{
    bool rules = hg_store_brings(run, HG_USED_BY_RULES);
    if (!rules && !hg_store_brings(run, HG_USED_BY_FILTERS))
        return true;
    if (!hg_filters_eval(run)) {
        run->unrun |= HG_UNRUN_FILTERS;
        return false;
    }
    return !rules || eval_rules(run, verdict);
}

/* False: the remaining batches are not to be judged. */
static bool eval_batch(hg_run *run, const hg_batch *batch)
{
    hg_verdict verdict = HG_VERDICT_NONE;
    run->batch_hits = NULL;
    run->rules_reached = 0;
    run->context->pass++;
    bool brought = hg_store_apply(run, batch, true);
    if (!brought && !run->profile->evaluate_unchanged) {
        run->idle = true; /* libddwaf 1: answered at once, as if no time had passed */
        return false;
    }
    if (!hg_processors_run(run, true))
        run->unrun |= HG_UNRUN_PREPROCESSORS;
    bool in_time = judge(run, &verdict);
    run->context->pass++; /* what comes into the store from here on was not seen by this pass's rules */
    if (in_time && !hg_processors_run(run, false)) {
        run->unrun |= HG_UNRUN_POSTPROCESSORS;
        in_time = false;
    }
    run->evaluated += in_time;
    hg_attributes_collect(run);
    hg_store_settle(run);
    if (run->profile->final_clock_check && !run->budget.expired)
        hg_budget_look(&run->budget);
    return !run->budget.expired && verdict != HG_VERDICT_BLOCK && !run->failed;
}

static void start(hg_run *run, hg_context *context, hg_workspace *work, uint64_t timeout)
{
    *run = (hg_run){.context = context, .plan = context->plan, .profile = context->plan->profile, .work = work};
    run->env = (hg_match_env){work != NULL ? work->regex : NULL, &context->call};
    run->last_hit = &run->hits;
    run->last_output = &run->outputs;
    hg_budget_start(&run->budget, timeout);
}

static bool has_ephemeral(const hg_batch *batches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < batches[i].count; k++)
            if (batches[i].entries[k].ephemeral)
                return true;
    return false;
}

static void finish_call(hg_run *run)
{
    hg_store_settle(run);
    if (run->profile->evaluate_unchanged)
        return;
    hg_store_drop_ephemeral(run);
    hg_filters_forget_call(run);
}

static void eval_batches(hg_run *run, const hg_batch *batches, size_t count)
{
    size_t at = 0;
    for (bool going = true; going && at < count; at++)
        going = eval_batch(run, &batches[at]);
    for (; at < count && !run->failed; at++) {
        run->context->pass++;
        hg_store_apply(run, &batches[at], false);
    }
}

static hg_status run_batches(hg_context *context, const hg_batch *batches, size_t count, uint64_t timeout,
                             const hg_result **result)
{
    hg_run run;
    if (!context->plain && has_ephemeral(batches, count) && !hg_context_make_plain(context))
        return HG_ERR_NOMEM;
    hg_workspace *work = hg_pool_take_workspace(context->plan);
    if (work == NULL)
        return HG_ERR_NOMEM;
    start(&run, context, work, timeout);
    eval_batches(&run, batches, count);
    run.failed |= hg_regex_scratch_status(work->regex) != HG_OK;
    if (!run.failed)
        hg_report(&run);
    run.failed |= hg_regex_scratch_status(work->regex) != HG_OK;
    hg_pool_give_workspace(work);
    if (!run.failed && context->on_result != NULL)
        run.failed = !context->on_result(context->on_result_state, &context->result);
    if (run.failed)
        hg_undo_all(&run);
    finish_call(&run);
    if (run.failed)
        return HG_ERR_NOMEM;
    if (result != NULL)
        *result = &context->result;
    return HG_OK;
}

hg_status hg_context_run(hg_context *context, const hg_batch *batches, size_t count, uint64_t timeout,
                         const hg_result **result)
{
    if (context == NULL || (batches == NULL && count > 0))
        return HG_ERR_ARGUMENT;
    hg_arena_reset(&context->call);
    return run_batches(context, batches, count, timeout, result);
}

hg_status hg_context_store(hg_context *context, const hg_batch *batch)
{
    hg_run run;
    hg_arena_reset(&context->call);
    start(&run, context, NULL, 0);
    context->pass++;
    hg_store_apply(&run, batch, false);
    return run.failed ? HG_ERR_NOMEM : HG_OK;
}

/* ---- Maps and arrays as batches ---- */

static bool fill_batch(hg_context *context, const hg_value *map, hg_batch *batch)
{
    size_t size = hg_value_size(map);
    hg_entry *entries = hg_arena_alloc(&context->call, (size + 1) * sizeof *entries, _Alignof(hg_entry));
    if (entries == NULL)
        return false;
    const hg_pair *pairs = hg_map_pairs(map);
    for (size_t i = 0; i < size; i++)
        entries[i] = (hg_entry){hg_value_string(&pairs[i].key), &pairs[i].val, false};
    *batch = (hg_batch){entries, size};
    return true;
}

static hg_status run_maps(hg_context *context, const hg_value *maps, size_t count, uint64_t timeout,
                          const hg_result **result)
{
    for (size_t i = 0; i < count; i++)
        if (!hg_is_map(&maps[i]))
            return HG_ERR_SYNTAX;
    hg_arena_reset(&context->call);
    hg_batch *batches = hg_arena_alloc(&context->call, (count + 1) * sizeof *batches, _Alignof(hg_batch));
    if (batches == NULL)
        return HG_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        if (!fill_batch(context, &maps[i], &batches[i]))
            return HG_ERR_NOMEM;
    return run_batches(context, batches, count, timeout, result);
}

hg_status hg_context_eval(hg_context *context, const hg_value *data, uint64_t timeout, const hg_result **result)
{
    if (context == NULL || data == NULL)
        return HG_ERR_ARGUMENT;
    return run_maps(context, data, 1, timeout, result);
}

hg_status hg_context_multieval(hg_context *context, const hg_value *data, uint64_t timeout,
                               const hg_result **result)
{
    if (context == NULL || data == NULL)
        return HG_ERR_ARGUMENT;
    if (!hg_is_array(data))
        return HG_ERR_SYNTAX;
    return run_maps(context, hg_array_items(data), hg_value_size(data), timeout, result);
}
