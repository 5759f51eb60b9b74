/* lower_than (waf-operators 7). */
#include "waf/operators/operand.h"

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    (void)data;
    hg_operand *operand;
    return hg_read_operand(r, parameters, m, HG_OPERAND_UNSIGNED, &operand);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    (void)env;
    *highlight = HG_SLICE("");
    return hg_operand_order(v, m->params) == -1;
}

const hg_operator hg_operator_lower_than = {
    .name = HG_SLICE("lower_than"),
    .kind = HG_OPERATOR_SCALAR,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .accepts = HG_ACCEPT_INTEGER | HG_ACCEPT_FLOAT,
    .match = match,
};
