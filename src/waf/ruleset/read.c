/* The root of a configuration and its sections (waf-config 2). */
#include "waf/ruleset/read.h"

#include <stdio.h>

typedef struct section_kind {
    hg_section section;
    hg_item_fn *read;
    bool strict; /* an element that is no map ends the section; else only that element fails */
} section_kind;

static const section_kind kinds[] = {
    {HG_SECTION_ACTIONS, hg_item_action, true},
    {HG_SECTION_RULES, hg_item_rule, false},
    {HG_SECTION_RULES_COMPAT, hg_item_rule, false},
    {HG_SECTION_CUSTOM_RULES, hg_item_rule, false},
    {HG_SECTION_RULES_DATA, hg_item_data, false},
    {HG_SECTION_RULES_OVERRIDE, hg_item_rule_override, true},
    {HG_SECTION_PROCESSOR_OVERRIDES, hg_item_processor_override, true},
    {HG_SECTION_EXCLUSIONS, hg_item_filter, true},
    {HG_SECTION_EXCLUSION_DATA, hg_item_data, false},
    {HG_SECTION_PROCESSORS, hg_item_processor, true},
    {HG_SECTION_SCANNERS, hg_item_scanner, true},
};

static hg_id_map *ids_of(hg_known_ids *known, hg_section section)
{
    switch (section) {
    case HG_SECTION_ACTIONS:
        return &known->actions;
    case HG_SECTION_RULES:
    case HG_SECTION_RULES_COMPAT:
    case HG_SECTION_CUSTOM_RULES:
        return &known->rules;
    case HG_SECTION_EXCLUSIONS:
        return &known->filters;
    case HG_SECTION_PROCESSORS:
        return &known->processors;
    case HG_SECTION_SCANNERS:
        return &known->scanners;
    default:
        return NULL;
    }
}

static void report(const hg_reading *reading, hg_slice section, const size_t *index, hg_slice id)
{
    const hg_reader *r = &reading->reader;
    if (reading->report == NULL)
        return;
    hg_diagnostic diagnostic = {
        .severity = r->failure == HG_FAILURE_WARNING ? HG_SEVERITY_WARNING : HG_SEVERITY_ERROR,
        .section = section,
        .has_index = index != NULL,
        .index = index != NULL ? *index : 0,
        .id = id,
        .message = r->message,
        .where = r->where,
    };
    reading->report(reading->report_state, &diagnostic);
}

static hg_slice index_label(hg_arena *arena, size_t index)
{
    char text[32];
    int length = snprintf(text, sizeof text, "index:%zu", index);
    return hg_arena_copy(arena, hg_slice_of(text, (size_t)length), NULL);
}

/* Sorts one item into loaded, failed or skipped. False: out of memory. */
static bool settle(hg_reading *reading, hg_section section, size_t index, bool ok, const hg_item *item)
{
    hg_reader *r = &reading->reader;
    hg_diagnostics *d = &reading->diagnostics;
    bool named = item->has_id && (ok || item->id.len > 0 || item->by_empty_id || r->failure == HG_FAILURE_SKIP);
    hg_slice label = named ? item->id : index_label(reading->scratch, index);
    if (label.ptr == NULL && label.len == 0 && !named)
        return hg_read_nomem(r);
    if (ok) {
        hg_diagnostics_loaded(d, section, label);
    } else if (r->failure == HG_FAILURE_SKIP) {
        hg_diagnostics_skipped(d, section, label);
    } else if (r->failure != HG_FAILURE_NOMEM) {
        hg_diagnostics_failed(d, section, label, r->failure == HG_FAILURE_WARNING, r->message);
        report(reading, hg_section_name(section), &index, item->has_id ? item->id : HG_SLICE(""));
    }
    return r->failure != HG_FAILURE_NOMEM && !d->nomem;
}

static void fail_section(hg_reading *reading, hg_section section)
{
    hg_section_outcome *outcome = &reading->diagnostics.sections[section];
    outcome->failed = true;
    outcome->error = reading->reader.message;
    report(reading, hg_section_name(section), NULL, HG_SLICE(""));
}

static bool keep(hg_reading *reading, const section_kind *kind, hg_item *item)
{
    hg_items *items = &reading->config->sections[kind->section];
    items->items[items->count++] = item->product;
    return item->ids == NULL || hg_id_map_put(item->ids, item->id, 0) || hg_read_nomem(&reading->reader);
}

/* Items that are no maps: false if the section ends here. */
static bool open_item(hg_reading *reading, const section_kind *kind, const hg_value *v, hg_table *table)
{
    if (hg_cast_table(&reading->reader, v, table))
        return true;
    if (kind->strict && reading->reader.failure != HG_FAILURE_NOMEM)
        fail_section(reading, kind->section);
    return false;
}

/* Reads the items of a section. False: out of memory. */
static bool read_section(hg_reading *reading, const section_kind *kind, const hg_value *list)
{
    hg_reader *r = &reading->reader;
    size_t size = hg_value_size(list);
    hg_items *items = &reading->config->sections[kind->section];
    items->items = HG_READ_NEW(r, const void *, size);
    if (items->items == NULL)
        return false;
    for (size_t i = 0; i < size; i++) {
        hg_reader_clear(r);
        hg_table table;
        hg_item item = {.section = kind->section, .ids = ids_of(reading->known, kind->section)};
        bool ok = open_item(reading, kind, &hg_array_items(list)[i], &table);
        if (!ok && kind->strict)
            return r->failure != HG_FAILURE_NOMEM;
        ok = ok && kind->read(r, &table, &item) && keep(reading, kind, &item);
        if (item.ids == NULL && kind->read != hg_item_data)
            item.has_id = false;
        if (!settle(reading, kind->section, i, ok, &item))
            return false;
    }
    return true;
}

static bool read_sections(hg_reading *reading, const hg_table *root, const section_kind *list, size_t count,
                          const hg_slice *key)
{
    hg_reader *r = &reading->reader;
    for (size_t i = 0; i < count; i++) {
        const hg_value *v = hg_table_find(root, key != NULL ? *key : hg_section_name(list[i].section));
        if (v == NULL)
            continue;
        hg_reader_clear(r);
        reading->diagnostics.sections[list[i].section].present = true;
        if (!hg_is_array(v)) {
            hg_read_bad_cast(r, v, "array");
            fail_section(reading, list[i].section);
        } else if (!read_section(reading, &list[i], v)) {
            return false;
        }
        if (r->failure == HG_FAILURE_NOMEM)
            return false;
    }
    return true;
}

static bool read_obfuscator(hg_reading *reading, const hg_table *root)
{
    hg_reader *r = &reading->reader;
    const hg_value *v = hg_table_find(root, HG_SLICE("obfuscator"));
    if (v == NULL || !r->profile->config_obfuscator)
        return true;
    hg_reader_clear(r);
    reading->diagnostics.sections[HG_SECTION_SCANNERS].present = true; /* libddwaf reports it there */
    if (reading->obfuscator_taken)
        HG_READ_ERROR(r, v, HG_SLICE("duplicate obfuscator configuration"));
    else if (hg_read_obfuscator_section(r, v, &reading->config->obfuscator))
        return true;
    if (r->failure != HG_FAILURE_NOMEM)
        fail_section(reading, HG_SECTION_SCANNERS);
    return r->failure != HG_FAILURE_NOMEM;
}

/* The number before the first dot; false if there is none. */
static bool schema_major(hg_slice text, uint32_t *major)
{
    if (text.len > 0 && memchr(text.ptr, '.', text.len) == NULL)
        return false;
    uint64_t value = 0;
    size_t i = 0;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *major = text.len == 0 ? 2 : (uint32_t)value;
    return text.len == 0 || i > 0;
}

static bool read_metadata(hg_reading *reading, const hg_table *root)
{
    hg_reader *r = &reading->reader;
    hg_table metadata = {NULL};
    if (!hg_read_optional(r, root, HG_SLICE("metadata"), hg_cast_table, &metadata))
        return false;
    return metadata.map == NULL || hg_read_optional(r, &metadata, HG_SLICE("rules_version"), hg_cast_view,
                                                    &reading->diagnostics.ruleset_version);
}

/* The schema's major version. False: malformed or unsupported. */
static bool read_schema(hg_reading *reading, const hg_table *root, uint32_t *major)
{
    hg_reader *r = &reading->reader;
    hg_slice text = {NULL, 0};
    if (!read_metadata(reading, root) ||
        !hg_read_optional(r, root, HG_SLICE("version"), hg_cast_view, &text))
        return false;
    const hg_value *where = hg_table_find(root, HG_SLICE("version"));
    if (!schema_major(text, major))
        return HG_READ_ERROR(r, where, HG_SLICE("invalid version syntax"));
    if (*major == 2 || (r->profile->legacy_schema && *major < 2))
        return true;
    char number[16];
    int length = snprintf(number, sizeof number, "%u", (unsigned)*major);
    HG_READ_ERROR(r, where, HG_SLICE("unsupported schema version: "), hg_slice_of(number, (size_t)length),
                  HG_SLICE(".x"));
    reading->diagnostics.error = r->message;
    return false;
}

static hg_root refuse(hg_reading *reading, hg_root root)
{
    if (reading->reader.failure == HG_FAILURE_NOMEM)
        return HG_ROOT_NOMEM;
    report(reading, HG_SLICE(""), NULL, HG_SLICE(""));
    return root;
}

hg_root hg_read_root(hg_reading *reading, const hg_value *root)
{
    hg_reader *r = &reading->reader;
    hg_table table;
    hg_reader_clear(r);
    if (!hg_is_map(root)) {
        HG_READ_ERROR(r, root, HG_SLICE("invalid configuration type, expected 'map', obtained '"),
                      hg_slice_from(hg_type_name(root->type)), HG_SLICE("'"));
        reading->diagnostics.error = r->message;
        return refuse(reading, HG_ROOT_REFUSED);
    }
    if (!hg_cast_table(r, root, &table))
        return refuse(reading, HG_ROOT_REFUSED);
    uint32_t major = 0;
    if (!read_schema(reading, &table, &major))
        return refuse(reading, HG_ROOT_UNUSABLE);
    bool ok;
    if (major == 1) {
        static const section_kind legacy = {HG_SECTION_RULES, hg_item_legacy_rule, false};
        ok = read_sections(reading, &table, &legacy, 1, &HG_SLICE("events"));
    } else {
        ok = read_sections(reading, &table, kinds, sizeof kinds / sizeof *kinds, NULL) &&
             read_obfuscator(reading, &table);
    }
    return ok && !reading->diagnostics.nomem ? HG_ROOT_READ : HG_ROOT_NOMEM;
}
