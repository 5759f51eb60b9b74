/* The waf kind through this build's libddwaf.so of ABI 1. It has no subcontexts: their runs become runs on ephemeral
 * data of the parent. */
#include "conformance/waf_driver.h"
#include "conformance/waf_library.h"

#include "hotgate/ddwaf1/ddwaf.h"

#define FUNCTIONS(X) \
    X(ddwaf_init) \
    X(ddwaf_destroy) \
    X(ddwaf_context_init) \
    X(ddwaf_context_destroy) \
    X(ddwaf_run) \
    X(ddwaf_object_free) \
    X(ddwaf_object_invalid) \
    X(ddwaf_object_null) \
    X(ddwaf_object_bool) \
    X(ddwaf_object_signed) \
    X(ddwaf_object_unsigned) \
    X(ddwaf_object_float) \
    X(ddwaf_object_stringl) \
    X(ddwaf_object_array) \
    X(ddwaf_object_map) \
    X(ddwaf_object_array_add) \
    X(ddwaf_object_map_addl)

#define POINTER(name) static __typeof__(name) *name##_;
FUNCTIONS(POINTER)

static void open_library(void)
{
    void *library = waf_library_open(1);
#define RESOLVE(name) name##_ = (__typeof__(name) *)waf_library_symbol(library, #name);
    FUNCTIONS(RESOLVE)
}

/* ---- Values to objects and back ---- */

static void write_object(const hg_value *v, ddwaf_object *out);

static void write_container(const hg_value *v, ddwaf_object *out)
{
    bool map = hg_is_map(v);
    map ? ddwaf_object_map_(out) : ddwaf_object_array_(out);
    for (size_t i = 0; i < hg_value_size(v); i++) {
        ddwaf_object entry;
        write_object(map ? &hg_map_pairs(v)[i].val : &hg_array_items(v)[i], &entry);
        hg_slice key = map ? hg_value_string(&hg_map_pairs(v)[i].key) : HG_SLICE("");
        if (map)
            ddwaf_object_map_addl_(out, key.len > 0 ? key.ptr : "", key.len, &entry);
        else
            ddwaf_object_array_add_(out, &entry);
    }
}

static void write_object(const hg_value *v, ddwaf_object *out)
{
    hg_slice s = hg_value_string(v);
    if (hg_is_container(v))
        write_container(v, out);
    else if (hg_is_string(v))
        ddwaf_object_stringl_(out, s.len > 0 ? s.ptr : "", s.len);
    else if (v->type == HG_BOOL)
        ddwaf_object_bool_(out, v->b8.val);
    else if (v->type == HG_SIGNED)
        ddwaf_object_signed_(out, v->i64.val);
    else if (v->type == HG_UNSIGNED)
        ddwaf_object_unsigned_(out, v->u64.val);
    else if (v->type == HG_FLOAT)
        ddwaf_object_float_(out, v->f64.val);
    else if (v->type == HG_NULL)
        ddwaf_object_null_(out);
    else
        ddwaf_object_invalid_(out);
}

static void read_object(const ddwaf_object *o, hg_value *out, hg_arena *arena)
{
    const hg_allocator *a = hg_arena_allocator(arena);
    hg_set_invalid(out);
    switch (o->type) {
    case DDWAF_OBJ_STRING:
        hg_set_string(out, hg_slice_of(o->stringValue, o->nbEntries), a);
        break;
    case DDWAF_OBJ_BOOL:
        hg_set_bool(out, o->boolean);
        break;
    case DDWAF_OBJ_SIGNED:
        hg_set_signed(out, o->intValue);
        break;
    case DDWAF_OBJ_UNSIGNED:
        hg_set_unsigned(out, o->uintValue);
        break;
    case DDWAF_OBJ_FLOAT:
        hg_set_float(out, o->f64);
        break;
    case DDWAF_OBJ_ARRAY:
        hg_set_array(out, 0, a);
        for (uint64_t i = 0; i < o->nbEntries; i++)
            read_object(&o->array[i], hg_array_append(out, a), arena);
        break;
    case DDWAF_OBJ_MAP:
        hg_set_map(out, 0, a);
        for (uint64_t i = 0; i < o->nbEntries; i++) {
            hg_slice key = hg_slice_of(o->array[i].parameterName, o->array[i].parameterNameLength);
            read_object(&o->array[i], hg_map_append(out, key, a), arena);
        }
        break;
    default:
        break;
    }
}

/* ---- The driver ---- */

typedef struct run_state {
    ddwaf_context handle;
    hg_arena arena; /* of the last result */
    hg_value result;
} run_state;

static void *load(const hg_value *ruleset)
{
    if (ddwaf_run_ == NULL)
        open_library();
    ddwaf_object rules;
    write_object(ruleset, &rules);
    ddwaf_handle handle = ddwaf_init_(&rules, NULL, NULL);
    ddwaf_object_free_(&rules);
    return handle;
}

static void unload(void *instance)
{
    ddwaf_destroy_(instance);
}

static void *state_new(ddwaf_context handle)
{
    run_state *state = handle != NULL ? calloc(1, sizeof *state) : NULL;
    if (state == NULL)
        return NULL;
    state->handle = handle;
    hg_arena_init(&state->arena, NULL);
    return state;
}

static void *context(void *instance)
{
    return state_new(ddwaf_context_init_(instance));
}

static void *subcontext(void *parent)
{
    return state_new(((run_state *)parent)->handle);
}

static void release(void *context_or_sub, bool sub)
{
    run_state *state = context_or_sub;
    if (state == NULL)
        return;
    if (!sub)
        ddwaf_context_destroy_(state->handle);
    hg_arena_close(&state->arena);
    free(state);
}

static const hg_value *run(void *context_or_sub, bool sub, const hg_value *input, bool *match)
{
    run_state *state = context_or_sub;
    ddwaf_object data, result;
    write_object(input, &data);
    DDWAF_RET_CODE code = sub ? ddwaf_run_(state->handle, NULL, &data, &result, 10000000)
                              : ddwaf_run_(state->handle, &data, NULL, &result, 10000000);
    if (code < 0)
        return NULL;
    *match = code == DDWAF_MATCH;
    hg_arena_reset(&state->arena);
    read_object(&result, &state->result, &state->arena);
    ddwaf_object_free_(&result);
    return &state->result;
}

const waf_driver waf_v1 = {"v1", load, unload, context, subcontext, release, run};
