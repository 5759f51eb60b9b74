/* The result of a call as a value (waf-api 10.3, 10.4). */
#include "waf/eval/report.h"
#include "waf/eval/shape.h"

static void put_path(hg_run *run, const hg_match_part *part, hg_value *out)
{
    hg_shape path;
    if (!hg_shape_make(run, &path, out, part->path_length, false))
        return;
    for (uint32_t i = 0; i < part->path_length; i++)
        *hg_shape_item(&path) = part->path[i];
}

static void put_part(hg_run *run, const hg_match_part *part, hg_slice value, hg_shape *into)
{
    hg_set_borrowed(hg_shape_entry(into, HG_SLICE("address")), part->address);
    if (run->profile->tags_first) {
        put_path(run, part, hg_shape_entry(into, HG_SLICE("key_path")));
        hg_set_borrowed(hg_shape_entry(into, HG_SLICE("value")), value);
    } else {
        hg_set_borrowed(hg_shape_entry(into, HG_SLICE("value")), value);
        put_path(run, part, hg_shape_entry(into, HG_SLICE("key_path")));
    }
}

static void put_highlight(hg_run *run, const hg_match *match, bool redacted, hg_value *out)
{
    hg_shape highlight;
    if (!hg_shape_make(run, &highlight, out, match->has_highlight, false) || !match->has_highlight)
        return;
    hg_set_borrowed(hg_shape_item(&highlight), redacted ? HG_SLICE("<Redacted>") : match->highlight);
}

static void put_parameters(hg_run *run, const hg_match *match, hg_value *out)
{
    hg_shape list, parameters;
    hg_redaction redaction;
    bool scalar = match->condition->kind != HG_CONDITION_DETECTOR;
    hg_redact(run, match, &redaction);
    if (!hg_shape_make(run, &list, out, 1, false) ||
        !hg_shape_make(run, &parameters, hg_shape_item(&list), scalar ? 4 : match->part_count + (size_t)1, true))
        return;
    for (uint32_t i = 0; i < match->part_count; i++) {
        hg_shape part = parameters;
        if (!scalar && !hg_shape_make(run, &part, hg_shape_entry(&parameters, match->parts[i].name), 3, true))
            return;
        put_part(run, &match->parts[i], redaction.values[i], &part);
        if (scalar)
            parameters = part;
    }
    put_highlight(run, match, redaction.highlight, hg_shape_entry(&parameters, HG_SLICE("highlight")));
}

static hg_slice operator_name(hg_run *run, const hg_match *match)
{
    hg_slice name = match->condition->matcher.op->name;
    if (!match->condition->source->negated)
        return name;
    char *text = hg_call_alloc(run, name.len + 1);
    if (text == NULL)
        return name;
    text[0] = '!';
    memcpy(text + 1, name.ptr, name.len);
    return hg_slice_of(text, name.len + 1);
}

static void put_match(hg_run *run, const hg_match *match, hg_value *out)
{
    hg_shape map;
    const hg_matcher *matcher = &match->condition->matcher;
    if (!hg_shape_make(run, &map, out, 3, true))
        return;
    hg_set_borrowed(hg_shape_entry(&map, HG_SLICE("operator")), operator_name(run, match));
    hg_set_borrowed(hg_shape_entry(&map, HG_SLICE("operator_value")),
                    matcher->op->shown != NULL ? matcher->op->shown(matcher->params) : (hg_slice){NULL, 0});
    put_parameters(run, match, hg_shape_entry(&map, HG_SLICE("parameters")));
}

static void put_tags(hg_run *run, const hg_rule *rule, hg_value *out)
{
    hg_shape tags;
    if (!hg_shape_make(run, &tags, out, rule->tags.count, true))
        return;
    for (uint32_t i = 0; i < rule->tags.count; i++)
        hg_set_borrowed(hg_shape_entry(&tags, rule->tags.items[i].key), rule->tags.items[i].value);
}

static void put_action_ids(hg_run *run, const hg_hit_actions *actions, hg_value *out)
{
    hg_shape list;
    if (!hg_shape_make(run, &list, out, actions->count, false))
        return;
    for (uint32_t i = 0; i < actions->count; i++)
        hg_set_borrowed(hg_shape_item(&list), actions->ids[i]);
}

static void put_rule(hg_run *run, const hg_rule *rule, const hg_hit_actions *actions, hg_value *out)
{
    hg_shape map;
    if (!hg_shape_make(run, &map, out, 4, true))
        return;
    hg_set_borrowed(hg_shape_entry(&map, HG_SLICE("id")), rule->id);
    hg_set_borrowed(hg_shape_entry(&map, HG_SLICE("name")), rule->name);
    if (run->profile->tags_first)
        put_tags(run, rule, hg_shape_entry(&map, HG_SLICE("tags")));
    put_action_ids(run, actions, hg_shape_entry(&map, HG_SLICE("on_match")));
    if (!run->profile->tags_first)
        put_tags(run, rule, hg_shape_entry(&map, HG_SLICE("tags")));
}

static void put_id(hg_run *run, hg_shape *event, hg_slice key, bool wanted, hg_slice *id)
{
    if (wanted)
        hg_set_borrowed(hg_shape_entry(event, key), hg_call_id(run, id));
}

static void put_event(hg_run *run, const hg_hit *hit, const hg_hit_actions *actions, hg_call_ids *ids,
                      hg_value *out)
{
    hg_shape map, matches;
    uint32_t count = hit->rule->expression.count;
    if (!hg_shape_make(run, &map, out, 4, true))
        return;
    put_rule(run, hit->rule->source, actions, hg_shape_entry(&map, HG_SLICE("rule")));
    if (!hg_shape_make(run, &matches, hg_shape_entry(&map, HG_SLICE("rule_matches")), count, false))
        return;
    for (uint32_t i = 0; i < count; i++)
        put_match(run, hit->matches[i], hg_shape_item(&matches));
    if (run->profile->tags_first)
        put_id(run, &map, HG_SLICE("security_response_id"), actions->blocks, &ids->response);
    put_id(run, &map, HG_SLICE("stack_id"), actions->stack, &ids->stack);
    if (!run->profile->tags_first)
        put_id(run, &map, HG_SLICE("security_response_id"), actions->blocks, &ids->response);
}

static size_t count_events(const hg_run *run)
{
    size_t count = 0;
    for (const hg_hit *hit = run->hits; hit != NULL; hit = hit->next)
        count += hit->rule->source->event;
    return count;
}

/* Events and actions in one go, as both need the actions of each hit. */
static void put_hits(hg_run *run, size_t event_count, hg_value *events, hg_value *actions)
{
    hg_shape list;
    hg_call_ids ids = {{NULL, 0}, {NULL, 0}};
    hg_action_list seen;
    if (!hg_action_list_make(run, &seen) || !hg_shape_make(run, &list, events, event_count, false))
        return;
    for (const hg_hit *hit = run->hits; hit != NULL; hit = hit->next) {
        hg_hit_actions of_hit;
        if (!hg_actions_of_hit(run, hit, &of_hit))
            return;
        hg_action_list_add(run, &seen, &of_hit);
        if (hit->rule->source->event)
            put_event(run, hit, &of_hit, &ids, hg_shape_item(&list));
    }
    hg_actions_put(run, &seen, &ids, actions);
}

static void put_attributes(hg_run *run, hg_value *out)
{
    hg_shape map;
    size_t count = 0;
    for (const hg_output *o = run->outputs; o != NULL; o = o->next)
        count++;
    if (!hg_shape_make(run, &map, out, count, true))
        return;
    for (const hg_output *o = run->outputs; o != NULL; o = o->next)
        *hg_shape_entry(&map, o->name) = o->value;
}

static bool keeps(const hg_run *run)
{
    for (const hg_hit *hit = run->hits; hit != NULL; hit = hit->next)
        if (hit->rule->source->keep)
            return true;
    return false;
}

static uint64_t time_spent(hg_run *run)
{
    if (run->idle)
        return 0;
    /* Where the clock was looked at after the last batch, that look serves. */
    uint64_t spent = run->profile->final_clock_check && run->budget.spent > 0 ? run->budget.spent
                                                                              : hg_clock() - run->budget.begin;
    return spent > 0 ? spent : 1;
}

static void tell_unrun(const hg_run *run, hg_result *result)
{
    result->unrun = run->unrun;
    if (!(run->unrun & (HG_UNRUN_RULES | HG_UNRUN_FILTERS)) || run->rules_reached >= run->plan->rule_count)
        return;
    result->unrun |= HG_UNRUN_RULES;
    result->unrun_rules = run->plan->rule_count - run->rules_reached;
    result->first_unrun = run->plan->rules[run->rules_reached].source->id;
}

void hg_report(hg_run *run)
{
    hg_result *result = &run->context->result;
    hg_value value;
    hg_shape map;
    size_t events = count_events(run);
    if (!hg_shape_make(run, &map, &value, 7, true))
        return;
    hg_value *event_list = hg_shape_entry(&map, HG_SLICE("events"));
    hg_value *actions = hg_shape_entry(&map, HG_SLICE("actions"));
    hg_value *duration = hg_shape_entry(&map, HG_SLICE("duration"));
    hg_set_bool(hg_shape_entry(&map, HG_SLICE("timeout")), run->budget.expired);
    hg_value *attributes = hg_shape_entry(&map, HG_SLICE("attributes"));
    bool keep = keeps(run);
    hg_set_bool(hg_shape_entry(&map, HG_SLICE("keep")), keep);
    if (!run->profile->no_evaluated)
        hg_set_unsigned(hg_shape_entry(&map, HG_SLICE("evaluated")), run->evaluated);
    put_hits(run, events, event_list, actions);
    put_attributes(run, attributes);
    if (run->failed)
        return;
    memset(result, 0, sizeof *result);
    result->duration = time_spent(run);
    hg_set_unsigned(duration, result->duration);
    result->value = value;
    result->match = run->profile->match_by_rules
                        ? run->hits != NULL
                        : events > 0 || hg_value_size(actions) > 0 || hg_value_size(attributes) > 0;
    result->keep = keep;
    result->timeout = run->budget.expired;
    result->events = events;
    result->evaluated = run->evaluated;
    tell_unrun(run, result);
}
