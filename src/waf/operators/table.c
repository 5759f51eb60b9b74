/* The operators. A new one is its file and its line here. */
#include "waf/operators/operator.h"

#define OPERATORS(X) \
    X(match_regex) \
    X(match_regex_with_checksum) \
    X(phrase_match) \
    X(exact_match) \
    X(ip_match) \
    X(equals) \
    X(greater_than) \
    X(lower_than) \
    X(exists) \
    X(is_sqli) \
    X(is_xss) \
    X(hidden_ascii_match) \
    X(lfi_detector) \
    X(ssrf_detector) \
    X(sqli_detector) \
    X(shi_detector) \
    X(cmdi_detector)

#define DECLARE(name) extern const hg_operator hg_operator_##name;
#define POINT(name) &hg_operator_##name,

OPERATORS(DECLARE)

static const hg_operator *const operators[] = {OPERATORS(POINT)};

const hg_operator *hg_operator_find(hg_slice name)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (hg_slice_equal(operators[i]->name, name))
            return operators[i];
    return NULL;
}

const hg_operator *const *hg_operator_list(size_t *count)
{
    *count = sizeof operators / sizeof *operators;
    return operators;
}
