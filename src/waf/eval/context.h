/* What a context remembers, and one call on it. Shared by the files of eval/ and by trace.c. */
#ifndef WAF_EVAL_CONTEXT_H
#define WAF_EVAL_CONTEXT_H

#include "waf/eval/budget.h"
#include "waf/eval/workspace.h"

/* ---- Matches: immutable once made, in the memory of the context ---- */

typedef struct hg_match_part {
    hg_slice name; /* of the argument */
    hg_slice address;
    hg_slice value;
    const hg_value *path;
    uint32_t path_length;
} hg_match_part;

/* A condition that was found true. */
typedef struct hg_match {
    const hg_plan_condition *condition;
    uint32_t part_count;
    hg_match_part parts[HG_ARGUMENTS_MAX];
    hg_slice highlight;
    bool has_highlight;
    bool ephemeral; /* rests on ephemeral data */
} hg_match;

/* ---- Sets of excluded objects ---- */

typedef struct hg_object_set {
    const hg_value **slots; /* open addressing; NULL = free */
    uint32_t mask;
    uint32_t count;
} hg_object_set;

bool hg_object_set_add(hg_object_set *set, const hg_value *object, hg_arena *arena);
bool hg_object_set_has(const hg_object_set *set, const hg_value *object);

/* The sets that apply to one rule; NULL stands for none. */
typedef struct hg_excluder {
    uint32_t count;
    const hg_object_set *sets[];
} hg_excluder;

static inline bool hg_excluded(const hg_excluder *excluder, const hg_value *object)
{
    for (uint32_t i = 0; excluder != NULL && i < excluder->count; i++)
        if (hg_object_set_has(excluder->sets[i], object))
            return true;
    return false;
}

/* ---- State ---- */

/* The values an address has had, newest first. */
typedef struct hg_past {
    const hg_value *value;
    uint32_t pass;
    const struct hg_past *older;
} hg_past;

typedef struct hg_slot {
    const hg_value *value; /* NULL: absent */
    uint32_t pass;         /* since which pass it is this object */
    bool is_new;
    bool ephemeral;
    bool touched;          /* listed in the context's `touched` */
    const hg_past *past;   /* earlier objects */
} hg_slot;

typedef struct hg_policy {
    hg_exclusion mode;
    hg_slice action;
} hg_policy;

typedef struct hg_filter_state {
    bool matched;
    hg_object_set excluded;
    hg_object_set excluded_now; /* for this call only (ephemeral data) */
} hg_filter_state;

typedef struct hg_mapping_state {
    bool generated;
    uint8_t resolved; /* inputs at the last generation */
    uint8_t resolved_optional;
} hg_mapping_state;

typedef struct hg_type_state {
    uint8_t verdict; /* hg_verdict of the last result */
    bool ephemeral;
} hg_type_state;

/* Not on the way of a judgement once a thread is warm; tests/waf/hotpath_test.py knows these by name. */
#define HG_COLD __attribute__((noinline, cold))

enum { HG_RULE_MATCHED = 1, HG_RULE_REPORTED = 2 };

/* Arrays over the plan's indices. In plain mode (trace.c) conditions and inputs are all of the plan's; else only those
 * of processors and filters. */
typedef struct hg_state {
    hg_match **matches;     /* by condition; NULL = not yet */
    const hg_value **seen;  /* by input: the object it last saw */
    uint8_t *rules;         /* plain mode: HG_RULE_ flags */
    hg_type_state *types;
    hg_policy *policy;      /* by rule; NULL until a rule filter matched */
    hg_policy *policy_now;  /* for this call only; NULL = none */
    hg_filter_state *filters;
    const hg_value **filter_seen; /* by filter input */
    hg_mapping_state *mappings;
    void **fields;          /* by processor: what its generator remembers; NULL at first */
} hg_state;

typedef struct hg_pending {
    const hg_plan_attribute *attribute;
    bool done;
    struct hg_pending *next;
} hg_pending;

/* v1 only: addresses that no rule knows, kept because they still count as new or refused. */
typedef struct hg_stranger {
    hg_slice name;
    bool ephemeral;
    bool gone;
    struct hg_stranger *next;
} hg_stranger;

/* ---- One call ---- */

/* A rule that matched in this call. */
typedef struct hg_hit {
    const hg_plan_rule *rule;
    hg_match **matches; /* one per condition */
    hg_policy policy;   /* as it was then */
    hg_verdict verdict;
    bool attributes;    /* its attributes are to be collected */
    bool ephemeral;
    struct hg_hit *next;
} hg_hit;

typedef struct hg_output {
    hg_slice name;
    hg_value value;
    bool dropped; /* replaced by a later one */
    struct hg_output *next;
} hg_output;

typedef struct hg_undo {
    void *where;
    uint64_t old[3];
    uint32_t size;
    struct hg_undo *next;
} hg_undo;

typedef struct hg_run {
    hg_context *context;
    const hg_plan *plan;
    const hg_profile *profile;
    hg_budget budget;
    bool failed; /* out of memory */
    bool idle;   /* nothing was new, so nothing was judged */
    hg_match_env env;
    hg_workspace *work; /* NULL: nothing is judged */

    hg_hit *hits, **last_hit;
    hg_hit *batch_hits;     /* first of the current batch, NULL = none yet */
    hg_output *outputs, **last_output;
    bool event_announced;   /* waf.context.event was set in this call */
    size_t evaluated;
    unsigned unrun;
    uint32_t rules_reached; /* rules of the current batch that were evaluated */
    hg_undo *undo;
    const hg_plan_rule *told_rule; /* whose elements a trace is told of; NULL: none */
} hg_run;

typedef struct hg_lane_state hg_lane_state; /* eval/scan.h */

/* Told of each result before the call ends. False: the call fails as if out of memory, and may be repeated. */
typedef bool hg_on_result(void *state, const hg_result *result);

struct hg_context {
    hg_waf *waf;
    const hg_plan *plan;
    hg_arena life; /* until the context ends */
    hg_arena call; /* until the next call */

    hg_slot *slots;     /* by address */
    uint32_t *touched;  /* addresses whose slot was ever set */
    uint32_t touched_count;
    uint32_t *fresh;    /* addresses that are new in this batch */
    uint32_t fresh_count;
    hg_stranger *strangers;
    hg_value context_event;

    hg_state state;
    char *side_state;   /* memory of the arrays that every context has */
    bool plain;         /* judged by trace.c, with arrays for all conditions */
    bool excludes;      /* some object was ever excluded */
    uint32_t pass;      /* batches begun */
    hg_pending *pending;
    hg_lane_state *lanes;

    hg_result result;
    hg_on_result *on_result; /* NULL: none */
    void *on_result_state;
    hg_trace_fn *trace;
    void *trace_state;
    const hg_obfuscator *obfuscator; /* in place of the ruleset's; NULL: none */

    hg_context *parent;  /* whose memory this one's state points into */
    uint32_t users;      /* itself and its subcontexts; atomic once `shared` */
    bool shared;
    hg_context *next;    /* in a pool */
};

/* ---- context.c ---- */

/* Sets who is told of later results; on_result NULL: nobody. */
static inline void hg_context_on_result(hg_context *context, hg_on_result *on_result, void *state)
{
    context->on_result = on_result;
    context->on_result_state = state;
}

/* The arrays of plain mode, carrying over what is known. False when out of memory. */
bool hg_context_make_plain(hg_context *context);

/* ---- run.c ---- */

/* Puts a batch into the store without judging anything; what it brings is not new afterwards. */
hg_status hg_context_store(hg_context *context, const hg_batch *batch);

/* ---- undo.c: state changes of a call that can be taken back ---- */

/* Remembers the bytes at `where` (24 at most) before they change. False when out of memory. */
bool hg_undo_note(hg_run *run, void *where, uint32_t size);
void hg_undo_all(hg_run *run);

static inline void *hg_call_alloc(hg_run *run, size_t size)
{
    void *ptr = hg_arena_alloc(&run->context->call, size, _Alignof(max_align_t));
    if (ptr == NULL)
        run->failed = true;
    return ptr;
}

static inline void *hg_life_alloc(hg_run *run, size_t size)
{
    void *ptr = hg_arena_alloc(&run->context->life, size, _Alignof(max_align_t));
    if (ptr == NULL)
        run->failed = true;
    return ptr;
}

/* A copy that lives as long as the context. */
static inline hg_slice hg_life_copy(hg_run *run, hg_slice s)
{
    bool ok;
    hg_slice copy = hg_arena_copy(&run->context->life, s, &ok);
    run->failed |= !ok;
    return copy;
}

/* Has time run out? Counts as one of the specified checks. */
static inline bool hg_expired(hg_run *run)
{
    return hg_budget_check(&run->budget);
}

/* ---- store.c ---- */

/* Puts a batch into the store. Returns whether anything is new. */
bool hg_store_apply(hg_run *run, const hg_batch *batch, bool as_new);
void hg_store_set(hg_run *run, uint32_t address, const hg_value *value, bool ephemeral);
void hg_store_settle(hg_run *run);          /* nothing is new any more */
void hg_store_drop_ephemeral(hg_run *run);  /* at the end of a call */
bool hg_store_brings(const hg_run *run, uint8_t use); /* is an address of that use new? */
/* The object of that address when pass `pass` had ended; NULL if it had none. */
const hg_value *hg_slot_at(const hg_slot *slot, uint32_t pass);

/* ---- condition.c, detector.c ---- */

/* Evaluates a condition; seen is indexed from the condition's first input. NULL: false, or time ran out. */
hg_match *hg_condition_eval(hg_run *run, const hg_plan_condition *condition, const hg_value **seen,
                            const hg_excluder *excluder);
hg_match *hg_detector_eval(hg_run *run, const hg_plan_condition *condition, const hg_excluder *excluder);
hg_match *hg_match_new(hg_run *run, const hg_plan_condition *condition);

/* The match of a scalar condition whose input is known to match the object's element of that number (from 0, in walk
 * order; nothing excluded). NULL if it does not after all. */
hg_match *hg_condition_match_at(hg_run *run, const hg_plan_condition *condition, const hg_plan_input *input,
                                const hg_value *object, uint32_t element);

/* The text that conditions see of a string: cut to the profile's limit. */
hg_slice hg_cut_text(const hg_profile *profile, hg_slice text);

/* ---- expression.c ---- */

/* What every step of a condition tells. */
hg_trace_step hg_condition_step(const hg_plan_rule *rule, const hg_plan_condition *condition, hg_step_kind kind);

typedef enum hg_truth {
    HG_FALSE,
    HG_TRUE,
    HG_TRUE_FOR_NOW /* rests on ephemeral data */
} hg_truth;

/* Evaluates the conditions in order with the context's arrays. rule is for the trace and may be NULL. */
hg_truth hg_expression_eval(hg_run *run, hg_plan_expression expression, const hg_excluder *excluder,
                            const hg_plan_rule *rule);

/* ---- filters.c ---- */

/* False: time ran out. */
bool hg_filters_eval(hg_run *run);
hg_policy hg_policy_of(const hg_run *run, const hg_plan_rule *rule);
/* The excluded objects of a rule, NULL if there are none. */
const hg_excluder *hg_excluder_of(hg_run *run, const hg_plan_rule *rule);
void hg_filters_forget_call(hg_run *run);

/* ---- processors.c ---- */

/* Runs all pre- or postprocessors. False: time ran out. */
bool hg_processors_run(hg_run *run, bool before_rules);

/* ---- attributes.c ---- */

void hg_attribute_from_processor(hg_run *run, hg_slice name, const hg_value *value);
/* Collects those of the batch's hits, after the pending ones. */
void hg_attributes_collect(hg_run *run);
bool hg_attribute_known(const hg_run *run, hg_slice name);

/* ---- rules.c / trace.c ---- */

/* Notes that the rule gave a result. matches: one per condition. */
void hg_hit_add(hg_run *run, const hg_plan_rule *rule, hg_match **matches, hg_policy policy, bool ephemeral);
/* The rule's verdict under a policy. */
hg_verdict hg_verdict_of(const hg_plan_rule *rule, hg_policy policy);

/* Evaluate all modules; *verdict becomes that of the last one evaluated. False: time ran out. */
bool hg_rules_eval(hg_run *run, hg_verdict *verdict);
bool hg_trace_rules(hg_run *run, hg_verdict *verdict);

/* ---- report.c ---- */

/* Writes events, actions and the rest into the context's result. */
void hg_report(hg_run *run);

#endif
