/* When processors run and on what (waf-processors 1); what they make is the generators' affair. */
#include "waf/eval/walk.h"

typedef struct attempt {
    hg_generation generation; /* first: the generator's callback finds the rest */
    hg_run *run;
    uint8_t resolved;
    uint8_t optional;
    bool mandatory_missing;
    bool all_optional; /* the generator has optional inputs and all were there last time */
    bool has_optional;
    bool ephemeral;
} attempt;

static bool generation_expired(hg_generation *generation)
{
    return hg_expired(((attempt *)generation)->run);
}

static bool has_type(const hg_profile *profile, const hg_value *value, hg_generator_input type)
{
    switch (type) {
    case HG_INPUT_STRING:
        return hg_is_string(value);
    case HG_INPUT_MAP:
        return hg_is_map(value) || profile->mistyped_maps_present;
    default:
        return true;
    }
}

static void resolve_inputs(attempt *a, const hg_plan_processor *processor, const hg_plan_mapping *mapping)
{
    const hg_generator *generator = processor->source->generator;
    for (int i = 0; i < HG_MAPPING_MAX && generator->parameters[i].name.len > 0; i++) {
        const hg_slot *slot = &a->run->context->slots[mapping->inputs[i]];
        const hg_mapping_parameter *parameter = &generator->parameters[i];
        a->has_optional |= parameter->optional;
        if (slot->value == NULL || !has_type(a->run->profile, slot->value, parameter->type)) {
            a->mandatory_missing |= !parameter->optional;
            continue;
        }
        a->generation.inputs[i] = slot->value;
        a->resolved++;
        a->optional += parameter->optional;
        a->ephemeral |= slot->ephemeral;
    }
}

static uint8_t optional_inputs(const hg_generator *generator)
{
    uint8_t count = 0;
    for (int i = 0; i < HG_MAPPING_MAX && generator->parameters[i].name.len > 0; i++)
        count += generator->parameters[i].optional;
    return count;
}

/* Does the mapping's output exist, so that nothing more is to be made? */
static bool is_done(const hg_run *run, const hg_plan_processor *processor, const hg_plan_mapping *mapping)
{
    const hg_mapping_state *state = &run->context->state.mappings[mapping->id];
    bool done = state->generated || run->context->slots[mapping->output].value != NULL;
    uint8_t optional = optional_inputs(processor->source->generator);
    return done && (optional == 0 || state->resolved_optional == optional);
}

/* What a generator remembers is copied before it may change it. */
static void *own_fields(hg_run *run, const hg_plan_processor *processor)
{
    size_t size = processor->source->generator->fields_size;
    void **fields = &run->context->state.fields[processor->id];
    if (size == 0)
        return NULL;
    void *copy = hg_life_alloc(run, size);
    if (copy == NULL || !hg_undo_note(run, fields, sizeof *fields))
        return NULL;
    if (*fields != NULL)
        memcpy(copy, *fields, size);
    else
        memset(copy, 0, size);
    *fields = copy;
    return copy;
}

/* libddwaf 1: outputs of these generators vanish with ephemeral inputs and are made again. */
static bool follows_input(const hg_generator *generator)
{
    return generator->id == HG_GENERATE_SCHEMA || generator->id == HG_GENERATE_JWT ||
           generator->id == HG_GENERATE_URI;
}

static void note_generation(hg_run *run, const attempt *a, const hg_plan_mapping *mapping, bool lasting)
{
    hg_mapping_state *state = &run->context->state.mappings[mapping->id];
    if (!hg_undo_note(run, &state->generated, 1) || !hg_undo_note(run, &state->resolved, 1) ||
        !hg_undo_note(run, &state->resolved_optional, 1))
        return;
    state->generated |= lasting;
    state->resolved = a->resolved;
    state->resolved_optional = a->optional;
}

static hg_generated generate(attempt *a, const hg_plan_processor *processor, const hg_plan_mapping *mapping,
                             hg_value *value)
{
    const hg_generator *generator = processor->source->generator;
    hg_run *run = a->run;
    if (generator->uses_path && a->generation.inputs[0] != NULL) {
        a->generation.inputs[0] = hg_path_resolve(a->generation.inputs[0], mapping->source->inputs[0].path, NULL,
                                                  run->profile->lookup_size);
        if (a->generation.inputs[0] == NULL)
            return HG_GENERATED_NOTHING;
    }
    if (generator->generate == NULL)
        return HG_GENERATED_NOTHING;
    a->generation.profile = run->profile;
    a->generation.scanners = processor->source->scanners;
    a->generation.scanner_count = processor->source->scanner_count;
    a->generation.arena = &run->context->life;
    a->generation.env = &run->env;
    a->generation.expired = generation_expired;
    a->generation.fields = own_fields(run, processor);
    return run->failed ? HG_GENERATED_ERROR : generator->generate(&a->generation, value);
}

static void deliver(hg_run *run, const hg_plan_processor *processor, const hg_plan_mapping *mapping,
                    const hg_value *value, bool ephemeral)
{
    if (processor->source->output)
        hg_attribute_from_processor(run, mapping->source->output, value);
    if (!processor->source->evaluate)
        return;
    hg_value *kept = hg_life_alloc(run, sizeof *kept);
    if (kept == NULL)
        return;
    *kept = *value;
    hg_store_set(run, mapping->output, kept, ephemeral);
}

/* False: time ran out while generating. */
static bool run_mapping(hg_run *run, const hg_plan_processor *processor, const hg_plan_mapping *mapping)
{
    const hg_mapping_state *state = &run->context->state.mappings[mapping->id];
    if (is_done(run, processor, mapping))
        return true;
    attempt a;
    memset(&a, 0, sizeof a);
    a.run = run;
    resolve_inputs(&a, processor, mapping);
    if (a.mandatory_missing || a.resolved == 0)
        return true;
    if (a.has_optional && a.resolved == state->resolved && a.optional == state->resolved_optional)
        return true;
    hg_value value;
    hg_generated outcome = generate(&a, processor, mapping, &value);
    bool passing = a.ephemeral && follows_input(processor->source->generator);
    switch (outcome) {
    case HG_GENERATED_LATER:
        return false;
    case HG_GENERATED_ERROR:
        run->failed = true;
        return true;
    case HG_GENERATED_NOTHING:
        note_generation(run, &a, mapping, processor->source->generator->id != HG_GENERATE_SCHEMA || !passing);
        return true;
    case HG_GENERATED_VALUE:
        note_generation(run, &a, mapping, !passing);
        deliver(run, processor, mapping, &value, passing);
        return true;
    }
    return true;
}

static bool run_processor(hg_run *run, const hg_plan_processor *processor)
{
    if (processor->expression.count > 0 &&
        hg_expression_eval(run, processor->expression, NULL, NULL) == HG_FALSE)
        return !run->budget.expired;
    for (uint32_t m = 0; m < processor->mapping_count && !run->failed; m++)
        if (hg_expired(run) || !run_mapping(run, processor, &run->plan->mappings[processor->mapping_first + m]))
            return false;
    return true;
}

bool hg_processors_run(hg_run *run, bool before_rules)
{
    const hg_plan *plan = run->plan;
    uint32_t first = before_rules ? 0 : plan->preprocessor_count;
    uint32_t end = before_rules ? plan->preprocessor_count : plan->processor_count;
    for (uint32_t i = first; i < end && !run->failed; i++)
        if (hg_expired(run) || !run_processor(run, &plan->processors[i]))
            return false;
    return true;
}
