/* Rules of schema version 1 (waf-api-v1 8.3), array `events`. */
#include "waf/ruleset/items.h"

static bool read_transformers(hg_reader *r, const hg_table *table, hg_transform_chain *chain)
{
    const hg_value *list = NULL;
    if (!hg_read_optional(r, table, HG_SLICE("transformers"), hg_cast_array, &list))
        return false;
    size_t size = list != NULL ? hg_value_size(list) : 0;
    if (size > HG_TRANSFORM_CHAIN_MAX)
        return HG_READ_ERROR(r, list, HG_SLICE("number of transformers beyond allowed limit"));
    for (size_t i = 0; i < size; i++) {
        const hg_value *item = &hg_array_items(list)[i];
        hg_slice name;
        if (!hg_cast_view(r, item, &name))
            return false;
        int id = hg_transform_find(name);
        if (id < 0)
            return HG_READ_ERROR(r, item, HG_SLICE("invalid transformer"), name);
        hg_transform_chain_add(chain, id);
    }
    return true;
}

/* `address` or `address:key`. */
static bool read_input(hg_reader *r, const hg_value *v, const hg_transform_chain *chain, hg_input *out)
{
    hg_slice text;
    if (!hg_cast_string(r, v, &text))
        return false;
    out->address = text;
    out->chain = *chain;
    const char *colon = text.len > 0 ? memchr(text.ptr, ':', text.len) : NULL;
    hg_slice key = colon != NULL ? hg_slice_skip(text, (size_t)(colon - text.ptr) + 1) : HG_SLICE("");
    if (key.len > 0) {
        hg_step *step = HG_READ_NEW(r, hg_step, 1);
        if (step == NULL)
            return false;
        step->key = key;
        out->path = (hg_key_path){step, 1};
        out->address = hg_slice_take(text, (size_t)(colon - text.ptr));
    }
    return out->address.len > 0 || HG_READ_ERROR(r, v, HG_SLICE("empty address"));
}

static bool read_inputs(hg_reader *r, const hg_table *parameters, const hg_transform_chain *chain, hg_condition *c)
{
    const hg_value *list;
    if (!hg_read(r, parameters, HG_SLICE("inputs"), hg_cast_array, &list))
        return false;
    size_t size = hg_value_size(list);
    hg_input *inputs = HG_READ_NEW(r, hg_input, size);
    if (inputs == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_input(r, &hg_array_items(list)[i], chain, &inputs[i]))
            return false;
    c->arguments[0] = (hg_condition_argument){inputs, (uint32_t)size};
    return true;
}

static const hg_operator *operator_of(hg_slice name)
{
    static const hg_slice known[] = {HG_SLICE("phrase_match"), HG_SLICE("match_regex"), HG_SLICE("is_xss"),
                                     HG_SLICE("is_sqli")};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (hg_slice_equal(known[i], name))
            return hg_operator_find(name);
    return NULL;
}

/* Here, unlike in the current schema, case_sensitive is looked at before min_length. */
static bool check_case_sensitive(hg_reader *r, const hg_table *parameters)
{
    hg_table options = {NULL};
    bool ignored;
    if (!hg_read(r, parameters, HG_SLICE("regex"), hg_cast_string, &(hg_slice){NULL, 0}) ||
        !hg_read_optional(r, parameters, HG_SLICE("options"), hg_cast_table, &options))
        return false;
    return options.map == NULL || hg_read_optional(r, &options, HG_SLICE("case_sensitive"), hg_cast_bool, &ignored);
}

static bool read_matcher(hg_reader *r, const hg_table *parameters, hg_matcher *m)
{
    hg_table table = *parameters;
    hg_pair list;
    hg_value map = {.map = {HG_MAP, 1, 1, &list}};
    const hg_value *phrases = hg_table_find(parameters, HG_SLICE("list"));
    if (m->op == &hg_operator_phrase_match && phrases != NULL) { /* its options do not count */
        hg_set_literal(&list.key, HG_SLICE("list"));
        list.val = *phrases;
        table.map = &map;
    }
    hg_slice data = {NULL, 0};
    if (m->op == &hg_operator_match_regex && !check_case_sensitive(r, parameters))
        return false;
    return m->op->read == NULL || m->op->read(r, &table, m, &data);
}

static bool read_condition(hg_reader *r, const hg_value *v, const hg_transform_chain *chain, hg_condition *c)
{
    hg_table table;
    hg_table parameters;
    hg_slice name;
    if (!hg_cast_table(r, v, &table) || !hg_read(r, &table, HG_SLICE("operation"), hg_cast_view, &name) ||
        !hg_read(r, &table, HG_SLICE("parameters"), hg_cast_table, &parameters))
        return false;
    const hg_operator *op = operator_of(name);
    if (op == NULL)
        return HG_READ_ERROR(r, v, HG_SLICE("unknown matcher: "), name);
    c->matcher = (hg_matcher){op, NULL, op->accepts};
    c->data_kind = HG_DATA_NONE;
    return read_matcher(r, &parameters, &c->matcher) && read_inputs(r, &parameters, chain, c);
}

static bool read_conditions(hg_reader *r, const hg_table *table, const hg_transform_chain *chain, hg_rule *rule)
{
    const hg_value *list;
    if (!hg_read(r, table, HG_SLICE("conditions"), hg_cast_array, &list))
        return false;
    size_t size = hg_value_size(list);
    hg_condition *conditions = HG_READ_NEW(r, hg_condition, size);
    if (conditions == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_condition(r, &hg_array_items(list)[i], chain, &conditions[i]))
            return false;
    rule->conditions = (hg_conditions){conditions, (uint32_t)size};
    return true;
}

bool hg_item_legacy_rule(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate rule")))
        return false;
    hg_rule *rule = HG_READ_NEW(r, hg_rule, 1);
    hg_transform_chain chain = {0};
    if (rule == NULL || !read_transformers(r, table, &chain) || !read_conditions(r, table, &chain, rule) ||
        !hg_read_rule_tags(r, table, rule) || !hg_read(r, table, HG_SLICE("name"), hg_cast_string, &rule->name))
        return false;
    rule->id = item->id;
    rule->enabled = true;
    rule->event = true;
    rule->keep = true;
    item->product = rule;
    return true;
}
