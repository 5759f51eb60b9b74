/* Patterns of lanes: what a set scans for on behalf of a matcher, and sets shared by lanes that scan for the same. */
#ifndef WAF_PLAN_PATTERNS_H
#define WAF_PLAN_PATTERNS_H

#include "waf/operators/operator.h"

typedef struct hg_set_store hg_set_store;

hg_set_store *hg_set_store_new(void); /* NULL when out of memory */
void hg_set_store_free(hg_set_store *store);

typedef struct hg_pattern {
    hg_regex *regex; /* the store's; NULL: the matcher must be asked directly */
    bool exact;      /* an occurrence is the answer, but for min_length */
    size_t min_length;
    bool failed;     /* out of memory */
} hg_pattern;

/* The pattern that occurs in every text the matcher accepts; with `folds` in the text before its case was folded. */
hg_pattern hg_pattern_of(hg_set_store *store, const hg_matcher *matcher, bool folds);

/* A new set of these patterns; the store's. NULL when out of memory. */
const hg_regex_set *hg_set_store_add(hg_set_store *store, hg_regex *const *patterns, size_t count);

#endif
