#include "waf/operators/operand.h"

static const hg_slice names[HG_OPERAND_TYPES] = {HG_SLICE("string"), HG_SLICE("boolean"), HG_SLICE("unsigned"),
                                                 HG_SLICE("signed"), HG_SLICE("float")};

static bool read_value(hg_reader *r, const hg_table *parameters, hg_operand *out)
{
    const hg_slice key = HG_SLICE("value");
    switch (out->type) {
    case HG_OPERAND_STRING:
        return hg_read(r, parameters, key, hg_cast_string, &out->string);
    case HG_OPERAND_BOOLEAN:
        return hg_read(r, parameters, key, hg_cast_bool, &out->boolean);
    case HG_OPERAND_UNSIGNED:
        return hg_read(r, parameters, key, hg_cast_unsigned, &out->u64);
    case HG_OPERAND_SIGNED:
        return hg_read(r, parameters, key, hg_cast_signed, &out->i64);
    default:
        return hg_read(r, parameters, key, hg_cast_double, &out->f64);
    }
}

bool hg_read_operand(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_operand_type first, hg_operand **out)
{
    hg_operand *operand = HG_READ_NEW(r, hg_operand, 1);
    hg_slice name;
    if (operand == NULL || !hg_read(r, parameters, HG_SLICE("type"), hg_cast_string, &name))
        return false;
    operand->type = first;
    while (operand->type < HG_OPERAND_TYPES && !hg_slice_equal(names[operand->type], name))
        operand->type++;
    if (operand->type == HG_OPERAND_TYPES)
        return HG_READ_ERROR(r, hg_table_find(parameters, HG_SLICE("type")), HG_SLICE("invalid type for matcher "),
                             m->op->name, HG_SLICE(" "), name);
    m->params = operand;
    *out = operand;
    return read_value(r, parameters, operand);
}

static int order_doubles(double a, double b)
{
    if (a < b)
        return -1;
    if (a > b)
        return 1;
    return a == b ? 0 : 2;
}

static double as_double(const hg_value *v)
{
    if (v->type == HG_FLOAT)
        return v->f64.val;
    return v->type == HG_SIGNED ? (double)v->i64.val : (double)v->u64.val;
}

static double operand_as_double(const hg_operand *operand)
{
    if (operand->type == HG_OPERAND_FLOAT)
        return operand->f64;
    return operand->type == HG_OPERAND_SIGNED ? (double)operand->i64 : (double)operand->u64;
}

int hg_operand_order(const hg_value *v, const hg_operand *operand)
{
    if (v->type == HG_FLOAT || operand->type == HG_OPERAND_FLOAT)
        return order_doubles(as_double(v), operand_as_double(operand));
    bool v_negative = v->type == HG_SIGNED && v->i64.val < 0;
    bool operand_negative = operand->type == HG_OPERAND_SIGNED && operand->i64 < 0;
    if (v_negative != operand_negative)
        return v_negative ? -1 : 1;
    /* of the same sign, so two's complement keeps the order */
    uint64_t a = v->u64.val;
    uint64_t b = operand->type == HG_OPERAND_SIGNED ? (uint64_t)operand->i64 : operand->u64;
    return (a > b) - (a < b);
}
