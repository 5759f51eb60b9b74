/* Actions (waf-eval 8): which ones a result asks for, and which ones a call reports. */
#include "waf/eval/report.h"
#include "waf/eval/shape.h"

/* ---- Identifiers ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* 8-4-4-4-12 hexadecimal digits; the third group begins with 4, the fourth with 1b. */
static void write_id(uint64_t high, uint64_t low, char text[36])
{
    static const char digits[] = "0123456789abcdef";
    static const uint8_t groups[] = {8, 4, 4, 4, 12};
    high = (high & ~(uint64_t)0xF000) | 0x4000;
    low = (low & ~(0xFFull << 56)) | 0x1Bull << 56;
    unsigned digit = 0;
    for (size_t g = 0; g < sizeof groups; g++) {
        for (uint8_t i = 0; i < groups[g]; i++, digit++) {
            uint64_t half = digit < 16 ? high : low;
            *text++ = digits[half >> (60 - 4 * (digit % 16)) & 15];
        }
        if (g + 1 < sizeof groups)
            *text++ = '-';
    }
}

hg_slice hg_call_id(hg_run *run, hg_slice *id)
{
    if (id->ptr != NULL)
        return *id;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    seed ^= (uint64_t)(uintptr_t)run->context << 16 ^ (uint64_t)(uintptr_t)id << 32 ^ hg_clock();
    char *text = hg_call_alloc(run, 36);
    if (text == NULL)
        return (hg_slice){NULL, 0};
    uint64_t high = next_random(&seed);
    write_id(high, next_random(&seed), text);
    *id = hg_slice_of(text, 36);
    return *id;
}

/* ---- One result ---- */

static void take(hg_hit_actions *out, hg_slice id, const hg_action *action)
{
    ((hg_slice *)out->ids)[out->count++] = id;
    if (action == NULL)
        return;
    out->actions[out->action_count++] = action;
    out->blocks |= hg_action_blocks(action->kind);
}

bool hg_actions_of_hit(hg_run *run, const hg_hit *hit, hg_hit_actions *out)
{
    const hg_ruleset *ruleset = run->plan->ruleset;
    const hg_slices *own = &hit->rule->source->on_match;
    *out = (hg_hit_actions){0};
    out->ids = hg_call_alloc(run, (own->count + (size_t)1) * sizeof *out->ids);
    out->actions = hg_call_alloc(run, (own->count + (size_t)1) * sizeof *out->actions);
    if (run->failed)
        return false;
    bool overridden = false;
    if (hit->policy.mode == HG_EXCLUDE_MONITOR || hit->policy.mode == HG_EXCLUDE_CUSTOM) {
        const hg_action *action = hg_ruleset_action(ruleset, hit->policy.action);
        overridden = action != NULL && hg_action_is_modal(action->kind);
        if (overridden)
            take(out, hit->policy.action, action);
        else
            overridden = run->profile->keep_dead_override && !hit->rule->source->event;
    }
    for (uint32_t i = 0; i < own->count; i++) {
        const hg_action *action = hg_ruleset_action(ruleset, own->items[i]);
        if (overridden && action != NULL && hg_action_is_modal(action->kind))
            continue;
        take(out, own->items[i], action);
        out->stack |= action != NULL && action->kind == HG_ACTION_STACK;
    }
    return true;
}

/* ---- The whole call ---- */

bool hg_action_list_make(hg_run *run, hg_action_list *list)
{
    size_t most = 0;
    for (const hg_hit *hit = run->hits; hit != NULL; hit = hit->next)
        most += hit->rule->source->on_match.count + (size_t)1;
    *list = (hg_action_list){0};
    if (most > 0)
        list->others = hg_call_alloc(run, most * sizeof *list->others);
    return !run->failed;
}

static void add_once(hg_action_list *list, const hg_action *action)
{
    for (uint32_t i = 0; i < list->other_count; i++)
        if (list->others[i] == action)
            return;
    list->others[list->other_count++] = action;
}

void hg_action_list_add(hg_run *run, hg_action_list *list, const hg_hit_actions *of_hit)
{
    (void)run;
    for (uint32_t i = 0; i < of_hit->action_count; i++) {
        const hg_action *action = of_hit->actions[i];
        if (action->kind == HG_ACTION_MONITOR)
            continue;
        if (!hg_action_blocks(action->kind))
            add_once(list, action);
        else if (list->blocking == NULL || (list->blocking->kind == HG_ACTION_BLOCK && action->kind == HG_ACTION_REDIRECT))
            list->blocking = action;
    }
}

static void put_action(hg_run *run, const hg_action *action, hg_call_ids *ids, hg_shape *into)
{
    hg_shape parameters;
    hg_value *out = hg_shape_entry(into, action->type);
    if (!hg_shape_make(run, &parameters, out, action->parameter_count + (size_t)1, true))
        return;
    if (action->kind == HG_ACTION_STACK) {
        hg_set_borrowed(hg_shape_entry(&parameters, HG_SLICE("stack_id")), hg_call_id(run, &ids->stack));
        return;
    }
    for (uint32_t i = 0; i < action->parameter_count; i++)
        *hg_shape_entry(&parameters, action->parameters[i].key) = action->parameters[i].value;
    if (hg_action_blocks(action->kind))
        hg_set_borrowed(hg_shape_entry(&parameters, HG_SLICE("security_response_id")),
                        hg_call_id(run, &ids->response));
}

void hg_actions_put(hg_run *run, const hg_action_list *list, hg_call_ids *ids, hg_value *out)
{
    hg_shape map;
    if (!hg_shape_make(run, &map, out, list->other_count + (size_t)(list->blocking != NULL), true))
        return;
    if (list->blocking != NULL)
        put_action(run, list->blocking, ids, &map);
    for (uint32_t i = 0; i < list->other_count; i++)
        put_action(run, list->others[i], ids, &map);
}
