/* What bench/waf compares: our engine by hotgate/waf.h, and libraries that speak libddwaf's version 1 ABI. */
#ifndef BENCH_WAF_ENGINES_H
#define BENCH_WAF_ENGINES_H

#include "hotgate/waf.h"
#include "peers/ddwaf1.h"

#include <stdlib.h>

enum { TIMEOUT = 10000000 };

/* One request as both engines take it. */
typedef struct request {
    hg_value ours;
    ddwaf1_object theirs;
    size_t bytes;
} request;

typedef struct engine {
    const char *label;
    const ddwaf1 *library; /* NULL: hotgate/waf.h */
    ddwaf1_config limits;  /* of a library */
    void *loaded;          /* hg_waf or ddwaf1_handle */
} engine;

static const ddwaf1_config unlimited = {UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL, NULL, NULL};

static inline hg_waf *load_ours(hg_slice text)
{
    hg_arena arena;
    hg_value rules;
    hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_arena_init(&arena, NULL);
    if (hg_json_read(text, &options, &rules, hg_arena_allocator(&arena), NULL) != HG_OK) {
        fprintf(stderr, "the rules are no JSON\n");
        exit(3);
    }
    hg_builder *builder = hg_builder_new();
    hg_builder_set(builder, HG_SLICE("rules"), &rules, NULL, NULL);
    hg_arena_close(&arena);
    hg_waf *waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    return waf;
}

static inline void engine_load(engine *e, hg_slice rules)
{
    e->loaded = e->library == NULL ? (void *)load_ours(rules)
                                   : (void *)ddwaf1_load(e->library, rules.ptr, rules.len, &e->limits);
    if (e->loaded == NULL) {
        fprintf(stderr, "%s cannot load the rules\n", e->label);
        exit(3);
    }
}

static inline void engine_unload(engine *e)
{
    if (e->library == NULL)
        hg_waf_unref(e->loaded);
    else
        e->library->destroy(e->loaded);
}

/* One operation: a context is made, given the request, ended. Did a rule match? */
static inline bool judge_ours(hg_waf *waf, const request *r)
{
    const hg_result *result;
    hg_context *context = hg_context_new(waf);
    bool match = hg_context_eval(context, &r->ours, TIMEOUT, &result) == HG_OK && result->events > 0;
    hg_context_free(context);
    return match;
}

static inline bool judge_by_library(const ddwaf1 *library, ddwaf1_handle *handle, const request *r)
{
    ddwaf1_object result, data = r->theirs;
    ddwaf1_context *context = library->context_init(handle);
    int code = library->run(context, &data, NULL, &result, TIMEOUT);
    const ddwaf1_object *events = ddwaf1_find(&result, "events");
    bool match = code >= 0 && events != NULL && events->size > 0;
    library->object_free(&result);
    library->context_destroy(context);
    return match;
}

static inline bool judge(const engine *e, const request *r)
{
    return e->library == NULL ? judge_ours(e->loaded, r) : judge_by_library(e->library, e->loaded, r);
}

#endif
