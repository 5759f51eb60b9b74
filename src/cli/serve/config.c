/* --config: a JSON object whose members are the options. */
#include "cli/serve/serve.h"

#include "cli/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct config {
    const char *file;
    hg_slice text;
    hg_json_offsets *offsets;
    serve_options *options;
} config;

static bool complain(const config *c, size_t offset, const char *what, hg_slice value)
{
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < offset && i < c->text.len; i++) {
        column = c->text.ptr[i] == '\n' ? 1 : column + 1;
        line += c->text.ptr[i] == '\n';
    }
    fprintf(stderr, "hotgate serve: %s:%u:%u: %s '%.*s'\n", c->file, line, column, what, (int)value.len, value.ptr);
    return false;
}

/* Appends a scalar as the flag would be written. */
static bool put_scalar(const hg_value *v, hg_buffer *out)
{
    switch (v->type) {
    case HG_UNSIGNED:
        hg_buffer_printf(out, "%llu", (unsigned long long)v->u64.val);
        return true;
    case HG_SIGNED:
        hg_buffer_printf(out, "%lld", (long long)v->i64.val);
        return true;
    default:
        if (!hg_is_string(v))
            return false;
        hg_buffer_append(out, hg_value_string(v));
        return memchr(hg_value_string(v).ptr, '\0', hg_value_string(v).len) == NULL;
    }
}

/* Lists may be arrays. */
static bool put_value(const hg_value *v, hg_buffer *out)
{
    bool ok = hg_is_array(v) ? hg_value_size(v) > 0 : put_scalar(v, out);
    for (size_t i = 0; ok && hg_is_array(v) && i < hg_value_size(v); i++) {
        if (i > 0)
            hg_buffer_byte(out, ',');
        ok = put_scalar(&hg_array_items(v)[i], out);
    }
    hg_buffer_byte(out, '\0');
    return ok && !out->failed;
}

static bool take_member(const config *c, const hg_pair *member)
{
    hg_slice key = hg_value_string(&member->key);
    size_t at = hg_json_offset_of(c->offsets, &member->val);
    char name[32];
    if (key.len >= sizeof name)
        return complain(c, hg_json_offset_of(c->offsets, &member->key), "unknown key", key);
    memcpy(name, key.ptr, key.len);
    name[key.len] = '\0';
    hg_buffer value = {.a = hg_arena_allocator(&c->options->texts)};
    bool usable = put_value(&member->val, &value), known = false;
    const char *wrong = strcmp(name, "config") != 0 ? serve_set(c->options, name, usable ? value.ptr : "", &known) : NULL;
    if (!known)
        return complain(c, hg_json_offset_of(c->offsets, &member->key), "unknown key", key);
    if (!usable)
        return complain(c, at, "a text, a number or a list of them is wanted for", key);
    return wrong == NULL || complain(c, at, wrong, hg_slice_from(value.ptr));
}

static bool take_all(config *c)
{
    hg_value root;
    hg_json_error error = {0};
    hg_json_options options = {.dialect = HG_JSON_STRICT, .offsets = c->offsets};
    if (hg_json_read(c->text, &options, &root, hg_arena_allocator(&c->options->texts), &error) != HG_OK) {
        fprintf(stderr, "hotgate serve: %s:%u:%u: %s\n", c->file, error.line, error.column,
                error.message ? error.message : "malformed JSON");
        return false;
    }
    if (!hg_is_map(&root))
        return complain(c, 0, "an object is wanted, not", hg_slice_from(hg_type_name(root.type)));
    for (size_t i = 0; i < hg_value_size(&root); i++)
        if (!take_member(c, &hg_map_pairs(&root)[i]))
            return false;
    return true;
}

bool serve_read_config(const char *file, serve_options *o)
{
    config c = {.file = file, .options = o, .offsets = hg_json_offsets_new()};
    hg_buffer text = {0};
    bool ok = c.offsets != NULL && serve_read_rules(file, &text, &c.text) && take_all(&c);
    hg_json_offsets_free(c.offsets);
    hg_buffer_free(&text);
    return ok;
}
