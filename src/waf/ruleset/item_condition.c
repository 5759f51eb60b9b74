/* Conditions, their inputs and transformers (waf-config 5). */
#include "waf/ruleset/items.h"

bool hg_read_transformers(hg_reader *r, const hg_value *list, hg_transform_chain *chain, bool *keys)
{
    size_t size = hg_value_size(list);
    if (size > HG_TRANSFORM_CHAIN_MAX)
        return HG_READ_ERROR(r, list, HG_SLICE("number of transformers beyond allowed limit"));
    *chain = (hg_transform_chain){0};
    for (size_t i = 0; i < size; i++) {
        const hg_value *item = &hg_array_items(list)[i];
        hg_slice name;
        if (!hg_cast_view(r, item, &name))
            return false;
        if (hg_slice_equal(name, HG_SLICE("keys_only"))) {
            *keys = true;
        } else if (hg_slice_equal(name, HG_SLICE("values_only"))) {
            *keys = false;
        } else {
            int id = hg_transform_find(name);
            if (id < 0)
                return HG_READ_WARNING(r, item, HG_SLICE("unknown transformer: '"), name, HG_SLICE("'"));
            hg_transform_chain_add(chain, id);
        }
    }
    return true;
}

/* What an input without transformers of its own takes over. The source leaks from one input of a condition to the
 * next (waf-config 5.2). */
typedef struct inherited {
    const hg_transform_chain *chain;
    bool keys;
} inherited;

static bool read_key_path(hg_reader *r, const hg_table *table, hg_key_path *path)
{
    if (!hg_read_optional(r, table, HG_SLICE("key_path"), hg_cast_key_path, path))
        return false;
    const hg_value *where = hg_table_find(table, HG_SLICE("key_path"));
    return hg_read_path_limit(r, where, *path) && hg_read_no_empty_step(r, where, *path);
}

static bool read_input(hg_reader *r, const hg_value *v, inherited *from, hg_input *out)
{
    hg_table table;
    if (!hg_cast_table(r, v, &table) || !hg_read(r, &table, HG_SLICE("address"), hg_cast_string, &out->address))
        return false;
    if (out->address.len == 0)
        return HG_READ_ERROR(r, v, HG_SLICE("empty address"));
    if (!read_key_path(r, &table, &out->path))
        return false;
    const hg_value *list = NULL;
    if (!hg_read_optional_untied(r, &table, HG_SLICE("transformers"), hg_cast_array, &list))
        return false;
    if (list == NULL) {
        out->chain = *from->chain;
    } else {
        from->keys = false;
        if (!hg_read_transformers(r, list, &out->chain, &from->keys))
            return false;
    }
    out->keys = from->keys;
    return true;
}

static bool read_argument(hg_reader *r, const hg_table *parameters, const hg_argument *argument, bool single,
                          inherited *from, hg_condition_argument *out)
{
    const hg_value *list;
    if (!hg_read(r, parameters, argument->name, hg_cast_array, &list))
        return false;
    size_t size = hg_value_size(list);
    if (size == 0)
        return HG_READ_ERROR(r, list, HG_SLICE("empty non-optional argument"));
    if (size > 1 && single)
        return HG_READ_ERROR(r, list, HG_SLICE("multiple targets for non-variadic argument"));
    hg_input *inputs = HG_READ_NEW(r, hg_input, size);
    if (inputs == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_input(r, &hg_array_items(list)[i], from, &inputs[i]))
            return false;
    *out = (hg_condition_argument){inputs, (uint32_t)size};
    return true;
}

static bool read_arguments(hg_reader *r, const hg_table *parameters, const hg_input_defaults *defaults,
                           hg_condition *c)
{
    inherited from = {&defaults->chain, defaults->keys};
    const hg_argument *arguments = c->matcher.op->arguments;
    for (int i = 0; i < HG_ARGUMENTS_MAX && arguments[i].name.len > 0; i++) {
        bool single = !arguments[i].variadic || c->negated;
        if (!read_argument(r, parameters, &arguments[i], single, &from, &c->arguments[i]))
            return false;
    }
    return true;
}

hg_slice hg_operator_name(hg_slice text, uint64_t *version)
{
    *version = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] != '@' || text.ptr[i + 1] != 'v')
            continue;
        for (size_t at = i + 2; at < text.len; at++) {
            unsigned digit = (unsigned char)text.ptr[at] - '0';
            if (digit > 9) {
                *version = 0;
                break;
            }
            *version = *version > UINT32_MAX ? *version : *version * 10 + digit;
        }
        return hg_slice_take(text, i);
    }
    return text;
}

static bool read_operator(hg_reader *r, const hg_table *table, hg_condition *c)
{
    hg_slice text;
    if (!hg_read(r, table, HG_SLICE("operator"), hg_cast_view, &text))
        return false;
    uint64_t version;
    hg_slice name = hg_operator_name(text, &version);
    c->negated = name.len > 0 && name.ptr[0] == '!';
    if (c->negated)
        name = hg_slice_skip(name, 1);
    const hg_operator *op = hg_operator_find(name);
    if (op == NULL || (c->negated && !op->negatable))
        return HG_READ_WARNING(r, hg_table_find(table, HG_SLICE("operator")), HG_SLICE("unknown operator: '"), name,
                               HG_SLICE("'"));
    if (op->max_version > 0 && version > op->max_version)
        return hg_read_skip(r);
    c->matcher = (hg_matcher){op, NULL, op->accepts};
    return true;
}

static bool read_condition(hg_reader *r, const hg_value *v, const hg_input_defaults *defaults, hg_data_kind kind,
                           hg_condition *c)
{
    hg_table table;
    hg_table parameters;
    hg_slice operator_text;
    if (!hg_cast_table(r, v, &table) || !hg_read(r, &table, HG_SLICE("operator"), hg_cast_view, &operator_text) ||
        !hg_read(r, &table, HG_SLICE("parameters"), hg_cast_table, &parameters) || !read_operator(r, &table, c))
        return false;
    const hg_operator *op = c->matcher.op;
    if (op->read != NULL && !op->read(r, &parameters, &c->matcher, &c->data))
        return false;
    c->dynamic = c->data.ptr != NULL;
    c->data_kind = kind;
    return read_arguments(r, &parameters, defaults, c);
}

bool hg_read_conditions(hg_reader *r, const hg_value *list, const hg_input_defaults *defaults, hg_data_kind kind,
                        hg_conditions *out)
{
    size_t size = hg_value_size(list);
    hg_condition *conditions = HG_READ_NEW(r, hg_condition, size);
    if (conditions == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!read_condition(r, &hg_array_items(list)[i], defaults, kind, &conditions[i]))
            return false;
    *out = (hg_conditions){conditions, (uint32_t)size};
    return true;
}
