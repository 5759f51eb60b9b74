/* Processors (waf-config 10). */
#include "waf/ruleset/items.h"

static bool read_mapping_input(hg_reader *r, const hg_table *table, hg_slice parameter, hg_mapping *out, int slot)
{
    const hg_value *list;
    if (!hg_read(r, table, parameter, hg_cast_array, &list))
        return false;
    if (hg_value_size(list) == 0)
        return HG_READ_ERROR(r, list, HG_SLICE("empty processor input mapping"));
    hg_table input; /* only the first counts */
    if (!hg_cast_table(r, hg_array_items(list), &input) ||
        !hg_read(r, &input, HG_SLICE("address"), hg_cast_string, &out->inputs[slot].address) ||
        !hg_read_optional(r, &input, HG_SLICE("key_path"), hg_cast_key_path, &out->inputs[slot].path))
        return false;
    return hg_read_path_limit(r, list, out->inputs[slot].path) &&
           hg_read_no_empty_step(r, list, out->inputs[slot].path);
}

static bool read_mapping(hg_reader *r, const hg_value *v, const hg_generator *generator, hg_mapping *out)
{
    hg_table table;
    if (!hg_cast_table(r, v, &table))
        return false;
    for (int i = 0; i < HG_MAPPING_MAX && generator->parameters[i].name.len > 0; i++)
        if (!read_mapping_input(r, &table, generator->parameters[i].name, out, i))
            return false;
    return hg_read(r, &table, HG_SLICE("output"), hg_cast_string, &out->output);
}

static bool read_mappings(hg_reader *r, const hg_table *parameters, hg_processor *p)
{
    const hg_value *list;
    if (!hg_read(r, parameters, HG_SLICE("mappings"), hg_cast_array, &list))
        return false;
    size_t size = hg_value_size(list);
    if (size == 0)
        return HG_READ_ERROR(r, list, HG_SLICE("empty mappings"));
    hg_mapping *mappings = HG_READ_NEW(r, hg_mapping, size);
    if (mappings == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_mapping(r, &hg_array_items(list)[i], p->generator, &mappings[i]))
            return false;
    p->mappings = mappings;
    p->mapping_count = (uint32_t)size;
    return true;
}

static bool read_generator(hg_reader *r, const hg_table *table, hg_processor *p)
{
    hg_slice name;
    if (!hg_read(r, table, HG_SLICE("generator"), hg_cast_string, &name))
        return false;
    p->generator = hg_generator_find(name);
    return p->generator != NULL || HG_READ_WARNING(r, hg_table_find(table, HG_SLICE("generator")),
                                                   HG_SLICE("unknown generator: '"), name, HG_SLICE("'"));
}

static bool read_conditions(hg_reader *r, const hg_table *table, hg_processor *p)
{
    static const hg_input_defaults none = {.keys = false};
    const hg_value *list = NULL;
    if (!hg_read_optional(r, table, HG_SLICE("conditions"), hg_cast_array, &list))
        return false;
    return list == NULL || hg_read_conditions(r, list, &none, HG_DATA_NONE, &p->conditions);
}

bool hg_item_processor(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate processor")) || !hg_read_version_gate(r, table))
        return false;
    hg_processor_config *c = HG_READ_NEW(r, hg_processor_config, 1);
    if (c == NULL)
        return false;
    hg_processor *p = &c->processor;
    p->id = item->id;
    p->evaluate = true;
    hg_table parameters;
    if (!read_generator(r, table, p) || !read_conditions(r, table, p) ||
        !hg_read(r, table, HG_SLICE("parameters"), hg_cast_table, &parameters) || !read_mappings(r, &parameters, p) ||
        !hg_read_optional(r, &parameters, HG_SLICE("scanners"), hg_cast_references, &c->scanners) ||
        !hg_read_optional(r, table, HG_SLICE("evaluate"), hg_cast_bool, &p->evaluate) ||
        !hg_read_optional(r, table, HG_SLICE("output"), hg_cast_bool, &p->output))
        return false;
    item->by_empty_id = !p->evaluate && !p->output;
    if (item->by_empty_id)
        return HG_READ_ERROR(r, table->map, HG_SLICE("processor not used for evaluation or output"));
    item->product = c;
    return true;
}
