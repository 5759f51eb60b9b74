/* Rules (waf-config 4). */
#include "waf/ruleset/items.h"

bool hg_item_id(hg_reader *r, const hg_table *table, hg_item *item, hg_slice duplicate)
{
    if (!hg_read(r, table, HG_SLICE("id"), hg_cast_string, &item->id))
        return false;
    item->has_id = true;
    item->by_empty_id = item->ids != NULL && hg_id_map_has(item->ids, item->id);
    if (item->by_empty_id)
        return HG_READ_ERROR(r, hg_table_find(table, HG_SLICE("id")), duplicate);
    return true;
}

static bool read_defaults(hg_reader *r, const hg_table *table, hg_input_defaults *out)
{
    const hg_value *list = NULL;
    if (!hg_read_optional(r, table, HG_SLICE("transformers"), hg_cast_array, &list))
        return false;
    return list == NULL || hg_read_transformers(r, list, &out->chain, &out->keys);
}

static hg_module module_of(hg_slice name)
{
    static const hg_slice names[HG_MODULE_WAF] = {
        HG_SLICE("network-acl"),   HG_SLICE("authentication-acl"), HG_SLICE("custom-acl"),
        HG_SLICE("configuration"), HG_SLICE("business-logic"),     HG_SLICE("rasp"),
    };
    for (int i = 0; i < HG_MODULE_WAF; i++)
        if (hg_slice_equal(names[i], name))
            return (hg_module)i;
    return HG_MODULE_WAF;
}

const hg_tag *hg_tags_find(hg_tags tags, hg_slice key)
{
    for (uint32_t i = 0; i < tags.count; i++)
        if (hg_slice_equal(tags.items[i].key, key))
            return &tags.items[i];
    return NULL;
}

bool hg_rule_take_tags(hg_rule *rule, hg_tags tags)
{
    const hg_tag *type = hg_tags_find(tags, HG_SLICE("type"));
    const hg_tag *module = hg_tags_find(tags, HG_SLICE("module"));
    if (type == NULL)
        return false;
    rule->tags = tags;
    rule->type = type->value;
    rule->module = module_of(module != NULL ? module->value : HG_SLICE(""));
    return true;
}

bool hg_read_rule_tags(hg_reader *r, const hg_table *table, hg_rule *rule)
{
    hg_table map;
    if (!hg_read(r, table, HG_SLICE("tags"), hg_cast_table, &map))
        return false;
    hg_tags tags;
    if (!hg_cast_tags_tied(r, map.map, &tags))
        return false;
    return hg_rule_take_tags(rule, tags) || HG_READ_ERROR(r, map.map, HG_SLICE("missing key 'type'"));
}

static bool read_attribute(hg_reader *r, const hg_pair *entry, hg_attribute *out)
{
    hg_table table;
    if (!hg_cast_table(r, &entry->val, &table) || !hg_cast_string(r, &entry->key, &out->name))
        return false;
    const hg_value *literal = hg_table_find(&table, HG_SLICE("value"));
    if (literal != NULL) {
        if (!hg_is_scalar(literal))
            return HG_READ_ERROR(r, literal, HG_SLICE("invalid type for 'value', expected scalar"));
        out->literal = true;
        return hg_read_scalar(r, literal, &out->value);
    }
    return hg_read(r, &table, HG_SLICE("address"), hg_cast_view, &out->address) &&
           hg_read_optional(r, &table, HG_SLICE("key_path"), hg_cast_key_path, &out->path);
}

static bool read_attributes(hg_reader *r, const hg_value *map, hg_rule *rule)
{
    size_t size = hg_value_size(map);
    hg_attribute *attributes = HG_READ_NEW(r, hg_attribute, size);
    if (attributes == NULL)
        return false;
    hg_id_map seen = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) {
        const hg_pair *entry = &hg_map_pairs(map)[i];
        if (hg_read_is_repeated(r, map, i, &seen))
            continue;
        if (!read_attribute(r, entry, &attributes[count++]))
            return false;
    }
    rule->attributes = attributes;
    rule->attribute_count = count;
    return r->failure == HG_FAILURE_NONE;
}

static bool read_output(hg_reader *r, const hg_table *table, hg_rule *rule)
{
    rule->event = true;
    rule->keep = true;
    hg_table output = {NULL};
    if (!hg_read_optional(r, table, HG_SLICE("output"), hg_cast_table, &output))
        return false;
    if (output.map == NULL)
        return true;
    hg_table attributes = {NULL};
    if (!hg_read_optional(r, &output, HG_SLICE("event"), hg_cast_bool, &rule->event) ||
        !hg_read_optional(r, &output, HG_SLICE("keep"), hg_cast_bool, &rule->keep) ||
        !hg_read_optional(r, &output, HG_SLICE("attributes"), hg_cast_table, &attributes))
        return false;
    return attributes.map == NULL || read_attributes(r, attributes.map, rule);
}

bool hg_item_rule(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate rule")) || !hg_read_version_gate(r, table))
        return false;
    hg_rule *rule = HG_READ_NEW(r, hg_rule, 1);
    hg_input_defaults defaults = {.keys = false};
    const hg_value *conditions;
    if (rule == NULL || !read_defaults(r, table, &defaults) ||
        !hg_read(r, table, HG_SLICE("conditions"), hg_cast_array, &conditions) ||
        !hg_read_conditions(r, conditions, &defaults, HG_DATA_RULES, &rule->conditions))
        return false;
    if (rule->conditions.count == 0)
        return HG_READ_ERROR(r, conditions, HG_SLICE("rule has no valid conditions"));
    rule->id = item->id;
    rule->custom = item->section == HG_SECTION_CUSTOM_RULES;
    rule->enabled = true;
    if (!hg_read_rule_tags(r, table, rule) || !read_output(r, table, rule) ||
        !hg_read_optional(r, table, HG_SLICE("enabled"), hg_cast_bool, &rule->enabled) ||
        !hg_read(r, table, HG_SLICE("name"), hg_cast_string, &rule->name) ||
        !hg_read_optional(r, table, HG_SLICE("on_match"), hg_cast_strings, &rule->on_match))
        return false;
    item->by_empty_id = !rule->event && rule->attribute_count == 0;
    if (item->by_empty_id)
        return HG_READ_ERROR(r, table->map, HG_SLICE("rule generates no events or attributes"));
    item->product = rule;
    return true;
}
