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

#ifdef __cplusplus
}
#endif
#endif
