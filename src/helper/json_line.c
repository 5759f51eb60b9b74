#include "helper/json_line.h"

#include <stdio.h>

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

void json_line_answer(hg_slice line, const generation *rules, uint64_t timeout_us, helper_counters *counters,
                      hg_arena *arena, hg_buffer *out)
{
    hg_value root;
    hg_json_error error = {0};
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_arena_reset(arena);
    if (hg_json_read(line, &options, &root, hg_arena_allocator(arena), &error) != HG_OK) {
        char text[128];
        snprintf(text, sizeof text, "column %u: %s", error.column, error.message ? error.message : "malformed JSON");
        count_add(&counters->protocol_errors, 1);
        json_line_refuse(text, out);
        return;
    }
    const hg_value *id = hg_map_find(&root, HG_SLICE("id")), *addresses = hg_map_find(&root, HG_SLICE("addresses"));
    const hg_result *r = NULL;
    hg_context *context = NULL;
    const char *why = NULL;
    if (addresses == NULL || !hg_is_map(addresses))
        why = "\"addresses\" must be an object";
    else if (rules == NULL || (context = hg_context_new(rules->waf)) == NULL ||
             hg_context_eval(context, addresses, timeout_us, &r) != HG_OK)
        why = "internal error";
    hg_buffer_byte(out, '{');
    put_field("id", id, "null", out);
    if (why != NULL) {
        count_add(&counters->protocol_errors, 1);
        hg_buffer_append(out, HG_SLICE("\"error\":"));
        hg_json_write_string(hg_slice_from(why), 0, out);
    } else {
        hg_buffer_printf(out, "\"verdict\":\"%s\",", r->events > 0 ? "match" : "ok");
        put_field("events", hg_map_find(&r->value, HG_SLICE("events")), "[]", out);
        put_field("actions", hg_map_find(&r->value, HG_SLICE("actions")), "{}", out);
        hg_buffer_printf(out, "\"duration_ns\":%llu", (unsigned long long)r->duration);
        count_add(&counters->requests, 1);
        count_add(&counters->evaluations, 1);
        count_add(&counters->matches, r->events > 0);
        count_add(&counters->timeouts, r->timeout);
    }
    hg_buffer_append(out, HG_SLICE("}\n"));
    hg_context_free(context);
}
