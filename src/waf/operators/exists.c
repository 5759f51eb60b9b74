/* exists (waf-operators 11): answered by the evaluator, which knows the store and the exclusions. */
#include "waf/operators/operator.h"

const hg_operator hg_operator_exists = {
    .name = HG_SLICE("exists"),
    .kind = HG_OPERATOR_EXISTS,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, HG_ARGUMENT_ANY}},
};
