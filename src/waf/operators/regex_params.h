/* Parameters of the two regular expression operators. */
#ifndef WAF_OPERATORS_REGEX_PARAMS_H
#define WAF_OPERATORS_REGEX_PARAMS_H

#include "waf/ruleset/reader.h"

/* Reads `regex` and `options` (min_length, case_sensitive), and `checksum` if asked for. */
bool hg_read_regex_params(hg_reader *r, const hg_table *parameters, bool with_checksum, hg_matcher *m);

/* The pattern's text. */
hg_slice hg_regex_params_shown(const void *params);

#endif
