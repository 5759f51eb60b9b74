/* Structured conditions: arguments are resolved and parameters walked here, the detector decides. */
#include "waf/eval/walk.h"

enum { RESOURCE, PARAMS, DB_TYPE };

typedef struct question {
    hg_detect detect; /* first, so that the detector's callbacks find the rest */
    hg_run *run;
    const hg_excluder *excluder;
    const hg_plan_input **objects; /* of `params`, those present */
    size_t object;
    bool walking;
    hg_walk walk;
    const hg_plan_input *marked_input;
    const hg_value *marked_path;
    uint32_t marked_length;
} question;

static const hg_value *argument_value(hg_run *run, const hg_plan_input *input, const hg_excluder *excluder)
{
    const hg_value *value = run->context->slots[input->address].value;
    return value != NULL && !hg_excluded(excluder, value) ? value : NULL;
}

static bool next_param(hg_detect *d, size_t object, hg_slice *param)
{
    question *q = (question *)d;
    if (!q->walking || q->object != object) {
        const hg_plan_input *input = q->objects[object];
        hg_walk_start(&q->walk, q->run, argument_value(q->run, input, q->excluder), (hg_key_path){NULL, 0},
                      HG_WALK_VALUES | HG_WALK_KEYS, q->excluder);
        q->walking = true;
        q->object = object;
    }
    while (hg_walk_next(&q->walk)) {
        if (!hg_is_string(q->walk.element))
            continue;
        *param = hg_value_string(q->walk.element);
        return true;
    }
    return false;
}

static void mark_param(hg_detect *d)
{
    question *q = (question *)d;
    q->marked_input = q->objects[q->object];
    q->marked_path = hg_walk_path(&q->walk, &q->marked_length);
    d->marked = true;
}

static bool out_of_time(hg_detect *d)
{
    question *q = (question *)d;
    return hg_expired(q->run) || q->run->failed;
}

static bool fits(const hg_value *value, uint8_t types)
{
    return (types & HG_ARGUMENT_ANY) || ((types & HG_ARGUMENT_STRING) && hg_is_string(value)) ||
           ((types & HG_ARGUMENT_ARRAY) && hg_is_array(value));
}

/* The inputs of `params` that are present and not excluded. */
static bool collect_objects(question *q, const hg_plan_condition *condition)
{
    uint32_t first = condition->argument[PARAMS], end = condition->argument[PARAMS + 1];
    q->objects = hg_call_alloc(q->run, (end - first) * sizeof(void *));
    for (uint32_t i = first; i < end && q->objects != NULL; i++)
        if (argument_value(q->run, &q->run->plan->inputs[i], q->excluder) != NULL)
            q->objects[q->detect.object_count++] = &q->run->plan->inputs[i];
    return q->detect.object_count > 0;
}

static hg_match_part *add_part(hg_match *match, hg_slice name, hg_slice address)
{
    hg_match_part *part = &match->parts[match->part_count++];
    part->name = name;
    part->address = address;
    return part;
}

static hg_match *detector_match(question *q, const hg_plan_condition *condition, const hg_plan_input *resource,
                                const hg_plan_input *db_type)
{
    const hg_argument *arguments = condition->matcher.op->arguments;
    const hg_slot *slots = q->run->context->slots;
    hg_match *match = hg_match_new(q->run, condition);
    if (match == NULL)
        return NULL;
    match->ephemeral = slots[resource->address].ephemeral;
    hg_match_part *part = add_part(match, arguments[RESOURCE].name, resource->source->address);
    part->value = hg_life_copy(q->run, q->detect.resource_text);
    part->path = hg_path_values(q->run, resource->source->path, &part->path_length);
    part = add_part(match, arguments[PARAMS].name, (hg_slice){NULL, 0});
    if (q->detect.marked) {
        part->address = q->marked_input->source->address;
        part->value = hg_life_copy(q->run, q->detect.param);
        part->path = q->marked_path;
        part->path_length = q->marked_length;
        match->ephemeral |= slots[q->marked_input->address].ephemeral;
    }
    if (db_type != NULL) {
        part = add_part(match, arguments[DB_TYPE].name, db_type->source->address);
        part->value = hg_value_string(q->detect.db_type);
    }
    match->highlight = hg_life_copy(q->run, q->detect.highlight);
    match->has_highlight = true;
    return match;
}

hg_match *hg_detector_eval(hg_run *run, const hg_plan_condition *condition, const hg_excluder *excluder)
{
    const hg_operator *op = condition->matcher.op;
    const hg_plan_input *resource = &run->plan->inputs[condition->argument[RESOURCE]];
    const hg_plan_input *db_type =
        op->arguments[DB_TYPE].name.len > 0 ? &run->plan->inputs[condition->argument[DB_TYPE]] : NULL;
    question q;
    q.detect = (hg_detect){.env = &run->env, .next = next_param, .mark = mark_param, .expired = out_of_time};
    q.run = run;
    q.excluder = excluder;
    q.walking = false;
    q.detect.resource = argument_value(run, resource, excluder);
    if (q.detect.resource == NULL || !fits(q.detect.resource, op->arguments[RESOURCE].types))
        return NULL;
    if (db_type != NULL) {
        q.detect.db_type = argument_value(run, db_type, excluder);
        if (q.detect.db_type == NULL || !fits(q.detect.db_type, op->arguments[DB_TYPE].types))
            return NULL;
    }
    if (!collect_objects(&q, condition) || !op->detect(condition->matcher.params, &q.detect) || run->failed)
        return NULL;
    return detector_match(&q, condition, resource, db_type);
}
