/* libddwaf 1.x. Its input is built as its users build it: each string and container on the heap, owned by the library once
 * it is handed over. */
#include "reference/engine.h"

#include "peers/ddwaf1.h"

#include <stdatomic.h>
#include <stdlib.h>

static const ddwaf1 *lib;

typedef struct instance {
    ddwaf1_handle *handle;
    atomic_uint users; /* contexts and the loader */
} instance;

typedef struct context {
    instance *of;
    ddwaf1_context *inner;
} context;

static void let_go(instance *i)
{
    if (atomic_fetch_sub(&i->users, 1) != 1)
        return;
    lib->destroy(i->handle);
    free(i);
}

static void *load(hg_slice rules)
{
    /* the library's own limits, and secrets are obfuscated as by default */
    const ddwaf1_config config = {0, 0, 0, "(?i)pass|secret|token|api_?key|session|auth", NULL, lib->object_free};
    instance *i = calloc(1, sizeof *i);
    if (i == NULL)
        return NULL;
    atomic_init(&i->users, 1);
    i->handle = ddwaf1_load(lib, rules.ptr, rules.len, &config);
    if (i->handle != NULL)
        return i;
    free(i);
    return NULL;
}

static void unload(void *loaded)
{
    let_go(loaded);
}

static void *begin(void *loaded)
{
    context *c = malloc(sizeof *c);
    if (c == NULL)
        return NULL;
    *c = (context){loaded, lib->context_init(((instance *)loaded)->handle)};
    atomic_fetch_add(&c->of->users, 1);
    return c;
}

static void end(void *begun)
{
    context *c = begun;
    if (c == NULL)
        return;
    lib->context_destroy(c->inner);
    let_go(c->of);
    free(c);
}

static char *copy(hg_slice s)
{
    char *text = malloc(s.len + 1);
    if (text == NULL)
        abort();
    if (s.len > 0)
        memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static void to_official(const hg_value *v, ddwaf1_object *out);

static void container(const hg_value *v, ddwaf1_object *out)
{
    size_t size = hg_value_size(v);
    out->type = hg_is_map(v) ? DDWAF1_MAP : DDWAF1_ARRAY;
    out->size = size;
    out->items = size > 0 ? malloc(size * sizeof *out->items) : NULL;
    if (size > 0 && out->items == NULL)
        abort();
    for (size_t i = 0; i < size; i++) {
        if (!hg_is_map(v)) {
            to_official(&hg_array_items(v)[i], &out->items[i]);
            continue;
        }
        hg_slice key = hg_value_string(&hg_map_pairs(v)[i].key);
        to_official(&hg_map_pairs(v)[i].val, &out->items[i]);
        out->items[i].name = copy(key);
        out->items[i].name_len = key.len;
    }
}

static void to_official(const hg_value *v, ddwaf1_object *out)
{
    *out = (ddwaf1_object){.type = DDWAF1_NULL};
    if (hg_is_container(v)) {
        container(v, out);
    } else if (hg_is_string(v)) {
        hg_slice s = hg_value_string(v);
        *out = (ddwaf1_object){.string = copy(s), .size = s.len, .type = DDWAF1_STRING};
    } else if (v->type == HG_BOOL) {
        *out = (ddwaf1_object){.boolean = v->b8.val, .type = DDWAF1_BOOL};
    } else if (v->type == HG_SIGNED || v->type == HG_UNSIGNED) {
        *out = (ddwaf1_object){.u64 = v->u64.val, .type = v->type == HG_SIGNED ? DDWAF1_SIGNED : DDWAF1_UNSIGNED};
    } else if (v->type == HG_FLOAT) {
        *out = (ddwaf1_object){.f64 = v->f64.val, .type = DDWAF1_FLOAT};
    }
}

static void from_official(const ddwaf1_object *o, hg_value *out)
{
    const hg_allocator *a = hg_heap();
    hg_value *slot;
    hg_set_null(out);
    switch (o->type) {
    case DDWAF1_SIGNED: hg_set_signed(out, o->i64); break;
    case DDWAF1_UNSIGNED: hg_set_unsigned(out, o->u64); break;
    case DDWAF1_FLOAT: hg_set_float(out, o->f64); break;
    case DDWAF1_BOOL: hg_set_bool(out, o->boolean); break;
    case DDWAF1_STRING: hg_set_string(out, hg_slice_of(o->string, o->size), a); break;
    case DDWAF1_ARRAY:
        hg_set_array(out, o->size, a);
        for (uint64_t i = 0; i < o->size && (slot = hg_array_append(out, a)) != NULL; i++)
            from_official(&o->items[i], slot);
        break;
    case DDWAF1_MAP:
        hg_set_map(out, o->size, a);
        for (uint64_t i = 0; i < o->size; i++) {
            slot = hg_map_append(out, hg_slice_of(o->items[i].name, o->items[i].name_len), a);
            if (slot != NULL)
                from_official(&o->items[i], slot);
        }
        break;
    default: break;
    }
}

static bool judge(void *begun, const hg_value *data, uint64_t timeout_us, hg_value *events)
{
    ddwaf1_object input, result;
    to_official(data, &input);
    int code = lib->run(((context *)begun)->inner, &input, NULL, &result, timeout_us);
    if (code < 0)
        return false;
    const ddwaf1_object *found = ddwaf1_find(&result, "events");
    if (found != NULL && found->size > 0)
        from_official(found, events);
    lib->object_free(&result);
    return true;
}

const reference_engine *reference_official(void)
{
    static const reference_engine engine = {"libddwaf", true, load, unload, begin, end, judge};
    lib = ddwaf1_open();
    return lib != NULL ? &engine : NULL;
}
