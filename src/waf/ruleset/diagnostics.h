/* What became of a configuration's items, collected while reading and written as libddwaf's diagnostics (waf-api 9). */
#ifndef WAF_RULESET_DIAGNOSTICS_H
#define WAF_RULESET_DIAGNOSTICS_H

#include "hotgate/value.h"
#include "waf/ruleset/config.h"
#include "waf/ruleset/id_map.h"

typedef struct hg_slice_list {
    hg_slice *items;
    size_t count;
    size_t capacity;
} hg_slice_list;

typedef struct hg_message {
    hg_slice text;
    hg_slice_list ids;
} hg_message;

typedef struct hg_messages {
    hg_message *items;
    size_t count;
    size_t capacity;
    hg_id_map index;
} hg_messages;

typedef struct hg_section_outcome {
    bool present;
    bool failed; /* as a whole; error says why */
    hg_slice error;
    hg_slice_list loaded;
    hg_slice_list failures;
    hg_slice_list skipped;
    hg_messages errors;
    hg_messages warnings;
} hg_section_outcome;

typedef enum hg_outcome {
    HG_OUTCOME_EMPTY,
    HG_OUTCOME_INVALID,
    HG_OUTCOME_VALID
} hg_outcome;

typedef struct hg_diagnostics {
    hg_arena *arena;
    bool nomem;
    hg_slice error; /* of the root */
    hg_slice ruleset_version;
    hg_section_outcome sections[HG_SECTIONS];
} hg_diagnostics;

/* Ids and messages are borrowed. */
void hg_diagnostics_loaded(hg_diagnostics *d, hg_section section, hg_slice id);
void hg_diagnostics_skipped(hg_diagnostics *d, hg_section section, hg_slice id);
void hg_diagnostics_failed(hg_diagnostics *d, hg_section section, hg_slice id, bool warning, hg_slice message);

/* Whether anything was loaded, else whether anything failed. */
hg_outcome hg_diagnostics_outcome(const hg_diagnostics *d);

hg_status hg_diagnostics_write(const hg_diagnostics *d, hg_value *out, const hg_allocator *a);

/* `rules`, `exclusions`, ... */
hg_slice hg_section_name(hg_section section);

#endif
