/* The kinds of actions and those that are always there (waf-config 9). */
#ifndef WAF_RULESET_ACTIONS_H
#define WAF_RULESET_ACTIONS_H

#include "waf/ruleset/ruleset.h"

hg_action_kind hg_action_kind_of(hg_slice type);

/* Available unless an action with the same id is configured; by id, bytewise. */
const hg_action *hg_action_defaults(size_t *count);

/* The default action `block`. */
const hg_action *hg_action_default_block(void);

#endif
