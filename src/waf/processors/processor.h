/* Processors: values made from other values. A generator is one file in this folder and one line in table.c. */
#ifndef WAF_PROCESSORS_PROCESSOR_H
#define WAF_PROCESSORS_PROCESSOR_H

#include "hotgate/value.h"
#include "waf/operators/operator.h"
#include "waf/profile.h"

enum { HG_MAPPING_MAX = 4 };

typedef enum hg_generator_input {
    HG_INPUT_ANY,
    HG_INPUT_STRING,
    HG_INPUT_MAP
} hg_generator_input;

typedef struct hg_mapping_parameter {
    hg_slice name;
    hg_generator_input type;
    bool optional;
} hg_mapping_parameter;

typedef enum hg_generator_id {
    HG_GENERATE_SCHEMA,
    HG_GENERATE_ENDPOINT_FINGERPRINT,
    HG_GENERATE_HEADER_FINGERPRINT,
    HG_GENERATE_NETWORK_FINGERPRINT,
    HG_GENERATE_SESSION_FINGERPRINT,
    HG_GENERATE_JWT,
    HG_GENERATE_URI
} hg_generator_id;

typedef struct hg_scanner hg_scanner; /* ruleset/ruleset.h */

typedef enum hg_generated {
    HG_GENERATED_NOTHING, /* done, without a value */
    HG_GENERATED_VALUE,
    HG_GENERATED_LATER, /* time ran out: to be tried again with the next batch */
    HG_GENERATED_ERROR  /* out of memory */
} hg_generated;

/* One generation. The caller fills it in. */
typedef struct hg_generation {
    const hg_profile *profile;
    /* By the generator's parameters; NULL: absent. Of the wanted type, but with profile->mistyped_maps_present a map
     * may be of any type. */
    const hg_value *inputs[HG_MAPPING_MAX];
    const hg_scanner *const *scanners;
    uint32_t scanner_count;
    hg_arena *arena;   /* for the value and its strings; they may also point into the inputs */
    hg_match_env *env; /* for scanners' matchers */
    void *fields;      /* fields_size bytes for the processor's own use, zero when the context begins */
    bool (*expired)(struct hg_generation *generation); /* a check of the time budget */
} hg_generation;

typedef struct hg_generator {
    hg_slice name;
    hg_generator_id id;
    hg_mapping_parameter parameters[HG_MAPPING_MAX]; /* a name without bytes ends the list */
    /* Makes *out from the inputs. Linear in them. NULL: makes nothing. */
    hg_generated (*generate)(hg_generation *generation, hg_value *out);
    size_t fields_size;
    bool uses_path; /* the input is looked up by the mapping's key path first; if there is none, nothing is made */
} hg_generator;

/* The generator of that name, or NULL. */
const hg_generator *hg_generator_find(hg_slice name);

#endif
