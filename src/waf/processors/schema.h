/* The shape of a value, as extract_schema describes it, before it is written out. */
#ifndef WAF_PROCESSORS_SCHEMA_H
#define WAF_PROCESSORS_SCHEMA_H

#include "waf/processors/processor.h"
#include "waf/ruleset/ruleset.h"

enum {
    HG_SCHEMA_DEPTH = 18,   /* containers inside one another */
    HG_SCHEMA_ELEMENTS = 10, /* of an array that are looked at */
    HG_SCHEMA_ENTRIES = 255  /* of a map that are looked at */
};

typedef enum hg_schema_kind {
    HG_SCHEMA_UNKNOWN = 0,
    HG_SCHEMA_NULL = 1,
    HG_SCHEMA_BOOL = 2,
    HG_SCHEMA_INTEGER = 4,
    HG_SCHEMA_STRING = 8,
    HG_SCHEMA_FLOAT = 16,
    HG_SCHEMA_ARRAY = 32,
    HG_SCHEMA_MAP = 64
} hg_schema_kind;

typedef struct hg_schema hg_schema;

typedef struct hg_schema_child {
    hg_slice key; /* of a map */
    uint64_t key_hash;
    hg_schema *schema;
} hg_schema_child;

struct hg_schema {
    hg_schema_kind kind;
    bool truncated;
    uint32_t count;   /* of children */
    uint64_t length;  /* of the array */
    uint64_t hash;    /* equal schemas have equal ones */
    const hg_tags *tags; /* of a string; NULL: none */
    hg_schema_child *children; /* distinct schemas of an array, entries of a map */
};

/* HG_GENERATED_VALUE with the schema of a value, or why there is none. */
hg_generated hg_schema_make(hg_generation *g, const hg_value *value, hg_schema **out);

bool hg_schema_equal(const hg_schema *a, const hg_schema *b);

/* As the value that is reported. False: out of memory. */
bool hg_schema_write(const hg_schema *schema, const hg_allocator *a, hg_value *out);

#endif
