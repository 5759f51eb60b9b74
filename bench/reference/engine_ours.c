#include "reference/engine.h"

#include "hotgate/waf.h"

static void *load(hg_slice text)
{
    hg_arena arena;
    hg_value rules;
    const hg_json_options options = {.dialect = HG_JSON_STRICT};
    hg_arena_init(&arena, NULL);
    hg_builder *builder = hg_builder_new();
    hg_waf *waf = NULL;
    if (builder != NULL && hg_json_read(text, &options, &rules, hg_arena_allocator(&arena), NULL) == HG_OK) {
        hg_builder_set(builder, HG_SLICE("rules"), &rules, NULL, NULL);
        waf = hg_builder_build(builder, NULL);
    }
    hg_builder_free(builder);
    hg_arena_close(&arena);
    return waf;
}

static void unload(void *instance)
{
    hg_waf_unref(instance);
}

static void *begin(void *instance)
{
    return hg_context_new(instance);
}

static void end(void *context)
{
    hg_context_free(context);
}

static bool judge(void *context, const hg_value *data, uint64_t timeout_us, hg_value *events)
{
    const hg_result *r;
    if (hg_context_eval(context, data, timeout_us, &r) != HG_OK)
        return false;
    const hg_value *found = r->events > 0 ? hg_map_find(&r->value, HG_SLICE("events")) : NULL;
    return found == NULL || hg_value_clone(found, events, hg_heap()) == HG_OK;
}

const reference_engine reference_ours = {"hotgate", false, load, unload, begin, end, judge};
