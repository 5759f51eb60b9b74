#include "cli/rules.h"

#include "cli/text.h"

#include <errno.h>
#include <stdlib.h>

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
    static const hg_slice sections[] = {{"rules", 5}, {"rules_compat", 12}, {"custom_rules", 12}};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        const hg_value *section = hg_map_find(diagnostics, sections[i]);
        const hg_value *loaded = section != NULL ? hg_map_find(section, HG_SLICE("loaded")) : NULL;
        n += loaded != NULL ? hg_value_size(loaded) : 0;
    }
    return n;
}

static hg_status add_file(hg_builder *builder, const char *file, FILE *out, cli_rules *rules)
{
    source s = {.name = file != NULL ? file : "embedded", .out = out, .rules = rules};
    hg_status status = read_text(file, out, &s.text);
    if (status != HG_OK)
        return status;
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value tree, diagnostics;
    hg_set_invalid(&diagnostics);
    s.offsets = hg_json_offsets_new();
    status = s.offsets != NULL ? parse(s.name, s.text, s.offsets, &arena, out, &tree) : HG_ERR_NOMEM;
    if (status == HG_OK) {
        hg_builder_report(builder, complain, &s);
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

hg_status cli_rules_load(const char *const *files, size_t count, FILE *out, cli_rules *rules)
{
    *rules = (cli_rules){0};
    hg_builder *builder = hg_builder_new();
    if (builder == NULL)
        return HG_ERR_NOMEM;
    hg_status status = count == 0 ? add_file(builder, NULL, out, rules) : HG_OK;
    for (size_t i = 0; i < count && (status == HG_OK || status == HG_ERR_SYNTAX); i++) {
        hg_status one = add_file(builder, files[i], out, rules);
        status = one != HG_OK ? one : status;
    }
    if (status == HG_OK || status == HG_ERR_SYNTAX) {
        rules->waf = hg_builder_build(builder, &status);
        if (rules->waf == NULL)
            fprintf(out, "no usable rule in %s\n", count == 1 ? files[0] : count == 0 ? "embedded" : "these files");
    }
    hg_builder_free(builder);
    return status;
}
