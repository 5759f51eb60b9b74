/* Processors: values made from other values. A generator is one file in this folder and one line in table.c. */
#ifndef WAF_PROCESSORS_PROCESSOR_H
#define WAF_PROCESSORS_PROCESSOR_H

#include "hotgate/value.h"

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

typedef struct hg_generator {
    hg_slice name;
    hg_generator_id id;
    hg_mapping_parameter parameters[HG_MAPPING_MAX]; /* a name without bytes ends the list */
} hg_generator;

/* The generator of that name, or NULL. */
const hg_generator *hg_generator_find(hg_slice name);

#endif
