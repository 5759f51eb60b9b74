/* The typed operand of equals, greater_than and lower_than. */
#ifndef WAF_OPERATORS_OPERAND_H
#define WAF_OPERATORS_OPERAND_H

#include "waf/ruleset/reader.h"

typedef enum hg_operand_type {
    HG_OPERAND_STRING,
    HG_OPERAND_BOOLEAN,
    HG_OPERAND_UNSIGNED,
    HG_OPERAND_SIGNED,
    HG_OPERAND_FLOAT,
    HG_OPERAND_TYPES
} hg_operand_type;

typedef struct hg_operand {
    hg_operand_type type;
    hg_slice string;
    bool boolean;
    uint64_t u64;
    int64_t i64;
    double f64;
    double delta; /* equals, float */
    bool bytes_only; /* equals: a string without bytes is never equal */
} hg_operand;

/* Reads `type`, one of those from `first` on, and `value`. */
bool hg_read_operand(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_operand_type first, hg_operand **out);

/* Mathematical order of the number v and the operand: <0, 0, >0; 2 when they cannot be ordered (NaN). As doubles if
 * either is one. */
int hg_operand_order(const hg_value *v, const hg_operand *operand);

#endif
