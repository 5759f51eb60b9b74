#include "reference/protocol.h"

#include "base/clock.h"
#include "helper/frame.h"
#include "hotgate/msgpack.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_US = 10000 };

static void text(hg_buffer *out, const char *s)
{
    hg_msgpack_put_str(out, hg_slice_from(s));
}

static size_t begin(hg_buffer *out, const char *type, uint32_t entries)
{
    size_t start = frame_begin(out);
    hg_msgpack_put_array(out, 1);
    hg_msgpack_put_array(out, 2);
    text(out, type);
    hg_msgpack_put_array(out, entries);
    return start;
}

static void client_init(reference_request *r, const hg_value *arguments, hg_buffer *out)
{
    hg_slice version = hg_value_size(arguments) > 1 ? hg_value_string(&hg_array_items(arguments)[1]) : HG_SLICE("");
    snprintf(r->version, sizeof r->version, "%.*s", (int)version.len, version.ptr);
    size_t start = begin(out, "client_init", 6);
    text(out, "ok");
    text(out, r->version);
    hg_msgpack_put_array(out, 0);
    hg_msgpack_put_map(out, 0);
    hg_msgpack_put_map(out, 0);
    text(out, "reference");
    frame_end(out, start);
}

static void put_actions_and_triggers(const hg_value *events, hg_buffer *out)
{
    size_t count = hg_is_array(events) ? hg_value_size(events) : 0;
    hg_msgpack_put_array(out, count > 0);
    if (count > 0) {
        hg_msgpack_put_array(out, 2);
        text(out, "record");
        hg_msgpack_put_map(out, 0);
    }
    hg_msgpack_put_array(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        hg_buffer json = {0};
        hg_json_write(&hg_array_items(events)[i], 0, &json);
        hg_msgpack_put_str(out, hg_slice_of(json.ptr, json.len));
        hg_buffer_free(&json);
    }
}

/* A map that lives as long as its reply. */
static void put_map(const char *key, const char *value, double number, hg_buffer *out)
{
    hg_value map;
    hg_set_map(&map, 0, hg_heap());
    hg_value *slot = hg_map_append(&map, hg_slice_from(key), hg_heap());
    if (value != NULL)
        hg_set_string(slot, hg_slice_from(value), hg_heap());
    else
        hg_set_float(slot, number);
    hg_msgpack_write(&map, out);
    hg_value_free(&map, hg_heap());
}

static void count_point(reference_service *s, const char *name)
{
    char *tags = NULL;
    if (asprintf(&tags, "waf_version:%s,event_rules_version:%s,rule_triggered:%s,name:%s", "1.30.1", "1.18.0", "false", name) > 0)
        s->points++;
    free(tags);
}

/* What each request's end costs besides its answer. */
static void telemetry(reference_service *s)
{
    pthread_mutex_lock(&s->update);
    pthread_mutex_unlock(&s->update);
    pthread_mutex_lock(&s->telemetry);
    count_point(s, "waf.requests");
    count_point(s, "waf.duration");
    pthread_mutex_unlock(&s->telemetry);
}

static bool ensure_context(reference_service *s, reference_request *r)
{
    if (r->context != NULL)
        return true;
    pthread_mutex_lock(&s->pointer);
    r->context = s->engine->begin(s->instance);
    pthread_mutex_unlock(&s->pointer);
    return r->context != NULL;
}

static bool judged(reference_service *s, reference_request *r, hg_slice command, const hg_value *arguments, hg_buffer *out)
{
    bool init = hg_slice_equal(command, HG_SLICE("request_init")), shutdown = hg_slice_equal(command, HG_SLICE("request_shutdown"));
    hg_value events = {0};
    uint64_t before = hg_clock_monotonic_ns();
    if (hg_value_size(arguments) < 1 || !ensure_context(s, r) ||
        !s->engine->judge(r->context, &hg_array_items(arguments)[0], TIMEOUT_US, &events))
        return false;
    uint64_t spent = hg_clock_monotonic_ns() - before;
    char type[32];
    snprintf(type, sizeof type, "%.*s", (int)command.len, command.ptr);
    size_t start = begin(out, type, shutdown ? 6 : 4);
    put_actions_and_triggers(&events, out);
    hg_msgpack_put_bool(out, false);
    if (init)
        put_map("auto_user_instrum", "undefined", 0, out);
    else
        hg_msgpack_put_map(out, 0);
    if (shutdown) {
        put_map("_dd.appsec.event_rules.version", "1.18.0", 0, out);
        put_map("_dd.appsec.waf.duration", NULL, (double)(spent / 1000), out);
    }
    frame_end(out, start);
    hg_value_free(&events, hg_heap());
    if (shutdown) {
        reference_end(s, r);
        telemetry(s);
    }
    return true;
}

void reference_end(reference_service *s, reference_request *r)
{
    s->engine->end(r->context);
    r->context = NULL;
    for (size_t i = 0; i < r->tree_count; i++)
        hg_value_free(&r->trees[i], hg_heap());
    r->tree_count = 0;
}

static bool dispatch(reference_service *s, reference_request *r, const hg_value *message, hg_buffer *out)
{
    if (!hg_is_array(message) || hg_value_size(message) != 2)
        return false;
    const hg_value *parts = hg_array_items(message);
    hg_slice command = hg_value_string(&parts[0]);
    if (!hg_slice_equal(command, HG_SLICE("client_init")))
        return judged(s, r, command, &parts[1], out);
    client_init(r, &parts[1], out);
    return true;
}

/* An engine that copies its input gets it from a borrowed tree, so that its strings are copied once, not twice. */
bool reference_answer(reference_service *s, reference_request *r, hg_slice body, hg_buffer *out)
{
    hg_msgpack_options options = {.max_nesting = 64, .borrow = s->engine->copies};
    if (s->engine->copies) {
        hg_arena arena;
        hg_value message;
        hg_arena_init(&arena, NULL);
        bool good = hg_msgpack_read(body, &options, &message, NULL, hg_arena_allocator(&arena)) == HG_OK &&
                    dispatch(s, r, &message, out);
        hg_arena_close(&arena);
        return good;
    }
    if (r->tree_count == TREES_MAX)
        return false;
    hg_value *tree = &r->trees[r->tree_count];
    if (hg_msgpack_read(body, &options, tree, NULL, hg_heap()) != HG_OK)
        return false;
    r->tree_count++;
    return dispatch(s, r, tree, out);
}

bool reference_update(reference_service *s, hg_slice rules)
{
    pthread_mutex_lock(&s->update);
    void *fresh = s->engine->load(rules), *old = NULL;
    if (fresh != NULL) {
        pthread_mutex_lock(&s->pointer);
        old = s->instance;
        s->instance = fresh;
        pthread_mutex_unlock(&s->pointer);
    }
    pthread_mutex_unlock(&s->update);
    if (old != NULL)
        s->engine->unload(old);
    return fresh != NULL;
}
