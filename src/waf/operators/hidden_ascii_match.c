/* hidden_ascii_match: the value has ASCII in invisible tag characters (waf-operators 10). */
#include "text/hidden_ascii.h"
#include "text/transform.h"
#include "waf/ruleset/reader.h"

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)parameters;
    (void)data;
    hg_transform_chain *reveal = HG_READ_NEW(r, hg_transform_chain, 1);
    if (reveal == NULL)
        return false;
    hg_transform_chain_add(reveal, hg_transform_find(HG_SLICE("unicode_normalize")));
    m->params = reveal;
    m->accepts = r->profile->hidden_ascii_heap_only ? HG_ACCEPT_HEAP_STRING : HG_ACCEPT_STRING;
    return true;
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    hg_slice s = hg_value_string(v);
    bool changed;
    if (!hg_has_hidden_ascii(s))
        return false;
    return hg_transform_apply(m->params, s, HG_TRAIT_HIGH, env->arena, highlight, &changed) == HG_OK;
}

const hg_operator hg_operator_hidden_ascii_match = {
    .name = HG_SLICE("hidden_ascii_match"),
    .kind = HG_OPERATOR_SCALAR,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
