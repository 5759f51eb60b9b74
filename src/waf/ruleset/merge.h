/* Making the effective ruleset out of the loaded configurations: one file a part. */
#ifndef WAF_RULESET_MERGE_H
#define WAF_RULESET_MERGE_H

#include "waf/ruleset/builder.h"
#include "waf/ruleset/data_set.h"
#include "waf/ruleset/id_map.h"

/* A ruleset with what keeps its memory alive. */
typedef struct hg_merged {
    hg_ruleset ruleset; /* first */
    atomic_uint references;
    hg_profile profile;
    hg_arena arena;
    hg_config **configs; /* a reference each; the builder's base last, if any */
    size_t config_count;
    hg_data_sets *data;
} hg_merged;

typedef struct hg_merge {
    hg_merged *merged;
    hg_ruleset *ruleset;  /* of merged */
    hg_arena *arena;      /* of merged */
    hg_arena *scratch;
} hg_merge;

/* Each fills its part of the ruleset; false: out of memory. In this order. */
bool hg_merge_actions(hg_merge *m);
bool hg_merge_rules(hg_merge *m);
bool hg_merge_filters(hg_merge *m);
bool hg_merge_processors(hg_merge *m);
bool hg_merge_known(hg_merge *m);

/* Items of a section in all configurations. */
size_t hg_merge_count(const hg_merge *m, hg_section section);

/* Calls visit for each item of a section, in order of configuration, until it returns false; returns whether none
 * did. */
bool hg_merge_each(hg_merge *m, hg_section section, bool (*visit)(hg_merge *m, const void *item, void *state),
                   void *state);

/* Uninitialised memory for count elements of size in the arena. */
void *hg_merge_alloc(hg_arena *arena, size_t count, size_t size);

/* Whether tags has all of wanted. */
bool hg_tags_include(hg_tags tags, hg_tags wanted);

#endif
