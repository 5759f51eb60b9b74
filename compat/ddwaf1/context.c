/* Contexts and ddwaf_run. */
#include "compat.h"

#include "base/log.h"
#include "hotgate/waf.h"
#include "waf/eval/context.h"

/* Persistent input that was handed over. */
typedef struct owned {
    struct owned *next;
    ddwaf_object root;
    const hg_entry *entries; /* as converted, one an entry of the root */
} owned;

/* Lives in the engine context's memory, so a context costs no allocation of its own. */
struct _ddwaf_context {
    hg_context *engine;
    ddwaf_object_free_fn free_fn;
    owned *first, **last; /* in the order they were given */
    hg_arena call;        /* conversions of ephemeral input */
};

ddwaf_context ddwaf_context_init(const ddwaf_handle handle)
{
    hg_context *engine = handle != NULL ? hg_context_new(hg_ddwaf1_engine(handle)) : NULL;
    if (engine == NULL)
        return NULL;
    ddwaf_context context = hg_arena_alloc(&engine->life, sizeof *context, _Alignof(struct _ddwaf_context));
    if (context == NULL) {
        hg_context_free(engine);
        return NULL;
    }
    context->engine = engine;
    context->free_fn = hg_ddwaf1_free_fn(handle);
    context->first = NULL;
    context->last = &context->first;
    hg_arena_init(&context->call, NULL);
    return context;
}

void ddwaf_context_destroy(ddwaf_context context)
{
    if (context == NULL)
        return;
    for (owned *o = context->first; o != NULL && context->free_fn != NULL; o = o->next)
        context->free_fn(&o->root);
    hg_arena_close(&context->call);
    hg_context_free(context->engine);
}

/* ---- Input ---- */

static bool is_root(const ddwaf_object *o)
{
    return o->type == DDWAF_OBJ_MAP && (o->nbEntries == 0 || o->array != NULL);
}

/* Addresses that nothing looks at are not worth converting; that they came still counts. */
static bool convert_entry(const hg_plan *plan, const ddwaf_object *from, bool ephemeral, hg_arena *arena,
                          hg_entry *entry)
{
    *entry = (hg_entry){.ephemeral = ephemeral};
    if (from->parameterName == NULL)
        return true;
    entry->address = hg_slice_of(from->parameterName, from->parameterNameLength);
    hg_value *value = hg_arena_alloc(arena, sizeof *value, _Alignof(hg_value));
    if (value == NULL)
        return false;
    entry->value = value;
    if (hg_addresses_find(&plan->addresses, entry->address) != UINT32_MAX)
        return hg_ddwaf1_read(from, value, HG_DDWAF1_DATA, arena);
    hg_set_null(value);
    return true;
}

/* The root's entries, converted into the arena; NULL when out of memory. */
static const hg_entry *convert(const ddwaf_context context, const ddwaf_object *root, bool ephemeral,
                               hg_arena *arena)
{
    hg_entry *entries = hg_arena_alloc(arena, root->nbEntries * sizeof *entries, _Alignof(hg_entry));
    if (entries == NULL)
        return NULL;
    for (uint64_t i = 0; i < root->nbEntries; i++)
        if (!convert_entry(context->engine->plan, &root->array[i], ephemeral, arena, &entries[i]))
            return NULL;
    return entries;
}

/* An object is known again by its address: input given before is not converted anew. */
static const hg_entry *converted_before(const ddwaf_context context, const ddwaf_object *root)
{
    for (const owned *o = context->first; o != NULL; o = o->next)
        if (o->entries != NULL && o->root.array == root->array && o->root.nbEntries >= root->nbEntries)
            return o->entries;
    return NULL;
}

static owned *take_over(ddwaf_context context, const ddwaf_object *root)
{
    owned *o = hg_arena_alloc(&context->engine->life, sizeof *o, _Alignof(owned));
    if (o == NULL)
        return NULL;
    *o = (owned){.root = *root};
    *context->last = o;
    context->last = &o->next;
    return o;
}

/* ---- Runs ---- */

static bool deliver(void *state, const hg_result *result)
{
    return hg_ddwaf1_write(&result->value, state);
}

typedef struct call {
    ddwaf_context context;
    hg_batch batch;
    ddwaf_object result;
} call;

/* Adds a root's entries to the batch; persistent ones first. */
static bool add_entries(call *c, const hg_entry *entries, uint64_t count)
{
    if (count == 0)
        return entries != NULL;
    if (c->batch.count == 0) {
        c->batch = (hg_batch){entries, count};
        return entries != NULL;
    }
    hg_entry *all = hg_arena_alloc(&c->context->call, (c->batch.count + count) * sizeof *all, _Alignof(hg_entry));
    if (entries == NULL || all == NULL)
        return false;
    memcpy(all, c->batch.entries, c->batch.count * sizeof *all);
    memcpy(all + c->batch.count, entries, count * sizeof *all);
    c->batch = (hg_batch){all, c->batch.count + count};
    return true;
}

static DDWAF_RET_CODE refuse(ddwaf_object *result, const char *kind)
{
    HG_LOG(HG_LOG_WARN, "%s data is no map", kind);
    ddwaf_object_invalid(result);
    return DDWAF_ERR_INVALID_OBJECT;
}

static DDWAF_RET_CODE take_persistent(call *c, const ddwaf_object *root, ddwaf_object *result)
{
    const hg_entry *entries = NULL;
    if (is_root(root) && root->nbEntries > 0)
        entries = converted_before(c->context, root);
    owned *o = take_over(c->context, root);
    if (o == NULL)
        return DDWAF_ERR_INTERNAL;
    if (!is_root(root))
        return refuse(result, "persistent");
    if (entries == NULL)
        entries = convert(c->context, root, false, &c->context->engine->life);
    o->entries = entries;
    return add_entries(c, entries, root->nbEntries) ? DDWAF_OK : DDWAF_ERR_INTERNAL;
}

static DDWAF_RET_CODE take_ephemeral(call *c, const ddwaf_object *root, ddwaf_object *result)
{
    if (!is_root(root)) {
        /* persistent input of the same call counts, though nothing is judged */
        hg_context_store(c->context->engine, &c->batch);
        return refuse(result, "ephemeral");
    }
    const hg_entry *entries = convert(c->context, root, true, &c->context->call);
    return add_entries(c, entries, root->nbEntries) ? DDWAF_OK : DDWAF_ERR_INTERNAL;
}

static DDWAF_RET_CODE judge(call *c, ddwaf_object *result, uint64_t timeout)
{
    const hg_result *outcome;
    hg_context_on_result(c->context->engine, result != NULL ? deliver : NULL, &c->result);
    if (hg_context_run(c->context->engine, &c->batch, 1, timeout, &outcome) != HG_OK)
        return DDWAF_ERR_INTERNAL;
    if (outcome->unrun != HG_UNRUN_NONE)
        HG_LOG(HG_LOG_DEBUG, "out of time: %zu rules not reached", outcome->unrun_rules);
    if (result != NULL)
        *result = c->result;
    return outcome->match ? DDWAF_MATCH : DDWAF_OK;
}

DDWAF_RET_CODE ddwaf_run(ddwaf_context context, ddwaf_object *persistent_data, ddwaf_object *ephemeral_data,
                         ddwaf_object *result, uint64_t timeout)
{
    if (context == NULL || (persistent_data == NULL && ephemeral_data == NULL)) {
        HG_LOG(HG_LOG_WARN, "a run without %s", context == NULL ? "context" : "data");
        return DDWAF_ERR_INVALID_ARGUMENT;
    }
    call c = {.context = context};
    DDWAF_RET_CODE code = DDWAF_OK;
    if (persistent_data != NULL)
        code = take_persistent(&c, persistent_data, result);
    if (code != DDWAF_OK)
        return code;
    ddwaf_object ephemeral = {.type = DDWAF_OBJ_INVALID};
    if (ephemeral_data != NULL) {
        ephemeral = *ephemeral_data;
        code = take_ephemeral(&c, &ephemeral, result);
    }
    if (code == DDWAF_OK)
        code = judge(&c, result, timeout);
    if (ephemeral_data != NULL && context->free_fn != NULL)
        context->free_fn(&ephemeral);
    hg_arena_reset(&context->call);
    return code;
}
