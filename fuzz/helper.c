/* The daemon's connections without sockets. The input is a programme that makes messages of the helper protocol: mostly
 * well-formed ones with odd values in odd orders, some broken; or lines of JSON. Every whole message must get exactly one
 * answer that its client can read. */
#include "helper/connection.h"
#include "helper/frame.h"

#include "hotgate/msgpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                                                                   \
    do {                                                                                                              \
        if (!(what))                                                                                                  \
            abort();                                                                                                  \
    } while (0)

enum { MESSAGES_MAX = 48, DEPTH_MAX = 6, INPUTS_A_MANAGER = 256 };

static const char rules[] =
    "{\"version\":\"2.2\",\"metadata\":{\"rules_version\":\"1.0\"},\"actions\":[{\"id\":\"go\",\"type\":\"redirect_request\","
    "\"parameters\":{\"location\":\"/x\",\"status_code\":303}}],\"rules\":["
    "{\"id\":\"a\",\"name\":\"a\",\"tags\":{\"type\":\"a\"},\"on_match\":[\"block\"],\"conditions\":[{\"operator\":\"match_regex\","
    "\"parameters\":{\"inputs\":[{\"address\":\"server.request.query\"},{\"address\":\"server.request.body\"}],\"regex\":\"attack\"}}]},"
    "{\"id\":\"b\",\"name\":\"b\",\"tags\":{\"type\":\"b\"},\"on_match\":[\"go\",\"stack_trace\"],\"conditions\":[{\"operator\":"
    "\"phrase_match\",\"parameters\":{\"inputs\":[{\"address\":\"usr.id\"}],\"list\":[\"evil\"]}}]},"
    "{\"id\":\"c\",\"name\":\"c\",\"tags\":{\"type\":\"c\"},\"on_match\":[\"stack_trace\"],\"conditions\":[{\"operator\":\"is_xss\","
    "\"parameters\":{\"inputs\":[{\"address\":\"server.request.headers.no_cookies\"},{\"address\":\"server.response.status\"}]}}]}],"
    "\"processors\":[{\"id\":\"s\",\"generator\":\"extract_schema\",\"evaluate\":false,\"output\":true,\"conditions\":[{\"operator\":"
    "\"equals\",\"parameters\":{\"inputs\":[{\"address\":\"waf.context.processor\",\"key_path\":[\"extract-schema\"]}],\"type\":"
    "\"boolean\",\"value\":true}}],\"parameters\":{\"mappings\":[{\"inputs\":[{\"address\":\"server.request.body\"}],\"output\":"
    "\"_dd.appsec.s.req.body\"}]}}]}";

static const char *const words[] = {
    "", "attack", "evil", "<script>", "server.request.query", "server.request.body", "usr.id", "server.response.status",
    "server.request.headers.no_cookies", "server.io.net.url", "lfi", "ssrf", "rasp_rule", "rule_variant", "subctx_id",
    "subctx_last_call", "rules_file", "waf_timeout_us", "trace_rate_limit", "obfuscator_key_regex", "obfuscator_value_regex",
    "schema_extraction", "enabled", "sampling_period", "shmem_path", "service_name", "env_name", "a", "b", "client_init",
    "request_init", "request_exec", "request_shutdown", "config_sync", "1.24.0", "/hotgate-fuzz", "/etc/passwd", "(", "\xff\xfe",
    "a long string that does not fit inside a value", "error", "waf.context.processor"};

typedef struct programme {
    const uint8_t *at, *end;
} programme;

static unsigned next(programme *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static const char *word(programme *p)
{
    return words[next(p) % (sizeof words / sizeof *words)];
}

static void put_text(programme *p, hg_buffer *out)
{
    hg_msgpack_put_str(out, hg_slice_from(word(p)));
}

static void put_value(programme *p, unsigned depth, hg_buffer *out);

static void put_map(programme *p, unsigned depth, hg_buffer *out)
{
    unsigned count = next(p) % 8;
    hg_msgpack_put_map(out, count);
    for (unsigned i = 0; i < count; i++) {
        put_text(p, out);
        put_value(p, depth + 1, out);
    }
}

static void put_value(programme *p, unsigned depth, hg_buffer *out)
{
    unsigned kind = next(p);
    switch (kind % 14) {
    case 0: hg_msgpack_put_nil(out); break;
    case 1: hg_msgpack_put_bool(out, kind & 16); break;
    case 2: hg_msgpack_put_unsigned(out, next(p)); break;
    case 3: hg_msgpack_put_unsigned(out, UINT64_MAX - next(p)); break;
    case 4: hg_msgpack_put_signed(out, -(int64_t)(next(p) << (kind >> 4))); break;
    case 5: hg_msgpack_put_float(out, kind & 16 ? (double)next(p) / 3 : kind & 32 ? __builtin_nan("") : 1e300); break;
    case 6: hg_msgpack_put_bin(out, hg_slice_from(word(p))); break;
    case 7: hg_buffer_append(out, hg_slice_of("\xd6\x01\x00\x00\x00\x01", 6)); break; /* an extension */
    case 8:
    case 9:
        if (depth < DEPTH_MAX) {
            put_map(p, depth, out);
            break;
        }
        hg_msgpack_put_array(out, 0);
        break;
    case 10: {
        unsigned count = depth < DEPTH_MAX ? next(p) % 6 : 0;
        hg_msgpack_put_array(out, count);
        for (unsigned i = 0; i < count; i++)
            put_value(p, depth + 1, out);
        break;
    }
    default: put_text(p, out);
    }
}

/* As it should be, or anything. */
static bool is_odd(programme *p)
{
    return next(p) % 16 == 15;
}

static void put_record(programme *p, hg_buffer *out)
{
    if (is_odd(p))
        put_value(p, 0, out);
    else
        put_map(p, 0, out);
}

static void put_client_init(programme *p, hg_buffer *out)
{
    hg_msgpack_put_array(out, 8);
    hg_msgpack_put_unsigned(out, 77);
    put_text(p, out);
    put_text(p, out);
    put_value(p, DEPTH_MAX, out);
    if (is_odd(p)) {
        put_value(p, 0, out);
    } else {
        hg_msgpack_put_map(out, 3);
        hg_msgpack_put_str(out, HG_SLICE("waf_timeout_us"));
        hg_msgpack_put_unsigned(out, 1000000);
        hg_msgpack_put_str(out, HG_SLICE("schema_extraction"));
        hg_msgpack_put_map(out, 2);
        hg_msgpack_put_str(out, HG_SLICE("enabled"));
        hg_msgpack_put_bool(out, true);
        hg_msgpack_put_str(out, HG_SLICE("sampling_period"));
        put_value(p, DEPTH_MAX, out);
        put_text(p, out);
        put_value(p, DEPTH_MAX, out);
    }
    for (int i = 0; i < 3; i++)
        put_record(p, out);
}

/* Bodies [name, arguments]; the name is what is expected back. */
static hg_slice put_message(programme *p, hg_buffer *out)
{
    static const struct {
        const char *name;
        unsigned arguments;
    } kinds[] = {{"client_init", 8}, {"config_sync", 2},      {"request_init", 1},     {"request_init", 1},
                 {"request_exec", 2}, {"request_shutdown", 4}, {"request_shutdown", 4}};
    unsigned choice = next(p) % 8;
    hg_msgpack_put_array(out, 2);
    if (choice == 7) {
        hg_slice name = hg_slice_from(word(p));
        hg_msgpack_put_str(out, name);
        put_value(p, 0, out);
        return name;
    }
    hg_slice name = hg_slice_from(kinds[choice].name);
    hg_msgpack_put_str(out, name);
    if (choice == 0) {
        put_client_init(p, out);
        return name;
    }
    unsigned count = is_odd(p) ? next(p) % 6 : kinds[choice].arguments;
    hg_msgpack_put_array(out, count);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 && choice != 1)
            put_record(p, out);
        else
            put_value(p, 1, out);
    return name;
}

/* ---- The other side ---- */

static const hg_value *item(const hg_value *array, size_t i)
{
    CHECK(hg_is_array(array) && i < hg_value_size(array));
    return &hg_array_items(array)[i];
}

static void check_texts(const hg_value *map)
{
    CHECK(hg_is_map(map));
    for (size_t i = 0; i < hg_value_size(map); i++)
        CHECK(hg_is_string(&hg_map_pairs(map)[i].val));
}

static void check_verdict(const hg_value *payload, bool shutdown)
{
    CHECK(hg_value_size(payload) == (shutdown ? 6u : 4u));
    const hg_value *actions = item(payload, 0), *triggers = item(payload, 1);
    bool decisive = false;
    for (size_t i = 0; i < hg_value_size(actions); i++) {
        hg_slice verdict = hg_value_string(item(item(actions, i), 0));
        decisive |= hg_slice_equal(verdict, HG_SLICE("block")) || hg_slice_equal(verdict, HG_SLICE("redirect")) ||
                    hg_slice_equal(verdict, HG_SLICE("record"));
        check_texts(item(item(actions, i), 1));
    }
    CHECK(hg_value_size(triggers) == 0 || decisive);
    for (size_t i = 0; i < hg_value_size(triggers); i++)
        CHECK(hg_is_string(item(triggers, i)));
    CHECK(item(payload, 2)->type == HG_BOOL);
    check_texts(item(payload, 3));
    if (!shutdown)
        return;
    check_texts(item(payload, 4));
    CHECK(hg_is_map(item(payload, 5)));
    for (size_t i = 0; i < hg_value_size(item(payload, 5)); i++)
        CHECK(hg_map_pairs(item(payload, 5))[i].val.type == HG_FLOAT);
}

static void check_reply(hg_slice body, hg_slice command)
{
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    hg_value v;
    size_t used;
    hg_msgpack_options options = {.max_nesting = HG_MSGPACK_NESTING_MAX};
    CHECK(hg_msgpack_read(body, &options, &v, &used, hg_arena_allocator(&arena)) == HG_OK && used == body.len);
    CHECK(hg_value_size(&v) == 1 && hg_value_size(item(&v, 0)) == 2);
    hg_slice type = hg_value_string(item(item(&v, 0), 0));
    const hg_value *payload = item(item(&v, 0), 1);
    if (hg_slice_equal(type, HG_SLICE("config_features"))) {
        CHECK(hg_value_size(payload) == 1 && item(payload, 0)->type == HG_BOOL);
    } else if (!hg_slice_equal(type, HG_SLICE("error"))) {
        CHECK(hg_slice_equal(type, command));
        if (hg_slice_equal(type, HG_SLICE("client_init")))
            CHECK(hg_value_size(payload) == 6);
        else if (!hg_slice_equal(type, HG_SLICE("config_sync")))
            check_verdict(payload, hg_slice_equal(type, HG_SLICE("request_shutdown")));
    }
    hg_arena_close(&arena);
}

/* Exactly one whole frame must be there. */
static void take_reply(connection *c, hg_slice command)
{
    size_t length;
    hg_slice all = hg_slice_of(c->out.ptr, c->out.len);
    CHECK(all.len >= FRAME_HEADER && frame_header(all, &length) == FRAME_READY);
    CHECK(length <= FRAME_OUT_MAX && all.len == FRAME_HEADER + length);
    check_reply(hg_slice_skip(all, FRAME_HEADER), command);
    c->out.len = 0;
}

/* ---- The daemon ---- */

static loop_counters counters;
static manager *the_manager;

static void no_one_waits(void *state, uint64_t ticket)
{
    (void)state;
    (void)ticket;
}

static manager *manager_now(void)
{
    static unsigned inputs;
    if (the_manager != NULL && inputs++ % INPUTS_A_MANAGER != 0)
        return the_manager;
    if (the_manager == NULL)
        CHECK(loop_counters_open(&counters) == HG_OK);
    manager_free(the_manager);
    const manager_options options = {.rules = hg_slice_of(rules, sizeof rules - 1), .rules_version = "",
                                     .allow_rules = "/etc/pass*"};
    the_manager = manager_new(&options, no_one_waits, NULL);
    CHECK(the_manager != NULL && manager_prepare(the_manager) == HG_OK);
    return the_manager;
}

/* Hands the bytes over in pieces; what the connection waits for comes or does not. False: it was closed. */
static bool feed(programme *p, connection *c, hg_slice bytes)
{
    size_t step = next(p) % 4 == 0 ? next(p) + 1 : bytes.len;
    for (size_t at = 0; at < bytes.len; at += step) {
        size_t left = bytes.len - at, size = step < left ? step : left;
        if (!connection_feed(c, hg_slice_of(bytes.ptr + at, size)))
            return false;
    }
    while (c->paused != SESSION_GO_ON) {
        bool in_time = next(p) % 2;
        if (in_time)
            manager_turn(the_manager);
        if (!connection_resume(c, in_time))
            return false;
    }
    return true;
}

static void put_frame(hg_slice body, hg_buffer *out)
{
    size_t start = frame_begin(out);
    hg_buffer_append(out, body);
    CHECK(frame_end(out, start) == HG_OK);
}

/* Sends a message, sometimes a broken one. False: the connection is over. */
static bool exchange(programme *p, connection *c, hg_buffer *body, hg_buffer *frame)
{
    body->len = frame->len = 0;
    hg_slice name = put_message(p, body);
    unsigned harm = next(p) % 32;
    if (harm == 1 && body->len > 0)
        body->ptr[next(p) % body->len] ^= (char)(1u << (next(p) % 8));
    else if (harm == 2)
        body->len = next(p) % (body->len + 1);
    else if (harm == 3)
        hg_buffer_append(body, hg_slice_from(word(p)));
    put_frame(hg_slice_of(body->ptr, body->len), frame);
    if (harm == 4)
        frame->ptr[next(p) % FRAME_HEADER] ^= (char)(1u << (next(p) % 8));
    if (harm == 1 || harm == 4)
        name = HG_SLICE("");
    if (!feed(p, c, hg_slice_of(frame->ptr, frame->len)))
        return false;
    if (harm == 4 || harm == 1) { /* any number of answers, each of them whole */
        c->out.len = 0;
        return !c->closing && harm != 4;
    }
    take_reply(c, name);
    return !c->closing;
}

static void speak_frames(programme *p, connection *c)
{
    hg_buffer body = {0}, frame = {0};
    for (int i = 0; i < MESSAGES_MAX && p->at < p->end; i++)
        if (!exchange(p, c, &body, &frame))
            break;
    hg_buffer_free(&body);
    hg_buffer_free(&frame);
}

/* The input itself is the lines; every answer must be an object of a line. */
static void speak_lines(programme *p, connection *c)
{
    size_t step = 1 + next(p);
    for (; p->at < p->end; p->at += step) {
        size_t left = (size_t)(p->end - p->at), size = step < left ? step : left;
        if (!connection_feed(c, hg_slice_of((const char *)p->at, size)))
            return;
        if (left <= step)
            break;
    }
    connection_end(c);
    hg_arena arena;
    hg_arena_init(&arena, NULL);
    for (hg_slice rest = hg_slice_of(c->out.ptr, c->out.len); rest.len > 0;) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        CHECK(end != NULL);
        hg_value v;
        hg_json_options options = {.dialect = HG_JSON_STRICT, .max_depth = 2000};
        hg_slice line = hg_slice_of(rest.ptr, (size_t)(end - rest.ptr));
        CHECK(hg_json_read(line, &options, &v, hg_arena_allocator(&arena), NULL) == HG_OK && hg_is_map(&v));
        CHECK(hg_map_find(&v, HG_SLICE("id")) != NULL);
        rest = hg_slice_skip(rest, line.len + 1);
    }
    hg_arena_close(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hg_obfuscator *obfuscator;
    if (obfuscator == NULL)
        obfuscator = hg_obfuscator_new(HG_SLICE(""), HG_SLICE(""));
    manager *m = manager_now();
    programme p = {data, data + size};
    unsigned mode = next(&p);
    const connection_place place = {
        .session = {.manager = m, .counters = &counters, .max_memory = mode & 2 ? 4096 : 1 << 20},
        .max_line = 512, .max_frame = mode & 4 ? 2048 : FRAME_IN_MAX, .plain = manager_base(m), .obfuscator = obfuscator};
    connection *c = malloc(sizeof *c);
    CHECK(c != NULL);
    connection_open(c, &place, mode & 1 ? PROTOCOL_JSON : PROTOCOL_HELPER, 1, 0, 0);
    if (mode & 1)
        speak_lines(&p, c);
    else
        speak_frames(&p, c);
    connection_close(c);
    free(c);
    return 0;
}
