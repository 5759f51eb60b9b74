/* jwt_decode: the parts of a bearer token, without checking its signature (waf-processors 4). */
#include "waf/processors/processor.h"

#include "text/bytes.h"
#include "text/transforms/transforms.h"

/* The token in an Authorization header. False: it has none. */
static bool find_token(const hg_value *v, hg_slice *token)
{
    if (hg_is_array(v) && hg_value_size(v) > 0)
        v = hg_array_items(v);
    hg_slice s = hg_value_string(v);
    if (!hg_starts_with(s, HG_SLICE("Bearer")))
        return false;
    s = hg_slice_skip(s, 6);
    while (s.len > 0 && hg_is_space((uint8_t)s.ptr[0]))
        s = hg_slice_skip(s, 1);
    *token = s;
    return true;
}

/* The JSON document in a part, or an invalid value. False: out of memory. */
static bool read_part(hg_arena *arena, hg_slice part, hg_value *out)
{
    hg_set_invalid(out);
    if (part.len == 0)
        return true;
    char *room = hg_arena_alloc(arena, part.len, 1);
    if (room == NULL)
        return false;
    hg_slice text;
    if (hg_base64url_decode(part, room, &text) != HG_TRANSFORM_CHANGED || text.len == 0)
        return true;
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_status status = hg_json_read(text, &options, out, hg_arena_allocator(arena), NULL);
    return status != HG_ERR_NOMEM;
}

static bool add_part(hg_arena *arena, hg_value *map, hg_slice name, hg_slice part)
{
    hg_value *value = hg_map_append_literal(map, name, hg_arena_allocator(arena));
    return value != NULL && read_part(arena, part, value);
}

static bool add_signature(hg_arena *arena, hg_value *map, bool available)
{
    const hg_allocator *a = hg_arena_allocator(arena);
    hg_value *signature = hg_map_append_literal(map, HG_SLICE("signature"), a);
    if (signature == NULL || hg_set_map(signature, 1, a) != HG_OK)
        return false;
    hg_value *value = hg_map_append_literal(signature, HG_SLICE("available"), a);
    if (value != NULL)
        hg_set_bool(value, available);
    return value != NULL;
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    hg_slice token;
    if (!find_token(g->inputs[0], &token))
        return HG_GENERATED_NOTHING;
    size_t first = hg_find_byte(token, 0, '.');
    size_t second = hg_find_byte(token, first + 1, '.');
    if (second >= token.len)
        return HG_GENERATED_NOTHING;
    hg_slice header = hg_slice_take(token, first);
    hg_slice payload = hg_slice_of(token.ptr + first + 1, second - first - 1);
    if (hg_set_map(out, 3, hg_arena_allocator(g->arena)) != HG_OK ||
        !add_part(g->arena, out, HG_SLICE("header"), header) ||
        !add_part(g->arena, out, HG_SLICE("payload"), payload) ||
        !add_signature(g->arena, out, second + 1 < token.len))
        return HG_GENERATED_ERROR;
    return HG_GENERATED_VALUE;
}

const hg_generator hg_generator_jwt_decode = {
    .name = HG_SLICE("jwt_decode"),
    .id = HG_GENERATE_JWT,
    .parameters = {{HG_SLICE("inputs"), HG_INPUT_ANY, false}},
    .generate = generate,
    .uses_path = true,
};
