/* Functions that index.js calls. Builders and instances are externals with finalizers; contexts are slots, because a
 * request makes one and an external costs more than the whole of a benign evaluation. */
#include "addon.h"

#include <stdlib.h>

enum { ARGS_MAX = 6, SLOTS_FIRST = 64 };

/* Positions of the numbers that a run leaves in `out`. */
enum { OUT_STATUS, OUT_MATCH, OUT_TIMEOUT, OUT_DURATION, OUT_KEEP, OUT_COUNT };

static const napi_type_tag builder_tag = {0x686f746761746530, 0x1}, waf_tag = {0x686f746761746530, 0x2};

static addon *get(napi_env env)
{
    void *a = NULL;
    napi_get_instance_data(env, &a);
    return a;
}

static size_t arguments(napi_env env, napi_callback_info info, napi_value argv[ARGS_MAX])
{
    size_t argc = ARGS_MAX;
    napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
    return argc;
}

static napi_value throw_error(napi_env env, const char *message)
{
    napi_throw_error(env, NULL, message);
    return NULL;
}

/* A string argument in memory of the arena, with its length in bytes and in UTF-16 units. V8 writes it once. */
static bool take_text(napi_env env, napi_value value, hg_arena *arena, hg_slice *out, size_t *units)
{
    if (napi_get_value_string_utf16(env, value, NULL, 0, units) != napi_ok)
        return false;
    size_t room = *units * 3 + 1, length = 0; /* a unit is three bytes at most */
    char *bytes = hg_arena_alloc(arena, room, 1);
    if (bytes == NULL || napi_get_value_string_utf8(env, value, bytes, room, &length) != napi_ok)
        return false;
    hg_arena_resize(arena, bytes, room, length, 1); /* gives back what was not needed */
    *out = hg_slice_of(bytes, length);
    return true;
}

static bool start_stream(napi_env env, const addon *a, napi_value ops, napi_value numbers, napi_value text,
                         hg_arena *arena, size_t max_string, stream *s)
{
    uint32_t op_count, number_count;
    hg_slice bytes;
    size_t units;
    if (napi_get_value_uint32(env, ops, &op_count) != napi_ok ||
        napi_get_value_uint32(env, numbers, &number_count) != napi_ok || op_count > a->op_capacity ||
        number_count > a->number_capacity || !take_text(env, text, arena, &bytes, &units))
        return false;
    *s = (stream){.ops = a->ops, .op_count = op_count, .numbers = a->numbers, .number_count = number_count,
                  .text = bytes.ptr, .text_length = bytes.len, .ascii = bytes.len == units, .max_string = max_string};
    return true;
}

/* setBuffers(Int32Array, Float64Array, Float64Array): where streams and results are; again when they have grown. */
static napi_value set_buffers(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    if (arguments(env, info, argv) < 3)
        return throw_error(env, "three buffers are needed");
    void *data[3];
    size_t length[3];
    static const napi_typedarray_type types[] = {napi_int32_array, napi_float64_array, napi_float64_array};
    for (int i = 0; i < 3; i++) {
        napi_typedarray_type type;
        if (napi_get_typedarray_info(env, argv[i], &type, &length[i], &data[i], NULL, NULL) != napi_ok || type != types[i])
            return throw_error(env, "not the expected typed array");
        if (a->buffers[i] != NULL)
            napi_delete_reference(env, a->buffers[i]);
        napi_create_reference(env, argv[i], 1, &a->buffers[i]);
    }
    if (length[2] < OUT_COUNT)
        return throw_error(env, "the result buffer is too small");
    a->ops = data[0];
    a->op_capacity = length[0];
    a->numbers = data[1];
    a->number_capacity = length[1];
    a->out = data[2];
    return NULL;
}

/* ---- Builders and instances ---- */

static void builder_gone(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    hg_builder_free(data);
}

static void waf_gone(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    hg_waf_unref(data);
}

static napi_value external(napi_env env, void *data, napi_finalize gone, const napi_type_tag *tag)
{
    napi_value out = NULL;
    napi_create_external(env, data, gone, NULL, &out);
    napi_type_tag_object(env, out, tag);
    return out;
}

static void *open_external(napi_env env, napi_value value, const napi_type_tag *tag)
{
    bool right = false;
    void *data = NULL;
    if (napi_check_object_type_tag(env, value, tag, &right) != napi_ok || !right ||
        napi_get_value_external(env, value, &data) != napi_ok)
        napi_throw_type_error(env, NULL, "not a handle of this addon");
    return right ? data : NULL;
}

/* builderNew(keyRegex, valueRegex) */
static napi_value builder_new(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    hg_slice key, value;
    size_t units;
    if (arguments(env, info, argv) < 2 || !take_text(env, argv[0], &a->call, &key, &units) ||
        !take_text(env, argv[1], &a->call, &value, &units))
        return throw_error(env, "two patterns are needed");
    hg_builder *builder = hg_builder_new_ddwaf1(key, value);
    hg_arena_reset(&a->call);
    return builder ? external(env, builder, builder_gone, &builder_tag) : throw_error(env, "out of memory");
}

/* builderSet(builder, path, ops, numbers, text) -> [loaded, diagnostics] */
static napi_value builder_set(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX], out = NULL, loaded;
    addon *a = get(env);
    hg_builder *builder = arguments(env, info, argv) >= 5 ? open_external(env, argv[0], &builder_tag) : NULL;
    hg_slice path;
    size_t units;
    stream s;
    hg_value config, diagnostics;
    if (builder == NULL)
        return NULL;
    if (!take_text(env, argv[1], &a->call, &path, &units) ||
        !start_stream(env, a, argv[2], argv[3], argv[4], &a->call, SIZE_MAX, &s) ||
        !decode_value(a, &s, &config, &a->call)) {
        hg_arena_reset(&a->call);
        return throw_error(env, "the configuration cannot be read");
    }
    hg_set_null(&diagnostics);
    hg_status status = hg_builder_set(builder, path, &config, &diagnostics, hg_arena_allocator(&a->call));
    napi_create_array_with_length(env, 2, &out);
    napi_get_boolean(env, status == HG_OK, &loaded);
    napi_set_element(env, out, 0, loaded);
    napi_set_element(env, out, 1, to_js(env, &diagnostics));
    hg_arena_reset(&a->call);
    return out;
}

/* builderRemove(builder, path) -> boolean */
static napi_value builder_remove(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX], out = NULL;
    addon *a = get(env);
    hg_builder *builder = arguments(env, info, argv) >= 2 ? open_external(env, argv[0], &builder_tag) : NULL;
    hg_slice path;
    size_t units;
    if (builder == NULL || !take_text(env, argv[1], &a->call, &path, &units))
        return NULL;
    napi_get_boolean(env, hg_builder_remove(builder, path) == HG_OK, &out);
    hg_arena_reset(&a->call);
    return out;
}

/* builderPaths(builder) -> string[] */
static napi_value builder_paths(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    hg_builder *builder = arguments(env, info, argv) >= 1 ? open_external(env, argv[0], &builder_tag) : NULL;
    if (builder == NULL)
        return NULL;
    hg_value paths;
    hg_builder_paths(builder, HG_SLICE(""), &paths, hg_arena_allocator(&a->call));
    napi_value out = to_js(env, &paths);
    hg_arena_reset(&a->call);
    return out;
}

/* builderBuild(builder) -> [instance, addresses, actions] or undefined when there is nothing to judge with */
static napi_value builder_build(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX], out = NULL;
    hg_builder *builder = arguments(env, info, argv) >= 1 ? open_external(env, argv[0], &builder_tag) : NULL;
    hg_waf *waf = builder ? hg_builder_build(builder, NULL) : NULL;
    if (waf == NULL)
        return NULL;
    size_t addresses, actions;
    const char *const *address_list = hg_waf_addresses(waf, &addresses);
    const char *const *action_list = hg_waf_actions(waf, &actions);
    napi_create_array_with_length(env, 3, &out);
    napi_set_element(env, out, 0, external(env, waf, waf_gone, &waf_tag));
    napi_set_element(env, out, 1, strings_to_js(env, address_list, addresses));
    napi_set_element(env, out, 2, strings_to_js(env, action_list, actions));
    return out;
}

/* ---- Contexts ---- */

static bool slots_grow(addon *a)
{
    size_t count = a->slot_count ? a->slot_count * 2 : SLOTS_FIRST;
    context_slot *slots = malloc(count * sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i < a->slot_count) {
            slots[i] = a->slots[i];
            slots[i].persistent.allocator.state = &slots[i].persistent; /* an arena knows where it is */
            continue;
        }
        slots[i] = (context_slot){.next_free = i + 1 < count ? (uint32_t)i + 1 : UINT32_MAX};
        hg_arena_init(&slots[i].persistent, NULL);
    }
    free(a->slots);
    a->slots = slots;
    a->free_slot = (uint32_t)a->slot_count;
    a->slot_count = count;
    return true;
}

/* contextNew(instance) -> slot */
static napi_value context_new(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX], out = NULL;
    addon *a = get(env);
    hg_waf *waf = arguments(env, info, argv) >= 1 ? open_external(env, argv[0], &waf_tag) : NULL;
    if (waf == NULL)
        return NULL;
    hg_context *context = a->free_slot != UINT32_MAX || slots_grow(a) ? hg_context_new(waf) : NULL;
    if (context == NULL)
        return throw_error(env, "out of memory");
    uint32_t at = a->free_slot;
    a->free_slot = a->slots[at].next_free;
    a->slots[at].context = context;
    napi_create_uint32(env, at, &out);
    return out;
}

static context_slot *slot_of(napi_env env, addon *a, napi_value value)
{
    uint32_t at = UINT32_MAX;
    napi_get_value_uint32(env, value, &at);
    return at < a->slot_count && a->slots[at].context != NULL ? &a->slots[at] : NULL;
}

/* contextFree(slot) */
static napi_value context_free(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    context_slot *slot = arguments(env, info, argv) >= 1 ? slot_of(env, a, argv[0]) : NULL;
    if (slot == NULL)
        return NULL;
    hg_context_free(slot->context);
    slot->context = NULL;
    hg_arena_close(&slot->persistent);
    slot->next_free = a->free_slot;
    a->free_slot = (uint32_t)(slot - a->slots);
    return NULL;
}

static const hg_value *field(const hg_value *map, hg_slice name)
{
    const hg_value *v = hg_map_find(map, name);
    return v != NULL && hg_value_size(v) > 0 ? v : NULL;
}

/* undefined when there is nothing but numbers; else attributes, or on a match [events, actions, attributes] */
static napi_value outcome(napi_env env, const hg_result *r)
{
    const hg_value *attributes = field(&r->value, HG_SLICE("attributes"));
    napi_value plain = attributes ? to_js(env, attributes) : NULL, out = NULL;
    if (!r->match)
        return plain;
    napi_create_array_with_length(env, 3, &out);
    const hg_value *events = hg_map_find(&r->value, HG_SLICE("events"));
    const hg_value *actions = hg_map_find(&r->value, HG_SLICE("actions"));
    if (events != NULL)
        napi_set_element(env, out, 0, to_js(env, events));
    if (actions != NULL)
        napi_set_element(env, out, 1, to_js(env, actions));
    if (plain != NULL)
        napi_set_element(env, out, 2, plain);
    return out;
}

/* Entries of both roots in one row; persistent ones first. */
static bool join(addon *a, const hg_entry *first, size_t n, const hg_entry *second, size_t m, hg_batch *out)
{
    *out = n > 0 ? (hg_batch){first, n} : (hg_batch){second, m};
    if (n == 0 || m == 0)
        return true;
    hg_entry *all = hg_arena_alloc(&a->call, (n + m) * sizeof *all, _Alignof(hg_entry));
    if (all == NULL)
        return false;
    memcpy(all, first, n * sizeof *all);
    memcpy(all + n, second, m * sizeof *all);
    *out = (hg_batch){all, n + m};
    return true;
}

/* contextRun(slot, ops, numbers, text, timeout): see outcome; numbers are in `out` */
static napi_value context_run(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    context_slot *slot = arguments(env, info, argv) >= 5 ? slot_of(env, a, argv[0]) : NULL;
    double timeout;
    stream s;
    a->out[OUT_STATUS] = HG_ERR_ARGUMENT;
    if (slot == NULL || napi_get_value_double(env, argv[4], &timeout) != napi_ok ||
        !start_stream(env, a, argv[1], argv[2], argv[3], &slot->persistent, 4096, &s))
        return NULL;
    size_t n = 0, m = 0;
    hg_batch batch;
    const hg_entry *persistent = decode_entries(a, &s, false, &slot->persistent, &n);
    const hg_entry *ephemeral = s.broken ? NULL : decode_entries(a, &s, true, &a->call, &m);
    const hg_result *r = NULL;
    hg_status status = s.broken || !join(a, persistent, n, ephemeral, m, &batch) ? HG_ERR_INTERNAL : HG_OK;
    if (status == HG_OK)
        status = hg_context_run(slot->context, &batch, 1, timeout < 1e18 ? (uint64_t)timeout : UINT64_MAX, &r);
    a->out[OUT_STATUS] = status;
    napi_value out = NULL;
    if (status == HG_OK) {
        a->out[OUT_MATCH] = r->match;
        a->out[OUT_TIMEOUT] = r->timeout;
        a->out[OUT_DURATION] = (double)r->duration;
        a->out[OUT_KEEP] = r->keep;
        out = outcome(env, r);
    }
    hg_arena_reset(&a->call);
    return out;
}

/* ---- Prepared values ---- */

/* prepare(ops, numbers, text) -> slot */
static napi_value prepare(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX], out = NULL;
    addon *a = get(env);
    size_t at = 0;
    while (at < a->prepared_count && a->prepared[at].used)
        at++;
    if (at == a->prepared_count) {
        size_t count = at ? at * 2 : 16;
        prepared *grown = malloc(count * sizeof *grown);
        if (grown == NULL)
            return throw_error(env, "out of memory");
        for (size_t i = 0; i < count; i++) {
            grown[i] = i < at ? a->prepared[i] : (prepared){.used = false};
            if (i < at)
                grown[i].arena.allocator.state = &grown[i].arena;
        }
        free(a->prepared);
        a->prepared = grown;
        a->prepared_count = count;
    }
    prepared *p = &a->prepared[at];
    hg_arena_init(&p->arena, NULL);
    stream s;
    if (arguments(env, info, argv) < 3 || !start_stream(env, a, argv[0], argv[1], argv[2], &p->arena, 4096, &s) ||
        !decode_value(a, &s, &p->value, &p->arena)) {
        hg_arena_close(&p->arena);
        return throw_error(env, "the value cannot be read");
    }
    p->used = true;
    napi_create_uint32(env, (uint32_t)at, &out);
    return out;
}

/* forget(slot): no context may still see the value */
static napi_value forget(napi_env env, napi_callback_info info)
{
    napi_value argv[ARGS_MAX];
    addon *a = get(env);
    uint32_t at = UINT32_MAX;
    if (arguments(env, info, argv) >= 1)
        napi_get_value_uint32(env, argv[0], &at);
    if (at < a->prepared_count && a->prepared[at].used) {
        hg_arena_close(&a->prepared[at].arena);
        a->prepared[at].used = false;
    }
    return NULL;
}

static void environment_gone(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    addon *a = data;
    for (size_t i = 0; i < a->slot_count; i++) {
        hg_context_free(a->slots[i].context);
        hg_arena_close(&a->slots[i].persistent);
    }
    for (size_t i = 0; i < a->prepared_count; i++)
        if (a->prepared[i].used)
            hg_arena_close(&a->prepared[i].arena);
    hg_arena_close(&a->call);
    free(a->slots);
    free(a->prepared);
    free(a);
}

NAPI_MODULE_INIT()
{
    addon *a = calloc(1, sizeof *a);
    if (a == NULL)
        return throw_error(env, "out of memory");
    a->free_slot = UINT32_MAX;
    hg_arena_init(&a->call, NULL);
    napi_set_instance_data(env, a, environment_gone, NULL);
    static const struct {
        const char *name;
        napi_callback function;
    } functions[] = {
        {"setBuffers", set_buffers},       {"builderNew", builder_new},     {"builderSet", builder_set},
        {"builderRemove", builder_remove}, {"builderPaths", builder_paths}, {"builderBuild", builder_build},
        {"contextNew", context_new},       {"contextFree", context_free},   {"contextRun", context_run},
        {"prepare", prepare},              {"forget", forget},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        napi_value function;
        napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function);
        napi_set_named_property(env, exports, functions[i].name, function);
    }
    napi_value version;
    napi_create_string_utf8(env, HG_DDWAF_VERSION, NAPI_AUTO_LENGTH, &version);
    napi_set_named_property(env, exports, "version", version);
    return exports;
}
