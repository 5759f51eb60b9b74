/* Processors on a JSON value: they end with a value or without, whatever they are given. The first byte chooses one. */
#include "guard.h"
#include "waf/processors/processor.h"

static bool never_expires(hg_generation *generation)
{
    (void)generation;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hg_slice names[] = {HG_SLICE("extract_schema"),           HG_SLICE("http_endpoint_fingerprint"),
                                     HG_SLICE("http_header_fingerprint"),  HG_SLICE("http_network_fingerprint"),
                                     HG_SLICE("session_fingerprint"),      HG_SLICE("jwt_decode"),
                                     HG_SLICE("uri_parse")};
    static uint64_t fields[64];
    if (size < 1)
        return 0;
    hg_slice text = guard(data + 1, size - 1);
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    const hg_generator *generator = hg_generator_find(names[data[0] % (sizeof names / sizeof *names)]);
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_value value;
    if (hg_json_read(text, &options, &value, hg_arena_allocator(&arena), NULL) != HG_OK)
        hg_set_literal(&value, text); /* tokens and URIs as they come */
    hg_match_env env = {.arena = &arena};
    hg_generation generation = {.profile = &hg_profile_native, .arena = &arena, .env = &env, .fields = fields,
                                .expired = never_expires};
    memset(fields, 0, sizeof fields);
    if (generator->fields_size > sizeof fields)
        abort();
    bool fits = true;
    for (int i = 0; i < HG_MAPPING_MAX && generator->parameters[i].name.len > 0; i++) {
        const hg_mapping_parameter *p = &generator->parameters[i];
        bool right = p->type == HG_INPUT_ANY || (p->type == HG_INPUT_MAP ? hg_is_map(&value) : hg_is_string(&value));
        static const hg_value none = {.type = HG_LITERAL};
        generation.inputs[i] = right ? &value : p->type == HG_INPUT_STRING ? &none : NULL;
        fits &= generation.inputs[i] != NULL || p->optional;
    }
    hg_value out;
    if (fits && generator->generate(&generation, &out) == HG_GENERATED_VALUE) {
        hg_buffer b = {.a = hg_heap()};
        hg_json_write(&out, 0, &b);
        if (b.len == 0)
            abort();
        hg_buffer_free(&b);
    }
    hg_arena_close(&arena);
    return 0;
}
