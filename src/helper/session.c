#include "helper/session.h"

#include "helper/attributes.h"
#include "helper/reply.h"

#include "base/clock.h"
#include "hotgate/msgpack.h"

#include <stdio.h>

enum { NESTING = 64, DEFAULT_TIMEOUT_US = 10000, SETUP_MAX = 1 << 20 };

void session_open(session *s, manager *m, helper_counters *counters, uint64_t ticket)
{
    memset(s, 0, sizeof *s);
    s->manager = m;
    s->counters = counters;
    s->ticket = ticket;
    hg_arena_init(&s->setup, NULL);
    hg_arena_init(&s->request, NULL);
    hg_arena_init(&s->reply_arena, NULL);
}

static void end_request(session *s)
{
    for (size_t i = 0; i < s->sub_count; i++)
        hg_context_free(s->subs[i].context);
    s->sub_count = 0;
    hg_context_free(s->context);
    s->context = NULL;
    s->keep_decided = s->keep = s->matched = s->blocked = s->timed_out = s->failed = s->truncated = s->limited = false;
    s->waf_ns = s->rasp_ns = s->rasp_calls = s->rasp_timeouts = 0;
    hg_set_null(&s->attributes);
    hg_arena_reset(&s->request);
}

static void leave_service(session *s)
{
    if (s->service == NULL)
        return;
    end_request(s);
    generation_unref(s->rules);
    s->rules = NULL;
    manager_release(s->manager, s->service);
    s->service = NULL;
}

void session_close(session *s)
{
    leave_service(s);
    end_request(s);
    hg_arena_close(&s->setup);
    hg_arena_close(&s->request);
    hg_arena_close(&s->reply_arena);
}

/* ---- Reading arguments ---- */

static const hg_value *argument(const hg_value *arguments, size_t i)
{
    static const hg_value none;
    return i < hg_value_size(arguments) ? &hg_array_items(arguments)[i] : &none;
}

static hg_slice text_of(const hg_value *map, const char *key)
{
    const hg_value *v = hg_map_find(map, hg_slice_from(key));
    return v ? hg_value_string(v) : HG_SLICE("");
}

static uint64_t number_of(const hg_value *v)
{
    if (v == NULL)
        return 0;
    switch (v->type) {
    case HG_UNSIGNED:
        return v->u64.val;
    case HG_SIGNED:
        return v->i64.val > 0 ? (uint64_t)v->i64.val : 0;
    case HG_BOOL:
        return v->b8.val;
    case HG_FLOAT:
        return v->f64.val > 0 && v->f64.val < 1e18 ? (uint64_t)v->f64.val : 0;
    }
    return 0;
}

static double float_of(const hg_value *v, double fallback)
{
    if (v == NULL)
        return fallback;
    return v->type == HG_FLOAT ? v->f64.val : (double)number_of(v);
}

/* Integers stand for booleans too. */
static bool truth_of(const hg_value *v)
{
    return number_of(v) != 0;
}

static hg_slice keep_text(session *s, hg_slice text)
{
    return hg_arena_copy(&s->setup, text, NULL);
}

static void read_settings(session *s, const hg_value *arguments)
{
    const hg_value *engine = argument(arguments, 4), *remote = argument(arguments, 5), *names = argument(arguments, 6);
    const hg_value *schema = hg_map_find(engine, HG_SLICE("schema_extraction"));
    const hg_value none = {0};
    schema = schema ? schema : &none;
    service_settings *o = &s->settings;
    *o = (service_settings){
        .always_enabled = truth_of(argument(arguments, 3)),
        .rules_file = keep_text(s, text_of(engine, "rules_file")),
        .timeout_us = number_of(hg_map_find(engine, HG_SLICE("waf_timeout_us"))),
        .rate_limit = (uint32_t)number_of(hg_map_find(engine, HG_SLICE("trace_rate_limit"))),
        .key_regex = keep_text(s, text_of(engine, "obfuscator_key_regex")),
        .value_regex = keep_text(s, text_of(engine, "obfuscator_value_regex")),
        .schema_enabled = truth_of(hg_map_find(schema, HG_SLICE("enabled"))),
        .sampling_period = float_of(hg_map_find(schema, HG_SLICE("sampling_period")), 30),
        .remote_enabled = truth_of(hg_map_find(remote, HG_SLICE("enabled"))),
        .service = keep_text(s, text_of(names, "service_name")),
        .env = keep_text(s, text_of(names, "env_name")),
    };
    if (o->remote_enabled)
        o->remote_path = keep_text(s, text_of(remote, "shmem_path"));
    if (o->timeout_us == 0)
        o->timeout_us = DEFAULT_TIMEOUT_US;
}

/* ---- Commands ---- */

static session_next finish_init(session *s, hg_buffer *out)
{
    s->waiting = false;
    if (atomic_load(&s->service->state) != SERVICE_READY) {
        reply_client_init(s, s->service->failure ? s->service->failure : "rules cannot be built", false, out);
        return SESSION_CLOSE;
    }
    s->rules_serial = atomic_load(&s->service->serial);
    s->rules = service_generation(s->service);
    s->initialised = true;
    bool first = !atomic_exchange(&s->rules->announced, true);
    reply_client_init(s, NULL, first, out);
    return SESSION_GO_ON;
}

static session_next client_init(session *s, const hg_value *arguments, hg_buffer *out)
{
    if (s->initialised || hg_value_size(arguments) < 5 || !hg_is_map(argument(arguments, 4))) {
        reply_error(out);
        return SESSION_GO_ON;
    }
    hg_slice version = hg_value_string(argument(arguments, 1));
    snprintf(s->version, sizeof s->version, "%.*s", (int)(version.len < 63 ? version.len : 63), version.ptr);
    read_settings(s, arguments);
    bool built;
    const char *why;
    s->service = manager_find(s->manager, &s->settings, s->ticket, &built, &why);
    if (s->service == NULL) {
        reply_client_init(s, why, false, out);
        return SESSION_CLOSE;
    }
    s->waiting = !built;
    return built ? finish_init(s, out) : SESSION_WAIT;
}

static bool is_enabled(const session *s)
{
    return s->settings.always_enabled || (s->rules != NULL && s->rules->enabled);
}

/* The latest rules for a new request; a request that runs keeps its own. */
static void refresh_rules(session *s)
{
    unsigned serial = atomic_load_explicit(&s->service->serial, memory_order_acquire);
    if (serial == s->rules_serial)
        return;
    generation_unref(s->rules);
    s->rules = service_generation(s->service);
    s->rules_serial = serial;
}

static void answer_sync(session *s, hg_buffer *out)
{
    if (is_enabled(s))
        reply_config_features(true, out);
    else
        reply_config_sync(out);
}

/* After a move to a service that had to be built first. */
static session_next finish_sync(session *s, hg_buffer *out)
{
    s->waiting = false;
    if (atomic_load(&s->service->state) != SERVICE_READY) {
        reply_error(out);
        return SESSION_CLOSE;
    }
    s->rules_serial = atomic_load(&s->service->serial);
    s->rules = service_generation(s->service);
    answer_sync(s, out);
    return SESSION_GO_ON;
}

static session_next config_sync(session *s, const hg_value *arguments, hg_buffer *out)
{
    if (s->context != NULL) {
        reply_error(out);
        return SESSION_GO_ON;
    }
    service_settings next = s->settings;
    const hg_value *names = argument(arguments, 1);
    next.remote_path = next.remote_enabled ? hg_value_string(argument(arguments, 0)) : HG_SLICE("");
    next.service = text_of(names, "service_name");
    next.env = text_of(names, "env_name");
    if (settings_equal(&next, &s->settings)) {
        refresh_rules(s);
        answer_sync(s, out);
        return SESSION_GO_ON;
    }
    if (hg_arena_used(&s->setup) > SETUP_MAX) { /* a client that changes its name for ever */
        reply_error(out);
        return SESSION_CLOSE;
    }
    next.remote_path = keep_text(s, next.remote_path);
    next.service = keep_text(s, next.service);
    next.env = keep_text(s, next.env);
    leave_service(s);
    s->settings = next;
    bool built;
    const char *why;
    s->service = manager_find(s->manager, &s->settings, s->ticket, &built, &why);
    if (s->service == NULL) {
        reply_error(out);
        return SESSION_CLOSE;
    }
    s->waiting = !built;
    return built ? finish_sync(s, out) : SESSION_WAIT;
}

/* ---- Evaluations ---- */

static bool ensure_context(session *s)
{
    if (s->context != NULL)
        return true;
    refresh_rules(s);
    s->context = s->rules ? hg_context_new(s->rules->waf) : NULL;
    if (s->context != NULL && hg_set_map(&s->attributes, 0, hg_arena_allocator(&s->request)) != HG_OK)
        return false;
    return s->context != NULL;
}

static void count_time(helper_counters *c, uint64_t ns)
{
    unsigned at = 0;
    for (uint64_t limit = 8000; ns > limit && at < 15; limit *= 2)
        at++;
    count_add(&c->seconds[at], 1);
    count_add(&c->evaluation_ns, ns);
    count_add(&c->evaluations, 1);
}

static bool decide_keep(session *s, const hg_result *r)
{
    if (!r->keep)
        return false;
    if (!s->keep_decided) {
        s->keep_decided = true;
        s->keep = limiter_admit(&s->service->limiter, hg_clock_monotonic_ns());
        s->limited = !s->keep;
        count_add(&s->counters->rate_limited, s->limited);
    }
    return s->keep;
}

static bool has_block(const hg_value *result)
{
    const hg_value *actions = hg_map_find(result, HG_SLICE("actions"));
    return actions != NULL && (hg_map_find(actions, HG_SLICE("block_request")) != NULL ||
                               hg_map_find(actions, HG_SLICE("redirect_request")) != NULL);
}

/* Empty PHP arrays come as arrays where maps are meant. */
static const hg_value *as_map(session *s, const hg_value *data)
{
    if (!hg_is_array(data) || hg_value_size(data) != 0)
        return data;
    hg_value *empty = hg_arena_alloc(&s->request, sizeof *empty, _Alignof(hg_value));
    if (empty == NULL || hg_set_map(empty, 0, hg_arena_allocator(&s->request)) != HG_OK)
        return data;
    return empty;
}

static session_next evaluate(session *s, hg_context *context, const char *command, const hg_value *data, bool rasp,
                             hg_buffer *out)
{
    const hg_result *r;
    hg_status status = context ? hg_context_eval(context, as_map(s, data), s->settings.timeout_us, &r) : HG_ERR_NOMEM;
    if (status == HG_OK)
        status = attributes_add(s, &r->value);
    if (status != HG_OK) {
        s->failed = true;
        count_add(&s->counters->errors, 1);
        reply_error(out);
        return SESSION_GO_ON;
    }
    count_time(s->counters, r->duration);
    *(rasp ? &s->rasp_ns : &s->waf_ns) += r->duration;
    s->rasp_calls += rasp;
    s->rasp_timeouts += rasp && r->timeout;
    s->timed_out |= r->timeout;
    s->matched |= r->events > 0;
    s->blocked |= has_block(&r->value);
    count_add(&s->counters->rasp_evaluations, rasp);
    count_add(&s->counters->rasp_matches, rasp && r->events > 0);
    count_add(&s->counters->rasp_timeouts, rasp && r->timeout);
    if (reply_request(s, command, &r->value, decide_keep(s, r), out) == HG_OK)
        return SESSION_GO_ON;
    reply_error(out);
    return SESSION_CLOSE; /* the reply would have been over the limit of the wire */
}

static session_next request_init(session *s, const hg_value *arguments, hg_buffer *out)
{
    refresh_rules(s);
    if (!is_enabled(s)) {
        reply_config_features(false, out);
        return SESSION_GO_ON;
    }
    bool ready = ensure_context(s);
    return evaluate(s, ready ? s->context : NULL, "request_init", argument(arguments, 0), false, out);
}

static bool touches_request(const hg_value *data)
{
    for (size_t i = 0; hg_is_map(data) && i < hg_value_size(data); i++) {
        hg_slice key = hg_value_string(&hg_map_pairs(data)[i].key);
        if (key.len >= 15 && memcmp(key.ptr, "server.request.", 15) == 0)
            return true;
    }
    return false;
}

static size_t find_sub(session *s, hg_slice name)
{
    size_t i = 0;
    while (i < s->sub_count && !hg_slice_equal(hg_slice_of(s->subs[i].name, s->subs[i].name_length), name))
        i++;
    return i;
}

static session_next exec_named(session *s, hg_slice name, bool last, const hg_value *data, bool rasp, hg_buffer *out)
{
    size_t at = find_sub(s, name);
    if (at == s->sub_count) {
        if (at == SUBCONTEXTS_MAX || name.len > SUBCONTEXT_NAME_MAX) {
            reply_error(out);
            return SESSION_GO_ON;
        }
        sub_context *sub = &s->subs[at];
        memcpy(sub->name, name.ptr, name.len);
        sub->name_length = name.len;
        sub->context = hg_subcontext_new(s->context);
        s->sub_count += sub->context != NULL;
    }
    session_next next = evaluate(s, at < s->sub_count ? s->subs[at].context : NULL, "request_exec", data, rasp, out);
    if (last && at < s->sub_count) {
        hg_context_free(s->subs[at].context);
        s->subs[at] = s->subs[--s->sub_count];
    }
    return next;
}

static session_next request_exec(session *s, const hg_value *arguments, hg_buffer *out)
{
    const hg_value *data = argument(arguments, 0), *options = argument(arguments, 1);
    hg_slice sub = text_of(options, "subctx_id");
    bool rasp = text_of(options, "rasp_rule").len > 0;
    if (!ensure_context(s))
        return evaluate(s, NULL, "request_exec", data, false, out);
    if (sub.len > 0)
        return exec_named(s, sub, truth_of(hg_map_find(options, HG_SLICE("subctx_last_call"))), data, rasp, out);
    if (touches_request(data))
        return evaluate(s, s->context, "request_exec", data, false, out);
    hg_context *once = hg_subcontext_new(s->context);
    session_next next = evaluate(s, once, "request_exec", data, rasp, out);
    hg_context_free(once);
    return next;
}

static bool wants_schema(session *s, uint64_t key)
{
    const service *v = s->service;
    if (!v->settings.schema_enabled || key == 0)
        return false;
    return v->sampler == NULL || sampler_hit(v->sampler, key, (uint32_t)(hg_clock_monotonic_ns() / 1000000000));
}

/* {"waf.context.processor": {"extract-schema": true}} beside the data */
static const hg_value *with_schema(session *s, const hg_value *data)
{
    const hg_allocator *a = hg_arena_allocator(&s->request);
    hg_value *all = hg_arena_alloc(&s->request, sizeof *all, _Alignof(hg_value));
    size_t size = hg_is_map(data) ? hg_value_size(data) : 0;
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

static void count_request(session *s)
{
    helper_counters *c = s->counters;
    count_add(&c->requests, 1);
    count_add(&c->matches, s->matched);
    count_add(&c->blocks, s->blocked);
    count_add(&c->timeouts, s->timed_out);
    count_add(&c->truncations, s->truncated);
}

static session_next request_shutdown(session *s, const hg_value *arguments, hg_buffer *out)
{
    const hg_value *data = as_map(s, argument(arguments, 0));
    s->truncated = truth_of(argument(arguments, 3));
    bool ready = ensure_context(s);
    if (ready && wants_schema(s, number_of(argument(arguments, 1))))
        data = with_schema(s, data);
    session_next next = evaluate(s, ready ? s->context : NULL, "request_shutdown", data, false, out);
    count_request(s);
    end_request(s);
    return next;
}

/* ---- Dispatch ---- */

typedef session_next command_fn(session *s, const hg_value *arguments, hg_buffer *out);

static const struct {
    hg_slice name;
    command_fn *run;
    bool before_init;
} commands[] = {
    {{"request_init", 12}, request_init, false},       {{"request_shutdown", 16}, request_shutdown, false},
    {{"request_exec", 12}, request_exec, false},       {{"config_sync", 11}, config_sync, false},
    {{"client_init", 11}, client_init, true},
};

void session_protocol_error(session *s, hg_buffer *out)
{
    count_add(&s->counters->protocol_errors, 1);
    reply_error(out);
}

static session_next run_command(session *s, hg_slice body, hg_buffer *out)
{
    hg_msgpack_options options = {.max_nesting = NESTING, .borrow = true};
    hg_value message;
    size_t used;
    hg_status status = hg_msgpack_read(body, &options, &message, &used, hg_arena_allocator(&s->request));
    const hg_value *parts = hg_array_items(&message);
    if (status != HG_OK || used != body.len || !hg_is_array(&message) || hg_value_size(&message) != 2 ||
        !hg_is_string(&parts[0]) || !hg_is_array(&parts[1])) {
        session_protocol_error(s, out);
        return SESSION_GO_ON;
    }
    hg_slice name = hg_value_string(&parts[0]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!hg_slice_equal(name, commands[i].name))
            continue;
        if (!s->initialised && !commands[i].before_init)
            break;
        return commands[i].run(s, &parts[1], out);
    }
    session_protocol_error(s, out);
    return SESSION_GO_ON;
}

session_next session_command(session *s, hg_slice body, hg_buffer *out)
{
    session_next next = run_command(s, body, out);
    if (s->context == NULL) /* outside a request nothing points into the frame */
        hg_arena_reset(&s->request);
    return next;
}

session_next session_resume(session *s, hg_buffer *out)
{
    return s->initialised ? finish_sync(s, out) : finish_init(s, out);
}

session_next session_give_up(session *s, hg_buffer *out)
{
    s->waiting = false;
    if (s->initialised)
        reply_error(out);
    else
        reply_client_init(s, "the rules are not built yet; try again", false, out);
    return SESSION_CLOSE;
}
