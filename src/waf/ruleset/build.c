/* From loaded configurations to an instance. */
#include "hotgate/memory.h"
#include "waf/plan/plan.h"
#include "waf/ruleset/builder.h"

hg_waf *hg_builder_build(hg_builder *builder, hg_status *status)
{
    hg_status ignored;
    if (status == NULL)
        status = &ignored;
    hg_ruleset *ruleset = hg_builder_ruleset(builder, status);
    if (ruleset == NULL)
        return NULL;
    hg_pool_release(); /* what reading took: compiling finds room there */
    hg_waf *waf = hg_waf_compile(ruleset);
    hg_ruleset_unref(ruleset);
    hg_pool_release();
    if (waf == NULL)
        *status = HG_ERR_NOMEM;
    return waf;
}
