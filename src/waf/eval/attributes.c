/* Attributes (waf-eval 7): what processors made and what rules that matched ask for. */
#include "waf/eval/walk.h"

static hg_output *find(const hg_run *run, hg_slice name)
{
    for (hg_output *output = run->outputs; output != NULL; output = output->next)
        if (!output->dropped && hg_slice_equal(output->name, name))
            return output;
    return NULL;
}

bool hg_attribute_known(const hg_run *run, hg_slice name)
{
    return find(run, name) != NULL;
}

static void append(hg_run *run, hg_slice name, const hg_value *value)
{
    hg_output *output = hg_call_alloc(run, sizeof *output);
    if (output == NULL)
        return;
    *output = (hg_output){.name = name, .value = *value};
    *run->last_output = output;
    run->last_output = &output->next;
}

void hg_attribute_from_processor(hg_run *run, hg_slice name, const hg_value *value)
{
    hg_output *known = find(run, name);
    if (known == NULL)
        append(run, name, value);
    else if (run->profile->processors_overwrite)
        known->value = *value;
}

/* ---- Attributes of rules ---- */

static hg_pending *find_pending(const hg_run *run, hg_slice name)
{
    for (hg_pending *p = run->context->pending; p != NULL; p = p->next)
        if (!p->done && hg_slice_equal(p->attribute->source->name, name))
            return p;
    return NULL;
}

static void settle(hg_run *run, hg_pending *pending)
{
    if (hg_undo_note(run, &pending->done, sizeof pending->done))
        pending->done = true;
}

static void make_pending(hg_run *run, const hg_plan_attribute *attribute)
{
    hg_context *context = run->context;
    hg_pending *pending = hg_life_alloc(run, sizeof *pending);
    if (pending == NULL)
        return;
    *pending = (hg_pending){.attribute = attribute};
    hg_pending **last = &context->pending;
    while (*last != NULL)
        last = &(*last)->next;
    if (hg_undo_note(run, last, sizeof *last))
        *last = pending;
}

/* The scalar at the path, or the first one of an array there. */
static void copy_found(hg_run *run, const hg_plan_attribute *attribute, const hg_value *root)
{
    const hg_value *found = hg_path_resolve(root, attribute->source->path, NULL, run->profile->lookup_size);
    if (found != NULL && hg_is_array(found) && hg_value_size(found) > 0)
        found = hg_array_items(found);
    if (found == NULL || !hg_is_scalar(found))
        return;
    hg_value value = *found;
    if (hg_is_string(found))
        hg_set_borrowed(&value, hg_value_string(found));
    append(run, attribute->source->name, &value);
}

static void collect(hg_run *run, const hg_plan_attribute *attribute)
{
    hg_slice name = attribute->source->name;
    if (hg_attribute_known(run, name))
        return;
    bool unchecked = run->profile->pending_unchecked;
    hg_pending *pending = find_pending(run, name);
    if (attribute->source->literal) {
        if (pending != NULL && !unchecked)
            settle(run, pending);
        append(run, name, &attribute->source->value);
        return;
    }
    const hg_value *root = run->context->slots[attribute->address].value;
    if (pending != NULL && (!unchecked || root == NULL))
        return;
    if (root == NULL)
        make_pending(run, attribute);
    else
        copy_found(run, attribute, root);
}

static void retry_pending(hg_run *run)
{
    for (hg_pending *p = run->context->pending; p != NULL; p = p->next) {
        const hg_value *root = p->done ? NULL : run->context->slots[p->attribute->address].value;
        if (root == NULL)
            continue;
        settle(run, p);
        if (run->profile->pending_unchecked || !hg_attribute_known(run, p->attribute->source->name))
            copy_found(run, p->attribute, root);
    }
}

void hg_attributes_collect(hg_run *run)
{
    retry_pending(run);
    for (const hg_hit *hit = run->batch_hits; hit != NULL; hit = hit->next)
        for (uint32_t i = 0; hit->attributes && i < hit->rule->attribute_count; i++)
            collect(run, &run->plan->attributes[hit->rule->attribute_first + i]);
}
