/* Parameters of the operators that take their list either from the condition or from a data set. */
#ifndef WAF_OPERATORS_LIST_PARAMS_H
#define WAF_OPERATORS_LIST_PARAMS_H

#include "waf/ruleset/reader.h"

/* Reads `list`, converted by `cast`, into the parameters of m->op, or else the id of a data set from `data`. */
bool hg_read_list_or_data(hg_reader *r, const hg_table *parameters, hg_cast *cast, hg_matcher *m, hg_slice *data);

/* Whether a member with that expiry, as sets answer it (text/expiry.h), is there now. */
bool hg_is_member_now(uint64_t expiry);

#endif
