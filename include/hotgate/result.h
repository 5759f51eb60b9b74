/* Hotgate: the result map that libddwaf 2's evaluation call fills, member by member. For programs that get such a map from
 * any library of that ABI; hotgate/waf.h gives its own results as a struct. */
#ifndef HOTGATE_RESULT_H
#define HOTGATE_RESULT_H

#include "hotgate/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points into the map. */
typedef struct hg_result_map {
    const hg_value *events;     /* array of events; NULL when absent */
    const hg_value *actions;    /* map: type of action -> its parameters; NULL when absent */
    const hg_value *attributes; /* map: name -> text, number, or a schema tree; NULL when absent */
    uint64_t duration_ns;
    uint64_t evaluated; /* batches whose evaluation ran to its end */
    bool timeout;
    bool keep;
} hg_result_map;

/* Finds the members by length and bytes of their keys. What is absent or of another kind stays NULL, 0, false; unknown
 * members are ignored; the first of repeated ones counts. HG_ERR_ARGUMENT when `map` is no map: *out is then all empty.
 * The map may be anything, as for hg_json_write. O(pairs), no allocation. */
HG_API hg_status hg_result_map_read(const hg_value *map, hg_result_map *out);

#ifdef __cplusplus
}
#endif
#endif
