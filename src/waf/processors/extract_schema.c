/* extract_schema: which types a value is made of (waf-processors 2). */
#include "waf/processors/schema.h"

static bool add_number(hg_value *array, uint64_t number, const hg_allocator *a)
{
    hg_value *value = hg_array_append(array, a);
    if (value != NULL)
        hg_set_unsigned(value, number);
    return value != NULL;
}

static bool add_tags(hg_value *array, const hg_tags *tags, const hg_allocator *a)
{
    hg_value *map = hg_array_append(array, a);
    if (map == NULL || hg_set_map(map, tags->count, a) != HG_OK)
        return false;
    for (uint32_t i = 0; i < tags->count; i++) {
        hg_value *value = hg_map_append_borrowed(map, tags->items[i].key, a);
        if (value == NULL)
            return false;
        hg_set_borrowed(value, tags->items[i].value);
    }
    return true;
}

/* What follows the children of a container. */
static bool add_notes(const hg_schema *schema, hg_value *array, const hg_allocator *a)
{
    if (schema->kind == HG_SCHEMA_MAP && !schema->truncated)
        return true;
    hg_value *notes = hg_array_append(array, a);
    if (notes == NULL || hg_set_map(notes, 2, a) != HG_OK)
        return false;
    hg_value *value;
    if (schema->kind == HG_SCHEMA_ARRAY) {
        if ((value = hg_map_append_literal(notes, HG_SLICE("len"), a)) == NULL)
            return false;
        hg_set_unsigned(value, schema->length);
    }
    if (!schema->truncated)
        return true;
    if ((value = hg_map_append_literal(notes, HG_SLICE("truncated"), a)) == NULL)
        return false;
    hg_set_bool(value, true);
    return true;
}

static bool add_children(const hg_schema *schema, hg_value *array, const hg_allocator *a)
{
    hg_value *list = hg_array_append(array, a);
    if (list == NULL)
        return false;
    bool map = schema->kind == HG_SCHEMA_MAP;
    if ((map ? hg_set_map(list, schema->count, a) : hg_set_array(list, schema->count, a)) != HG_OK)
        return false;
    for (uint32_t i = 0; i < schema->count; i++) {
        const hg_schema_child *child = &schema->children[i];
        hg_value *value = map ? hg_map_append_borrowed(list, child->key, a) : hg_array_append(list, a);
        if (value == NULL || !hg_schema_write(child->schema, a, value))
            return false;
    }
    return true;
}

bool hg_schema_write(const hg_schema *schema, const hg_allocator *a, hg_value *out)
{
    if (hg_set_array(out, 2, a) != HG_OK)
        return false;
    if (schema->kind >= HG_SCHEMA_ARRAY)
        return add_children(schema, out, a) && add_notes(schema, out, a);
    return add_number(out, schema->kind, a) && (schema->tags == NULL || add_tags(out, schema->tags, a));
}

static hg_generated generate(hg_generation *g, hg_value *out)
{
    hg_schema *schema;
    hg_generated outcome = hg_schema_make(g, g->inputs[0], &schema);
    if (outcome != HG_GENERATED_VALUE)
        return outcome;
    return hg_schema_write(schema, hg_arena_allocator(g->arena), out) ? HG_GENERATED_VALUE : HG_GENERATED_ERROR;
}

const hg_generator hg_generator_extract_schema = {
    .name = HG_SLICE("extract_schema"),
    .id = HG_GENERATE_SCHEMA,
    .parameters = {{HG_SLICE("inputs"), HG_INPUT_ANY, false}},
    .generate = generate,
};
