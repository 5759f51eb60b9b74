#include "waf/ruleset/actions.h"

#define NUMBER(n) {.u64 = {HG_UNSIGNED, (n)}}
#define TEXT(text) {.sstr = {HG_SMALL_STRING, sizeof(text) - 1, text}}

static const hg_action_parameter block_parameters[] = {
    {HG_SLICE("status_code"), NUMBER(403)},
    {HG_SLICE("type"), TEXT("auto")},
    {HG_SLICE("grpc_status_code"), NUMBER(10)},
};

static const hg_action defaults[] = {
    {HG_SLICE("block"), HG_SLICE("block_request"), HG_ACTION_BLOCK, block_parameters, 3},
    {HG_SLICE("extract_schema"), HG_SLICE("generate_schema"), HG_ACTION_SCHEMA, NULL, 0},
    {HG_SLICE("monitor"), HG_SLICE("monitor"), HG_ACTION_MONITOR, NULL, 0},
    {HG_SLICE("stack_trace"), HG_SLICE("generate_stack"), HG_ACTION_STACK, NULL, 0},
};

const hg_action *hg_action_defaults(size_t *count)
{
    *count = sizeof defaults / sizeof *defaults;
    return defaults;
}

const hg_action *hg_action_default_block(void)
{
    return &defaults[0];
}

hg_action_kind hg_action_kind_of(hg_slice type)
{
    static const struct {
        hg_slice type;
        hg_action_kind kind;
    } kinds[] = {
        {HG_SLICE("block_request"), HG_ACTION_BLOCK},    {HG_SLICE("redirect_request"), HG_ACTION_REDIRECT},
        {HG_SLICE("generate_stack"), HG_ACTION_STACK},   {HG_SLICE("generate_schema"), HG_ACTION_SCHEMA},
        {HG_SLICE("monitor"), HG_ACTION_MONITOR},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (hg_slice_equal(kinds[i].type, type))
            return kinds[i].kind;
    return HG_ACTION_OTHER;
}
