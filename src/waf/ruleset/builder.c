#include "waf/ruleset/builder.h"

#include <stdlib.h>

#include "waf/ruleset/data_set.h"
#include "waf/ruleset/read.h"

hg_builder *hg_builder_new(void)
{
    return hg_builder_new_with(&hg_profile_native, HG_SLICE(""), HG_SLICE(""));
}

hg_builder *hg_builder_new_ddwaf1(hg_slice key_regex, hg_slice value_regex)
{
    return hg_builder_new_with(&hg_profile_ddwaf1, key_regex, value_regex);
}

static bool take_obfuscator(hg_builder *builder, hg_slice key, hg_slice value)
{
    if (key.len == 0 && value.len == 0)
        return true;
    hg_config *base = hg_config_new(HG_SLICE(""), builder->next_serial++);
    builder->base = base;
    if (base == NULL)
        return false;
    builder->regexes.hold = &base->regexes;
    hg_reader reader = {.profile = &builder->profile, .arena = &base->arena, .regexes = &builder->regexes};
    hg_obfuscator *obfuscator = HG_READ_NEW(&reader, hg_obfuscator, 1);
    if (obfuscator == NULL || !hg_read_obfuscator(&reader, key, value, obfuscator))
        return false;
    base->obfuscator = obfuscator;
    return true;
}

hg_builder *hg_builder_new_with(const hg_profile *profile, hg_slice key_regex, hg_slice value_regex)
{
    hg_builder *builder = calloc(1, sizeof *builder);
    if (builder == NULL)
        return NULL;
    builder->profile = *profile;
    hg_arena_init(&builder->types_arena, NULL);
    if (!take_obfuscator(builder, key_regex, value_regex)) {
        hg_builder_free(builder);
        return NULL;
    }
    return builder;
}

static void unload(hg_builder *builder, hg_config *config)
{
    if (config == NULL)
        return;
    hg_regex_store_release(&builder->regexes, &config->regexes);
    hg_config_unref(config);
}

void hg_builder_free(hg_builder *builder)
{
    if (builder == NULL)
        return;
    for (size_t i = 0; i < builder->count; i++)
        unload(builder, builder->configs[i]);
    unload(builder, builder->base);
    hg_regex_store_close(&builder->regexes);
    hg_data_sets_unref(builder->last_data);
    hg_arena_close(&builder->types_arena);
    free(builder->types);
    free(builder->configs);
    free(builder);
}

void hg_builder_report(hg_builder *builder, hg_diagnostic_fn *report, void *state)
{
    builder->report = report;
    builder->report_state = state;
}

static size_t find(const hg_builder *builder, hg_slice path)
{
    size_t i = 0;
    while (i < builder->count && !hg_slice_equal(builder->configs[i]->path, path))
        i++;
    return i;
}

/* ---- Ids in use ---- */

static hg_slice id_of(hg_section section, const void *item)
{
    switch (section) {
    case HG_SECTION_ACTIONS:
        return ((const hg_action *)item)->id;
    case HG_SECTION_EXCLUSIONS:
        return ((const hg_filter_config *)item)->filter.id;
    case HG_SECTION_PROCESSORS:
        return ((const hg_processor_config *)item)->processor.id;
    case HG_SECTION_SCANNERS:
        return ((const hg_scanner *)item)->id;
    default:
        return ((const hg_rule *)item)->id;
    }
}

static bool note_ids(const hg_config *config, hg_section section, hg_id_map *ids)
{
    const hg_items *items = &config->sections[section];
    for (uint32_t i = 0; i < items->count; i++)
        if (!hg_id_map_put(ids, id_of(section, items->items[i]), 0))
            return false;
    return true;
}

static bool note_known(const hg_config *config, hg_known_ids *known)
{
    return note_ids(config, HG_SECTION_ACTIONS, &known->actions) &&
           note_ids(config, HG_SECTION_RULES, &known->rules) &&
           note_ids(config, HG_SECTION_RULES_COMPAT, &known->rules) &&
           note_ids(config, HG_SECTION_CUSTOM_RULES, &known->rules) &&
           note_ids(config, HG_SECTION_EXCLUSIONS, &known->filters) &&
           note_ids(config, HG_SECTION_PROCESSORS, &known->processors) &&
           note_ids(config, HG_SECTION_SCANNERS, &known->scanners);
}

/* ---- Types of data sets ---- */

static bool has_type(const hg_builder *builder, hg_data_kind kind, hg_slice id)
{
    for (size_t i = 0; i < builder->type_count; i++)
        if (builder->types[i].kind == kind && hg_slice_equal(builder->types[i].id, id))
            return true;
    return false;
}

static bool add_type(hg_builder *builder, hg_data_kind kind, const hg_data *data)
{
    if (builder->type_count == builder->type_capacity) {
        size_t capacity = builder->type_capacity ? builder->type_capacity * 2 : 8;
        hg_data_type *types = realloc(builder->types, capacity * sizeof *types);
        if (types == NULL)
            return false;
        builder->types = types;
        builder->type_capacity = capacity;
    }
    bool ok;
    hg_slice id = hg_arena_copy(&builder->types_arena, data->id, &ok);
    if (ok)
        builder->types[builder->type_count++] = (hg_data_type){kind, id, data->op};
    return ok;
}

static bool add_types(hg_builder *builder, const hg_config *config)
{
    size_t before = builder->type_count;
    static const struct {
        hg_section section;
        hg_data_kind kind;
    } kinds[] = {{HG_SECTION_RULES_DATA, HG_DATA_RULES}, {HG_SECTION_EXCLUSION_DATA, HG_DATA_EXCLUSIONS}};
    for (size_t k = 0; k < 2; k++) {
        const hg_items *items = &config->sections[kinds[k].section];
        for (uint32_t i = 0; i < items->count; i++) {
            const hg_data *data = items->items[i];
            if (!has_type(builder, kinds[k].kind, data->id) && !add_type(builder, kinds[k].kind, data)) {
                builder->type_count = before;
                return false;
            }
        }
    }
    return true;
}

/* ---- Loading ---- */

static void remove_at(hg_builder *builder, size_t at)
{
    unload(builder, builder->configs[at]);
    memmove(&builder->configs[at], &builder->configs[at + 1], (builder->count - at - 1) * sizeof *builder->configs);
    builder->count--;
}

static bool reserve(hg_builder *builder)
{
    if (builder->count < builder->capacity)
        return true;
    size_t capacity = builder->capacity ? builder->capacity * 2 : 8;
    hg_config **configs = realloc(builder->configs, capacity * sizeof *configs);
    if (configs == NULL)
        return false;
    builder->configs = configs;
    builder->capacity = capacity;
    return true;
}

/* Puts the new configuration in the place `at` of an old one, or at the end. */
static void install(hg_builder *builder, size_t at, hg_config *config)
{
    if (at < builder->count)
        unload(builder, builder->configs[at]);
    else
        builder->count++;
    builder->configs[at] = config;
}

/* Settles what becomes of the builder once the configuration is read. */
static hg_status conclude(hg_builder *builder, size_t at, hg_config *config, hg_root root, bool accepted)
{
    if (accepted || root == HG_ROOT_UNUSABLE) {
        install(builder, at, config);
        return accepted ? HG_OK : HG_ERR_SYNTAX;
    }
    unload(builder, config);
    if (root == HG_ROOT_READ && at < builder->count)
        remove_at(builder, at);
    return HG_ERR_SYNTAX;
}

static hg_status load(hg_builder *builder, hg_slice path, const hg_value *root, hg_value *diagnostics,
                      const hg_allocator *a, hg_arena *scratch)
{
    size_t at = find(builder, path);
    hg_known_ids known = {.actions.arena = scratch, .rules.arena = scratch, .filters.arena = scratch,
                          .processors.arena = scratch, .scanners.arena = scratch};
    hg_reading reading = {.known = &known, .scratch = scratch, .diagnostics.arena = scratch,
                          .report = builder->report, .report_state = builder->report_state};
    for (size_t i = 0; i < builder->count; i++) {
        if (i == at)
            continue;
        reading.obfuscator_taken |= builder->configs[i]->obfuscator != NULL;
        if (!note_known(builder->configs[i], &known))
            return HG_ERR_NOMEM;
    }
    hg_config *config = reserve(builder) ? hg_config_new(path, builder->next_serial++) : NULL;
    if (config == NULL)
        return HG_ERR_NOMEM;
    builder->regexes.hold = &config->regexes;
    reading.config = config;
    reading.reader = (hg_reader){.profile = &builder->profile, .arena = &config->arena, .regexes = &builder->regexes};
    hg_root result = hg_read_root(&reading, root);
    bool ok = result != HG_ROOT_NOMEM && (diagnostics == NULL || hg_diagnostics_write(&reading.diagnostics, diagnostics,
                                                                                     a) == HG_OK);
    bool accepted = result == HG_ROOT_READ && hg_diagnostics_outcome(&reading.diagnostics) != HG_OUTCOME_INVALID;
    if (!ok || (accepted && !add_types(builder, config))) {
        if (ok && diagnostics != NULL)
            hg_value_free(diagnostics, a);
        unload(builder, config);
        return HG_ERR_NOMEM;
    }
    return conclude(builder, at, config, result, accepted);
}

hg_status hg_builder_set(hg_builder *builder, hg_slice path, const hg_value *config, hg_value *diagnostics,
                         const hg_allocator *a)
{
    if (path.len == 0)
        return HG_ERR_ARGUMENT;
    if (diagnostics != NULL)
        hg_set_invalid(diagnostics);
    hg_arena scratch;
    hg_arena_init(&scratch, NULL);
    hg_status status = load(builder, path, config, diagnostics, a != NULL ? a : hg_heap(), &scratch);
    hg_arena_close(&scratch);
    return status;
}

hg_status hg_builder_remove(hg_builder *builder, hg_slice path)
{
    size_t at = find(builder, path);
    if (at == builder->count)
        return HG_ERR_ARGUMENT;
    remove_at(builder, at);
    return HG_OK;
}

/* ---- Paths ---- */

static bool list_path(hg_value *paths, hg_slice path, const hg_allocator *a)
{
    if (paths == NULL)
        return true;
    hg_value *slot = hg_array_append(paths, a);
    return slot != NULL && hg_set_string(slot, path, a) == HG_OK;
}

static bool list_paths(const hg_builder *builder, hg_regex *filter, hg_regex_scratch *scratch, hg_value *paths,
                       size_t *count, const hg_allocator *a)
{
    for (size_t i = 0; i < builder->count; i++) {
        hg_slice path = builder->configs[i]->path;
        if (filter != NULL && !hg_regex_test(filter, scratch, path))
            continue;
        if (!list_path(paths, path, a))
            return false;
        ++*count;
    }
    return true;
}

size_t hg_builder_paths(const hg_builder *builder, hg_slice filter, hg_value *paths, const hg_allocator *a)
{
    a = a != NULL ? a : hg_heap();
    if (paths != NULL)
        hg_set_array(paths, 0, a);
    hg_regex *regex = NULL;
    hg_regex_scratch *scratch = NULL;
    bool ok = true;
    if (filter.len > 0) {
        regex = hg_regex_compile(filter, NULL, NULL);
        scratch = hg_regex_scratch_new();
        ok = regex != NULL && scratch != NULL;
    }
    size_t count = 0;
    ok = ok && list_paths(builder, regex, scratch, paths, &count, a);
    if (!ok && paths != NULL) {
        hg_value_free(paths, a);
        hg_set_array(paths, 0, a);
    }
    hg_regex_scratch_free(scratch);
    hg_regex_unref(regex);
    return ok ? count : 0;
}
