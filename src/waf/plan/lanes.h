/* Lanes: what the rules ask of the same elements, joined. A lane is an address with a key path and a source (values or
 * keys); all regular inputs of rules that look there are its uses. Its patterns form one set, so that each text is
 * scanned once for all rules.
 *
 * What a transform chain makes of an element is a text of its own only if it differs. A chain that would merely fold
 * case reads the element's own text with patterns that ignore case; what they find is then confirmed. */
#ifndef WAF_PLAN_LANES_H
#define WAF_PLAN_LANES_H

#include "waf/plan/needs.h"
#include "waf/plan/plan.h"

enum {
    HG_LANE_CHAINS = 32,       /* chains of one lane; more make another lane of the same place */
    HG_NO_PATTERN = UINT32_MAX /* asked of each element directly */
};

/* One input of one regular (scalar, not negated) condition of a rule. */
typedef struct hg_use {
    uint32_t rule;
    uint32_t input;         /* in the plan */
    const hg_matcher *matcher;
    uint32_t pattern;       /* in the lane's set, or HG_NO_PATTERN */
    uint32_t min_length;    /* of texts where the pattern counts */
    uint8_t chain;          /* in the lane */
    bool exact;             /* an occurrence of the pattern is the answer; else the matcher is asked as well */
} hg_use;

typedef struct hg_lane_chain {
    hg_transform_chain chain;
    uint32_t alters; /* traits of texts it may change by more than folding case */
    bool folds;      /* it turns upper case to lower */
    const uint8_t *needs; /* of each of its uses, in the lane's index; NULL when some use has none */
    uint32_t need_count;
} hg_lane_chain;

typedef struct hg_lane {
    uint32_t address;
    hg_key_path path;
    bool keys;
    bool tags_matter;    /* some use asks for the kind of string */
    uint32_t first_rule; /* the earliest rule that looks here */
    uint64_t key_mark;   /* hg_key_mark of the path's first step; 0 when it is no key */

    hg_lane_chain chains[HG_LANE_CHAINS];
    uint32_t chain_count;
    uint32_t alters; /* of any chain */
    hg_need_index *needs; /* NULL if no chain has any */

    hg_use *uses; /* direct ones first, then by pattern */
    uint32_t use_count;
    uint32_t direct_count;
    uint32_t other_accepts; /* HG_ACCEPT_ mask of direct uses beyond strings */

    const hg_regex_set *set; /* NULL without patterns */
    uint32_t pattern_count;
    const uint32_t *pattern_uses; /* pattern p: uses [pattern_uses[p], pattern_uses[p + 1]) */

    uint32_t hit_first; /* place of its hits in a context's arrays */
    uint32_t hit_words; /* 64-bit words of a bit per use */
    uint32_t word_first;
} hg_lane;

typedef struct hg_number_list {
    uint32_t *items;
    uint32_t count;
} hg_number_list;

struct hg_lanes {
    uint32_t serial; /* differs between the plans of a process */
    hg_lane *lanes; /* in order of first_rule */
    uint32_t count;
    uint32_t *use_of_input;  /* by plan input: use in its lane; irrelevant for irregular inputs */
    uint32_t *lane_of_input; /* by plan input: UINT32_MAX for irregular ones */
    hg_number_list *of_address;  /* lanes by address, ascending */
    hg_number_list *irregular;   /* by address: rules with a negated or structured condition that looks there */
    uint32_t *gate;              /* by rule: the address without which its first condition is false; HG_NO_ADDRESS */
    hg_number_list unconditional; /* rules without conditions */
    uint32_t *collection_of_rule; /* UINT32_MAX: none */
    uint32_t use_total;
    uint32_t word_total;
    uint32_t pattern_most; /* patterns of the largest set */
    struct hg_set_store *sets;
};

/* One bit of 64 that depends on a key: maps without a key with that bit do not have the key. */
static inline uint64_t hg_key_mark(hg_slice key)
{
    unsigned char first = key.len > 0 ? (unsigned char)key.ptr[0] : 0;
    unsigned char last = key.len > 0 ? (unsigned char)key.ptr[key.len - 1] : 0;
    return 1ull << ((key.len * 11 + first * 3u + last) % 64);
}

/* lane_sets.c: makes the pattern sets of plan->lanes and numbers the patterns of their uses. False when out of memory. */
bool hg_lanes_join_patterns(hg_plan *plan);

/* Builds the lanes of a compiled plan in its arena. NULL when out of memory. */
hg_lanes *hg_lanes_new(hg_plan *plan);
void hg_lanes_free(hg_lanes *lanes);

#endif
