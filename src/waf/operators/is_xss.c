/* is_xss: script injection (waf-operators 9). */
#include "hotgate/injection.h"
#include "waf/operators/operator.h"

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    (void)m;
    (void)env;
    *highlight = HG_SLICE("");
    return hg_xss(hg_value_string(v));
}

const hg_operator hg_operator_is_xss = {
    .name = HG_SLICE("is_xss"),
    .kind = HG_OPERATOR_SCALAR,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
