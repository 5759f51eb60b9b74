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

/* The tree of one ruleset file ("embedded" for NULL), in the arena; complaints as above. */
hg_status cli_rules_read(const char *file, hg_arena *arena, FILE *out, hg_value *tree);

#endif
