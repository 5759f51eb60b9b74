/* ip_match: the value is an address in one of a list of ranges (waf-operators 6). */
#include "waf/operators/list_params.h"

#include "text/ipset.h"

static const void *build(const hg_slice *values, const uint64_t *expirations, size_t count, hg_arena *arena)
{
    return hg_ipset_build(values, expirations, count, arena);
}

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    return hg_read_list_or_data(r, parameters, hg_cast_views, m, data);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    (void)env;
    hg_ip ip;
    *highlight = hg_value_string(v);
    return highlight->len > 0 && hg_ip_parse(*highlight, &ip) && hg_is_member_now(hg_ipset_find(m->params, ip));
}

const hg_operator hg_operator_ip_match = {
    .name = HG_SLICE("ip_match"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .build = build,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
