/* Reading a whole configuration. */
#ifndef WAF_RULESET_READ_H
#define WAF_RULESET_READ_H

#include "hotgate/waf.h"
#include "waf/ruleset/diagnostics.h"
#include "waf/ruleset/items.h"

/* Ids that other configurations use. */
typedef struct hg_known_ids {
    hg_id_map actions;
    hg_id_map rules;
    hg_id_map filters;
    hg_id_map processors;
    hg_id_map scanners;
} hg_known_ids;

typedef struct hg_reading {
    hg_reader reader;
    hg_config *config;
    hg_known_ids *known;       /* in *scratch; grows by the ids that are loaded */
    bool obfuscator_taken;     /* another configuration has one */
    hg_diagnostics diagnostics; /* in *scratch */
    hg_arena *scratch;
    hg_diagnostic_fn *report; /* NULL: nobody listens */
    void *report_state;
} hg_reading;

typedef enum hg_root {
    HG_ROOT_READ,
    HG_ROOT_REFUSED,   /* not a map: nothing may change */
    HG_ROOT_UNUSABLE,  /* wrong version or metadata: an empty configuration */
    HG_ROOT_NOMEM
} hg_root;

/* Reads root into the configuration and the diagnostics. */
hg_root hg_read_root(hg_reading *reading, const hg_value *root);

#endif
