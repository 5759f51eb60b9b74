/* uri_parse: the parts of a URI, its query as a map (waf-processors 5). */
#include "waf/processors/processor.h"

#include "base/hash.h"
#include "text/bytes.h"
#include "text/uri.h"

/* The query's map while it is made, with a hash table of its keys. */
typedef struct query {
    hg_value *map;
    const hg_allocator *a;
    uint32_t *slots; /* index of a pair plus 1; 0: free */
    size_t mask;
    uint64_t seed;
} query;

static size_t count_pieces(hg_slice text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '&';
    return count;
}

static bool make_slots(query *q, hg_arena *arena, size_t keys)
{
    size_t size = 8;
    while (size < 2 * keys)
        size *= 2;
    q->slots = hg_arena_alloc(arena, size * sizeof *q->slots, _Alignof(uint32_t));
    if (q->slots == NULL)
        return false;
    memset(q->slots, 0, size * sizeof *q->slots);
    q->mask = size - 1;
    q->seed = hg_hash_seed();
    return true;
}

/* The slot of the key, or the free one where it belongs. */
static uint32_t *find_slot(const query *q, hg_slice key)
{
    size_t i = hg_hash(key, q->seed) & q->mask;
    for (; q->slots[i] != 0; i = (i + 1) & q->mask)
        if (hg_slice_equal(hg_value_string(&hg_map_pairs(q->map)[q->slots[i] - 1].key), key))
            break;
    return &q->slots[i];
}

/* A place for one more value of a key that has some. NULL: out of memory. */
static hg_value *add_value(const query *q, hg_value *values)
{
    if (!hg_is_array(values)) {
        hg_value first = *values;
        hg_value *copy;
        if (hg_set_array(values, 0, q->a) != HG_OK || (copy = hg_array_append(values, q->a)) == NULL)
            return NULL;
        *copy = first;
    }
    return hg_array_append(values, q->a);
}

static bool add_piece(query *q, hg_slice piece)
{
    size_t equal = hg_find_byte(piece, 0, '=');
    hg_slice key = hg_slice_take(piece, equal);
    if (key.len == 0)
        return true;
    if (hg_ends_with(key, HG_SLICE("[]")))
        key.len -= 2;
    uint32_t *slot = find_slot(q, key);
    hg_value *value;
    if (*slot == 0) {
        value = hg_map_append_borrowed(q->map, key, q->a);
        *slot = (uint32_t)hg_value_size(q->map);
    } else {
        value = add_value(q, &hg_map_pairs(q->map)[*slot - 1].val);
    }
    if (value == NULL)
        return false;
    if (equal == piece.len)
        hg_set_bool(value, true);
    else
        hg_set_borrowed(value, hg_slice_skip(piece, equal + 1));
    return true;
}

static bool add_query(hg_arena *arena, hg_value *map, hg_slice text)
{
    query q = {.map = map, .a = hg_arena_allocator(arena)};
    if (hg_set_map(map, 0, q.a) != HG_OK)
        return false;
    if (text.len == 0)
        return true;
    if (!make_slots(&q, arena, count_pieces(text)))
        return false;
    for (size_t begin = 0; begin < text.len;) {
        size_t end = hg_find_byte(text, begin, '&');
        if (!add_piece(&q, hg_slice_of(text.ptr + begin, end - begin)))
            return false;
        begin = end + 1;
    }
    return true;
}

static bool add_text(hg_value *map, hg_slice name, hg_slice text, const hg_allocator *a)
{
    hg_value *value = hg_map_append_literal(map, name, a);
    if (value != NULL)
        hg_set_borrowed(value, text);
    return value != NULL;
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    hg_uri uri;
    if (!hg_uri_parse(hg_value_string(g->inputs[0]), &uri))
        return HG_GENERATED_NOTHING;
    const hg_allocator *a = hg_arena_allocator(g->arena);
    if (hg_set_map(out, 7, a) != HG_OK || !add_text(out, HG_SLICE("scheme"), uri.scheme, a) ||
        !add_text(out, HG_SLICE("userinfo"), uri.userinfo, a) || !add_text(out, HG_SLICE("host"), uri.host, a))
        return HG_GENERATED_ERROR;
    hg_value *port = hg_map_append_literal(out, HG_SLICE("port"), a);
    if (port == NULL)
        return HG_GENERATED_ERROR;
    hg_set_unsigned(port, uri.port);
    if (!add_text(out, HG_SLICE("path"), uri.path, a))
        return HG_GENERATED_ERROR;
    hg_value *map = hg_map_append_literal(out, HG_SLICE("query"), a);
    if (map == NULL || !add_query(g->arena, map, uri.query) ||
        !add_text(out, HG_SLICE("fragment"), uri.fragment, a))
        return HG_GENERATED_ERROR;
    return HG_GENERATED_VALUE;
}

const hg_generator hg_generator_uri_parse = {
    .name = HG_SLICE("uri_parse"),
    .id = HG_GENERATE_URI,
    .parameters = {{HG_SLICE("inputs"), HG_INPUT_STRING, false}},
    .generate = generate,
};
