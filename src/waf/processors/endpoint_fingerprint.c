/* http_endpoint_fingerprint: method, path, and the keys of query and body (waf-processors 3.1). */
#include "waf/processors/fingerprint.h"

enum { METHOD, URI, QUERY, BODY };

/* Fields once made stay as they are; what is missing is added when it comes. */
typedef struct endpoint {
    hg_slice method; /* in lower case; ptr NULL: not made yet */
    hg_digest uri;
    hg_digest query;
    hg_digest body;
} endpoint;

/* Lives as long as the context. */
static bool lowered(hg_arena *arena, hg_slice s, hg_slice *out)
{
    char *text = hg_arena_alloc(arena, s.len + 1, 1);
    if (text == NULL)
        return false;
    for (size_t i = 0; i < s.len; i++)
        text[i] = (uint8_t)(s.ptr[i] - 'A') < 26 ? (char)(s.ptr[i] | 0x20) : s.ptr[i];
    *out = hg_slice_of(text, s.len);
    return true;
}

static hg_slice without_query(hg_slice uri)
{
    size_t len = 0;
    while (len < uri.len && uri.ptr[len] != '?' && uri.ptr[len] != '#')
        len++;
    return hg_slice_take(uri, len);
}

static bool add_keys(hg_arena *arena, const hg_value *map, hg_digest *field)
{
    if (field->present || map == NULL)
        return true;
    size_t count;
    const hg_sorted *entries = hg_sorted_entries(arena, map, &count);
    return entries != NULL && hg_digest_of_keys(arena, entries, count, field);
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    endpoint *e = g->fields;
    hg_arena *arena = g->arena;
    if (e->method.ptr == NULL && !lowered(arena, hg_value_string(g->inputs[METHOD]), &e->method))
        return HG_GENERATED_ERROR;
    if (!e->uri.present && !hg_digest_of_lowered(arena, without_query(hg_value_string(g->inputs[URI])), &e->uri))
        return HG_GENERATED_ERROR;
    if (!add_keys(arena, g->inputs[QUERY], &e->query) || !add_keys(arena, g->inputs[BODY], &e->body))
        return HG_GENERATED_ERROR;
    const hg_slice parts[] = {HG_SLICE("http"), e->method, hg_digest_text(&e->uri), hg_digest_text(&e->query),
                              hg_digest_text(&e->body)};
    return hg_fingerprint(arena, parts, sizeof parts / sizeof *parts, out);
}

const hg_generator hg_generator_http_endpoint_fingerprint = {
    .name = HG_SLICE("http_endpoint_fingerprint"),
    .id = HG_GENERATE_ENDPOINT_FINGERPRINT,
    .parameters = {{HG_SLICE("method"), HG_INPUT_STRING, false},
                   {HG_SLICE("uri_raw"), HG_INPUT_STRING, false},
                   {HG_SLICE("query"), HG_INPUT_MAP, true},
                   {HG_SLICE("body"), HG_INPUT_MAP, true}},
    .generate = generate,
    .fields_size = sizeof(endpoint),
};
