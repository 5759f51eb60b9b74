/* The operators. A new one is its file and its line here. */
#include "waf/operators/operator.h"

static const hg_operator *const operators[] = {
    NULL,
};

const hg_operator *hg_operator_find(hg_slice name)
{
    for (size_t i = 0; operators[i] != NULL; i++)
        if (hg_slice_equal(operators[i]->name, name))
            return operators[i];
    return NULL;
}

const hg_operator *const *hg_operator_list(size_t *count)
{
    *count = sizeof operators / sizeof *operators - 1;
    return operators;
}
