/* lfi_detector: a parameter decides which file is opened (waf-operators 12.1). */
#include "waf/operators/operator.h"

#include "text/rasp/lfi.h"

static bool detect(const void *params, hg_detect *d)
{
    (void)params;
    hg_slice path = hg_value_string(d->resource);
    hg_slice param;
    for (size_t object = 0; object < d->object_count; object++) {
        while (d->next(d, object, &param)) {
            if (d->expired(d))
                return false;
            if (!hg_lfi_is_injected(path, param))
                continue;
            d->mark(d);
            d->resource_text = path;
            d->param = d->highlight = param;
            return true;
        }
    }
    return false;
}

const hg_operator hg_operator_lfi_detector = {
    .name = HG_SLICE("lfi_detector"),
    .kind = HG_OPERATOR_DETECTOR,
    .max_version = 2,
    .arguments = {{HG_SLICE("resource"), false, HG_ARGUMENT_STRING}, {HG_SLICE("params"), true, HG_ARGUMENT_ANY}},
    .detect = detect,
};
