/* The builder: the loaded configurations, and what is kept between builds. */
#ifndef WAF_RULESET_BUILDER_H
#define WAF_RULESET_BUILDER_H

#include "hotgate/waf.h"
#include "waf/ruleset/config.h"

typedef struct hg_data_sets hg_data_sets;

/* What a data set is: decided by the first item that defined it, for good. */
typedef struct hg_data_type {
    hg_data_kind kind;
    hg_slice id;
    const hg_operator *op;
} hg_data_type;

struct hg_builder {
    hg_profile profile;
    hg_config **configs; /* in order of first loading */
    size_t count;
    size_t capacity;
    uint64_t next_serial;
    hg_regex_store regexes;
    hg_config *base;           /* obfuscator given by the caller; NULL: none */
    hg_arena types_arena;      /* ids of types */
    hg_data_type *types;       /* in order of definition */
    size_t type_count;
    size_t type_capacity;
    hg_data_sets *last_data;   /* of the last build, to be shared; NULL: none */
    hg_diagnostic_fn *report;
    void *report_state;
};

/* A builder of another profile (copied), with an obfuscator for all its rulesets: an empty pattern is off, both empty is
 * no obfuscator. NULL when out of memory. */
hg_builder *hg_builder_new_with(const hg_profile *profile, hg_slice key_regex, hg_slice value_regex);

/* The effective ruleset of what is loaded now. NULL with HG_ERR_SYNTAX if it has no rule and no postprocessor, or
 * HG_ERR_NOMEM. */
hg_ruleset *hg_builder_ruleset(hg_builder *builder, hg_status *status);

#endif
