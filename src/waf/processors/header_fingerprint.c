/* http_header_fingerprint: which common headers there are, and the names of the others (waf-processors 3.2). */
#include "waf/processors/fingerprint.h"

#include "text/bytes.h"

typedef struct headers {
    char bits[HG_KNOWN_HEADERS];
    hg_slice user_agent;
    hg_sorted *others; /* names as they are compared */
    size_t other_count;
} headers;

static hg_slice normalised(char *to, hg_slice name)
{
    for (size_t i = 0; i < name.len; i++)
        to[i] = hg_header_byte(name.ptr[i]);
    return hg_slice_of(to, name.len);
}

/* Names of headers that only tracers add are left out. */
static void add_other(headers *h, hg_slice name)
{
    if (!hg_starts_with(name, HG_SLICE("x-datadog")))
        h->others[h->other_count++] = (hg_sorted){name, NULL, 0};
}

static size_t size_of_names(const hg_value *map)
{
    size_t size = 0;
    for (size_t i = 0; i < hg_value_size(map); i++)
        size += hg_value_string(&hg_map_pairs(map)[i].key).len;
    return size;
}

static bool read_headers(hg_arena *arena, const hg_value *map, headers *h)
{
    size_t count = hg_value_size(map);
    char *room = hg_arena_alloc(arena, size_of_names(map) + 1, 1);
    h->others = hg_arena_alloc(arena, (2 * count + 1) * sizeof *h->others, _Alignof(hg_sorted));
    if (room == NULL || h->others == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const hg_pair *pair = &hg_map_pairs(map)[i];
        hg_slice name = hg_value_string(&pair->key);
        unsigned index;
        switch (hg_header_kind_of(name, &index)) {
        case HG_HEADER_KNOWN:
            h->bits[index] = '1';
            break;
        case HG_HEADER_USER_AGENT:
            h->user_agent = hg_text_of(&pair->val);
            break;
        case HG_HEADER_ADDRESS:
            break;
        case HG_HEADER_OTHER:
            add_other(h, normalised(room, name));
            room += name.len;
        }
    }
    hg_sort(h->others, h->others + count, h->other_count, HG_SORT_BYTES);
    return true;
}

static bool hash_others(hg_arena *arena, const headers *h, hg_digest *out)
{
    *out = (hg_digest){.present = true};
    if (h->other_count == 0)
        return true;
    size_t size = h->other_count;
    for (size_t i = 0; i < h->other_count; i++)
        size += h->others[i].key.len;
    char *text = hg_arena_alloc(arena, size, 1);
    if (text == NULL)
        return false;
    char *to = text;
    for (size_t i = 0; i < h->other_count; i++) {
        if (i > 0)
            *to++ = ',';
        if (h->others[i].key.len > 0)
            memcpy(to, h->others[i].key.ptr, h->others[i].key.len);
        to += h->others[i].key.len;
    }
    *out = hg_digest_of(hg_slice_of(text, (size_t)(to - text)));
    return true;
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    headers h = {.user_agent = {NULL, 0}};
    hg_digest agent, others;
    char count[HG_DECIMAL_SIZE];
    if (!hg_is_map(g->inputs[0]))
        return HG_GENERATED_NOTHING;
    memset(h.bits, '0', sizeof h.bits);
    if (!read_headers(g->arena, g->inputs[0], &h) || !hg_digest_of_lowered(g->arena, h.user_agent, &agent) ||
        !hash_others(g->arena, &h, &others))
        return HG_GENERATED_ERROR;
    const hg_slice parts[] = {HG_SLICE("hdr"), hg_slice_of(h.bits, sizeof h.bits), hg_digest_text(&agent),
                              hg_decimal(h.other_count, count), hg_digest_text(&others)};
    return hg_fingerprint(g->arena, parts, sizeof parts / sizeof *parts, out);
}

const hg_generator hg_generator_http_header_fingerprint = {
    .name = HG_SLICE("http_header_fingerprint"),
    .id = HG_GENERATE_HEADER_FINGERPRINT,
    .parameters = {{HG_SLICE("headers"), HG_INPUT_MAP, false}},
    .generate = generate,
};
