/* The waf kind through hotgate/waf.h. */
#include "conformance/waf_driver.h"
#include "hotgate/waf.h"

static void *load(const hg_value *ruleset)
{
    hg_builder *builder = hg_builder_new();
    hg_builder_set(builder, HG_SLICE("default"), ruleset, NULL, NULL);
    hg_waf *waf = hg_builder_build(builder, NULL);
    hg_builder_free(builder);
    return waf;
}

static void unload(void *instance)
{
    hg_waf_unref(instance);
}

static void *context(void *instance)
{
    return hg_context_new(instance);
}

static void *subcontext(void *parent)
{
    return hg_subcontext_new(parent);
}

static void release(void *context_or_sub, bool sub)
{
    (void)sub;
    hg_context_free(context_or_sub);
}

static const hg_value *run(void *context_or_sub, bool sub, const hg_value *input, bool *match)
{
    const hg_result *result;
    (void)sub;
    if (hg_context_eval(context_or_sub, input, 10000000, &result) != HG_OK)
        return NULL;
    *match = result->match;
    return &result->value;
}

const waf_driver waf_native = {"native", load, unload, context, subcontext, release, run};
