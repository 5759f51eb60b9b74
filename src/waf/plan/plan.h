/* The plan: a ruleset compiled for evaluation. Immutable, reference counted, shared by all threads. Everything in it is
 * an index into one of its arrays; what a context remembers is an array of the same length. */
#ifndef WAF_PLAN_PLAN_H
#define WAF_PLAN_PLAN_H

#include "hotgate/waf.h"
#include "text/transform.h"
#include "waf/plan/addresses.h"
#include "waf/ruleset/ruleset.h"

enum { HG_NO_ADDRESS = UINT32_MAX };

typedef struct hg_plan_input {
    const hg_input *source;
    uint32_t address;
    hg_transform_chain chain;
} hg_plan_input;

typedef enum hg_condition_kind {
    HG_CONDITION_SCALAR,
    HG_CONDITION_NEGATED,
    HG_CONDITION_EXISTS, /* and its negation */
    HG_CONDITION_DETECTOR
} hg_condition_kind;

typedef struct hg_plan_condition {
    const hg_condition *source;
    hg_condition_kind kind;
    bool answerable;    /* false: its data set is unknown, so it never matches */
    hg_matcher matcher; /* resolved */
    uint32_t id;        /* in plan->conditions */
    uint32_t argument[HG_ARGUMENTS_MAX + 1]; /* argument k: inputs [argument[k], argument[k + 1]) of the plan */
} hg_plan_condition;

typedef struct hg_plan_expression {
    uint32_t first; /* in plan->conditions */
    uint32_t count;
} hg_plan_expression;

typedef struct hg_plan_attribute {
    const hg_attribute *source;
    uint32_t address; /* HG_NO_ADDRESS for literals */
} hg_plan_attribute;

typedef struct hg_plan_rule {
    const hg_rule *source;
    hg_plan_expression expression;
    uint32_t index;
    uint32_t type; /* equal types have equal numbers */
    uint32_t attribute_first;
    uint32_t attribute_count;
    const uint32_t *input_filters; /* input filters that target it */
    uint32_t input_filter_count;
} hg_plan_rule;

/* Consecutive rules of module waf that give at most one result a pass. */
typedef struct hg_plan_collection {
    uint32_t first;
    uint32_t count;
    uint32_t type;
    hg_verdict verdict;
} hg_plan_collection;

/* A step of an input filter's paths, merged into a trie per address. */
typedef struct hg_trie_node {
    hg_slice key;
    bool terminal;
    uint32_t child;   /* first child, 0 = none (node 0 is a root) */
    uint32_t sibling; /* next sibling, 0 = none */
    uint32_t any;     /* the child for `*`, 0 = none */
} hg_trie_node;

typedef struct hg_plan_filter_input {
    uint32_t address;
    uint32_t id;   /* over all input filters */
    uint32_t root; /* trie node; terminal: the whole value is excluded */
} hg_plan_filter_input;

typedef struct hg_plan_filter {
    const hg_filter *source;
    hg_plan_expression expression;
    uint32_t id; /* rule filters first, then input filters */
    uint32_t input_first;
    uint32_t input_count;
} hg_plan_filter;

typedef struct hg_plan_mapping {
    const hg_mapping *source;
    uint32_t inputs[HG_MAPPING_MAX]; /* addresses; HG_NO_ADDRESS beyond the generator's parameters */
    uint32_t output;
    uint32_t id;
} hg_plan_mapping;

typedef struct hg_plan_processor {
    const hg_processor *source;
    hg_plan_expression expression;
    uint32_t id;
    uint32_t mapping_first;
    uint32_t mapping_count;
} hg_plan_processor;

/* What an address is used by. */
enum { HG_USED_BY_RULES = 1, HG_USED_BY_FILTERS = 2 };

typedef struct hg_lanes hg_lanes; /* plan/lanes.h */

typedef struct hg_plan {
    hg_ruleset *ruleset;
    const hg_profile *profile;
    hg_arena arena; /* holds all arrays below */

    hg_address_table addresses;
    uint8_t *address_use;
    uint32_t context_event; /* the address waf.context.event */

    /* Conditions of processors and filters come before those of rules, so that contexts can keep what only they need. */
    hg_plan_condition *conditions;
    uint32_t condition_count;
    uint32_t side_condition_count;
    hg_plan_input *inputs;
    uint32_t input_count;
    uint32_t side_input_count;

    hg_plan_rule *rules;
    uint32_t rule_count;
    uint32_t type_count;
    hg_plan_attribute *attributes;
    uint32_t attribute_count;

    /* Module waf; without collections (all types empty) it is treated like the others. */
    hg_plan_collection *collections;
    uint32_t collection_count;

    hg_plan_filter *filters;
    uint32_t filter_count;
    uint32_t rule_filter_count;
    hg_plan_filter_input *filter_inputs;
    uint32_t filter_input_count;
    hg_trie_node *trie;
    uint32_t trie_count;

    hg_plan_processor *processors; /* preprocessors first */
    uint32_t processor_count;
    uint32_t preprocessor_count;
    hg_plan_mapping *mappings;
    uint32_t mapping_count;

    hg_lanes *lanes;
} hg_plan;

/* The public handle is the plan with its counters. */
struct hg_waf {
    hg_plan plan;
    size_t references; /* of handles and context shells; atomic */
    bool retired;      /* no handle is left: shells are dropped when next seen; written and read atomically */
    size_t handles;    /* atomic */
};

/* Compiles; the plan takes a reference of its own. NULL when out of memory. */
hg_waf *hg_waf_compile(hg_ruleset *ruleset);

/* eval/context.c: makes the calling thread's first context of the instance and lets it grow what contexts need, so that
 * the first judgement finds it there. */
void hg_waf_warm(hg_waf *waf);

/* A reference of a context shell: keeps the plan, not its handle. */
void hg_waf_keep(hg_waf *waf);
void hg_waf_drop(hg_waf *waf);

static inline bool hg_waf_retired(const hg_waf *waf)
{
    return __atomic_load_n(&waf->retired, __ATOMIC_ACQUIRE);
}

/* How many instances of the process have been retired: nothing new to drop while it stays. Atomic. */
extern size_t hg_waf_retirements;

#endif
