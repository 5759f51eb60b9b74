#include "helper/reply.h"

#include "helper/attributes.h"
#include "helper/frame.h"

#include "hotgate/msgpack.h"

#include <stdio.h>

static const char RUNTIME[] = "hotgate";

static size_t begin(const char *type, hg_buffer *out)
{
    size_t start = frame_begin(out);
    hg_msgpack_put_array(out, 1);
    hg_msgpack_put_array(out, 2);
    hg_msgpack_put_str(out, hg_slice_from(type));
    return start;
}

hg_status reply_error(hg_buffer *out)
{
    size_t start = begin("error", out);
    hg_msgpack_put_nil(out);
    return frame_end(out, start);
}

hg_status reply_config_sync(hg_buffer *out)
{
    size_t start = begin("config_sync", out);
    hg_msgpack_put_nil(out);
    return frame_end(out, start);
}

hg_status reply_config_features(bool enabled, hg_buffer *out)
{
    size_t start = begin("config_features", out);
    hg_msgpack_put_array(out, 1);
    hg_msgpack_put_bool(out, enabled);
    return frame_end(out, start);
}

static void put_pair(const char *key, hg_slice value, hg_buffer *out)
{
    hg_msgpack_put_str(out, hg_slice_from(key));
    hg_msgpack_put_str(out, value);
}

static void put_metric(const char *key, double value, hg_buffer *out)
{
    hg_msgpack_put_str(out, hg_slice_from(key));
    hg_msgpack_put_float(out, value);
}

hg_status reply_client_init(hg_slice version, const generation *rules, const char *failure, bool announce, hg_buffer *out)
{
    size_t start = begin("client_init", out);
    hg_msgpack_put_array(out, 6);
    hg_msgpack_put_str(out, failure ? HG_SLICE("fail") : HG_SLICE("ok"));
    hg_msgpack_put_str(out, version);
    hg_msgpack_put_array(out, failure ? 1 : 0);
    if (failure != NULL)
        hg_msgpack_put_str(out, hg_slice_from(failure));
    hg_msgpack_put_map(out, announce ? 2 : 1);
    put_pair("_dd.appsec.waf.version", HG_SLICE(WAF_VERSION), out);
    if (announce)
        put_pair("_dd.appsec.event_rules.errors", hg_slice_from(rules->errors), out);
    hg_msgpack_put_map(out, announce ? 2 : 0);
    if (announce) {
        put_metric("_dd.appsec.event_rules.loaded", (double)rules->loaded, out);
        put_metric("_dd.appsec.event_rules.error_count", (double)rules->failed, out);
    }
    hg_msgpack_put_str(out, hg_slice_from(RUNTIME));
    return frame_end(out, start);
}

/* ---- Verdicts ---- */

static const struct {
    const char *waf, *wire;
} verdicts[] = {
    {"block_request", "block"},
    {"redirect_request", "redirect"},
    {"generate_stack", "stack_trace"},
    {"generate_schema", "extract_schema"},
};

static const char *wire_verdict(hg_slice type)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (hg_slice_equal(type, hg_slice_from(verdicts[i].waf)))
            return verdicts[i].wire;
    return NULL;
}

/* How many there are for the client; whether one of them decides, and whether one wants a stack trace. */
static size_t known_actions(const hg_value *actions, bool *decisive, bool *stack)
{
    size_t count = 0;
    *decisive = *stack = false;
    for (size_t i = 0; actions != NULL && i < hg_value_size(actions); i++) {
        const char *wire = wire_verdict(hg_value_string(&hg_map_pairs(actions)[i].key));
        count += wire != NULL;
        *decisive |= wire != NULL && (strcmp(wire, "block") == 0 || strcmp(wire, "redirect") == 0);
        *stack |= wire != NULL && strcmp(wire, "stack_trace") == 0;
    }
    return count;
}

/* Parameters must be strings on the wire; numbers are written in decimal. */
static void put_parameters(const hg_value *map, hg_buffer *out)
{
    size_t count = 0, size = hg_value_size(map);
    const hg_pair *pairs = hg_map_pairs(map);
    for (size_t i = 0; i < size; i++)
        count += hg_is_scalar(&pairs[i].val);
    hg_msgpack_put_map(out, (uint32_t)count);
    for (size_t i = 0; i < size; i++) {
        const hg_value *v = &pairs[i].val;
        char text[32];
        if (!hg_is_scalar(v))
            continue;
        hg_msgpack_put_str(out, hg_value_string(&pairs[i].key));
        if (hg_is_string(v))
            hg_msgpack_put_str(out, hg_value_string(v));
        else if (v->type == HG_BOOL)
            hg_msgpack_put_str(out, v->b8.val ? HG_SLICE("true") : HG_SLICE("false"));
        else if (v->type == HG_FLOAT)
            hg_msgpack_put_str(out, hg_slice_of(text, hg_float_text(v->f64.val, text)));
        else
            hg_msgpack_put_str(out, hg_slice_of(text, (size_t)snprintf(text, sizeof text,
                               v->type == HG_SIGNED ? "%lld" : "%llu", (long long)v->i64.val)));
    }
}

static void put_actions(const hg_value *actions, size_t events, hg_buffer *out)
{
    bool decisive, stack;
    size_t count = known_actions(actions, &decisive, &stack);
    bool record = !decisive && (events > 0 || stack); /* triggers count only beside one of the three */
    hg_msgpack_put_array(out, (uint32_t)(count + record));
    for (size_t i = 0; actions != NULL && i < hg_value_size(actions); i++) {
        const hg_pair *p = &hg_map_pairs(actions)[i];
        const char *wire = wire_verdict(hg_value_string(&p->key));
        if (wire == NULL)
            continue;
        hg_msgpack_put_array(out, 2);
        hg_msgpack_put_str(out, hg_slice_from(wire));
        put_parameters(&p->val, out);
    }
    if (record) {
        hg_msgpack_put_array(out, 2);
        hg_msgpack_put_str(out, HG_SLICE("record"));
        hg_msgpack_put_map(out, 0);
    }
}

static void put_triggers(const hg_value *events, hg_buffer *out)
{
    size_t count = events ? hg_value_size(events) : 0;
    hg_msgpack_put_array(out, (uint32_t)count);
    hg_buffer text = {0};
    for (size_t i = 0; i < count; i++) {
        text.len = 0;
        hg_json_write(&hg_array_items(events)[i], 0, &text);
        out->failed |= text.failed;
        hg_msgpack_put_str(out, hg_slice_of(text.ptr, text.len));
    }
    hg_buffer_free(&text);
}

/* Replies to which nothing matched, as they are on the wire but for the length: up to the settings of request_init and
 * the span tags of request_shutdown. */
static const char quiet_init[] = "dds\0\0\0\0\0\x91\x92\xac" "request_init\x94\x90\x90\xc2\x81\xb1" "auto_user_instrum";
static const char quiet_shutdown[] = "dds\0\0\0\0\0\x91\x92\xb0" "request_shutdown\x96\x90\x90\xc2\x80";
static const char quiet_exec[] = "dds\0\0\0\0\0\x91\x92\xac" "request_exec\x94\x90\x90\xc2\x80";

static hg_status reply_quiet(const session *s, const char *command, hg_buffer *out)
{
    size_t start = out->len;
    if (strcmp(command, "request_init") == 0) {
        hg_buffer_append(out, hg_slice_of(quiet_init, sizeof quiet_init - 1));
        hg_msgpack_put_str(out, hg_slice_from(s->rules->user_mode));
    } else if (strcmp(command, "request_shutdown") == 0) {
        hg_buffer_append(out, hg_slice_of(quiet_shutdown, sizeof quiet_shutdown - 1));
        attributes_put(s, out);
    } else {
        hg_buffer_append(out, hg_slice_of(quiet_exec, sizeof quiet_exec - 1));
    }
    return frame_end(out, start);
}

static bool is_empty(const hg_value *v)
{
    return v == NULL || hg_value_size(v) == 0;
}

hg_status reply_request(const session *s, const char *command, const hg_value *result, bool force_keep, hg_buffer *out)
{
    const hg_value *events = result ? hg_map_find(result, HG_SLICE("events")) : NULL;
    const hg_value *actions = result ? hg_map_find(result, HG_SLICE("actions")) : NULL;
    if (is_empty(events) && is_empty(actions) && !force_keep && s->rules != NULL)
        return reply_quiet(s, command, out);
    bool shutdown = strcmp(command, "request_shutdown") == 0, init = strcmp(command, "request_init") == 0;
    size_t start = begin(command, out);
    hg_msgpack_put_array(out, shutdown ? 6 : 4);
    put_actions(actions, events ? hg_value_size(events) : 0, out);
    put_triggers(events, out);
    hg_msgpack_put_bool(out, force_keep);
    hg_msgpack_put_map(out, init ? 1 : 0);
    if (init)
        put_pair("auto_user_instrum", hg_slice_from(s->rules ? s->rules->user_mode : "undefined"), out);
    if (shutdown)
        attributes_put(s, out);
    return frame_end(out, start);
}
