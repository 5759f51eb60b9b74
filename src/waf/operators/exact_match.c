/* exact_match: the whole value is one of a list (waf-operators 5). */
#include "waf/operators/list_params.h"

#include "text/exact.h"

static const void *build(const hg_slice *values, const uint64_t *expirations, size_t count, hg_arena *arena)
{
    return hg_exact_build(values, expirations, count, arena);
}

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    return hg_read_list_or_data(r, parameters, hg_cast_strings, m, data);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    (void)env;
    *highlight = hg_value_string(v);
    return highlight->len > 0 && hg_is_member_now(hg_exact_find(m->params, *highlight));
}

const hg_operator hg_operator_exact_match = {
    .name = HG_SLICE("exact_match"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .build = build,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
