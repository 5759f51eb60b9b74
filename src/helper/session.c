#include "helper/session.h"

#include "helper/judge.h"
#include "helper/reply.h"
#include "helper/settings.h"

#include "hotgate/msgpack.h"

enum { NESTING = HG_MSGPACK_NESTING_MAX };

void session_open(session *s, const session_place *place, uint64_t ticket, unsigned uid, unsigned peer)
{
    memset(s, 0, sizeof *s);
    s->place = place;
    s->ticket = ticket;
    s->uid = uid;
    s->peer = peer;
    hg_arena_init(&s->request, NULL);
}

static void leave_service(session *s)
{
    if (s->service == NULL)
        return;
    request_end(s);
    generation_unref(s->rules);
    s->rules = NULL;
    manager_release(s->place->manager, s->service);
    s->service = NULL;
}

void session_close(session *s)
{
    leave_service(s);
    if (s->next_service != NULL)
        manager_release(s->place->manager, s->next_service);
    s->next_service = NULL;
    hg_arena_close(&s->request);
}

char *session_room(session *s, size_t size)
{
    if (hg_arena_used(&s->request) + size > s->place->max_memory)
        return NULL;
    return hg_arena_alloc(&s->request, size, 1);
}

/* ---- Services ---- */

/* The latest rules for a new request; a request that runs keeps its own. */
static void refresh_rules(session *s)
{
    source *from = s->service->source;
    unsigned serial = atomic_load_explicit(&from->serial, memory_order_acquire);
    if (s->rules != NULL && serial == s->rules_serial)
        return;
    generation_unref(s->rules);
    s->rules = source_generation(from);
    s->rules_serial = serial;
}

void session_renew(session *s)
{
    if (s->service != NULL && s->context == NULL)
        refresh_rules(s);
}

static void enter_service(session *s, service *next)
{
    leave_service(s);
    s->service = next;
    refresh_rules(s);
}

static bool is_enabled(const session *s)
{
    return s->service->settings.always_enabled || s->rules->enabled;
}

static session_next answer_init(session *s, hg_buffer *out)
{
    unsigned load = s->rules->load;
    bool first = atomic_exchange(&s->service->announced, load) != load;
    reply_client_init(s->version, s->rules, NULL, first, out);
    return SESSION_GO_ON;
}

static session_next answer_sync(session *s, hg_buffer *out)
{
    if (is_enabled(s))
        reply_config_features(true, out);
    else
        reply_config_sync(out);
    return SESSION_GO_ON;
}

static session_next refuse_init(session *s, const char *why, hg_buffer *out)
{
    reply_client_init(s->version, NULL, why, false, out);
    return SESSION_CLOSE;
}

/* Moves to a service; the connection pauses while its rules come. */
static session_next move(session *s, const service_settings *settings, hg_buffer *out)
{
    char why[FAILURE_SIZE];
    bool first = s->service == NULL;
    service *next;
    manager_answer answer = manager_find(s->place->manager, settings, s->ticket, &next, why);
    if (answer == MANAGER_SOON || answer == MANAGER_WAIT) {
        s->next_service = next;
        return answer == MANAGER_SOON ? SESSION_PAUSE : SESSION_WAIT;
    }
    if (answer == MANAGER_READY) {
        enter_service(s, next);
        return first ? answer_init(s, out) : answer_sync(s, out);
    }
    if (answer == MANAGER_FULL)
        count_limit(s->place->counters, LIMIT_SERVICES, why);
    if (first)
        return refuse_init(s, why, out);
    reply_error(out); /* it stays where it was */
    return SESSION_GO_ON;
}

session_next session_resume(session *s, bool in_time, hg_buffer *out)
{
    service *next = s->next_service;
    bool first = s->service == NULL;
    char why[FAILURE_SIZE] = "the rules are not built yet; try again";
    session_next result;
    s->next_service = NULL;
    int state = atomic_load(&next->source->state);
    if (state == SOURCE_READY || state == SOURCE_SETTLING) {
        enter_service(s, next);
        result = first ? answer_init(s, out) : answer_sync(s, out);
    } else {
        if (in_time)
            source_failure(next->source, why);
        manager_release(s->place->manager, next);
        result = first ? refuse_init(s, why, out) : SESSION_GO_ON;
        if (!first)
            reply_error(out);
    }
    hg_arena_reset(&s->request);
    return result;
}

/* ---- Commands ---- */

static session_next refuse(session *s, hg_buffer *out)
{
    session_protocol_error(s, out);
    return SESSION_GO_ON;
}

static session_next client_init(session *s, const hg_value *arguments, hg_buffer *out)
{
    service_settings settings;
    if (s->service != NULL || !settings_read(arguments, s->uid, s->peer, &settings))
        return refuse(s, out);
    s->version = hg_value_string(argument(arguments, 1));
    return move(s, &settings, out);
}

static session_next config_sync(session *s, const hg_value *arguments, hg_buffer *out)
{
    service_settings next = s->service->settings;
    if (s->context != NULL || !settings_change(arguments, s->uid, &next))
        return refuse(s, out);
    if (!settings_equal(&next, &s->service->settings))
        return move(s, &next, out);
    refresh_rules(s);
    return answer_sync(s, out);
}

static bool ensure_context(session *s)
{
    if (s->context == NULL) {
        refresh_rules(s);
        request_begin(s);
    }
    return s->context != NULL;
}

/* Empty PHP arrays come as arrays where maps are meant. */
static const hg_value *as_map(const hg_value *data)
{
    static const hg_value empty = {.map = {.type = HG_MAP}};
    return hg_is_array(data) && hg_value_size(data) == 0 ? &empty : data;
}

static session_next request_init(session *s, const hg_value *arguments, hg_buffer *out)
{
    const hg_value *data = as_map(argument(arguments, 0));
    if (s->begun || !hg_is_map(data))
        return refuse(s, out);
    if (s->context == NULL)
        refresh_rules(s);
    if (!is_enabled(s)) {
        reply_config_features(false, out);
        return SESSION_GO_ON;
    }
    ensure_context(s);
    const judgement j = {.command = "request_init", .context = s->context, .data = data};
    session_next next = request_judge(s, &j, out);
    s->begun = s->waf_error == HG_OK;
    return next;
}

static bool touches_request(const hg_value *data)
{
    for (size_t i = 0; i < hg_value_size(data); i++) {
        hg_slice key = hg_value_string(&hg_map_pairs(data)[i].key);
        if (key.len >= 15 && memcmp(key.ptr, "server.request.", 15) == 0)
            return true;
    }
    return false;
}

/* The sub-context of that name, made if it is new; NULL: a limit, or no memory. */
static sub_context *find_sub(session *s, hg_slice name)
{
    for (size_t i = 0; i < s->sub_count; i++)
        if (hg_slice_equal(hg_slice_of(s->subs[i].name, s->subs[i].name_length), name))
            return &s->subs[i];
    if (s->sub_count == SUBCONTEXTS_MAX || name.len > SUBCONTEXT_NAME_MAX) {
        count_limit(s->place->counters, LIMIT_SUBCONTEXTS, "a request has too many sub-contexts, or one of a long name");
        return NULL;
    }
    sub_context *sub = &s->subs[s->sub_count];
    memcpy(sub->name, name.ptr, name.len);
    sub->name_length = name.len;
    sub->context = hg_subcontext_new(s->context);
    if (sub->context == NULL)
        return NULL;
    s->sub_count++;
    return sub;
}

static session_next exec_named(session *s, hg_slice name, bool last, judgement *j, hg_buffer *out)
{
    sub_context *sub = find_sub(s, name);
    if (sub == NULL)
        return refuse(s, out);
    j->context = sub->context;
    session_next next = request_judge(s, j, out);
    if (last) {
        hg_context_free(sub->context);
        *sub = s->subs[--s->sub_count];
    }
    return next;
}

static session_next request_exec(session *s, const hg_value *arguments, hg_buffer *out)
{
    const hg_value *data = as_map(argument(arguments, 0)), *options = as_map(argument(arguments, 1));
    if (!hg_is_map(data) || (!hg_is_map(options) && options->type != HG_NULL && options->type != HG_INVALID))
        return refuse(s, out);
    hg_slice sub = text_of(options, HG_SLICE("subctx_id"));
    judgement j = {.command = "request_exec", .data = data, .rasp_rule = text_of(options, HG_SLICE("rasp_rule")),
                   .rasp_variant = text_of(options, HG_SLICE("rule_variant"))};
    if (!ensure_context(s))
        return request_judge(s, &j, out);
    if (sub.len > 0)
        return exec_named(s, sub, truth_of(hg_map_find(options, HG_SLICE("subctx_last_call"))), &j, out);
    if (touches_request(data)) {
        j.context = s->context;
        j.rasp_rule = HG_SLICE(""); /* an ordinary run, whatever the options say */
        return request_judge(s, &j, out);
    }
    j.context = hg_subcontext_new(s->context);
    session_next next = request_judge(s, &j, out);
    hg_context_free(j.context);
    return next;
}

static session_next request_shutdown(session *s, const hg_value *arguments, hg_buffer *out)
{
    const hg_value *data = as_map(argument(arguments, 0));
    if (!hg_is_map(data)) {
        request_end(s); /* for the client it is over */
        return refuse(s, out);
    }
    if (truth_of(argument(arguments, 3)))
        s->outcome |= OUTCOME_TRUNCATED;
    if (ensure_context(s) && request_wants_schema(s, number_of(argument(arguments, 1))))
        data = request_with_schema(s, data);
    const judgement j = {.command = "request_shutdown", .context = s->context, .data = data};
    session_next next = request_judge(s, &j, out);
    request_end(s);
    refresh_rules(s); /* an idle session keeps no old rules alive */
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
    count_add(&s->place->counters->protocol_errors, 1);
    reply_error(out);
}

/* ---- Memory of large messages ---- */

enum { SMALL_MESSAGE = 65536 }; /* cannot become more than a few megabytes */

typedef struct bounded {
    hg_allocator allocator;
    session *session;
} bounded;

static void *bounded_acquire(void *state, size_t size, size_t alignment)
{
    session *s = ((bounded *)state)->session;
    if (hg_arena_used(&s->request) + size > s->place->max_memory) {
        count_limit(s->place->counters, LIMIT_MEMORY, "a message has too many values");
        return NULL;
    }
    return hg_arena_alloc(&s->request, size, alignment);
}

static void bounded_release(void *state, void *ptr, size_t size, size_t alignment)
{
    const hg_allocator *a = hg_arena_allocator(&((bounded *)state)->session->request);
    a->release(a->state, ptr, size, alignment);
}

static hg_status read_message(session *s, hg_slice body, hg_value *message)
{
    const hg_msgpack_options options = {.max_nesting = NESTING, .borrow = true};
    size_t used;
    bounded b = {{bounded_acquire, bounded_release, &b}, s};
    const hg_allocator *a = body.len > SMALL_MESSAGE ? &b.allocator : hg_arena_allocator(&s->request);
    hg_status status = hg_msgpack_read(body, &options, message, &used, a);
    return status == HG_OK && used != body.len ? HG_ERR_SYNTAX : status;
}

static session_next run_command(session *s, hg_slice body, hg_buffer *out)
{
    hg_value message;
    if (read_message(s, body, &message) != HG_OK || !hg_is_array(&message) || hg_value_size(&message) != 2)
        return refuse(s, out);
    const hg_value *parts = hg_array_items(&message);
    if (!hg_is_string(&parts[0]) || !hg_is_array(&parts[1]))
        return refuse(s, out);
    hg_slice name = hg_value_string(&parts[0]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (hg_slice_equal(name, commands[i].name) && (s->service != NULL || commands[i].before_init))
            return commands[i].run(s, &parts[1], out);
    return refuse(s, out);
}

session_next session_command(session *s, hg_slice body, hg_buffer *out)
{
    session_next next = run_command(s, body, out);
    if (s->context == NULL && s->next_service == NULL) /* nothing points into the frame */
        hg_arena_reset(&s->request);
    return next;
}
