/* Rules replayed over the hits of lanes. Only rules that may come true are looked at: those with a hit, and those with a
 * condition that no lane answers when one of its addresses is new. For all others the pass changes nothing but what
 * they have seen, and that is told by the number of the pass. */
#include "waf/eval/scan.h"
#include "waf/eval/walk.h"

/* ---- What rules have seen ---- */

static bool covers(const hg_pass_record *record, uint32_t rule)
{
    if (rule >= record->reached)
        return false;
    for (const hg_hole *hole = record->holes; hole != NULL; hole = hole->next)
        if (rule >= hole->first && rule < hole->end)
            return false;
    return true;
}

uint32_t hg_rule_last_pass(const hg_lane_state *state, uint32_t rule, uint32_t activated)
{
    uint32_t last = state->complete_pass;
    for (const hg_pass_record *record = state->records; record != NULL; record = record->older) {
        if (covers(record, rule)) {
            last = record->pass;
            break;
        }
    }
    return last >= activated ? last : 0;
}

void hg_lane_state_to_plain(const hg_context *context)
{
    const hg_plan *plan = context->plan;
    const hg_lane_state *state = context->lanes;
    for (uint32_t r = 0; r < plan->rule_count; r++) {
        const hg_plan_expression *expression = &plan->rules[r].expression;
        const hg_rule_state *rs = &state->rules[r];
        uint32_t current = rs->epoch == state->epoch ? rs->current : 0;
        uint32_t activated = rs->epoch == state->epoch ? rs->activated : 0;
        if (current > 0)
            memcpy(&context->state.matches[expression->first], rs->matches, current * sizeof(hg_match *));
        if (rs->epoch == state->epoch && rs->matched)
            context->state.rules[r] = HG_RULE_MATCHED | HG_RULE_REPORTED;
        if (current == expression->count)
            continue;
        const hg_plan_condition *condition = &plan->conditions[expression->first + current];
        uint32_t last = hg_rule_last_pass(state, r, activated);
        for (uint32_t i = condition->argument[0]; i < condition->argument[HG_ARGUMENTS_MAX]; i++)
            context->state.seen[i] = hg_slot_at(&context->slots[plan->inputs[i].address], last);
    }
}

/* Notes what this pass evaluated. */
static void close_pass(hg_run *run, uint32_t reached, const hg_hole *holes)
{
    hg_lane_state *state = run->context->lanes;
    run->rules_reached = reached;
    if (!hg_undo_note(run, &state->complete_pass, sizeof state->complete_pass) ||
        !hg_undo_note(run, &state->records, sizeof state->records))
        return;
    if (reached >= run->plan->rule_count && holes == NULL) {
        state->complete_pass = run->context->pass;
        state->records = NULL;
        return;
    }
    hg_pass_record *record = hg_life_alloc(run, sizeof *record);
    if (record == NULL)
        return;
    *record = (hg_pass_record){run->context->pass, reached, holes, state->records};
    state->records = record;
}

static hg_rule_state *rule_state(hg_run *run, uint32_t rule)
{
    hg_lane_state *state = run->context->lanes;
    hg_rule_state *rs = &state->rules[rule];
    if (rs->epoch != state->epoch)
        *rs = (hg_rule_state){.epoch = state->epoch};
    return rs;
}

/* ---- One rule ---- */

/* A scalar condition answered by the lanes' hits. */
static hg_match *match_by_lanes(hg_run *run, const hg_plan_condition *condition, uint32_t last)
{
    const hg_lanes *lanes = run->plan->lanes;
    if (!condition->answerable)
        return NULL;
    for (uint32_t i = condition->argument[0]; i < condition->argument[1]; i++) {
        const hg_plan_input *input = &run->plan->inputs[i];
        const hg_slot *slot = &run->context->slots[input->address];
        if (slot->value == NULL || hg_slot_at(slot, last) == slot->value)
            continue;
        if (!hg_lane_scan_now(run, lanes->lane_of_input[i]))
            return NULL;
        const hg_use_hit *hit = hg_lane_hit(run, lanes->lane_of_input[i], lanes->use_of_input[i]);
        hg_match *match =
            hit != NULL ? hg_condition_match_at(run, condition, input, slot->value, hit->element) : NULL;
        if (match != NULL || run->failed)
            return match;
    }
    return NULL;
}

/* Any condition, walked. */
static hg_match *match_by_walk(hg_run *run, const hg_plan_condition *condition, uint32_t last,
                               const hg_excluder *excluder)
{
    uint32_t first = condition->argument[0], end = condition->argument[HG_ARGUMENTS_MAX];
    const hg_value **seen = hg_call_alloc(run, (end - first) * sizeof *seen);
    if (seen == NULL)
        return NULL;
    for (uint32_t i = first; i < end; i++)
        seen[i - first] = hg_slot_at(&run->context->slots[run->plan->inputs[i].address], last);
    return hg_condition_eval(run, condition, seen, excluder);
}

static bool keep_match(hg_run *run, hg_rule_state *rs, hg_match *match)
{
    /* A list of its own each time: subcontexts and undone calls still have the old one. */
    hg_match **matches = hg_life_alloc(run, (rs->current + (size_t)1) * sizeof *matches);
    if (matches == NULL || !hg_undo_note(run, rs, sizeof *rs))
        return false;
    if (rs->current > 0)
        memcpy(matches, rs->matches, rs->current * sizeof *matches);
    matches[rs->current++] = match;
    rs->matches = matches;
    rs->activated = run->context->pass;
    return true;
}

/* The hit of the rule if it comes true now, else NULL. */
static const hg_hit *eval_rule(hg_run *run, const hg_plan_rule *rule)
{
    hg_rule_state *rs = rule_state(run, rule->index);
    hg_policy policy = hg_policy_of(run, rule);
    if (rs->matched || policy.mode == HG_EXCLUDE_BYPASS)
        return NULL;
    const hg_excluder *excluder = hg_excluder_of(run, rule);
    uint32_t last = hg_rule_last_pass(run->context->lanes, rule->index, rs->activated);
    while (rs->current < rule->expression.count) {
        const hg_plan_condition *condition = &run->plan->conditions[rule->expression.first + rs->current];
        hg_match *match = condition->kind == HG_CONDITION_SCALAR && excluder == NULL
                              ? match_by_lanes(run, condition, last)
                              : match_by_walk(run, condition, last, excluder);
        if (match == NULL || run->failed || !keep_match(run, rs, match))
            return NULL;
        last = 0; /* the next condition has seen nothing yet */
    }
    hg_hit **end = run->last_hit;
    hg_hit_add(run, rule, rs->matches, policy, false);
    if (*end == NULL || !hg_undo_note(run, rs, sizeof *rs))
        return NULL;
    rs->matched = true;
    return *end;
}

/* ---- Which rules and lanes concern this pass ---- */

/* With exclusions a key path may select another entry than the lane looked at. */
static bool path_may_differ(const hg_run *run, const hg_lane *lane, const hg_excluder *all)
{
    const hg_value *object = run->context->slots[lane->address].value;
    uint32_t most = run->profile->max_container_size;
    return hg_path_resolve(object, lane->path, NULL, most) != NULL &&
           hg_path_resolve(object, lane->path, all, most) == NULL;
}

/* Everything that is hidden from some rule. */
static const hg_excluder *all_excluded(hg_run *run)
{
    const hg_plan *plan = run->plan;
    if (!run->context->excludes)
        return NULL;
    uint32_t count = 2 * (plan->filter_count - plan->rule_filter_count);
    hg_excluder *all = hg_call_alloc(run, sizeof *all + count * sizeof all->sets[0]);
    if (all == NULL)
        return NULL;
    all->count = 0;
    for (uint32_t f = plan->rule_filter_count; f < plan->filter_count; f++) {
        all->sets[all->count++] = &run->context->state.filters[f].excluded;
        all->sets[all->count++] = &run->context->state.filters[f].excluded_now;
    }
    return all;
}

static void mark_lane_rules(const hg_run *run, const hg_lane *lane)
{
    for (uint32_t u = 0; u < lane->use_count; u++)
        hg_bit_set(run->context->lanes->candidates, lane->uses[u].rule);
}

static void mark_all(uint64_t *words, const hg_number_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        hg_bit_set(words, list->items[i]);
}

/* Rules that lanes do not answer, unless their first condition cannot be true. */
static void mark_irregular(const hg_run *run, const hg_number_list *list)
{
    const uint32_t *gates = run->plan->lanes->gate;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t gate = gates[list->items[i]];
        if (gate == HG_NO_ADDRESS || run->context->slots[gate].value != NULL)
            hg_bit_set(run->context->lanes->candidates, list->items[i]);
    }
}

static uint64_t key_marks(const hg_value *map)
{
    uint64_t marks = 0;
    const hg_pair *pairs = hg_map_pairs(map);
    for (size_t i = 0; i < hg_value_size(map); i++)
        marks |= hg_key_mark(hg_value_string(&pairs[i].key));
    return marks;
}

/* Lanes whose key the map does not have need no scan. */
static void mark_lanes(hg_run *run, uint32_t address, const hg_value *object)
{
    enum { WORTHWHILE = 3, KEYS_MOST = 256 };
    const hg_lanes *lanes = run->plan->lanes;
    const hg_number_list *list = &lanes->of_address[address];
    if (list->count < WORTHWHILE || !hg_is_map(object) || hg_value_size(object) > KEYS_MOST) {
        mark_all(run->context->lanes->pending, list);
        return;
    }
    uint64_t marks = key_marks(object);
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t wanted = lanes->lanes[list->items[i]].key_mark;
        if (wanted == 0 || (wanted & marks))
            hg_bit_set(run->context->lanes->pending, list->items[i]);
        else
            hg_lane_is_empty(run, list->items[i]);
    }
}

static void prepare_pass(hg_run *run)
{
    const hg_context *context = run->context;
    const hg_lanes *lanes = run->plan->lanes;
    hg_lane_state *state = context->lanes;
    memset(state->candidates, 0, (run->plan->rule_count / 64 + 1) * sizeof(uint64_t));
    memset(state->pending, 0, (lanes->count / 64 + 1) * sizeof(uint64_t));
    mark_all(state->candidates, &lanes->unconditional);
    const hg_excluder *all = all_excluded(run);
    for (uint32_t i = 0; i < context->touched_count; i++) {
        uint32_t address = context->touched[i];
        const hg_slot *slot = &context->slots[address];
        if (slot->value == NULL || slot->pass <= state->complete_pass)
            continue;
        mark_lanes(run, address, slot->value);
        mark_irregular(run, &lanes->irregular[address]);
        for (uint32_t k = 0; all != NULL && k < lanes->of_address[address].count; k++) {
            const hg_lane *lane = &lanes->lanes[lanes->of_address[address].items[k]];
            if (lane->path.count > 0 && path_may_differ(run, lane, all))
                mark_lane_rules(run, lane);
        }
    }
}

/* ---- The replay ---- */

typedef struct replay {
    hg_run *run;
    uint32_t acl_end;   /* rules before it ignore the time */
    uint32_t waf_begin;
    uint32_t lane;      /* lanes before it are done */
    uint32_t ended;     /* the collection that had its result in this pass */
    const hg_hole *holes;
    hg_verdict verdict;
} replay;

typedef enum progress {
    GO_ON,
    BLOCKED,
    OUT_OF_TIME
} progress;

/* Is the rule's collection still open to results? */
static bool is_open(const replay *r, uint32_t rule, const hg_plan_collection **collection)
{
    *collection = NULL;
    if (rule < r->waf_begin || r->run->plan->collection_count == 0)
        return true;
    uint32_t number = r->run->plan->lanes->collection_of_rule[rule];
    if (number == UINT32_MAX || number == r->ended)
        return false;
    *collection = &r->run->plan->collections[number];
    return r->run->context->state.types[(*collection)->type].verdict < (*collection)->verdict;
}

/* A collection gives one result; if it may give more later, the rest of it was not evaluated in this pass. */
static void end_collection(replay *r, const hg_plan_collection *collection, const hg_hit *hit)
{
    hg_run *run = r->run;
    hg_type_state *type = &run->context->state.types[collection->type];
    r->ended = (uint32_t)(collection - run->plan->collections);
    if (!hg_undo_note(run, &type->verdict, 1))
        return;
    type->verdict = (uint8_t)hit->verdict;
    uint32_t next = hit->rule->index + 1, end = collection->first + collection->count;
    if (type->verdict >= collection->verdict || next == end)
        return;
    hg_hole *hole = hg_life_alloc(run, sizeof *hole);
    if (hole == NULL)
        return;
    *hole = (hg_hole){next, end, r->holes};
    r->holes = hole;
}

/* Before each rule that minds the time. */
static bool may_go_on(replay *r, uint32_t rule)
{
    r->run->budget.ignored = rule < r->acl_end;
    return r->run->budget.ignored || !hg_expired(r->run);
}

/* Is there a rule left after those of the ACL modules whose turn would come? */
static bool is_anything_left(const replay *r)
{
    const hg_plan *plan = r->run->plan;
    if (r->acl_end < r->waf_begin || plan->collection_count == 0)
        return r->acl_end < plan->rule_count;
    for (uint32_t c = 0; c < plan->collection_count; c++)
        if (r->run->context->state.types[plan->collections[c].type].verdict < plan->collections[c].verdict)
            return true;
    return false;
}

static progress replay_rule(replay *r, uint32_t number)
{
    const hg_plan_collection *collection;
    if (!is_open(r, number, &collection))
        return GO_ON;
    if (!may_go_on(r, number))
        return OUT_OF_TIME;
    const hg_hit *hit = eval_rule(r->run, &r->run->plan->rules[number]);
    if (r->run->budget.expired && !r->run->budget.ignored)
        return OUT_OF_TIME;
    if (hit == NULL)
        return GO_ON;
    r->verdict = hit->verdict;
    if (collection != NULL)
        end_collection(r, collection, hit);
    return hit->verdict == HG_VERDICT_BLOCK ? BLOCKED : GO_ON;
}

/* Rules before `end`; lanes are scanned when the next rule to be looked at might need them. *at is the rule reached. */
static progress replay_rules(replay *r, uint32_t end, uint32_t *at)
{
    const hg_lanes *lanes = r->run->plan->lanes;
    const hg_lane_state *state = r->run->context->lanes;
    while (!r->run->failed) {
        uint32_t rule = hg_bit_next(state->candidates, *at, end);
        uint32_t lane = hg_bit_next(state->pending, r->lane, lanes->count);
        uint32_t first = lane < lanes->count ? lanes->lanes[lane].first_rule : UINT32_MAX;
        if (first <= rule && first < end) {
            *at = first > *at ? first : *at;
            r->lane = lane;
            if (!may_go_on(r, *at) || !hg_lanes_scan(r->run, &r->lane, end))
                return OUT_OF_TIME;
            continue;
        }
        if (rule == end)
            break;
        *at = rule;
        progress step = replay_rule(r, rule);
        if (step != GO_ON)
            return *at += step == BLOCKED, step;
        *at = rule + 1;
    }
    *at = end;
    return GO_ON;
}

static progress replay_all(replay *r, uint32_t *at)
{
    *at = 0;
    progress step = replay_rules(r, r->acl_end, at);
    if (step != GO_ON)
        return step;
    uint32_t end = r->run->plan->rule_count;
    if (!is_anything_left(r))
        return *at = end, GO_ON;
    /* The first of them looks at the time even if nothing concerns it. */
    return may_go_on(r, r->acl_end) ? replay_rules(r, end, at) : OUT_OF_TIME;
}

bool hg_rules_eval(hg_run *run, hg_verdict *verdict)
{
    const uint32_t *begin = run->plan->ruleset->module_begin;
    replay r = {.run = run, .acl_end = begin[HG_MODULE_CUSTOM_ACL], .waf_begin = begin[HG_MODULE_WAF],
                .ended = UINT32_MAX, .verdict = HG_VERDICT_NONE};
    uint32_t reached;
    prepare_pass(run);
    progress end = replay_all(&r, &reached);
    run->budget.ignored = false;
    if (run->failed)
        return true;
    close_pass(run, reached, r.holes);
    *verdict = r.verdict;
    return end != OUT_OF_TIME;
}
