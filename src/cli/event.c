#include "cli/event.h"

#include "cli/text.h"

#include <inttypes.h>

static const hg_value *at(const hg_value *map, const char *key)
{
    return map != NULL ? hg_map_find(map, hg_slice_from(key)) : NULL;
}

static const hg_value *item(const hg_value *array, size_t i)
{
    return array != NULL && hg_is_array(array) && i < hg_value_size(array) ? &hg_array_items(array)[i] : NULL;
}

hg_slice cli_text_at(const hg_value *map, const char *key)
{
    const hg_value *v = at(map, key);
    return v != NULL ? hg_value_string(v) : hg_slice_of(NULL, 0);
}

size_t cli_event_count(const hg_value *result)
{
    const hg_value *events = at(result, "events");
    return events != NULL ? hg_value_size(events) : 0;
}

cli_event cli_event_at(const hg_value *result, size_t i)
{
    const hg_value *event = item(at(result, "events"), i), *rule = at(event, "rule");
    cli_event e = {.id = cli_text_at(rule, "id"), .name = cli_text_at(rule, "name")};
    e.tags = at(rule, "tags");
    e.on_match = at(rule, "on_match");
    e.matches = at(event, "rule_matches");
    e.type = cli_text_at(e.tags, "type");
    e.category = cli_text_at(e.tags, "category");
    return e;
}

cli_match cli_match_at(const cli_event *event, size_t i)
{
    const hg_value *match = item(event->matches, i);
    const hg_value *parameters = item(at(match, "parameters"), 0), *place = parameters;
    if (parameters != NULL && at(parameters, "address") == NULL && hg_value_size(parameters) > 0 &&
        hg_is_map(&hg_map_pairs(parameters)[0].val))
        place = &hg_map_pairs(parameters)[0].val;
    cli_match m = {.operator_name = cli_text_at(match, "operator"),
                   .operator_value = cli_text_at(match, "operator_value"),
                   .address = cli_text_at(place, "address"),
                   .value = cli_text_at(place, "value")};
    m.key_path = at(place, "key_path");
    const hg_value *highlight = item(at(parameters, "highlight"), 0);
    m.highlight = highlight != NULL ? hg_value_string(highlight) : hg_slice_of(NULL, 0);
    return m;
}

cli_match cli_event_best(const cli_event *event)
{
    size_t count = event->matches != NULL ? hg_value_size(event->matches) : 0;
    for (size_t i = 0; i < count; i++) {
        cli_match m = cli_match_at(event, i);
        if (m.highlight.len > 0)
            return m;
    }
    return cli_match_at(event, 0);
}

void cli_match_place(const cli_match *match, hg_buffer *out)
{
    cli_text_escape(out, match->address);
    for (size_t i = 0; match->key_path != NULL && i < hg_value_size(match->key_path); i++) {
        const hg_value *step = item(match->key_path, i);
        if (step == NULL)
            return;
        if (hg_is_string(step)) {
            hg_buffer_byte(out, '.');
            cli_text_escape(out, hg_value_string(step));
        } else if (step->type == HG_SIGNED || step->type == HG_UNSIGNED) {
            hg_buffer_printf(out, "[%" PRId64 "]", step->i64.val);
        }
    }
}
