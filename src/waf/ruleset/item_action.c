/* Actions and what is made of their parameters (waf-config 9). */
#include "waf/ruleset/items.h"

#include "text/uri.h"
#include "waf/ruleset/actions.h"

static bool is_dropped(hg_slice key)
{
    return hg_slice_equal(key, HG_SLICE("security_response_id")) || hg_slice_equal(key, HG_SLICE("stack_id"));
}

/* The scalar map `parameters`; there is room for `spare` more. */
static bool read_parameters(hg_reader *r, const hg_table *table, uint32_t spare, hg_action *out)
{
    const hg_value *map = hg_table_find(table, HG_SLICE("parameters"));
    if (map == NULL)
        return HG_READ_ERROR(r, table->map, HG_SLICE("missing key 'parameters'"));
    if (!hg_is_map(map)) {
        hg_read_bad_cast(r, map, "map");
        return hg_read_tie(r, HG_SLICE("parameters"));
    }
    size_t size = hg_value_size(map);
    hg_action_parameter *list = HG_READ_NEW(r, hg_action_parameter, size + spare);
    if (list == NULL)
        return false;
    hg_id_map seen = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) {
        const hg_pair *pair = &hg_map_pairs(map)[i];
        if (!hg_is_scalar(&pair->val))
            return HG_READ_ERROR(r, &pair->val, HG_SLICE("malformed object, item in scalar map not a valid scalar"));
        hg_slice key;
        if (!hg_is_string(&pair->key))
            return HG_READ_ERROR(r, map, HG_SLICE("malformed object, invalid key on map entry"));
        if (hg_read_is_repeated(r, map, i, &seen) || is_dropped(hg_value_string(&pair->key)))
            continue;
        if (!hg_cast_string(r, &pair->key, &key) || !hg_read_scalar(r, &pair->val, &list[count].value))
            return false;
        list[count++].key = key;
    }
    out->parameters = list;
    out->parameter_count = count;
    return r->failure == HG_FAILURE_NONE;
}

static hg_action_parameter *find(hg_action *action, hg_slice key)
{
    for (uint32_t i = 0; i < action->parameter_count; i++)
        if (hg_slice_equal(action->parameters[i].key, key))
            return (hg_action_parameter *)&action->parameters[i];
    return NULL;
}

static void drop(hg_action *action, hg_action_parameter *parameter)
{
    hg_action_parameter *list = (hg_action_parameter *)action->parameters;
    size_t at = (size_t)(parameter - list);
    memmove(parameter, parameter + 1, (action->parameter_count - at - 1) * sizeof *parameter);
    action->parameter_count--;
}

static void add(hg_action *action, hg_action_parameter parameter)
{
    ((hg_action_parameter *)action->parameters)[action->parameter_count++] = parameter;
}

static bool status_code(const hg_profile *profile, const hg_value *v, uint64_t *code)
{
    return hg_as_unsigned(profile, v, code) && *code <= 999;
}

static void normalise_code(const hg_profile *profile, hg_action *action, hg_slice key)
{
    hg_action_parameter *parameter = find(action, key);
    uint64_t code;
    if (parameter == NULL)
        return;
    if (status_code(profile, &parameter->value, &code))
        hg_set_unsigned(&parameter->value, code);
    else
        drop(action, parameter);
}

static void normalise_block(const hg_profile *profile, hg_action *action)
{
    normalise_code(profile, action, HG_SLICE("status_code"));
    normalise_code(profile, action, HG_SLICE("grpc_status_code"));
    const hg_action *standard = hg_action_default_block();
    for (uint32_t i = 0; i < standard->parameter_count; i++)
        if (find(action, standard->parameters[i].key) == NULL)
            add(action, standard->parameters[i]);
}

static bool is_location(const hg_value *v)
{
    hg_slice s = hg_value_string(v);
    hg_uri uri;
    if (!hg_is_string(v) || s.len == 0 || !hg_uri_parse(s, &uri))
        return false;
    if (uri.scheme.len > 0 && !hg_slice_equal(uri.scheme, HG_SLICE("http")) &&
        !hg_slice_equal(uri.scheme, HG_SLICE("https")))
        return false;
    return uri.scheme.len > 0 || uri.authority_at != HG_URI_NOWHERE || (uri.path.len > 0 && uri.path.ptr[0] == '/');
}

static void normalise_redirect(const hg_profile *profile, hg_action *action)
{
    hg_action_parameter *location = find(action, HG_SLICE("location"));
    if (location == NULL || !is_location(&location->value)) {
        const hg_action *standard = hg_action_default_block();
        hg_slice id = action->id;
        *action = *standard;
        action->id = id;
        return;
    }
    hg_action_parameter *code = find(action, HG_SLICE("status_code"));
    uint64_t status;
    if (code == NULL) {
        add(action, (hg_action_parameter){.key = HG_SLICE("status_code")});
        code = find(action, HG_SLICE("status_code"));
    }
    bool valid = status_code(profile, &code->value, &status) &&
                 (status == 301 || status == 302 || status == 303 || status == 307);
    hg_set_unsigned(&code->value, valid ? status : 303);
}

bool hg_item_action(hg_reader *r, const hg_table *table, hg_item *item)
{
    if (!hg_item_id(r, table, item, HG_SLICE("duplicate action")))
        return false;
    hg_action *action = HG_READ_NEW(r, hg_action, 1);
    enum { SPARE = 3 }; /* what normalising may add */
    if (action == NULL || !hg_read(r, table, HG_SLICE("type"), hg_cast_string, &action->type) ||
        !read_parameters(r, table, SPARE, action))
        return false;
    action->id = item->id;
    action->kind = hg_action_kind_of(action->type);
    if (action->kind == HG_ACTION_BLOCK)
        normalise_block(r->profile, action);
    else if (action->kind == HG_ACTION_REDIRECT)
        normalise_redirect(r->profile, action);
    item->product = action;
    return true;
}
