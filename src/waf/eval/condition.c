/* One condition, walked as waf-eval 4 says: input by input, element by element. */
#include "waf/eval/walk.h"
#include "waf/scalar_text.h"

hg_match *hg_match_new(hg_run *run, const hg_plan_condition *condition)
{
    hg_match *match = hg_life_alloc(run, sizeof *match);
    if (match != NULL)
        *match = (hg_match){.condition = condition};
    return match;
}

static hg_slice scalar_text(hg_run *run, const hg_value *value)
{
    if (hg_is_string(value))
        return hg_value_string(value);
    char room[HG_SCALAR_TEXT_MAX];
    return hg_life_copy(run, hg_scalar_text(run->profile, value, room));
}

/* A string longer than the profile allows is cut before a whole character. */
hg_slice hg_cut_text(const hg_profile *profile, hg_slice text)
{
    size_t limit = profile->max_string_length;
    if (text.len <= limit)
        return text;
    while (limit > 0 && ((unsigned char)text.ptr[limit] & 0xC0) == 0x80)
        limit--;
    return hg_slice_take(text, limit);
}

/* What the matcher is shown for an element: a string is cut and transformed. */
typedef struct shown {
    hg_value value;
    hg_slice text;
    bool altered; /* text is not the element's own */
} shown;

static void show_element(hg_run *run, const hg_plan_input *input, const hg_value *element, shown *out)
{
    out->value = *element;
    out->altered = false;
    if (!hg_is_string(element)) {
        out->text = (hg_slice){NULL, 0};
        return;
    }
    hg_slice text = hg_value_string(element);
    hg_slice cut = hg_cut_text(run->profile, text);
    out->text = cut;
    out->altered = cut.len != text.len;
    if (input->chain.count > 0 && cut.len > 0) {
        bool changed = false;
        uint32_t traits = hg_text_survey(cut);
        hg_slice result = cut;
        if (hg_transform_may_change(&input->chain, traits) &&
            hg_transform_apply(&input->chain, cut, traits, &run->context->call, &result, &changed) != HG_OK)
            run->failed = true;
        if (changed) {
            out->text = result;
            out->altered = true;
        }
    }
    if (out->altered || element->type == HG_SMALL_STRING) {
        out->value.wide.head = HG_STRING;
        out->value.str.size = (uint32_t)out->text.len;
        out->value.str.ptr = (char *)out->text.ptr;
    }
}

/* Conditions of filters and processors are not explained. */
static void trace_element(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                          const hg_walk *walk, hg_slice text, bool answer)
{
    if (run->context->trace == NULL || run->told_rule == NULL)
        return;
    uint32_t length;
    hg_trace_step step = hg_condition_step(run->told_rule, condition, HG_STEP_ELEMENT);
    step.address = input->source->address;
    step.text = text;
    step.answer = answer;
    step.path = hg_walk_path(walk, &length);
    step.path_length = length;
    run->context->trace(run->context->trace_state, &step);
}

static bool test_element(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                         const hg_walk *walk, shown *element, hg_slice *highlight)
{
    show_element(run, input, walk->element, element);
    bool answer = condition->matcher.op->match(&condition->matcher, &element->value, &run->env, highlight);
    trace_element(run, condition, input, walk, element->text, answer);
    return answer;
}

static bool within(hg_slice outer, hg_slice inner)
{
    return inner.ptr >= outer.ptr && inner.ptr + inner.len <= outer.ptr + outer.len;
}

/* Keeps a part of `text` when text moved to `kept`, else a copy. */
static hg_slice keep_part(hg_run *run, hg_slice part, hg_slice text, hg_slice kept)
{
    if (part.len == 0 || !within(text, part))
        return hg_life_copy(run, part);
    return hg_slice_of(kept.ptr + (part.ptr - text.ptr), part.len);
}

static hg_match *scalar_match(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                              const hg_walk *walk, const shown *element, hg_slice highlight)
{
    hg_match *match = hg_match_new(run, condition);
    if (match == NULL)
        return NULL;
    hg_match_part *part = &match->parts[match->part_count++];
    part->name = HG_SLICE("input");
    part->address = input->source->address;
    if (hg_is_string(walk->element))
        part->value = element->altered ? hg_life_copy(run, element->text) : hg_value_string(walk->element);
    else
        part->value = scalar_text(run, walk->element);
    part->path = hg_walk_path(walk, &part->path_length);
    match->highlight = keep_part(run, highlight, element->text, part->value);
    match->has_highlight = true;
    match->ephemeral = run->context->slots[input->address].ephemeral;
    return match;
}

/* Keys are strings of tag 0x10 whatever they are; elements are accepted by their own tag. */
static hg_match *walk_input(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                            const hg_value *object, const hg_excluder *excluder)
{
    hg_walk walk;
    hg_walk_start(&walk, run, object, input->source->path,
                  input->source->keys ? HG_WALK_KEYS : HG_WALK_VALUES, excluder);
    while (hg_walk_next(&walk)) {
        if (hg_expired(run) || run->failed)
            return NULL;
        if (!hg_matcher_accepts(&condition->matcher, walk.element))
            continue;
        shown element;
        hg_slice highlight = {NULL, 0};
        if (test_element(run, condition, input, &walk, &element, &highlight))
            return scalar_match(run, condition, input, &walk, &element, highlight);
    }
    return NULL;
}

hg_match *hg_condition_match_at(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                                const hg_value *object, uint32_t element)
{
    hg_walk walk;
    hg_walk_start(&walk, run, object, input->source->path,
                  input->source->keys ? HG_WALK_KEYS : HG_WALK_VALUES, NULL);
    for (uint32_t i = 0; i <= element; i++)
        if (!hg_walk_next(&walk))
            return NULL;
    shown shown_element;
    hg_slice highlight = {NULL, 0};
    if (!hg_matcher_accepts(&condition->matcher, walk.element) ||
        !test_element(run, condition, input, &walk, &shown_element, &highlight))
        return NULL;
    return scalar_match(run, condition, input, &walk, &shown_element, highlight);
}

/* Remembers the object an input looks at, before it does. False if it is the one it saw last. */
static bool look_at(hg_run *run, const hg_value **seen, const hg_slot *slot)
{
    if (*seen == slot->value)
        return false;
    if (!slot->ephemeral && hg_undo_note(run, seen, sizeof *seen))
        *seen = slot->value;
    return true;
}

static hg_match *eval_scalar(hg_run *run, const hg_plan_condition *condition, const hg_value **seen,
                             const hg_excluder *excluder)
{
    for (uint32_t i = condition->argument[0]; i < condition->argument[1]; i++) {
        const hg_plan_input *input = &run->plan->inputs[i];
        const hg_slot *slot = &run->context->slots[input->address];
        if (hg_expired(run) || run->failed)
            return NULL;
        if (slot->value == NULL || !look_at(run, &seen[i - condition->argument[0]], slot))
            continue;
        hg_match *match = walk_input(run, condition, input, slot->value, excluder);
        if (match != NULL)
            return match;
    }
    return NULL;
}

/* The value a negated condition shows: the object's text, or that of its only element. */
static hg_slice negated_text(hg_run *run, const hg_value *object)
{
    if (hg_is_array(object) && hg_value_size(object) == 1)
        object = hg_array_items(object);
    return hg_is_scalar(object) ? scalar_text(run, object) : (hg_slice){NULL, 0};
}

static hg_match *negated_match(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                               const hg_value *object)
{
    hg_match *match = hg_match_new(run, condition);
    if (match == NULL)
        return NULL;
    hg_match_part *part = &match->parts[match->part_count++];
    part->name = HG_SLICE("input");
    part->address = input->source->address;
    part->path = hg_path_values(run, input->source->path, &part->path_length);
    if (!input->source->keys)
        part->value = negated_text(run, object);
    match->has_highlight = part->value.len > 0;
    match->highlight = part->value;
    match->ephemeral = run->context->slots[input->address].ephemeral;
    return match;
}

/* True iff something could be tested and nothing matched. */
static bool none_matches(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                         const hg_value *object, const hg_excluder *excluder)
{
    hg_walk walk;
    bool tested = false;
    hg_walk_below(&walk, run, object, input->source->path, input->source->keys ? HG_WALK_KEYS : HG_WALK_VALUES,
                  excluder);
    while (hg_walk_next(&walk)) {
        if (hg_expired(run) || run->failed)
            return false;
        if (!hg_matcher_accepts(&condition->matcher, walk.element))
            continue;
        shown element;
        hg_slice highlight = {NULL, 0};
        tested = true;
        if (test_element(run, condition, input, &walk, &element, &highlight))
            return false;
    }
    return tested;
}

static hg_match *eval_negated(hg_run *run, const hg_plan_condition *condition, const hg_value **seen,
                              const hg_excluder *excluder)
{
    const hg_plan_input *input = &run->plan->inputs[condition->argument[0]];
    const hg_slot *slot = &run->context->slots[input->address];
    if (hg_expired(run) || slot->value == NULL || !look_at(run, seen, slot))
        return NULL;
    const hg_value *object =
        hg_path_resolve(slot->value, input->source->path, excluder, run->profile->max_container_size);
    if (object == NULL || (input->source->keys && !hg_is_map(object)))
        return NULL;
    if (!none_matches(run, condition, input, object, excluder))
        return NULL;
    return negated_match(run, condition, input, object);
}

static hg_match *eval_exists(hg_run *run, const hg_plan_condition *condition, const hg_excluder *excluder)
{
    hg_presence wanted = condition->source->negated ? HG_NOT_FOUND : HG_FOUND;
    for (uint32_t i = condition->argument[0]; i < condition->argument[1]; i++) {
        const hg_plan_input *input = &run->plan->inputs[i];
        const hg_slot *slot = &run->context->slots[input->address];
        if (hg_expired(run))
            return NULL;
        if (slot->value == NULL || hg_excluded(excluder, slot->value))
            continue;
        if (hg_path_presence(slot->value, input->source->path, excluder, run->profile->max_container_size) != wanted)
            continue;
        hg_match *match = hg_match_new(run, condition);
        if (match == NULL)
            return NULL;
        hg_match_part *part = &match->parts[match->part_count++];
        part->name = HG_SLICE("input");
        part->address = input->source->address;
        part->path = hg_path_values(run, input->source->path, &part->path_length);
        match->ephemeral = slot->ephemeral;
        return match;
    }
    return NULL;
}

hg_match *hg_condition_eval(hg_run *run, const hg_plan_condition *condition, const hg_value **seen,
                            const hg_excluder *excluder)
{
    if (!condition->answerable)
        return NULL;
    switch (condition->kind) {
    case HG_CONDITION_SCALAR:
        return eval_scalar(run, condition, seen, excluder);
    case HG_CONDITION_NEGATED:
        return eval_negated(run, condition, seen, excluder);
    case HG_CONDITION_EXISTS:
        return eval_exists(run, condition, excluder);
    case HG_CONDITION_DETECTOR:
        return hg_detector_eval(run, condition, excluder);
    }
    return NULL;
}
