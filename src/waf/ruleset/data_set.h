/* Data sets: the values all configurations give under one id, as a matcher. A set whose contributions have not changed
 * since the last build is shared with it. */
#ifndef WAF_RULESET_DATA_SET_H
#define WAF_RULESET_DATA_SET_H

#include "waf/ruleset/builder.h"

/* All sets of a build; reference counted. */
hg_data_sets *hg_data_sets_ref(hg_data_sets *sets);
void hg_data_sets_unref(hg_data_sets *sets); /* NULL is fine */

/* The sets of what is loaded now. NULL when out of memory. */
hg_data_sets *hg_data_sets_build(const hg_builder *builder);

/* The matcher of a set; false if there is no such set. O(log n). */
bool hg_data_sets_find(const hg_data_sets *sets, hg_data_kind kind, hg_slice id, hg_matcher *out);

#endif
