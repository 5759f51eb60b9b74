/* Overrides of rules and of processors (waf-config 6, 11). They have no id. */
#include "waf/ruleset/items.h"

/* The kind all non-empty targets share. Mixing kinds is an error, and so is an empty target after another kind. */
static bool kind_of(hg_reader *r, const hg_table *table, hg_references targets, hg_reference_kind *kind)
{
    *kind = HG_REFERENCE_EMPTY;
    for (uint32_t i = 0; i < targets.count; i++) {
        if (*kind != HG_REFERENCE_EMPTY && targets.items[i].kind != *kind)
            return HG_READ_ERROR(r, table->map, HG_SLICE("rule override targets rules and tags"));
        *kind = targets.items[i].kind;
    }
    return true;
}

static bool read_targets(hg_reader *r, const hg_table *table, hg_rule_override *out)
{
    if (!hg_read_optional(r, table, HG_SLICE("rules_target"), hg_cast_references, &out->targets))
        return false;
    if (out->targets.count > 0)
        return true;
    hg_reference *target = HG_READ_NEW(r, hg_reference, 1);
    if (target == NULL || !hg_read(r, table, HG_SLICE("id"), hg_cast_string, &target->id))
        return false;
    target->kind = HG_REFERENCE_ID;
    out->targets = (hg_references){target, 1};
    return true;
}

static bool read_effects(hg_reader *r, const hg_table *table, hg_rule_override *out)
{
    out->has_enabled = hg_table_find(table, HG_SLICE("enabled")) != NULL;
    out->has_on_match = hg_table_find(table, HG_SLICE("on_match")) != NULL;
    return hg_read_optional_untied(r, table, HG_SLICE("enabled"), hg_cast_bool, &out->enabled) &&
           hg_read_optional_untied(r, table, HG_SLICE("on_match"), hg_cast_strings, &out->on_match) &&
           hg_read_optional_untied(r, table, HG_SLICE("tags"), hg_cast_tags, &out->tags);
}

bool hg_item_rule_override(hg_reader *r, const hg_table *table, hg_item *item)
{
    hg_rule_override *o = HG_READ_NEW(r, hg_rule_override, 1);
    if (o == NULL || !read_effects(r, table, o) || !read_targets(r, table, o) ||
        !kind_of(r, table, o->targets, &o->kind))
        return false;
    if (!o->has_enabled && !o->has_on_match && o->tags.count == 0)
        return HG_READ_ERROR(r, table->map, HG_SLICE("rule override without side-effects"));
    if (o->kind == HG_REFERENCE_EMPTY)
        return HG_READ_ERROR(r, table->map, HG_SLICE("rule override with no targets"));
    item->product = o;
    return true;
}

/* The ids of the processors an override is for. */
static bool read_processor_targets(hg_reader *r, const hg_table *table, hg_references *out)
{
    const hg_value *list;
    if (!hg_read(r, table, HG_SLICE("target"), hg_cast_array, &list))
        return false;
    size_t size = hg_value_size(list);
    if (size == 0)
        return HG_READ_ERROR(r, list, HG_SLICE("processor override without targets"));
    hg_reference *items = HG_READ_NEW(r, hg_reference, size);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < size; i++) {
        const hg_value *v = &hg_array_items(list)[i];
        if (!hg_read_reference(r, v, &items[i]))
            return false;
        if (items[i].kind == HG_REFERENCE_TAGS)
            return HG_READ_ERROR(r, v, HG_SLICE("processor override with target by tags not supported"));
    }
    *out = (hg_references){items, (uint32_t)size};
    return true;
}

bool hg_item_processor_override(hg_reader *r, const hg_table *table, hg_item *item)
{
    hg_processor_override *o = HG_READ_NEW(r, hg_processor_override, 1);
    hg_table scanners;
    if (o == NULL || !read_processor_targets(r, table, &o->targets) ||
        !hg_read(r, table, HG_SLICE("scanners"), hg_cast_table, &scanners) ||
        !hg_read_optional(r, &scanners, HG_SLICE("include"), hg_cast_references, &o->scanners.include) ||
        !hg_read_optional(r, &scanners, HG_SLICE("exclude"), hg_cast_references, &o->scanners.exclude))
        return false;
    item->product = o;
    return true;
}
