#include "waf/ruleset/diagnostics.h"

static const hg_slice names[HG_SECTIONS] = {
    [HG_SECTION_ACTIONS] = HG_SLICE("actions"),
    [HG_SECTION_RULES] = HG_SLICE("rules"),
    [HG_SECTION_RULES_COMPAT] = HG_SLICE("rules_compat"),
    [HG_SECTION_CUSTOM_RULES] = HG_SLICE("custom_rules"),
    [HG_SECTION_RULES_DATA] = HG_SLICE("rules_data"),
    [HG_SECTION_RULES_OVERRIDE] = HG_SLICE("rules_override"),
    [HG_SECTION_PROCESSOR_OVERRIDES] = HG_SLICE("processor_overrides"),
    [HG_SECTION_EXCLUSIONS] = HG_SLICE("exclusions"),
    [HG_SECTION_EXCLUSION_DATA] = HG_SLICE("exclusion_data"),
    [HG_SECTION_PROCESSORS] = HG_SLICE("processors"),
    [HG_SECTION_SCANNERS] = HG_SLICE("scanners"),
};

/* By name, bytewise. */
static const hg_section sorted[HG_SECTIONS] = {
    HG_SECTION_ACTIONS,      HG_SECTION_CUSTOM_RULES,   HG_SECTION_EXCLUSION_DATA, HG_SECTION_EXCLUSIONS,
    HG_SECTION_PROCESSOR_OVERRIDES, HG_SECTION_PROCESSORS, HG_SECTION_RULES, HG_SECTION_RULES_COMPAT,
    HG_SECTION_RULES_DATA,   HG_SECTION_RULES_OVERRIDE, HG_SECTION_SCANNERS,
};

hg_slice hg_section_name(hg_section section)
{
    return names[section];
}

/* Makes room for one more element. */
static bool grow(hg_arena *arena, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? *capacity * 2 : 8;
    void *grown = hg_arena_resize(arena, *items, *capacity * size, more * size, _Alignof(max_align_t));
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = more;
    return true;
}

static void append(hg_diagnostics *d, hg_slice_list *list, hg_slice id)
{
    void *items = list->items;
    if (!grow(d->arena, &items, list->count, &list->capacity, sizeof(hg_slice))) {
        d->nomem = true;
        return;
    }
    list->items = items;
    list->items[list->count++] = id;
}

static void append_message(hg_diagnostics *d, hg_messages *messages, hg_slice text, hg_slice id)
{
    messages->index.arena = d->arena;
    const uint32_t *known = hg_id_map_find(&messages->index, text);
    if (known != NULL) {
        append(d, &messages->items[*known].ids, id);
        return;
    }
    void *items = messages->items;
    if (!grow(d->arena, &items, messages->count, &messages->capacity, sizeof(hg_message)) ||
        !hg_id_map_put(&messages->index, text, (uint32_t)messages->count)) {
        d->nomem = true;
        return;
    }
    messages->items = items;
    hg_message *message = &messages->items[messages->count++];
    *message = (hg_message){.text = text};
    append(d, &message->ids, id);
}

void hg_diagnostics_loaded(hg_diagnostics *d, hg_section section, hg_slice id)
{
    append(d, &d->sections[section].loaded, id);
}

void hg_diagnostics_skipped(hg_diagnostics *d, hg_section section, hg_slice id)
{
    append(d, &d->sections[section].skipped, id);
}

void hg_diagnostics_failed(hg_diagnostics *d, hg_section section, hg_slice id, bool warning, hg_slice message)
{
    hg_section_outcome *s = &d->sections[section];
    append(d, &s->failures, id);
    append_message(d, warning ? &s->warnings : &s->errors, message, id);
}

hg_outcome hg_diagnostics_outcome(const hg_diagnostics *d)
{
    hg_outcome outcome = HG_OUTCOME_EMPTY;
    for (int i = 0; i < HG_SECTIONS; i++) {
        const hg_section_outcome *s = &d->sections[i];
        if (!s->present)
            continue;
        if (!s->failed && s->loaded.count > 0)
            return HG_OUTCOME_VALID;
        if (s->failed || s->failures.count > 0)
            outcome = HG_OUTCOME_INVALID;
    }
    return outcome;
}

static bool write_string(hg_value *slot, hg_slice s, const hg_allocator *a)
{
    return slot != NULL && hg_set_string(slot, s, a) == HG_OK;
}

static bool write_list(hg_value *slot, const hg_slice_list *list, const hg_allocator *a)
{
    if (slot == NULL)
        return false;
    hg_set_array(slot, 0, a);
    for (size_t i = 0; i < list->count; i++)
        if (!write_string(hg_array_append(slot, a), list->items[i], a))
            return false;
    return true;
}

static bool write_messages(hg_value *slot, const hg_messages *messages, const hg_allocator *a)
{
    if (slot == NULL)
        return false;
    hg_set_map(slot, 0, a);
    for (size_t i = 0; i < messages->count; i++)
        if (!write_list(hg_map_append(slot, messages->items[i].text, a), &messages->items[i].ids, a))
            return false;
    return true;
}

static bool write_section(hg_value *slot, const hg_section_outcome *s, const hg_allocator *a)
{
    if (slot == NULL)
        return false;
    hg_set_map(slot, 0, a);
    if (s->failed)
        return write_string(hg_map_append(slot, HG_SLICE("error"), a), s->error, a);
    return write_list(hg_map_append(slot, HG_SLICE("loaded"), a), &s->loaded, a) &&
           write_list(hg_map_append(slot, HG_SLICE("failed"), a), &s->failures, a) &&
           write_list(hg_map_append(slot, HG_SLICE("skipped"), a), &s->skipped, a) &&
           write_messages(hg_map_append(slot, HG_SLICE("errors"), a), &s->errors, a) &&
           write_messages(hg_map_append(slot, HG_SLICE("warnings"), a), &s->warnings, a);
}

static bool write_root(const hg_diagnostics *d, hg_value *out, const hg_allocator *a)
{
    if (d->error.len > 0)
        return write_string(hg_map_append(out, HG_SLICE("error"), a), d->error, a);
    for (int i = 0; i < HG_SECTIONS; i++) {
        const hg_section_outcome *s = &d->sections[sorted[i]];
        if (s->present && !write_section(hg_map_append(out, names[sorted[i]], a), s, a))
            return false;
    }
    return d->ruleset_version.len == 0 ||
           write_string(hg_map_append(out, HG_SLICE("ruleset_version"), a), d->ruleset_version, a);
}

hg_status hg_diagnostics_write(const hg_diagnostics *d, hg_value *out, const hg_allocator *a)
{
    hg_set_map(out, 0, a);
    if (!d->nomem && write_root(d, out, a))
        return HG_OK;
    hg_value_free(out, a);
    return HG_ERR_NOMEM;
}
