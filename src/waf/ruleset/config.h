/* One loaded configuration, parsed: immutable, reference counted by the builder and by every ruleset made of it. */
#ifndef WAF_RULESET_CONFIG_H
#define WAF_RULESET_CONFIG_H

#include <stdatomic.h>

#include "waf/ruleset/regex_store.h"
#include "waf/ruleset/ruleset.h"

/* In the order in which they are read. */
typedef enum hg_section {
    HG_SECTION_ACTIONS,            /* hg_action */
    HG_SECTION_RULES,              /* hg_rule */
    HG_SECTION_RULES_COMPAT,       /* hg_rule */
    HG_SECTION_CUSTOM_RULES,       /* hg_rule */
    HG_SECTION_RULES_DATA,         /* hg_data */
    HG_SECTION_RULES_OVERRIDE,     /* hg_rule_override */
    HG_SECTION_PROCESSOR_OVERRIDES, /* hg_processor_override */
    HG_SECTION_EXCLUSIONS,         /* hg_filter_config */
    HG_SECTION_EXCLUSION_DATA,     /* hg_data */
    HG_SECTION_PROCESSORS,         /* hg_processor_config */
    HG_SECTION_SCANNERS,           /* hg_scanner */
    HG_SECTIONS
} hg_section;

typedef enum hg_reference_kind {
    HG_REFERENCE_EMPTY, /* refers to nothing */
    HG_REFERENCE_ID,
    HG_REFERENCE_TAGS /* all of the tags */
} hg_reference_kind;

typedef struct hg_reference {
    hg_reference_kind kind;
    hg_slice id;
    hg_tags tags;
} hg_reference;

typedef struct hg_references {
    const hg_reference *items;
    uint32_t count;
} hg_references;

typedef struct hg_data {
    hg_slice id;
    const hg_operator *op; /* exact_match or ip_match, by the type of the data */
    const hg_expiring *values;
    uint32_t count;
} hg_data;

typedef struct hg_rule_override {
    hg_references targets; /* of one kind, empty ones apart */
    hg_reference_kind kind;
    bool has_enabled;
    bool enabled;
    bool has_on_match;
    hg_slices on_match;
    hg_tags tags;
} hg_rule_override;

typedef struct hg_scanner_selection {
    hg_references include;
    hg_references exclude;
} hg_scanner_selection;

typedef struct hg_processor_override {
    hg_references targets;
    hg_scanner_selection scanners;
} hg_processor_override;

typedef struct hg_filter_config {
    hg_filter filter; /* its rules are not resolved */
    hg_references targets;
} hg_filter_config;

typedef struct hg_processor_config {
    hg_processor processor; /* its scanners are not resolved */
    hg_references scanners;
} hg_processor_config;

typedef struct hg_items {
    const void **items;
    uint32_t count;
} hg_items;

typedef struct hg_config {
    atomic_uint references;
    hg_arena arena;
    hg_regex_hold regexes;
    uint64_t serial; /* differs between all configurations a builder ever had */
    hg_slice path;
    hg_items sections[HG_SECTIONS];
    const hg_obfuscator *obfuscator; /* NULL: none */
} hg_config;

/* The tag of that name, or NULL. */
const hg_tag *hg_tags_find(hg_tags tags, hg_slice key);

/* Sets the rule's tags and what follows from them: type and module. False if there is no type. */
bool hg_rule_take_tags(hg_rule *rule, hg_tags tags);

/* An empty configuration with one reference. NULL when out of memory. */
hg_config *hg_config_new(hg_slice path, uint64_t serial);
hg_config *hg_config_ref(hg_config *config);
void hg_config_unref(hg_config *config);

#endif
