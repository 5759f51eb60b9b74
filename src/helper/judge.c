#include "helper/judge.h"

#include "helper/attributes.h"
#include "helper/event_log.h"
#include "helper/reply.h"

#include "base/clock.h"

void request_begin(session *s)
{
    s->context = s->rules ? hg_context_new(s->rules->waf) : NULL;
    if (s->context == NULL)
        return;
    hg_context_obfuscate(s->context, s->service->obfuscator);
    if (hg_set_map(&s->attributes, 0, hg_arena_allocator(&s->request)) == HG_OK)
        return;
    hg_context_free(s->context);
    s->context = NULL;
}

/* ---- Counting ---- */

static void count_request(const session *s)
{
    loop_counters *c = s->place->counters;
    version_counters *v = &c->versions[s->rules->version_number];
    count_add(&c->requests, 1);
    count_add(&c->matches, (s->outcome & OUTCOME_TRIGGERED) != 0);
    count_add(&c->blocks, (s->outcome & OUTCOME_BLOCKED) != 0);
    count_add(&c->timeouts, (s->outcome & OUTCOME_TIMEOUT) != 0);
    count_add(&c->truncations, (s->outcome & OUTCOME_TRUNCATED) != 0);
    count_add(&v->outcomes[s->outcome], 1);
    if (s->waf_ns > 0)
        count_time(&v->waf, s->waf_ns);
    if (s->rasp_ns > 0)
        count_time(&v->rasp, s->rasp_ns);
    if (s->waf_error != HG_OK)
        count_add(&v->errors[error_kind(s->waf_error)], 1);
    if (s->rasp_error != HG_OK && s->rasp_error_label != NULL)
        count_add(&s->rasp_error_label->values[RASP_ERRORS + error_kind(s->rasp_error)], 1);
}

void request_end(session *s)
{
    if (s->context != NULL || (s->rules != NULL && s->outcome & OUTCOME_ERROR))
        count_request(s);
    for (size_t i = 0; i < s->sub_count; i++)
        hg_context_free(s->subs[i].context);
    s->sub_count = 0;
    hg_context_free(s->context);
    s->context = NULL;
    s->begun = s->keep_decided = s->keep = false;
    s->outcome = 0;
    s->waf_ns = s->rasp_ns = s->rasp_calls = s->rasp_timeouts = 0;
    s->waf_error = s->rasp_error = HG_OK;
    s->rasp_error_label = NULL;
    hg_set_null(&s->attributes);
    hg_arena_reset(&s->request);
}

/* The counters of a kind of RASP call: version number, rule type, NUL, variant. */
static label_entry *rasp_label(const session *s, const judgement *j)
{
    char text[LABEL_SIZE + 1];
    size_t size = 2 + j->rasp_rule.len + j->rasp_variant.len;
    if (size > LABEL_SIZE)
        return &s->place->counters->rasp.entries[0];
    text[0] = (char)s->rules->version_number;
    memcpy(text + 1, j->rasp_rule.ptr, j->rasp_rule.len);
    text[1 + j->rasp_rule.len] = '\0';
    if (j->rasp_variant.len > 0)
        memcpy(text + 2 + j->rasp_rule.len, j->rasp_variant.ptr, j->rasp_variant.len);
    return label_entry_of(&s->place->counters->rasp, hg_slice_of(text, size));
}

static void count_rules(session *s, const hg_value *events)
{
    for (size_t i = 0; events != NULL && i < hg_value_size(events); i++) {
        const hg_value *rule = hg_map_find(&hg_array_items(events)[i], HG_SLICE("rule"));
        const hg_value *id = rule ? hg_map_find(rule, HG_SLICE("id")) : NULL;
        if (id != NULL)
            count_add(&label_entry_of(&s->place->counters->rules, hg_value_string(id))->values[0], 1);
    }
}

static bool has_block(const hg_value *result)
{
    const hg_value *actions = hg_map_find(result, HG_SLICE("actions"));
    return actions != NULL && (hg_map_find(actions, HG_SLICE("block_request")) != NULL ||
                               hg_map_find(actions, HG_SLICE("redirect_request")) != NULL);
}

static void note_rasp(session *s, const judgement *j, const hg_result *r, bool blocks)
{
    label_entry *label = rasp_label(s, j);
    s->rasp_ns += r->duration;
    s->rasp_calls++;
    s->rasp_timeouts += r->timeout;
    count_add(&label->values[RASP_EVAL], 1);
    count_add(&label->values[RASP_TIMEOUT], r->timeout);
    if (r->events > 0)
        count_add(&label->values[blocks ? RASP_BLOCKED : RASP_IRRELEVANT], 1);
}

/* ---- Judging ---- */

static bool decide_keep(session *s, const hg_result *r)
{
    if (!r->keep)
        return false;
    if (!s->keep_decided) {
        s->keep_decided = true;
        s->keep = limiter_admit(&s->service->limiter, hg_clock_monotonic_ns());
        s->outcome |= s->keep ? 0 : OUTCOME_LIMITED;
        count_add(&s->place->counters->rate_limited, !s->keep);
    }
    return s->keep;
}

static void log_events(const session *s, const judgement *j, const hg_result *r)
{
    const service *v = s->service; /* JSON lines have none */
    const event_origin origin = {
        .door = v ? "helper" : "json", .command = j->command, .peer = s->peer,
        .service = v ? v->settings.service : HG_SLICE(""), .env = v ? v->settings.env : HG_SLICE(""),
        .rules_version = hg_slice_from(s->rules->version), .rasp_rule = j->rasp_rule};
    count_add(&s->place->counters->events_lost, event_log_result(s->place->events, &origin, &r->value));
}

static void note_result(session *s, const judgement *j, const hg_result *r)
{
    bool blocks = r->events > 0 && has_block(&r->value);
    count_time(&s->place->counters->evaluations, r->duration);
    if (j->rasp_rule.len > 0)
        note_rasp(s, j, r, blocks);
    else
        s->waf_ns += r->duration;
    s->outcome |= r->timeout ? OUTCOME_TIMEOUT : 0;
    s->outcome |= blocks ? OUTCOME_BLOCKED : 0;
    if (r->events == 0)
        return;
    s->outcome |= OUTCOME_TRIGGERED;
    if (s->place->events != NULL)
        log_events(s, j, r);
    count_rules(s, hg_map_find(&r->value, HG_SLICE("events")));
}

void request_count_line(session *s, const hg_result *r)
{
    const judgement line = {.command = NULL};
    note_result(s, &line, r);
    count_request(s);
    s->outcome = 0;
    s->waf_ns = 0;
}

static session_next fail(session *s, const judgement *j, hg_status status, hg_buffer *out)
{
    s->outcome |= OUTCOME_ERROR;
    count_add(&s->place->counters->errors, 1);
    if (j->rasp_rule.len > 0) {
        s->rasp_error = status;
        s->rasp_error_label = s->rules ? rasp_label(s, j) : NULL;
    } else {
        s->waf_error = status;
    }
    reply_error(out);
    return SESSION_GO_ON;
}

session_next request_judge(session *s, const judgement *j, hg_buffer *out)
{
    const hg_result *r;
    hg_status status = j->context ? hg_context_eval(j->context, j->data, s->service->settings.timeout_us, &r)
                                  : HG_ERR_NOMEM;
    if (status == HG_OK)
        status = attributes_add(s, &r->value);
    if (status != HG_OK)
        return fail(s, j, status, out);
    note_result(s, j, r);
    if (reply_request(s, j->command, &r->value, decide_keep(s, r), out) == HG_OK)
        return SESSION_GO_ON;
    count_limit(s->place->counters, LIMIT_OUTPUT, "a reply is over 4 MiB");
    reply_error(out);
    return SESSION_CLOSE;
}

/* ---- Schemas ---- */

bool request_wants_schema(session *s, uint64_t key)
{
    const service *v = s->service;
    if (!v->settings.schema_enabled || key == 0)
        return false;
    return v->sampler == NULL || sampler_hit(v->sampler, key, (uint32_t)(hg_clock_monotonic_ns() / 1000000000));
}

/* {"waf.context.processor": {"extract-schema": true}} beside the data */
const hg_value *request_with_schema(session *s, const hg_value *data)
{
    const hg_allocator *a = hg_arena_allocator(&s->request);
    hg_value *all = hg_arena_alloc(&s->request, sizeof *all, _Alignof(hg_value));
    size_t size = hg_value_size(data);
    if (all == NULL || hg_set_map(all, size + 1, a) != HG_OK)
        return data;
    for (size_t i = 0; i < size; i++) {
        hg_value *slot = hg_map_append_literal(all, HG_SLICE(""), a);
        ((hg_pair *)(slot - 1))[0] = hg_map_pairs(data)[i];
    }
    hg_value *processor = hg_map_append_literal(all, HG_SLICE("waf.context.processor"), a);
    if (processor == NULL || hg_set_map(processor, 1, a) != HG_OK)
        return data;
    hg_value *flag = hg_map_append_literal(processor, HG_SLICE("extract-schema"), a);
    if (flag != NULL)
        hg_set_bool(flag, true);
    return all;
}
