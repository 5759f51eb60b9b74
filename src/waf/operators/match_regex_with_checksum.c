/* match_regex_with_checksum: the first occurrence whose check digit is right (waf-operators 3). */
#include "waf/operators/regex_params.h"

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)data;
    return hg_read_regex_params(r, parameters, true, m);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    const hg_regex_params *params = m->params;
    hg_slice rest = hg_value_string(v);
    hg_span span;
    while (rest.len > 0 && rest.len >= params->min_length &&
           hg_regex_match(params->regex, env->regex, rest, 0, &span, 1) && span.end > span.begin) {
        *highlight = hg_slice_of(rest.ptr + span.begin, span.end - span.begin);
        if (params->checksum(*highlight))
            return true;
        rest = hg_slice_skip(rest, span.end); /* what remains is a text of its own: `^` matches at its start */
    }
    return false;
}

const hg_operator hg_operator_match_regex_with_checksum = {
    .name = HG_SLICE("match_regex_with_checksum"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .shown = hg_regex_params_shown,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
