/* Rulesets for the verbs: the embedded one or files, with complaints that say where. */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "hotgate/waf.h"

#include <stdio.h>

/* The ruleset that is part of the program: JSON text. */
extern const char cli_embedded_rules[];
extern const size_t cli_embedded_rules_len;

typedef struct cli_rules {
    hg_waf *waf;
    size_t errors, warnings;
    size_t loaded; /* rules */
} cli_rules;

/* Loads files (none: the embedded ruleset) into one builder and builds. Complaints go to `out` as
 * FILE:LINE:COLUMN: severity: id: message. HG_ERR_IO or HG_ERR_SYNTAX: nothing usable, rules->waf is NULL; this has been
 * said on `out`. The caller unrefs rules->waf. */
hg_status cli_rules_load(const char *const *files, size_t count, FILE *out, cli_rules *rules);

/* The same with one rule only: what is not that rule is left out of the rule sections, other sections stay. Complaints are
 * not printed. HG_ERR_SYNTAX too when there is no such rule. */
hg_status cli_rules_load_only(const char *const *files, size_t count, hg_slice id, cli_rules *rules);

/* Calls visit(state, rule) for each rule of the files (none: the embedded ruleset), in order. */
typedef void cli_rule_visit(void *state, const hg_value *rule);
hg_status cli_rules_each(const char *const *files, size_t count, cli_rule_visit *visit, void *state);

/* The tree of one ruleset file ("embedded" for NULL), in the arena; complaints as above. */
hg_status cli_rules_read(const char *file, hg_arena *arena, FILE *out, hg_value *tree);

#endif
