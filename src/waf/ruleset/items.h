/* Readers of the items of each section: one file a kind. */
#ifndef WAF_RULESET_ITEMS_H
#define WAF_RULESET_ITEMS_H

#include "waf/ruleset/config.h"
#include "waf/ruleset/id_map.h"
#include "waf/ruleset/reader.h"

typedef struct hg_item {
    hg_section section;
    hg_id_map *ids; /* ids of this kind that are in use; NULL for kinds without unique ids */
    hg_slice id;    /* out: as soon as it is known */
    bool has_id;
    bool by_empty_id; /* out: this failure is listed by the id even if that is empty; else by the position */
    const void *product; /* out */
} hg_item;

/* Reads one item. False: the reader says why it failed or is skipped. */
typedef bool hg_item_fn(hg_reader *r, const hg_table *table, hg_item *item);

hg_item_fn hg_item_action;
hg_item_fn hg_item_rule;
hg_item_fn hg_item_legacy_rule;
hg_item_fn hg_item_data;
hg_item_fn hg_item_rule_override;
hg_item_fn hg_item_processor_override;
hg_item_fn hg_item_filter;
hg_item_fn hg_item_processor;
hg_item_fn hg_item_scanner;

/* ---- Parts that several kinds share ---- */

/* Reads `id` into the item; the error `duplicate` if it is in use. */
bool hg_item_id(hg_reader *r, const hg_table *table, hg_item *item, hg_slice duplicate);

/* What inputs without transformers of their own take over. */
typedef struct hg_input_defaults {
    hg_transform_chain chain;
    bool keys;
} hg_input_defaults;

/* A list of transformers; keys_only and values_only go to *keys. */
bool hg_read_transformers(hg_reader *r, const hg_value *list, hg_transform_chain *chain, bool *keys);

bool hg_read_conditions(hg_reader *r, const hg_value *list, const hg_input_defaults *defaults, hg_data_kind kind,
                        hg_conditions *out);

/* The map `tags` of a rule, with what follows from it. */
bool hg_read_rule_tags(hg_reader *r, const hg_table *table, hg_rule *rule);

/* The part of an operator's name before `@v`; *version is what follows, 0 if that is no number. */
hg_slice hg_operator_name(hg_slice text, uint64_t *version);

/* One reference by id or tags. */
bool hg_read_reference(hg_reader *r, const hg_value *v, hg_reference *out);

/* An array of references. */
hg_cast hg_cast_references; /* hg_references */

/* ---- The obfuscator ---- */

/* Compiles both patterns; an empty one is off, an invalid one is replaced by the default. */
bool hg_read_obfuscator(hg_reader *r, hg_slice key, hg_slice value, hg_obfuscator *out);

/* The section `obfuscator`. */
bool hg_read_obfuscator_section(hg_reader *r, const hg_value *section, const hg_obfuscator **out);

#endif
