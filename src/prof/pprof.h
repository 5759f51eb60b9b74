/* pprof profiles as a model in memory: read (plain or gzip), merge, subtract, write. For tools; not for hot paths. */
#ifndef PROF_PPROF_H
#define PROF_PPROF_H

#include "hotgate/value.h"

typedef struct pprof_type {
    hg_slice type, unit;
} pprof_type;

typedef struct pprof_function {
    uint64_t id;
    hg_slice name, system_name, file;
    int64_t start_line;
} pprof_function;

typedef struct pprof_line {
    uint32_t function; /* position */
    int64_t line;
} pprof_line;

typedef struct pprof_mapping {
    uint64_t id, start, limit, offset;
    hg_slice file, build_id;
} pprof_mapping;

typedef struct pprof_location {
    uint64_t id, address;
    uint32_t mapping; /* position; UINT32_MAX: none */
    pprof_line *lines; /* innermost first: more than one where functions were inlined */
    size_t line_count;
} pprof_location;

typedef struct pprof_label {
    hg_slice key, text, unit;
    int64_t number;
} pprof_label;

typedef struct pprof_sample {
    uint32_t *locations; /* positions, leaf first */
    size_t location_count;
    int64_t *values; /* as many as the profile has types */
    pprof_label *labels;
    size_t label_count;
} pprof_sample;

typedef struct pprof {
    hg_arena arena; /* owns everything below */
    pprof_type *types;
    size_t type_count;
    pprof_sample *samples;
    size_t sample_count;
    pprof_location *locations;
    size_t location_count;
    pprof_function *functions;
    size_t function_count;
    pprof_mapping *mappings;
    size_t mapping_count;
    hg_slice *comments;
    size_t comment_count;
    pprof_type period_type;
    int64_t time_ns, duration_ns, period;
    hg_slice default_type;
} pprof;

typedef struct pprof_error {
    size_t offset; /* of the fault in the unpacked bytes */
    const char *message;
} pprof_error;

enum { PPROF_UNPACKED_MAX = 1 << 30 };

/* Reads gzip or plain bytes. On failure nothing needs freeing. */
hg_status pprof_read(hg_slice bytes, pprof *out, pprof_error *error);
hg_status pprof_read_file(const char *path, pprof *out, pprof_error *error);
void pprof_free(pprof *p);

/* Plain bytes. */
hg_status pprof_write(const pprof *p, hg_buffer *out);
/* gzip when it is in and `packed`. */
hg_status pprof_write_file(const pprof *p, const char *path, bool packed);

/* Adds the samples of `from`, values times `sign`; types must be equal (HG_ERR_ARGUMENT). Rows with equal stacks and
 * labels become one. */
hg_status pprof_merge(pprof *into, const pprof *from, int sign);

#endif
