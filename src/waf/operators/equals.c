/* equals (waf-operators 7). */
#include "waf/operators/operand.h"

static bool read(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data)
{
    static const uint32_t accepts[HG_OPERAND_TYPES] = {HG_ACCEPT_STRING, HG_ACCEPT_BOOL, HG_ACCEPT_INTEGER,
                                                       HG_ACCEPT_INTEGER, HG_ACCEPT_FLOAT};
    (void)data;
    hg_operand *operand;
    if (!hg_read_operand(r, parameters, m, HG_OPERAND_STRING, &operand))
        return false;
    m->accepts = accepts[operand->type];
    operand->delta = 0.01;
    operand->bytes_only = r->profile->missing_equals_nothing;
    return operand->type != HG_OPERAND_FLOAT ||
           hg_read_optional(r, parameters, HG_SLICE("delta"), hg_cast_double, &operand->delta);
}

static bool equals_string(const hg_operand *operand, hg_slice text)
{
    return hg_slice_equal(text, operand->string) && (text.ptr != NULL || !operand->bytes_only);
}

static bool match(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight)
{
    const hg_operand *operand = m->params;
    (void)env;
    *highlight = HG_SLICE("");
    switch (operand->type) {
    case HG_OPERAND_STRING:
        return equals_string(operand, hg_value_string(v));
    case HG_OPERAND_BOOLEAN:
        return v->b8.val == operand->boolean;
    case HG_OPERAND_FLOAT:
        return __builtin_fabs(operand->f64 - v->f64.val) < operand->delta;
    default:
        return hg_operand_order(v, operand) == 0;
    }
}

const hg_operator hg_operator_equals = {
    .name = HG_SLICE("equals"),
    .kind = HG_OPERATOR_SCALAR,
    .negatable = true,
    .arguments = {{HG_SLICE("inputs"), true, 0}},
    .read = read,
    .accepts = HG_ACCEPT_STRING,
    .match = match,
};
