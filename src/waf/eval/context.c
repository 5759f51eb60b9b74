/* The life of contexts. A shell (the context with its memory) is made once and then reused by the thread that freed it,
 * so that a context costs no allocation; a shell holds its plan, so that using it costs no counting either. */
#include "waf/eval/context.h"

#include "waf/eval/pool.h"
#include "waf/eval/scan.h"

#include <stdlib.h>

/* ---- The state block: arrays over the plan's indices in one allocation ---- */

static size_t place(size_t *at, size_t count, size_t size)
{
    size_t begin = (*at + 7) & ~(size_t)7;
    *at = begin + count * size;
    return begin;
}

/* Lays the arrays out over `block` (NULL: only measures). Returns the size. */
static size_t lay_out(const hg_plan *plan, hg_state *state, char *block)
{
    size_t at = 0;
    size_t matches = place(&at, plan->side_condition_count, sizeof *state->matches);
    size_t seen = place(&at, plan->side_input_count, sizeof *state->seen);
    size_t types = place(&at, plan->type_count, sizeof *state->types);
    size_t filters = place(&at, plan->filter_count, sizeof *state->filters);
    size_t filter_seen = place(&at, plan->filter_input_count, sizeof *state->filter_seen);
    size_t mappings = place(&at, plan->mapping_count, sizeof *state->mappings);
    size_t fields = place(&at, plan->processor_count, sizeof *state->fields);
    if (block != NULL) {
        state->matches = (hg_match **)(void *)(block + matches);
        state->seen = (const hg_value **)(void *)(block + seen);
        state->types = (hg_type_state *)(void *)(block + types);
        state->filters = (hg_filter_state *)(void *)(block + filters);
        state->filter_seen = (const hg_value **)(void *)(block + filter_seen);
        state->mappings = (hg_mapping_state *)(void *)(block + mappings);
        state->fields = (void **)(void *)(block + fields);
    }
    return at;
}

/* ---- Shells ---- */

HG_COLD static hg_context *shell_new(hg_waf *waf)
{
    const hg_plan *plan = &waf->plan;
    const uint32_t addresses = plan->addresses.count;
    hg_state state;
    hg_lane_state lane_state;
    size_t at = sizeof(hg_context);
    size_t lanes = place(&at, 1, sizeof(hg_lane_state));
    size_t slots = place(&at, addresses, sizeof(hg_slot));
    size_t touched = place(&at, addresses, sizeof(uint32_t));
    size_t fresh = place(&at, addresses, sizeof(uint32_t));
    size_t side = place(&at, lay_out(plan, &state, NULL), 1);
    size_t lane_block = place(&at, hg_lane_state_lay_out(plan, &lane_state, NULL), 1);
    char *block = calloc(1, at);
    hg_context *context = (hg_context *)(void *)block;
    if (context == NULL)
        return NULL;
    context->waf = waf;
    context->plan = plan;
    context->lanes = (hg_lane_state *)(void *)(block + lanes);
    context->slots = (hg_slot *)(void *)(block + slots);
    context->touched = (uint32_t *)(void *)(block + touched);
    context->fresh = (uint32_t *)(void *)(block + fresh);
    context->side_state = block + side;
    hg_lane_state_lay_out(plan, context->lanes, block + lane_block);
    hg_arena_init(&context->life, NULL);
    hg_arena_init(&context->call, NULL);
    hg_waf_keep(waf);
    return context;
}

HG_COLD void hg_shell_free(hg_context *context)
{
    hg_waf *waf = context->waf;
    hg_arena_close(&context->life);
    hg_arena_close(&context->call);
    free(context);
    hg_waf_drop(waf);
}

/* Makes a shell as good as new. */
static void shell_clear(hg_context *context)
{
    const hg_plan *plan = context->plan;
    for (uint32_t i = 0; i < context->touched_count; i++)
        context->slots[context->touched[i]] = (hg_slot){0};
    context->touched_count = context->fresh_count = 0;
    context->strangers = NULL;
    context->pending = NULL;
    context->pass = 0;
    context->excludes = context->shared = context->plain = false;
    context->parent = NULL;
    context->users = 1;
    context->trace = NULL;
    context->on_result = NULL;
    context->obfuscator = NULL;
    memset(&context->state, 0, sizeof context->state);
    memset(context->side_state, 0, lay_out(plan, &context->state, context->side_state));
    hg_lane_state_clear(context->lanes, plan);
    hg_arena_reset(&context->life);
}

hg_context *hg_context_reuse(const hg_waf *waf)
{
    hg_context *context = hg_pool_take(waf);
    if (context != NULL)
        shell_clear(context);
    return context;
}

static hg_context *shell_take(hg_waf *waf)
{
    hg_context *context = hg_context_reuse(waf);
    if (context != NULL)
        return context;
    context = shell_new(waf);
    if (context != NULL)
        shell_clear(context);
    return context;
}

/* ---- Contexts ---- */

static void *life_zeroed(hg_context *context, size_t count, size_t size)
{
    void *ptr = hg_arena_alloc(&context->life, (count + 1) * size, _Alignof(max_align_t));
    if (ptr != NULL)
        memset(ptr, 0, (count + 1) * size);
    return ptr;
}

HG_COLD bool hg_context_make_plain(hg_context *context)
{
    const hg_plan *plan = context->plan;
    hg_match **matches = life_zeroed(context, plan->condition_count, sizeof *matches);
    const hg_value **seen = life_zeroed(context, plan->input_count, sizeof *seen);
    uint8_t *rules = life_zeroed(context, plan->rule_count, 1);
    if (matches == NULL || seen == NULL || rules == NULL)
        return false;
    memcpy(matches, context->state.matches, plan->side_condition_count * sizeof *matches);
    memcpy(seen, context->state.seen, plan->side_input_count * sizeof *seen);
    context->state.matches = matches;
    context->state.seen = seen;
    context->state.rules = rules;
    hg_lane_state_to_plain(context);
    context->plain = true;
    return true;
}

hg_context *hg_context_new(hg_waf *waf)
{
    return waf != NULL ? shell_take(waf) : NULL;
}

hg_context *hg_context_traced(hg_waf *waf, hg_trace_fn *trace, void *state)
{
    hg_context *context = waf != NULL ? shell_take(waf) : NULL;
    if (context == NULL)
        return NULL;
    if (!hg_context_make_plain(context)) {
        hg_context_free(context);
        return NULL;
    }
    context->trace = trace;
    context->trace_state = state;
    return context;
}

void hg_context_obfuscate(hg_context *context, const hg_obfuscator *obfuscator)
{
    context->obfuscator = obfuscator;
}

static void recycle(hg_context *context)
{
    if (!hg_pool_give(context))
        hg_shell_free(context);
}

void hg_waf_warm(hg_waf *waf)
{
    hg_context *context = shell_take(waf);
    if (context == NULL)
        return; /* it will be tried again when it is needed */
    hg_lanes_warm(context->plan);
    hg_context_free(context);
}

/* Gives up one use; the last one recycles the shell and lets go of the parent. */
HG_COLD static void release_shared(hg_context *context)
{
    while (context != NULL) {
        if (context->shared && __atomic_sub_fetch(&context->users, 1, __ATOMIC_ACQ_REL) > 0)
            return;
        hg_context *parent = context->parent;
        recycle(context);
        context = parent;
    }
}

void hg_context_free(hg_context *context)
{
    if (context == NULL)
        return;
    if (context->shared || context->parent != NULL)
        release_shared(context);
    else
        recycle(context);
}

/* ---- Subcontexts ---- */

static bool copy_pending(hg_context *into, const hg_context *from)
{
    hg_pending **last = &into->pending;
    for (const hg_pending *p = from->pending; p != NULL; p = p->next) {
        if (p->done)
            continue;
        hg_pending *copy = hg_arena_alloc(&into->life, sizeof *copy, _Alignof(hg_pending));
        if (copy == NULL)
            return false;
        *copy = (hg_pending){.attribute = p->attribute};
        *last = copy;
        last = &copy->next;
    }
    return true;
}

static bool copy_state(hg_context *into, const hg_context *from)
{
    const hg_plan *plan = from->plan;
    hg_state own = into->state;
    memcpy(into->side_state, from->side_state, lay_out(plan, &own, NULL));
    into->state.policy = from->state.policy;
    if (!from->plain) {
        hg_lane_state_copy(into->lanes, from->lanes, plan);
        return true;
    }
    if (!hg_context_make_plain(into))
        return false;
    memcpy(into->state.matches, from->state.matches, plan->condition_count * sizeof *own.matches);
    memcpy(into->state.seen, from->state.seen, plan->input_count * sizeof *own.seen);
    memcpy(into->state.rules, from->state.rules, plan->rule_count);
    return true;
}

static void copy_store(hg_context *into, const hg_context *from)
{
    for (uint32_t i = 0; i < from->touched_count; i++) {
        uint32_t address = from->touched[i];
        into->slots[address] = from->slots[address];
        into->touched[i] = address;
    }
    into->touched_count = from->touched_count;
    into->pass = from->pass;
    into->excludes = from->excludes;
}

hg_context *hg_subcontext_new(hg_context *parent)
{
    hg_context *context = parent != NULL ? shell_take(parent->waf) : NULL;
    if (context == NULL)
        return NULL;
    copy_store(context, parent);
    if (!copy_state(context, parent) || !copy_pending(context, parent)) {
        hg_context_free(context);
        return NULL;
    }
    context->trace = parent->trace;
    context->trace_state = parent->trace_state;
    context->obfuscator = parent->obfuscator;
    parent->shared = true;
    __atomic_add_fetch(&parent->users, 1, __ATOMIC_RELAXED);
    context->parent = parent;
    return context;
}
