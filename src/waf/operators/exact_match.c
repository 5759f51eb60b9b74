/* exact_match: the whole value is one of a list (waf-operators 5). */
#include "waf/operators/list_params.h"

#include "text/exact.h"

const void *hg_exact_params(hg_arena *arena, const hg_expiring *values, size_t count)
{
    hg_slice *texts;
    uint64_t *expirations;
    if (!hg_split_expiring(arena, values, count, &texts, &expirations))
        return NULL;
    return hg_exact_build(texts, expirations, count, arena);
}

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    hg_slices list;
    bool has_list;
    if (!hg_read_list_or_data(r, parameters, hg_cast_strings, &list, &has_list, data))
        return false;
    if (!has_list)
        return true;
    m->params = hg_exact_build(list.items, NULL, list.count, r->arena);
    return m->params != NULL || hg_read_nomem(r);
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
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
