/* The Node addon. JavaScript (encode.js) walks a value once and writes it as a flat stream: operations in an Int32Array,
 * numbers in a Float64Array, all text in one string. Here the stream becomes values whose strings point into one copy
 * of that text. */
#ifndef NODE_ADDON_H
#define NODE_ADDON_H

#include <hotgate/waf.h>

#include <node_api.h>

/* Operations of the stream; encode.js has the same table. */
enum {
    OP_INVALID = 0,
    OP_NULL = 1,
    OP_TRUE = 2,
    OP_FALSE = 3,
    OP_NUMBER = 4,   /* the next of the numbers */
    OP_STRING = 5,   /* length in UTF-16 units */
    OP_ARRAY = 6,    /* count, then its elements */
    OP_MAP = 7,      /* count, then for each: length of the key, value */
    OP_PREPARED = 8, /* slot of a prepared value */
    OP_MISSING = 9   /* in place of a root: none was given */
};

typedef struct stream {
    const int32_t *ops;
    size_t op_count, op_at;
    const double *numbers;
    size_t number_count, number_at;
    const char *text; /* UTF-8 */
    size_t text_length, text_at;
    bool ascii; /* units are bytes */
    size_t max_string; /* bytes; longer texts are cut, SIZE_MAX: never */
    bool broken;
} stream;

typedef struct prepared {
    hg_arena arena;
    hg_value value;
    bool used;
} prepared;

typedef struct context_slot {
    hg_context *context; /* NULL: free */
    hg_arena persistent; /* lives as long as the context */
    uint32_t next_free;
} context_slot;

/* One a JavaScript environment (main thread or worker). */
typedef struct addon {
    const int32_t *ops;
    size_t op_capacity;
    const double *numbers;
    size_t number_capacity;
    double *out; /* numbers of a result */
    napi_ref buffers[3];
    context_slot *slots;
    size_t slot_count;
    uint32_t free_slot; /* UINT32_MAX: none */
    prepared *prepared;
    size_t prepared_count;
    hg_arena call; /* ephemeral values and scratch of one call */
} addon;

/* decode.c */
bool decode_value(const addon *a, stream *s, hg_value *out, hg_arena *arena);
/* A root map as entries; NULL with *count 0 when it is missing, broken set when it is no map. */
const hg_entry *decode_entries(const addon *a, stream *s, bool ephemeral, hg_arena *arena, size_t *count);

/* to_js.c */
napi_value to_js(napi_env env, const hg_value *v);
napi_value strings_to_js(napi_env env, const char *const *strings, size_t count);

#endif
