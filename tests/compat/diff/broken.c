/* Damaged configurations: some values of a random ruleset are replaced, removed or repeated. */
#include "diff.h"

static size_t count_nodes(const hg_value *v)
{
    size_t count = 1;
    for (size_t i = 0; i < hg_value_size(v); i++)
        count += count_nodes(hg_is_map(v) ? &hg_map_pairs(v)[i].val : &hg_array_items(v)[i]);
    return count;
}

static hg_value *node_at(hg_value *v, size_t *left)
{
    if ((*left)-- == 0)
        return v;
    for (size_t i = 0; i < hg_value_size(v); i++) {
        hg_value *found = node_at(hg_is_map(v) ? &hg_map_pairs(v)[i].val : &hg_array_items(v)[i], left);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static void set_junk(rng *r, hg_value *v, const hg_allocator *a)
{
    static const char *const junk[] = {"null", "5", "-5", "1.5", "100000.0", "0.1", "\"\"", "\"x\"", "\"true\"", "true",
                                       "[]", "{}", "[5]", "[\"x\"]", "[{}]", "{\"id\":\"x\"}", "{\"\":1}", "[null]",
                                       "9223372036854775808", "\"r0\"", "[[]]"};
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_json_read(hg_slice_from(PICK(r, junk)), &options, v, a, NULL);
}

static bool is_text(const hg_value *v, const char *text)
{
    return v != NULL && hg_slice_equal(hg_value_string(v), hg_slice_from(text));
}

/* The official library crashes on floats given as strings and on empty data. */
static bool is_deadly(const hg_value *v)
{
    if (hg_is_map(v)) {
        const hg_value *data = hg_map_find(v, HG_SLICE("data"));
        const hg_value *value = hg_map_find(v, HG_SLICE("value")), *delta = hg_map_find(v, HG_SLICE("delta"));
        if (is_text(hg_map_find(v, HG_SLICE("type")), "float") &&
            ((value != NULL && hg_is_string(value)) || (delta != NULL && hg_is_string(delta))))
            return true;
        if (data != NULL && hg_is_array(data) && hg_value_size(data) == 0)
            return true;
    }
    for (size_t i = 0; i < hg_value_size(v); i++)
        if (is_deadly(hg_is_map(v) ? &hg_map_pairs(v)[i].val : &hg_array_items(v)[i]))
            return true;
    return false;
}

/* Whether the entry of a tag map or an attribute map is one that reading it would complain about. */
static bool is_wrong(const hg_value *v, bool attribute)
{
    if (!attribute)
        return !hg_is_scalar(v);
    const hg_value *literal = hg_is_map(v) ? hg_map_find(v, HG_SLICE("value")) : NULL;
    const hg_value *address = hg_is_map(v) ? hg_map_find(v, HG_SLICE("address")) : NULL;
    return literal != NULL ? !hg_is_scalar(literal) : address == NULL || !hg_is_string(address);
}

/* Which of several wrong entries of such a map libddwaf reports depends on its hash order. */
static bool is_undefined(const hg_value *v, bool tags, bool attributes)
{
    size_t wrong = 0;
    for (size_t i = 0; i < hg_value_size(v); i++) {
        const hg_value *inner = hg_is_map(v) ? &hg_map_pairs(v)[i].val : &hg_array_items(v)[i];
        const hg_value *key = hg_is_map(v) ? &hg_map_pairs(v)[i].key : inner;
        wrong += (tags || attributes) && hg_is_map(v) && is_wrong(inner, attributes);
        if (is_undefined(inner, hg_is_map(v) && is_text(key, "tags"), hg_is_map(v) && is_text(key, "attributes")))
            return true;
    }
    return wrong > 1;
}

void put_broken(rng *r, hg_buffer *out)
{
    hg_buffer sound = {0};
    hg_arena arena;
    hg_value root;
    const hg_json_options options = {.dialect = HG_JSON_DDWAF};
    hg_arena_init(&arena, NULL);
    const hg_allocator *a = hg_arena_allocator(&arena);
    if (rng_percent(r, 15))
        put_legacy(r, &sound);
    else
        put_ruleset(r, &sound);
    hg_json_read(hg_slice_of(sound.ptr, sound.len), &options, &root, a, NULL);
    unsigned damages = rng_below(r, 5);
    for (unsigned i = 0; i < damages; i++) {
        size_t at = rng_below(r, (unsigned)count_nodes(&root));
        hg_value *node = node_at(&root, &at);
        if (node != &root || rng_percent(r, 10))
            set_junk(r, node, a);
    }
    if (is_deadly(&root) || is_undefined(&root, false, false))
        hg_buffer_append(out, HG_SLICE("{}"));
    else
        hg_json_write(&root, 0, out);
    hg_buffer_free(&sound);
    hg_arena_close(&arena);
}
