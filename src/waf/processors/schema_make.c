#include "waf/processors/schema.h"

#include "base/hash.h"

/* Where in a value we are. */
typedef struct place {
    const hg_value *key; /* the nearest one above; NULL at the root */
    unsigned depth;      /* containers around */
} place;

static hg_schema *new_schema(hg_generation *g, hg_schema_kind kind)
{
    hg_schema *schema = hg_arena_alloc(g->arena, sizeof *schema, _Alignof(hg_schema));
    if (schema != NULL)
        *schema = (hg_schema){.kind = kind, .hash = hg_hash_u64(kind)};
    return schema;
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    return hg_hash_u64(hash * 31 + more);
}

static bool matches(const hg_matcher *m, const hg_value *v, hg_match_env *env)
{
    hg_slice highlight;
    return m->op->match != NULL && hg_matcher_accepts(m, v) && m->op->match(m, v, env, &highlight);
}

static bool accepts(const hg_scanner *scanner, const hg_value *key, const hg_value *value, hg_match_env *env)
{
    if (scanner->has_key && (key == NULL || hg_value_string(key).len == 0 || !matches(&scanner->key, key, env)))
        return false;
    return !scanner->has_value || matches(&scanner->value, value, env);
}

/* The order of tags does not matter. */
static uint64_t hash_of_tags(const hg_tags *tags)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < tags->count; i++)
        hash += mix(hg_hash(tags->items[i].key, hg_hash_seed()), hg_hash(tags->items[i].value, hg_hash_seed()));
    return hash;
}

static hg_schema *make_string(hg_generation *g, const hg_value *value, place at)
{
    hg_schema *schema = new_schema(g, HG_SCHEMA_STRING);
    for (uint32_t i = 0; schema != NULL && i < g->scanner_count; i++) {
        const hg_scanner *scanner = g->scanners[i];
        if (!accepts(scanner, at.key, value, g->env))
            continue;
        if (scanner->tags.count > 0) {
            schema->tags = &scanner->tags;
            schema->hash = mix(schema->hash, hash_of_tags(schema->tags));
        }
        break;
    }
    return schema;
}

static hg_generated make(hg_generation *g, const hg_value *value, place at, hg_schema **out);

/* Adds a schema to an array's unless it has an equal one. */
static void add_distinct(hg_schema *array, hg_schema *schema)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (hg_schema_equal(array->children[i].schema, schema))
            return;
    array->children[array->count++].schema = schema;
    array->hash += schema->hash; /* the order does not matter */
}

static hg_generated make_array(hg_generation *g, const hg_value *value, place at, hg_schema *schema)
{
    size_t size = hg_value_size(value);
    schema->length = size;
    schema->truncated = size > HG_SCHEMA_ELEMENTS;
    schema->hash = mix(schema->hash, size);
    if (at.depth >= HG_SCHEMA_DEPTH)
        return HG_GENERATED_VALUE;
    size = schema->truncated ? HG_SCHEMA_ELEMENTS : size;
    schema->children = hg_arena_alloc(g->arena, (size + 1) * sizeof *schema->children, _Alignof(hg_schema_child));
    if (schema->children == NULL)
        return HG_GENERATED_ERROR;
    for (size_t i = 0; i < size; i++) {
        hg_schema *child;
        hg_generated outcome = make(g, &hg_array_items(value)[i], at, &child);
        if (outcome != HG_GENERATED_VALUE)
            return outcome;
        add_distinct(schema, child);
    }
    return HG_GENERATED_VALUE;
}

/* Has the map that key already? */
static bool has_key(const hg_schema *map, hg_slice key, uint64_t hash)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (map->children[i].key_hash == hash && hg_slice_equal(map->children[i].key, key))
            return true;
    return false;
}

static hg_generated make_entry(hg_generation *g, const hg_pair *pair, place at, hg_schema *schema)
{
    hg_slice key = hg_value_string(&pair->key);
    bool usable = hg_is_string(&pair->key) && (key.len > 0 || g->profile->schema_empty_keys);
    uint64_t hash = hg_hash(key, hg_hash_seed());
    if (!usable || has_key(schema, key, hash))
        return HG_GENERATED_VALUE;
    hg_schema_child *child = &schema->children[schema->count];
    *child = (hg_schema_child){.key = key, .key_hash = hash};
    hg_generated outcome = make(g, &pair->val, (place){&pair->key, at.depth}, &child->schema);
    if (outcome != HG_GENERATED_VALUE)
        return outcome;
    schema->count++;
    schema->hash += mix(hash, child->schema->hash);
    return HG_GENERATED_VALUE;
}

static hg_generated make_map(hg_generation *g, const hg_value *value, place at, hg_schema *schema)
{
    size_t size = hg_value_size(value);
    schema->truncated = size > HG_SCHEMA_ENTRIES;
    schema->hash += schema->truncated;
    if (at.depth >= HG_SCHEMA_DEPTH)
        return HG_GENERATED_VALUE;
    size = schema->truncated ? HG_SCHEMA_ENTRIES : size;
    schema->children = hg_arena_alloc(g->arena, (size + 1) * sizeof *schema->children, _Alignof(hg_schema_child));
    if (schema->children == NULL)
        return HG_GENERATED_ERROR;
    for (size_t i = 0; i < size; i++) {
        hg_generated outcome = make_entry(g, &hg_map_pairs(value)[i], at, schema);
        if (outcome != HG_GENERATED_VALUE)
            return outcome;
    }
    return HG_GENERATED_VALUE;
}

static hg_schema_kind kind_of(const hg_value *value)
{
    switch (value->type) {
    case HG_NULL:
        return HG_SCHEMA_NULL;
    case HG_BOOL:
        return HG_SCHEMA_BOOL;
    case HG_SIGNED:
    case HG_UNSIGNED:
        return HG_SCHEMA_INTEGER;
    case HG_FLOAT:
        return HG_SCHEMA_FLOAT;
    default:
        return hg_is_array(value) ? HG_SCHEMA_ARRAY : hg_is_map(value) ? HG_SCHEMA_MAP : HG_SCHEMA_UNKNOWN;
    }
}

static hg_generated make(hg_generation *g, const hg_value *value, place at, hg_schema **out)
{
    if (g->expired(g))
        return HG_GENERATED_LATER;
    *out = hg_is_string(value) ? make_string(g, value, at) : new_schema(g, kind_of(value));
    if (*out == NULL)
        return HG_GENERATED_ERROR;
    at.depth++;
    if ((*out)->kind == HG_SCHEMA_ARRAY)
        return make_array(g, value, at, *out);
    if ((*out)->kind == HG_SCHEMA_MAP)
        return make_map(g, value, at, *out);
    return HG_GENERATED_VALUE;
}

hg_generated hg_schema_make(hg_generation *g, const hg_value *value, hg_schema **out)
{
    return make(g, value, (place){NULL, 0}, out);
}
