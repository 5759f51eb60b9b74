/* Contexts and subcontexts. */
#include "compat.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "hotgate/waf.h"
#include "waf/eval/context.h"

/* Input that was handed over, kept until the last context that may look at it is gone. */
typedef struct owned {
    struct owned *next;
    hg_value root;
    ddwaf_allocator alloc;
} owned;

typedef struct inputs {
    atomic_uint users;
    struct inputs *parent; /* a use each */
    owned *first;
} inputs;

/* Contexts and subcontexts alike. Lives in the engine context's memory, so a context costs no allocation of its own. */
typedef struct facade {
    hg_context *engine;
    const hg_allocator *output;
    inputs *inputs; /* NULL until something was handed over or shared with a subcontext */
} facade;

static inputs *inputs_new(inputs *parent)
{
    inputs *list = calloc(1, sizeof *list);
    if (list == NULL)
        return NULL;
    atomic_init(&list->users, 1);
    list->parent = parent;
    if (parent != NULL)
        atomic_fetch_add_explicit(&parent->users, 1, memory_order_relaxed);
    return list;
}

static void inputs_drop(inputs *list)
{
    while (list != NULL && atomic_fetch_sub_explicit(&list->users, 1, memory_order_acq_rel) == 1) {
        inputs *parent = list->parent;
        for (owned *o = list->first, *next; o != NULL; o = next) {
            next = o->next;
            hg_value_free(&o->root, &o->alloc->memory);
            free(o);
        }
        free(list);
        list = parent;
    }
}

static inputs *inputs_of(facade *f)
{
    if (f->inputs == NULL)
        f->inputs = inputs_new(NULL);
    return f->inputs;
}

/* Takes the data over. The engine looks at the entries, which do not move. */
static bool take_over(facade *f, const ddwaf_object *data, ddwaf_allocator alloc)
{
    inputs *list = inputs_of(f);
    owned *o = list != NULL ? malloc(sizeof *o) : NULL;
    if (o == NULL)
        return false;
    *o = (owned){list->first, *const_value_of(data), alloc};
    list->first = o;
    return true;
}

static facade *facade_new(hg_context *engine, const hg_allocator *output)
{
    facade *f = engine != NULL ? hg_arena_alloc(&engine->life, sizeof *f, _Alignof(facade)) : NULL;
    if (f == NULL) {
        hg_context_free(engine);
        return NULL;
    }
    *f = (facade){engine, output, NULL};
    return f;
}

/* Nothing of the input is read here: its owner may have freed it already. */
static void facade_free(facade *f)
{
    if (f == NULL)
        return;
    inputs *list = f->inputs;
    hg_context_free(f->engine);
    inputs_drop(list);
}

/* ---- Evaluation ---- */

typedef struct delivery {
    const hg_allocator *output;
    hg_value copy;
} delivery;

static bool deliver(void *state, const hg_result *result)
{
    delivery *d = state;
    return hg_ddwaf2_copy(&result->value, &d->copy, d->output);
}

static bool is_batches(const ddwaf_object *data, bool several)
{
    const hg_value *v = const_value_of(data);
    if (!several)
        return hg_is_map(v);
    if (!hg_is_array(v))
        return false;
    for (size_t i = 0; i < hg_value_size(v); i++)
        if (!hg_is_map(&hg_array_items(v)[i]))
            return false;
    return true;
}

static DDWAF_RET_CODE eval(facade *f, const ddwaf_object *data, bool several, ddwaf_allocator alloc,
                           ddwaf_object *result, uint64_t timeout)
{
    if (f == NULL || data == NULL)
        return DDWAF_ERR_INVALID_ARGUMENT;
    if (alloc != NULL && !take_over(f, data, alloc))
        return DDWAF_ERR_INTERNAL;
    if (!is_batches(data, several)) {
        HG_LOG(HG_LOG_WARN, "data is no %s", several ? "array of maps" : "map");
        return DDWAF_ERR_INVALID_OBJECT;
    }
    delivery d = {f->output, {.type = HG_INVALID}};
    const hg_result *outcome;
    hg_context_on_result(f->engine, result != NULL ? deliver : NULL, &d);
    hg_status status = several ? hg_context_multieval(f->engine, const_value_of(data), timeout, &outcome)
                               : hg_context_eval(f->engine, const_value_of(data), timeout, &outcome);
    if (status != HG_OK)
        return DDWAF_ERR_INTERNAL;
    if (outcome->unrun != HG_UNRUN_NONE)
        HG_LOG(HG_LOG_DEBUG, "out of time: %zu rules not reached", outcome->unrun_rules);
    if (result != NULL)
        *value_of(result) = d.copy;
    return outcome->match ? DDWAF_MATCH : DDWAF_OK;
}

/* ---- Contexts ---- */

ddwaf_context ddwaf_context_init(const ddwaf_handle handle, ddwaf_allocator output_alloc)
{
    if (handle == NULL || output_alloc == NULL)
        return NULL;
    return (ddwaf_context)facade_new(hg_context_new((hg_waf *)handle), &output_alloc->memory);
}

DDWAF_RET_CODE ddwaf_context_eval(ddwaf_context context, ddwaf_object *data, ddwaf_allocator alloc,
                                  ddwaf_object *result, uint64_t timeout)
{
    return eval((facade *)context, data, false, alloc, result, timeout);
}

DDWAF_RET_CODE ddwaf_context_multieval(ddwaf_context context, ddwaf_object *data, ddwaf_allocator alloc,
                                       ddwaf_object *result, uint64_t timeout)
{
    return eval((facade *)context, data, true, alloc, result, timeout);
}

void ddwaf_context_destroy(ddwaf_context context)
{
    facade_free((facade *)context);
}

/* ---- Subcontexts ---- */

ddwaf_subcontext ddwaf_subcontext_init(ddwaf_context context)
{
    facade *parent = (facade *)context;
    inputs *shared = parent != NULL ? inputs_of(parent) : NULL;
    inputs *own = shared != NULL ? inputs_new(shared) : NULL;
    facade *f = own != NULL ? facade_new(hg_subcontext_new(parent->engine), parent->output) : NULL;
    if (f == NULL) {
        inputs_drop(own);
        return NULL;
    }
    f->inputs = own;
    return (ddwaf_subcontext)f;
}

DDWAF_RET_CODE ddwaf_subcontext_eval(ddwaf_subcontext subcontext, ddwaf_object *data, ddwaf_allocator alloc,
                                     ddwaf_object *result, uint64_t timeout)
{
    return eval((facade *)subcontext, data, false, alloc, result, timeout);
}

DDWAF_RET_CODE ddwaf_subcontext_multieval(ddwaf_subcontext subcontext, ddwaf_object *data, ddwaf_allocator alloc,
                                          ddwaf_object *result, uint64_t timeout)
{
    return eval((facade *)subcontext, data, true, alloc, result, timeout);
}

void ddwaf_subcontext_destroy(ddwaf_subcontext subcontext)
{
    facade_free((facade *)subcontext);
}
