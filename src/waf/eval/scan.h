/* Scanning lanes: one pass over the elements of a lane's object tells which uses match, and at which element first. */
#ifndef WAF_EVAL_SCAN_H
#define WAF_EVAL_SCAN_H

#include "waf/eval/context.h"
#include "waf/eval/workspace.h"

/* A use that matched. */
typedef struct hg_use_hit {
    uint32_t use;     /* in the lane */
    uint32_t element; /* number of the first element it matched */
} hg_use_hit;

typedef struct hg_lane_scan {
    const hg_value *object; /* the one scanned last; NULL = none */
    uint32_t epoch;         /* of the context it belongs to */
    uint32_t hit_count;
} hg_lane_scan;

/* How far a rule has come in this context. */
typedef struct hg_rule_state {
    uint32_t epoch;
    uint32_t current;   /* its conditions before this one have matched */
    uint32_t activated; /* the pass in which `current` came to be looked at; 0 = from the start */
    bool matched;
    hg_match **matches; /* of the conditions before `current` */
} hg_rule_state;

_Static_assert(sizeof(hg_rule_state) == 24, "fits an undo record");

/* Rules [first, end) were left out of an otherwise evaluated pass. */
typedef struct hg_hole {
    uint32_t first;
    uint32_t end;
    const struct hg_hole *next;
} hg_hole;

/* A pass that did not evaluate all rules. */
typedef struct hg_pass_record {
    uint32_t pass;
    uint32_t reached; /* rules before this one were evaluated, but for the holes */
    const hg_hole *holes;
    const struct hg_pass_record *older;
} hg_pass_record;

struct hg_lane_state {
    hg_lane_scan *scans;     /* by lane */
    hg_use_hit *hits;        /* by lane->hit_first */
    uint64_t *hit_uses;      /* by lane->word_first: uses that have a hit */
    hg_rule_state *rules;    /* by rule */
    uint64_t *candidates;    /* rules that may come true in this pass */
    uint64_t *pending;       /* lanes to be scanned in this pass */
    uint32_t epoch;
    uint32_t complete_pass;  /* the last pass that evaluated all rules */
    const hg_pass_record *records; /* later ones, newest first */
};

/* Sizes and places in a context's block; block NULL only measures. */
size_t hg_lane_state_lay_out(const hg_plan *plan, hg_lane_state *state, char *block);
void hg_lane_state_clear(hg_lane_state *state, const hg_plan *plan);
void hg_lane_state_copy(hg_lane_state *into, const hg_lane_state *from, const hg_plan *plan);

static inline void hg_bit_set(uint64_t *words, uint32_t bit)
{
    words[bit / 64] |= 1ull << (bit % 64);
}

static inline bool hg_bit_test(const uint64_t *words, uint32_t bit)
{
    return words[bit / 64] >> (bit % 64) & 1;
}

/* The first set bit from `from` on, `end` if there is none. */
static inline uint32_t hg_bit_next(const uint64_t *words, uint32_t from, uint32_t end)
{
    while (from < end) {
        uint64_t rest = words[from / 64] >> (from % 64);
        if (rest != 0) {
            uint32_t bit = from + (uint32_t)__builtin_ctzll(rest);
            return bit < end ? bit : end;
        }
        from = (from / 64 + 1) * 64;
    }
    return end;
}

/* Scans pending lanes from *lane on whose first rule comes before `end`, as many as are best done together, and marks
 * the rules of their hits as candidates. *lane becomes the first one left. False: time ran out (the lanes then count as
 * not scanned) or memory did (run->failed). */
bool hg_lanes_scan(hg_run *run, uint32_t *lane, uint32_t end);

/* Notes that the lane's object has no element for it. */
void hg_lane_is_empty(hg_run *run, uint32_t lane);

/* Scans one lane now. */
bool hg_lane_scan_now(hg_run *run, uint32_t lane);

/* Lets the thread's working memory grow by scanning ordinary texts in all lanes. */
void hg_lanes_warm(const hg_plan *plan);

/* The lane's hit of a use in the object scanned, or NULL. */
const hg_use_hit *hg_lane_hit(const hg_run *run, uint32_t lane, uint32_t use);

/* rules.c */

/* Carries what rules have seen and matched over into the arrays of plain mode. */
void hg_lane_state_to_plain(const hg_context *context);

/* The last pass in which the rule's current condition was evaluated; 0 = none. */
uint32_t hg_rule_last_pass(const hg_lane_state *state, uint32_t rule, uint32_t activated);

#endif
