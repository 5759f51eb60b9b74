/* Every difference between the native interface and the two libddwaf ABIs, as one structure. The engine asks the
 * profile; it never asks who is calling. */
#ifndef WAF_PROFILE_H
#define WAF_PROFILE_H

#include "hotgate/base.h"

/* How long reports show a floating point number (value.h: hg_float_text, or libddwaf 1's shorter-of-two rule). */
typedef enum hg_float_style {
    HG_FLOAT_BY_EXPONENT, /* scientific below 1e-4 and from 1e16 on */
    HG_FLOAT_SHORTER      /* fixed or scientific, whichever is shorter; fixed on a tie */
} hg_float_style;

typedef struct hg_profile {
    uint16_t version[3]; /* what min_version and max_version are compared to */

    /* Reading rulesets. */
    bool legacy_schema;     /* schema major 0 is current, 1 is the legacy format (else both are unsupported) */
    bool empty_keys;        /* maps of a ruleset may hold empty keys; only entries without a key are refused */
    bool index_steps;       /* integers in key paths are array indices; else every scalar becomes a string */
    bool empty_phrases;     /* phrase_match lists may hold empty phrases (they never match) */
    bool config_obfuscator; /* the `obfuscator` section counts; else the builder's options do */
    bool lax_numbers;       /* numbers given as strings may have leading blanks and a sign */
    uint32_t max_key_path;  /* steps in inputs of conditions and processors; 0 = no limit */

    bool attribute_addresses; /* what output attributes are copied from counts as a known address of the rule */

    /* Evaluating. Limits: UINT32_MAX = none. */
    uint32_t max_container_size;
    uint32_t max_container_depth;
    uint32_t max_string_length;
    bool evaluate_unchanged;     /* a batch that brings nothing new is evaluated; else the result is empty at once */
    bool final_clock_check;      /* the clock is looked at once more after a batch */
    bool match_by_rules;         /* the verdict is MATCH iff a rule gave a result; else iff the result is not empty */
    bool processors_overwrite;   /* a processor's attribute replaces one of the same name; else the first stays */
    bool mistyped_maps_present;  /* fingerprints count a map input of another type as present */
    bool schema_empty_keys;      /* extract_schema shows empty keys */
    bool literal_empty_steps;    /* an empty step of an input filter matches an empty key; else only `*` does */
    bool hidden_ascii_heap_only; /* hidden_ascii_match looks at strings of tag 0x10 only */
    bool missing_equals_nothing; /* a string without bytes (pointer NULL) equals nothing, not even an empty one */
    bool keep_dead_override;     /* rules without event: an ineffective override still hides the rule's modal actions */
    bool pending_unchecked;      /* pending attributes resolve without looking whether the name is taken */
    uint32_t lookup_size;        /* entries looked at by key paths of attributes and jwt_decode; UINT32_MAX = all */

    /* Reporting. */
    bool string_indices; /* array indices in key paths are reported as strings */
    bool tags_first;     /* v1's key order in events; else v2's */
    bool no_evaluated;   /* the result has no `evaluated` */
    hg_float_style float_style;
} hg_profile;

extern const hg_profile hg_profile_native;
extern const hg_profile hg_profile_ddwaf2; /* libddwaf 2.0.1 */
extern const hg_profile hg_profile_ddwaf1; /* libddwaf 1.30.1, with its default limits */

#endif
