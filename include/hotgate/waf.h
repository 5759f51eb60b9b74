/* Hotgate: rules against requests. A builder collects configurations (libddwaf's ruleset format 2.x, any number, each
 * under a path) and makes instances; an instance is immutable and judges requests through contexts.
 *
 * Semantics are those of libddwaf 2.0.1 where not said otherwise. */
#ifndef HOTGATE_WAF_H
#define HOTGATE_WAF_H

#include "hotgate/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Building instances ---- */

typedef struct hg_builder hg_builder; /* one thread at a time */
typedef struct hg_waf hg_waf;         /* a compiled ruleset; immutable, reference counted, any thread */

typedef enum hg_severity {
    HG_SEVERITY_WARNING, /* something this version does not know: an operator, a transformer, a generator */
    HG_SEVERITY_ERROR
} hg_severity;

/* One complaint about a configuration. All slices are valid during the callback only. */
typedef struct hg_diagnostic {
    hg_severity severity;
    hg_slice section; /* e.g. "rules"; empty for the root */
    bool has_index;   /* about one item of the section; else about the section or root as a whole */
    size_t index;     /* position of the item, from 0 */
    hg_slice id;      /* of the item; empty if it has none */
    hg_slice message;
    const hg_value *where; /* the value inside the configuration that is wrong, or the nearest one around it */
} hg_diagnostic;

typedef void hg_diagnostic_fn(void *state, const hg_diagnostic *diagnostic);

/* A builder without configurations. NULL when out of memory. */
HG_API hg_builder *hg_builder_new(void);

/* A builder whose instances read and judge as libddwaf 1.30.1 does, for bindings that stand in for one of it: reports
 * show array indices as strings, entries may be ephemeral, sizes are limited, and the obfuscator's patterns are given
 * here (RE2 syntax; an empty one is off). NULL when out of memory. */
HG_API hg_builder *hg_builder_new_ddwaf1(hg_slice key_regex, hg_slice value_regex);

/* Instances made from it live on. NULL is fine. */
HG_API void hg_builder_free(hg_builder *builder);

/* Calls report(state, ...) for each complaint of later hg_builder_set calls, in order. NULL: no more. */
HG_API void hg_builder_report(hg_builder *builder, hg_diagnostic_fn *report, void *state);

/* Loads a configuration under a path (not empty), in place of what was loaded under it. The configuration is only read
 * and not kept. *diagnostics, if given, becomes a map as libddwaf 2 makes it, in memory of `a` (heap if NULL), to be
 * freed with hg_value_free; its old content is not freed.
 *
 * HG_OK: something was loaded, or there was nothing to load. HG_ERR_SYNTAX: nothing could be loaded; the path is then
 * unknown or empty, but for a root that is not a map, when what was loaded before stays. HG_ERR_ARGUMENT: empty path.
 * HG_ERR_NOMEM: nothing has changed. Linear in the configuration, plus the compilation of its patterns. */
HG_API hg_status hg_builder_set(hg_builder *builder, hg_slice path, const hg_value *config, hg_value *diagnostics,
                                const hg_allocator *a);

/* Removes what was loaded under the path. HG_ERR_ARGUMENT if there is no such path. */
HG_API hg_status hg_builder_remove(hg_builder *builder, hg_slice path);

/* Writes an array of the loaded paths, in order of first loading, into *paths (memory of `a`, heap if NULL; may be
 * NULL) and returns their number. With a filter (RE2 syntax, unanchored) only those it occurs in; an invalid pattern
 * selects none; an empty one all. Out of memory: 0 and an empty array. */
HG_API size_t hg_builder_paths(const hg_builder *builder, hg_slice filter, hg_value *paths, const hg_allocator *a);

/* An instance of what is loaded now; later changes of the builder do not touch it. NULL with *status (may be NULL)
 * HG_ERR_SYNTAX if no enabled rule and no postprocessor is loaded, or HG_ERR_NOMEM. */
HG_API hg_waf *hg_builder_build(hg_builder *builder, hg_status *status);

HG_API hg_waf *hg_waf_ref(hg_waf *waf);
HG_API void hg_waf_unref(hg_waf *waf); /* NULL is fine; contexts keep their instance alive */

/* Addresses that can change an answer of the instance, and types of actions that it can ask for. Arrays of *count
 * NUL-terminated strings without duplicates, owned by the instance; NULL when empty. Thread-safe. */
HG_API const char *const *hg_waf_addresses(const hg_waf *waf, size_t *count);
HG_API const char *const *hg_waf_actions(const hg_waf *waf, size_t *count);

/* ---- Judging ---- */

typedef struct hg_context hg_context; /* the state of one request; one thread at a time, may migrate */

/* One address with its value. The engine borrows both until the context is freed; two entries with the same `value`
 * pointer are the same object. */
typedef struct hg_entry {
    hg_slice address; /* empty: ignored */
    const hg_value *value;
    bool ephemeral; /* only for this call, as libddwaf 1 knows it; native callers use subcontexts instead */
} hg_entry;

typedef struct hg_batch {
    const hg_entry *entries;
    size_t count;
} hg_batch;

/* Work that the time budget did not allow. */
typedef enum hg_unrun {
    HG_UNRUN_NONE = 0,
    HG_UNRUN_PREPROCESSORS = 1,
    HG_UNRUN_FILTERS = 2, /* and with them all rules */
    HG_UNRUN_RULES = 4,
    HG_UNRUN_POSTPROCESSORS = 8
} hg_unrun;

/* What a call found. Lives in the context: valid until its next call or its end. Strings of `value` may point into the
 * input, the instance or the context. */
typedef struct hg_result {
    hg_value value; /* events, actions, duration, timeout, attributes, keep, evaluated, as libddwaf 2 shows them */
    bool match;     /* events, actions or attributes are not empty */
    bool keep;
    bool timeout;       /* the time budget was seen to have run out */
    size_t events;
    uint64_t duration;  /* nanoseconds */
    size_t evaluated;   /* batches judged to their end */
    unsigned unrun;     /* hg_unrun mask: what was left out for lack of time */
    size_t unrun_rules; /* with HG_UNRUN_RULES: rules of the last batch that were not reached */
    hg_slice first_unrun; /* with HG_UNRUN_RULES: id of the first of them in order of evaluation */
} hg_result;

/* A context of the instance. It reuses memory that this thread's earlier contexts left, and then allocates nothing.
 * NULL when out of memory or waf is NULL. */
HG_API hg_context *hg_context_new(hg_waf *waf);

/* Ends the context; its memory is kept for the calling thread's next one. NULL is fine. */
HG_API void hg_context_free(hg_context *context);

/* How many ended contexts' memory the calling thread keeps: as many as it has at the same time, or new ones allocate. 8
 * unless said otherwise, 1 to 4,096. What is kept beyond that, or for instances that are gone, is freed. O(1) but for what
 * is freed. */
HG_API void hg_context_keep(unsigned count);

/* A context that begins with what its parent has seen so far and goes its own way from there. It must not be made
 * while the parent is in a call; afterwards both may run at the same time on different threads. Input given to the
 * parent must then live until both are freed. NULL when out of memory. */
HG_API hg_context *hg_subcontext_new(hg_context *parent);

/* Judges one batch: the entries of a map. `timeout` is in microseconds; 0 means that there is no time at all.
 * HG_OK: *result points to the outcome. HG_ERR_ARGUMENT: something is NULL. HG_ERR_SYNTAX: `data` is no map; nothing
 * was looked at. HG_ERR_NOMEM: nothing counts as seen or matched, the same call may be repeated.
 * Time: linear in the input but for what the rules' own operators say. */
HG_API hg_status hg_context_eval(hg_context *context, const hg_value *data, uint64_t timeout,
                                 const hg_result **result);

/* Judges the maps of an array as batches one after the other, until one blocks or time runs out. HG_ERR_SYNTAX if
 * `data` is no array or an element is no map. */
HG_API hg_status hg_context_multieval(hg_context *context, const hg_value *data, uint64_t timeout,
                                      const hg_result **result);

/* The same with entries instead of maps. */
HG_API hg_status hg_context_run(hg_context *context, const hg_batch *batches, size_t count, uint64_t timeout,
                                const hg_result **result);

/* ---- Hiding secrets in reports ---- */

typedef struct hg_obfuscator hg_obfuscator; /* immutable, any thread */

/* Patterns (RE2 syntax, case ignored) of keys whose values, and of values that, must not be shown in reports. An empty or
 * invalid one stands for libddwaf's default. NULL when out of memory. */
HG_API hg_obfuscator *hg_obfuscator_new(hg_slice key_regex, hg_slice value_regex);
HG_API void hg_obfuscator_free(hg_obfuscator *obfuscator); /* NULL is fine */

/* Reports of this context, and of subcontexts made of it later, hide by these patterns and not by the instance's, so
 * that users with different patterns share an instance. The obfuscator must outlive them. NULL: by the instance's. */
HG_API void hg_context_obfuscate(hg_context *context, const hg_obfuscator *obfuscator);

/* ---- Explaining ---- */

typedef enum hg_step_kind {
    HG_STEP_RULE,      /* a rule begins */
    HG_STEP_CONDITION, /* one of its conditions begins */
    HG_STEP_ELEMENT,   /* a value was tested */
    HG_STEP_ANSWER,    /* the condition's answer */
    HG_STEP_RESULT     /* the rule's answer */
} hg_step_kind;

typedef struct hg_trace_step {
    hg_step_kind kind;
    hg_slice rule;      /* id */
    size_t condition;       /* CONDITION, ELEMENT, ANSWER: index in the rule */
    hg_slice operator_name; /* the same */
    bool negated;           /* the same */
    hg_slice address;       /* ELEMENT */
    const hg_value *path;   /* ELEMENT: steps to the value, strings and integers */
    size_t path_length;
    hg_slice text;          /* ELEMENT: the text as the operator saw it, after transformers */
    bool answer;            /* ELEMENT, ANSWER, RESULT: did it match? */
} hg_trace_step;

/* All pointers are valid during the call only. */
typedef void hg_trace_fn(void *state, const hg_trace_step *step);

/* A context that is judged by the plain evaluator, condition by condition as the rules say it, and tells each step.
 * The answers are the same, only slower. trace may be NULL. Not pooled. */
HG_API hg_context *hg_context_traced(hg_waf *waf, hg_trace_fn *trace, void *state);

/* ---- Replacing an instance while threads use it ---- */

typedef struct hg_waf_cell hg_waf_cell; /* a place that holds the current instance */

/* A cell holding `waf` (its own reference; may be NULL). NULL when out of memory. */
HG_API hg_waf_cell *hg_waf_cell_new(hg_waf *waf);
HG_API void hg_waf_cell_free(hg_waf_cell *cell);

/* Replaces the instance. Contexts that exist finish on the one they began with. Any thread. */
HG_API void hg_waf_cell_set(hg_waf_cell *cell, hg_waf *waf);

/* A context of the current instance. Any thread; takes a lock only when this thread meets the instance for the first
 * time. NULL when out of memory or the cell is empty. */
HG_API hg_context *hg_context_of(hg_waf_cell *cell);

#ifdef __cplusplus
}
#endif
#endif
