/* Parameters of the operators that take their list either from the condition or from a data set. */
#ifndef WAF_OPERATORS_LIST_PARAMS_H
#define WAF_OPERATORS_LIST_PARAMS_H

#include "waf/ruleset/reader.h"

/* Reads `list` with the given conversion, or else `data`: then *has_list is false. */
bool hg_read_list_or_data(hg_reader *r, const hg_table *parameters, hg_cast *cast, hg_slices *list, bool *has_list,
                          hg_slice *data);

/* Splits values and expirations into arrays of the arena. */
bool hg_split_expiring(hg_arena *arena, const hg_expiring *values, size_t count, hg_slice **texts,
                       uint64_t **expirations);

/* Whether a member with that expiry, as sets answer it (text/expiry.h), is there now. */
bool hg_is_member_now(uint64_t expiry);

#endif
