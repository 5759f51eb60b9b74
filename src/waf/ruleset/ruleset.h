/* The effective ruleset: what all loaded configurations say together, resolved and typed. A plan is compiled from it.
 *
 * It is immutable and reference counted; any number of threads may read it. Every slice and pointer in it stays valid
 * while it lives: it keeps the configurations it came from alive, so that building again after a change of one of them
 * copies and recompiles nothing of the others.
 *
 * hg_builder_build (build.c) makes it and hands it to hg_waf_compile of plan/plan.h. */
#ifndef WAF_RULESET_RULESET_H
#define WAF_RULESET_RULESET_H

#include "text/transform.h"
#include "waf/operators/operator.h"
#include "waf/processors/processor.h"
#include "waf/profile.h"

typedef struct hg_ruleset hg_ruleset;

/* ---- Inputs ---- */

/* A step of a key path: a map key, or an array index (from the end when negative). */
typedef struct hg_step {
    bool by_index;
    int64_t index;
    hg_slice key; /* empty when by_index */
} hg_step;

typedef struct hg_key_path {
    const hg_step *steps;
    uint32_t count;
} hg_key_path;

typedef struct hg_input {
    hg_slice address;
    hg_key_path path;
    hg_transform_chain chain; /* without keys_only and values_only */
    bool keys; /* tests keys instead of values */
} hg_input;

/* ---- Conditions ---- */

typedef struct hg_condition_argument {
    const hg_input *inputs;
    uint32_t count;
} hg_condition_argument;

typedef enum hg_data_kind {
    HG_DATA_NONE,      /* conditions of processors: data ids resolve to nothing */
    HG_DATA_RULES,     /* rules_data */
    HG_DATA_EXCLUSIONS /* exclusion_data */
} hg_data_kind;

typedef struct hg_condition {
    hg_matcher matcher; /* op is always set; with dynamic data params are NULL, see hg_condition_matcher */
    bool negated;
    bool dynamic; /* the matcher comes from the data set `data` */
    hg_data_kind data_kind;
    hg_slice data;
    hg_condition_argument arguments[HG_ARGUMENTS_MAX]; /* as in matcher.op->arguments */
} hg_condition;

typedef struct hg_conditions {
    const hg_condition *items;
    uint32_t count;
} hg_conditions;

/* ---- Rules ---- */

typedef struct hg_tag {
    hg_slice key;
    hg_slice value;
} hg_tag;

typedef struct hg_tags {
    const hg_tag *items;
    uint32_t count;
} hg_tags;

typedef struct hg_slices {
    const hg_slice *items;
    uint32_t count;
} hg_slices;

typedef enum hg_module {
    HG_MODULE_NETWORK_ACL,
    HG_MODULE_AUTHENTICATION_ACL,
    HG_MODULE_CUSTOM_ACL,
    HG_MODULE_CONFIGURATION,
    HG_MODULE_BUSINESS_LOGIC,
    HG_MODULE_RASP,
    HG_MODULE_WAF,
    HG_MODULES
} hg_module;

typedef enum hg_verdict {
    HG_VERDICT_NONE,
    HG_VERDICT_MONITOR,
    HG_VERDICT_BLOCK
} hg_verdict;

/* An output attribute: a literal (address empty), or where to copy it from. */
typedef struct hg_attribute {
    hg_slice name;
    bool literal;
    hg_value value; /* literal: a scalar; strings borrow the ruleset's memory */
    hg_slice address;
    hg_key_path path;
} hg_attribute;

typedef struct hg_rule {
    hg_slice id;
    hg_slice name;
    hg_slice type; /* tags.type */
    hg_module module;
    hg_verdict verdict;
    bool custom; /* from custom_rules */
    bool enabled; /* always true in an effective ruleset */
    bool event;
    bool keep;
    hg_tags tags; /* those of overrides included */
    hg_slices on_match;
    hg_conditions conditions; /* none: legacy rules only, always true */
    const hg_attribute *attributes;
    uint32_t attribute_count;
} hg_rule;

/* ---- Exclusions ---- */

/* In order of strength. */
typedef enum hg_exclusion {
    HG_EXCLUDE_NONE,
    HG_EXCLUDE_CUSTOM,
    HG_EXCLUDE_MONITOR,
    HG_EXCLUDE_BYPASS
} hg_exclusion;

typedef struct hg_filter_input {
    hg_slice address;
    hg_slices path; /* `*` matches any key or index */
} hg_filter_input;

typedef struct hg_filter {
    hg_slice id;
    hg_conditions conditions;
    const uint32_t *rules; /* indices into the ruleset's rules, ascending */
    uint32_t rule_count;
    bool for_inputs;
    /* Rule filters. */
    hg_exclusion mode;
    hg_slice action; /* mode custom: the action's id; mode monitor: `monitor` */
    /* Input filters. */
    const hg_filter_input *inputs;
    uint32_t input_count;
} hg_filter;

/* ---- Actions ---- */

typedef enum hg_action_kind {
    HG_ACTION_BLOCK,
    HG_ACTION_REDIRECT,
    HG_ACTION_STACK,
    HG_ACTION_SCHEMA,
    HG_ACTION_MONITOR,
    HG_ACTION_OTHER
} hg_action_kind;

typedef struct hg_action_parameter {
    hg_slice key;
    hg_value value; /* a scalar; strings borrow the ruleset's memory */
} hg_action_parameter;

typedef struct hg_action {
    hg_slice id;
    hg_slice type;
    hg_action_kind kind;
    const hg_action_parameter *parameters; /* normalised */
    uint32_t parameter_count;
} hg_action;

static inline bool hg_action_blocks(hg_action_kind kind)
{
    return kind == HG_ACTION_BLOCK || kind == HG_ACTION_REDIRECT;
}

/* Modal actions replace each other: block, redirect, monitor. */
static inline bool hg_action_is_modal(hg_action_kind kind)
{
    return hg_action_blocks(kind) || kind == HG_ACTION_MONITOR;
}

/* ---- Processors and scanners ---- */

typedef struct hg_scanner {
    hg_slice id;
    hg_tags tags;
    bool has_key;
    bool has_value;
    hg_matcher key;
    hg_matcher value;
} hg_scanner;

typedef struct hg_mapping {
    struct {
        hg_slice address; /* as in generator->parameters */
        hg_key_path path;
    } inputs[HG_MAPPING_MAX];
    hg_slice output;
} hg_mapping;

typedef struct hg_processor {
    hg_slice id;
    const hg_generator *generator;
    hg_conditions conditions;
    const hg_mapping *mappings;
    uint32_t mapping_count;
    const hg_scanner *const *scanners; /* selected; extract_schema only */
    uint32_t scanner_count;
    bool evaluate; /* runs before the rules, output goes into the store; else it runs after them */
    bool output;   /* output becomes an attribute */
} hg_processor;

/* ---- Obfuscator ---- */

typedef struct hg_obfuscator hg_obfuscator;
struct hg_obfuscator {
    hg_regex *key;   /* NULL: keys are not looked at */
    hg_regex *value; /* NULL: values are not looked at */
    bool default_value; /* value is the default: its groups are redacted, not the whole value */
};

/* ---- The whole ---- */

struct hg_ruleset {
    const hg_profile *profile;

    /* Enabled rules in the order they are evaluated: by module, then verdict, source and (module waf) type as
     * waf-eval 5.1 says, then in order of configuration. Module m is rules[module_begin[m] .. module_begin[m + 1]). */
    const hg_rule *rules;
    uint32_t rule_count;
    uint32_t module_begin[HG_MODULES + 1];

    const hg_filter *rule_filters; /* in order of configuration */
    uint32_t rule_filter_count;
    const hg_filter *input_filters;
    uint32_t input_filter_count;

    const hg_processor *preprocessors; /* evaluate: true */
    uint32_t preprocessor_count;
    const hg_processor *postprocessors;
    uint32_t postprocessor_count;

    const hg_action *actions; /* by id, bytewise; defaults included */
    uint32_t action_count;

    const hg_obfuscator *obfuscator; /* NULL: nothing is obfuscated */

    /* Addresses that can change an answer, and types of the actions that can be reported; NUL-terminated, no
     * duplicates (waf-api 8.2). */
    const char *const *addresses;
    uint32_t address_count;
    const char *const *action_types;
    uint32_t action_type_count;
};

hg_ruleset *hg_ruleset_ref(hg_ruleset *ruleset);
void hg_ruleset_unref(hg_ruleset *ruleset); /* NULL is fine */

/* The action of that id, or NULL. O(log n). */
const hg_action *hg_ruleset_action(const hg_ruleset *ruleset, hg_slice id);

/* What the condition asks of each value: its own matcher or that of its data set. False: the data id is unknown, the
 * condition never matches. Does not change while the ruleset lives. O(log n). */
bool hg_condition_matcher(const hg_ruleset *ruleset, const hg_condition *condition, hg_matcher *out);

#endif
