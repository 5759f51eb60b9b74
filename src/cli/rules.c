#include "cli/rules.h"

#include "cli/text.h"

#include <errno.h>
#include <stdlib.h>

static const hg_slice rule_sections[] = {{"rules", 5}, {"rules_compat", 12}, {"custom_rules", 12}};

enum { RULE_SECTIONS = sizeof rule_sections / sizeof *rule_sections };

/* What the report callback needs to say where. */
typedef struct source {
    const char *name;
    hg_slice text;
    hg_json_offsets *offsets;
    FILE *out;
    cli_rules *rules;
} source;

static void complain(void *state, const hg_diagnostic *d)
{
    const source *s = state;
    uint32_t line = 1, column = 1;
    size_t offset = d->where != NULL ? hg_json_offset_of(s->offsets, d->where) : SIZE_MAX;
    if (offset != SIZE_MAX)
        hg_json_position(s->text, offset, &line, &column);
    bool error = d->severity == HG_SEVERITY_ERROR;
    s->rules->errors += error;
    s->rules->warnings += !error;
    hg_buffer id = {0}, message = {0};
    cli_text_escape(&id, d->id);
    cli_text_escape(&message, d->message);
    fprintf(s->out, "%s:%u:%u: %s: ", s->name, line, column, error ? "error" : "warning");
    if (d->section.len > 0 && id.len == 0 && d->has_index)
        fprintf(s->out, "%.*s[%zu]: ", (int)d->section.len, d->section.ptr, d->index);
    else if (d->section.len > 0)
        fprintf(s->out, "%.*s%s%.*s: ", (int)d->section.len, d->section.ptr, id.len > 0 ? " " : "", (int)id.len,
                id.len > 0 ? id.ptr : "");
    fprintf(s->out, "%.*s\n", (int)message.len, message.len > 0 ? message.ptr : "");
    hg_buffer_free(&id);
    hg_buffer_free(&message);
}

static hg_status read_text(const char *file, FILE *out, hg_slice *text)
{
    if (file == NULL) {
        *text = hg_slice_of(cli_embedded_rules, cli_embedded_rules_len);
        return HG_OK;
    }
    hg_status status = cli_read_file(file, text);
    if (status != HG_OK)
        fprintf(out, "%s: %s\n", file, status == HG_ERR_IO ? strerror(errno) : hg_strerror(status));
    return status;
}

static hg_status parse(const char *name, hg_slice text, hg_json_offsets *offsets, hg_arena *arena, FILE *out,
                       hg_value *tree)
{
    const hg_json_options options = {.dialect = HG_JSON_STRICT, .max_depth = 64, .offsets = offsets};
    hg_json_error error;
    hg_status status = hg_json_read(text, &options, tree, hg_arena_allocator(arena), &error);
    if (status != HG_OK)
        fprintf(out, "%s:%u:%u: error: %s\n", name, error.line, error.column,
                error.message != NULL ? error.message : hg_strerror(status));
    return status;
}

hg_status cli_rules_read(const char *file, hg_arena *arena, FILE *out, hg_value *tree)
{
    hg_slice text;
    hg_status status = read_text(file, out, &text);
    if (status != HG_OK)
        return status;
    status = parse(file != NULL ? file : "embedded", text, NULL, arena, out, tree);
    if (file != NULL)
        free((char *)text.ptr);
    return status;
}

/* The number of rules that a configuration's diagnostics call loaded. */
static size_t loaded_rules(const hg_value *diagnostics)
{
    size_t n = 0;
    for (size_t i = 0; i < RULE_SECTIONS; i++) {
        const hg_value *section = hg_map_find(diagnostics, rule_sections[i]);
        const hg_value *loaded = section != NULL ? hg_map_find(section, HG_SLICE("loaded")) : NULL;
        n += loaded != NULL ? hg_value_size(loaded) : 0;
    }
    return n;
}

static hg_slice id_of(const hg_value *rule)
{
    const hg_value *id = hg_is_map(rule) ? hg_map_find(rule, HG_SLICE("id")) : NULL;
    return id != NULL ? hg_value_string(id) : hg_slice_of(NULL, 0);
}

/* Leaves only the rule with that id in the rule sections. */
static hg_status keep_rule(hg_value *tree, hg_slice id, const hg_allocator *a)
{
    for (size_t s = 0; s < RULE_SECTIONS; s++) {
        hg_value *section = (hg_value *)hg_map_find(tree, rule_sections[s]), kept;
        if (section == NULL || !hg_is_array(section))
            continue;
        if (hg_set_array(&kept, 1, a) != HG_OK)
            return HG_ERR_NOMEM;
        for (size_t i = 0; i < hg_value_size(section); i++) {
            if (!hg_slice_equal(id_of(&hg_array_items(section)[i]), id))
                continue;
            hg_value *slot = hg_array_append(&kept, a);
            if (slot == NULL)
                return HG_ERR_NOMEM;
            *slot = hg_array_items(section)[i];
        }
        *section = kept;
    }
    return HG_OK;
}

/* only: NULL, or the id of the one rule that is wanted. */
static hg_status add_file(hg_builder *builder, const char *file, const hg_slice *only, FILE *out, cli_rules *rules)
{
    source s = {.name = file != NULL ? file : "embedded", .out = out, .rules = rules};
    hg_status status = read_text(file, out, &s.text);
    if (status != HG_OK) {
        rules->errors++;
        return status;
    }
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value tree, diagnostics;
    hg_set_invalid(&diagnostics);
    s.offsets = hg_json_offsets_new();
    status = s.offsets != NULL ? parse(s.name, s.text, s.offsets, &arena, out, &tree) : HG_ERR_NOMEM;
    if (status == HG_OK && only != NULL)
        status = keep_rule(&tree, *only, hg_arena_allocator(&arena));
    if (status == HG_OK) {
        hg_builder_report(builder, only == NULL ? complain : NULL, &s);
        status = hg_builder_set(builder, hg_slice_from(s.name), &tree, &diagnostics, hg_arena_allocator(&arena));
        rules->loaded += loaded_rules(&diagnostics);
        hg_builder_report(builder, NULL, NULL);
    } else {
        rules->errors++;
    }
    hg_json_offsets_free(s.offsets);
    hg_arena_close(&arena);
    if (file != NULL)
        free((char *)s.text.ptr);
    return status;
}

static hg_status load(const char *const *files, size_t count, const hg_slice *only, FILE *out, cli_rules *rules)
{
    *rules = (cli_rules){0};
    hg_builder *builder = hg_builder_new();
    if (builder == NULL)
        return HG_ERR_NOMEM;
    hg_status status = count == 0 ? add_file(builder, NULL, only, out, rules) : HG_OK;
    for (size_t i = 0; i < count && (status == HG_OK || status == HG_ERR_SYNTAX); i++) {
        hg_status one = add_file(builder, files[i], only, out, rules);
        status = one != HG_OK ? one : status;
    }
    if (status == HG_OK || status == HG_ERR_SYNTAX)
        rules->waf = hg_builder_build(builder, &status);
    hg_builder_free(builder);
    return status;
}

hg_status cli_rules_load(const char *const *files, size_t count, FILE *out, cli_rules *rules)
{
    hg_status status = load(files, count, NULL, out, rules);
    if (status == HG_ERR_SYNTAX && rules->waf == NULL)
        fprintf(out, "no usable rule in %s\n", count == 1 ? files[0] : count == 0 ? "embedded" : "these files");
    return status;
}

hg_status cli_rules_load_only(const char *const *files, size_t count, hg_slice id, cli_rules *rules)
{
    return load(files, count, &id, stderr, rules);
}

hg_status cli_rules_each(const char *const *files, size_t count, cli_rule_visit *visit, void *state)
{
    hg_status status = HG_OK;
    for (size_t i = 0; status == HG_OK && i < (count > 0 ? count : 1); i++) {
        hg_arena arena;
        hg_value tree;
        hg_arena_init(&arena, NULL);
        status = cli_rules_read(count > 0 ? files[i] : NULL, &arena, stderr, &tree);
        for (size_t s = 0; status == HG_OK && s < RULE_SECTIONS; s++) {
            const hg_value *section = hg_is_map(&tree) ? hg_map_find(&tree, rule_sections[s]) : NULL;
            for (size_t k = 0; section != NULL && hg_is_array(section) && k < hg_value_size(section); k++)
                visit(state, &hg_array_items(section)[k]);
        }
        hg_arena_close(&arena);
    }
    return status;
}
