/* is_sqli: SQL injection (waf-operators 8). The highlight is the fingerprint. */
#include "hotgate/injection.h"
#include "waf/operators/operator.h"

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    (void)m;
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    if (!hg_sqli(hg_value_string(v), fingerprint))
        return false;
    *highlight = hg_arena_copy(env->arena, hg_slice_from(fingerprint), NULL);
    return true;
}

const hg_operator hg_operator_is_sqli = {
    .name = HG_SLICE("is_sqli"),
    .kind = HG_OPERATOR_SCALAR,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
