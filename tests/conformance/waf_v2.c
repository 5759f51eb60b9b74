/* The waf kind through this build's libddwaf.so of ABI 2. */
#include "conformance/waf_driver.h"
#include "conformance/waf_library.h"

#include "hotgate/ddwaf2/ddwaf.h"

#define FUNCTIONS(X) \
    X(ddwaf_init) \
    X(ddwaf_destroy) \
    X(ddwaf_context_init) \
    X(ddwaf_context_eval) \
    X(ddwaf_context_destroy) \
    X(ddwaf_subcontext_init) \
    X(ddwaf_subcontext_eval) \
    X(ddwaf_subcontext_destroy) \
    X(ddwaf_object_destroy) \
    X(ddwaf_get_default_allocator)

#define POINTER(name) static __typeof__(name) *name##_;
FUNCTIONS(POINTER)

static ddwaf_allocator allocator;

static void open_library(void)
{
    void *library = waf_library_open(2);
#define RESOLVE(name) name##_ = (__typeof__(name) *)waf_library_symbol(library, #name);
    FUNCTIONS(RESOLVE)
    allocator = ddwaf_get_default_allocator_();
}

/* A context or subcontext with its last result. */
typedef struct run_state {
    void *handle;
    ddwaf_object result;
} run_state;

static void *load(const hg_value *ruleset)
{
    if (allocator == NULL)
        open_library();
    return ddwaf_init_((const ddwaf_object *)ruleset, NULL);
}

static void unload(void *instance)
{
    ddwaf_destroy_(instance);
}

static void *state_new(void *handle)
{
    run_state *state = handle != NULL ? calloc(1, sizeof *state) : NULL;
    if (state != NULL)
        state->handle = handle;
    return state;
}

static void *context(void *instance)
{
    return state_new(ddwaf_context_init_(instance, allocator));
}

static void *subcontext(void *parent)
{
    return state_new(ddwaf_subcontext_init_(((run_state *)parent)->handle));
}

static void release(void *context_or_sub, bool sub)
{
    run_state *state = context_or_sub;
    if (state == NULL)
        return;
    ddwaf_object_destroy_(&state->result, allocator);
    if (sub)
        ddwaf_subcontext_destroy_(state->handle);
    else
        ddwaf_context_destroy_(state->handle);
    free(state);
}

static const hg_value *run(void *context_or_sub, bool sub, const hg_value *input, bool *match)
{
    run_state *state = context_or_sub;
    ddwaf_object *data = (ddwaf_object *)input;
    ddwaf_object_destroy_(&state->result, allocator);
    DDWAF_RET_CODE code = sub ? ddwaf_subcontext_eval_(state->handle, data, NULL, &state->result, 10000000)
                              : ddwaf_context_eval_(state->handle, data, NULL, &state->result, 10000000);
    *match = code == DDWAF_MATCH;
    return code >= 0 ? (const hg_value *)&state->result : NULL;
}

const waf_driver waf_v2 = {"v2", load, unload, context, subcontext, release, run};
