/* What is counted. A loop counts what its requests do in a table of its own, without a lock; loading rules, which is
 * rare, counts under one. The metrics port adds all of it up. */
#ifndef HELPER_TELEMETRY_H
#define HELPER_TELEMETRY_H

#include "helper/labels.h"

#include "hotgate/value.h"

#include <pthread.h>

#define WAF_VERSION "2.0.1" /* the libddwaf whose semantics are served */

enum { VERSIONS_MAX = 16, BUCKETS = 16, RULE_LABELS = 2048, RASP_LABELS = 64 };

/* Evaluation times: bucket i holds up to 8 us x 2^i, the last one the rest. */
typedef struct time_histogram {
    atomic_uint_fast64_t buckets[BUCKETS];
    atomic_uint_fast64_t sum_ns;
} time_histogram;

/* The bits of a finished request, as waf.requests tells them. */
enum {
    OUTCOME_TRIGGERED = 1,
    OUTCOME_BLOCKED = 2,
    OUTCOME_ERROR = 4,
    OUTCOME_TIMEOUT = 8,
    OUTCOME_TRUNCATED = 16,
    OUTCOME_LIMITED = 32,
    OUTCOMES = 64
};

/* Codes of errors: internal -3, invalid object -2, invalid argument -1, others -127. */
enum { ERROR_KINDS = 4 };
unsigned error_kind(hg_status status);
extern const char *const error_codes[ERROR_KINDS];

/* Values of a RASP label. */
enum { RASP_EVAL, RASP_IRRELEVANT, RASP_BLOCKED, RASP_TIMEOUT, RASP_ERRORS }; /* and ERROR_KINDS - 1 more */

typedef struct version_counters {
    atomic_uint_fast64_t outcomes[OUTCOMES];
    atomic_uint_fast64_t errors[ERROR_KINDS];
    time_histogram waf, rasp; /* per request */
} version_counters;

typedef enum limit_kind {
    LIMIT_CONNECTIONS,
    LIMIT_FRAME,
    LIMIT_MEMORY,
    LIMIT_OUTPUT,
    LIMIT_SUBCONTEXTS,
    LIMIT_LINE,
    LIMIT_SERVICES,
    LIMIT_KINDS
} limit_kind;
extern const char *const limit_names[LIMIT_KINDS];

/* Of one loop, written by its thread only. */
typedef struct loop_counters {
    atomic_uint_fast64_t requests, matches, blocks, timeouts, truncations, errors, protocol_errors, connections_total,
        refused, bytes_in, bytes_out, rate_limited, events_lost;
    atomic_uint_fast64_t connections; /* now */
    atomic_uint_fast64_t limits[LIMIT_KINDS];
    time_histogram evaluations; /* each */
    version_counters versions[VERSIONS_MAX];
    label_table rules; /* by id: value 0 */
    label_table rasp;  /* by version number (a byte), rule type, NUL, variant */
    uint64_t said[LIMIT_KINDS]; /* when it was last logged */
} loop_counters;

hg_status loop_counters_open(loop_counters *c);
void loop_counters_close(loop_counters *c);

void count_time(time_histogram *h, uint64_t ns);

/* Counts that a limit was hit, and logs it at most once a second, kind and loop. */
void count_limit(loop_counters *c, limit_kind kind, const char *detail);

/* ---- Of the process ---- */

typedef struct telemetry {
    pthread_mutex_t lock;
    char *versions[VERSIONS_MAX]; /* rules versions; the last number stands for all further ones */
    unsigned version_count;
    struct series_count {
        struct series_count *next;
        uint64_t value;
        char series[];
    } *counts; /* "name{labels}" of what loading rules counts */
} telemetry;

void telemetry_open(telemetry *t);
void telemetry_close(telemetry *t);

/* A small number for a version of rules ("" is "unknown"), for loop_counters.versions. */
unsigned telemetry_version(telemetry *t, const char *version);
/* Its text as the value of a Prometheus label, quoted and escaped. */
void telemetry_put_version(telemetry *t, unsigned number, hg_buffer *out);

/* waf.init and waf.updates. */
void telemetry_loaded(telemetry *t, bool init, bool success, const char *version);
/* waf.config_errors: what a configuration's diagnostics complain about. */
void telemetry_diagnostics(telemetry *t, bool init, const char *version, const hg_value *diagnostics);

/* Appends text as a quoted Prometheus label value. */
void telemetry_quote(hg_slice text, hg_buffer *out);

#endif
