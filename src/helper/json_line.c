#include "helper/json_line.h"

#include "helper/judge.h"

#include <stdio.h>

enum { TIMEOUT_US = 10000 };

void json_line_refuse(const char *why, hg_buffer *out)
{
    hg_buffer_append(out, HG_SLICE("{\"id\":null,\"error\":"));
    hg_json_write_string(hg_slice_from(why), 0, out);
    hg_buffer_append(out, HG_SLICE("}\n"));
}

static void put_field(const char *name, const hg_value *v, const char *missing, hg_buffer *out)
{
    hg_buffer_printf(out, "\"%s\":", name);
    if (v != NULL)
        hg_json_write(v, 0, out);
    else
        hg_buffer_append(out, hg_slice_from(missing));
    hg_buffer_byte(out, ',');
}

static void put_answer(const hg_value *id, const hg_result *r, hg_buffer *out)
{
    hg_buffer_byte(out, '{');
    put_field("id", id, "null", out);
    hg_buffer_printf(out, "\"verdict\":\"%s\",", r->events > 0 ? "match" : "ok");
    put_field("events", hg_map_find(&r->value, HG_SLICE("events")), "[]", out);
    put_field("actions", hg_map_find(&r->value, HG_SLICE("actions")), "{}", out);
    hg_buffer_printf(out, "\"duration_ns\":%llu}\n", (unsigned long long)r->duration);
}

/* NULL: read; else what is wrong. */
static const char *read_line(hg_slice line, hg_arena *arena, hg_value *root, char why[128])
{
    hg_json_error error = {0};
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    if (hg_json_read(line, &options, root, hg_arena_allocator(arena), &error) != HG_OK) {
        snprintf(why, 128, "column %u: %s", error.column, error.message ? error.message : "malformed JSON");
        return why;
    }
    if (!hg_is_map(root))
        return "the line must be an object";
    const hg_value *addresses = hg_map_find(root, HG_SLICE("addresses"));
    return addresses != NULL && hg_is_map(addresses) ? NULL : "\"addresses\" must be an object";
}

void json_line_answer(hg_slice line, session *s, const hg_obfuscator *obfuscator, hg_buffer *out)
{
    hg_value root;
    char text[128];
    const hg_result *r = NULL;
    hg_context *context = NULL;
    hg_arena_reset(&s->request);
    const char *why = read_line(line, &s->request, &root, text);
    if (why == NULL) {
        context = s->rules ? hg_context_new(s->rules->waf) : NULL;
        if (context != NULL)
            hg_context_obfuscate(context, obfuscator);
        if (context == NULL ||
            hg_context_eval(context, hg_map_find(&root, HG_SLICE("addresses")), TIMEOUT_US, &r) != HG_OK)
            why = "internal error";
    }
    if (why != NULL) {
        count_add(&s->place->counters->protocol_errors, 1);
        json_line_refuse(why, out);
    } else {
        put_answer(hg_map_find(&root, HG_SLICE("id")), r, out);
        request_count_line(s, r);
    }
    hg_context_free(context);
}
