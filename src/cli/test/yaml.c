/* YAML to a tree, through libyaml's events. */
#include "cli/test/rule_tests.h"

#ifdef HG_WITH_YAML
#include <yaml.h>

enum { DEPTH_MAX = 64 };

typedef struct frame {
    hg_value *container;
    hg_slice key;
    bool has_key;
} frame;

typedef struct reader {
    frame stack[DEPTH_MAX];
    size_t depth;
    hg_arena *arena;
    hg_value *out;
    hg_status status;
} reader;

/* Where the next value goes; NULL for the key of a map. */
static hg_value *place(reader *r, hg_slice scalar, bool is_scalar)
{
    const hg_allocator *a = hg_arena_allocator(r->arena);
    if (r->depth == 0)
        return r->out;
    frame *top = &r->stack[r->depth - 1];
    if (hg_is_array(top->container))
        return hg_array_append(top->container, a);
    if (!top->has_key) {
        bool ok = is_scalar;
        top->key = is_scalar ? hg_arena_copy(r->arena, scalar, &ok) : hg_slice_of(NULL, 0);
        top->has_key = true;
        r->status = ok ? HG_OK : HG_ERR_SYNTAX;
        return NULL;
    }
    top->has_key = false;
    return hg_map_append(top->container, top->key, a);
}

static void open_container(reader *r, bool map)
{
    const hg_allocator *a = hg_arena_allocator(r->arena);
    hg_value *at = place(r, hg_slice_of(NULL, 0), false);
    if (at == NULL || r->depth == DEPTH_MAX) {
        r->status = HG_ERR_SYNTAX;
        return;
    }
    r->status = map ? hg_set_map(at, 4, a) : hg_set_array(at, 4, a);
    r->stack[r->depth++] = (frame){.container = at};
}

static void take(reader *r, const yaml_event_t *event)
{
    hg_slice text;
    hg_value *at;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        text = hg_slice_of((const char *)event->data.scalar.value, event->data.scalar.length);
        at = place(r, text, true);
        if (at != NULL)
            r->status = hg_set_string(at, text, hg_arena_allocator(r->arena));
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_container(r, false);
        break;
    case YAML_MAPPING_START_EVENT:
        open_container(r, true);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        break;
    case YAML_ALIAS_EVENT:
        r->status = HG_ERR_UNSUPPORTED;
        break;
    default:
        break;
    }
}

hg_status rule_yaml_read(hg_slice text, hg_arena *arena, hg_value *out, size_t *line)
{
    yaml_parser_t parser;
    reader r = {.arena = arena, .out = out};
    hg_set_invalid(out);
    *line = 1;
    if (!yaml_parser_initialize(&parser))
        return HG_ERR_NOMEM;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    for (bool done = false; !done && r.status == HG_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            *line = parser.problem_mark.line + 1;
            r.status = HG_ERR_SYNTAX;
            break;
        }
        *line = event.start_mark.line + 1;
        take(&r, &event);
        done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return r.status;
}

#else

hg_status rule_yaml_read(hg_slice text, hg_arena *arena, hg_value *out, size_t *line)
{
    (void)text;
    (void)arena;
    hg_set_invalid(out);
    *line = 1;
    return HG_ERR_UNSUPPORTED;
}
#endif
