/* match_regex: the first occurrence of a pattern (waf-operators 2). */
#include "waf/operators/regex_params.h"

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)data;
    return hg_read_regex_params(r, parameters, false, m);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    const hg_regex_params *params = m->params;
    hg_slice text = hg_value_string(v);
    hg_span span;
    if (text.len == 0 || text.len < params->min_length ||
        !hg_regex_match(params->regex, env->regex, text, 0, &span, 1))
        return false;
    *highlight = hg_slice_of(text.ptr + span.begin, span.end - span.begin);
    return true;
}

const hg_operator hg_operator_match_regex = {
    .name = HG_SLICE("match_regex"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .shown = hg_regex_params_shown,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
