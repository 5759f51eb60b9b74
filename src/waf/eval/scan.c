#include "waf/eval/scan.h"

#include "waf/eval/walk.h"

#include <stdlib.h>

enum {
    TEXTS_KEPT = 16384, /* room for texts that a shell keeps between contexts */
    BATCH = 256,        /* texts scanned between two looks at the time */
    TABLE_LEAST = 8,    /* texts from which on equal ones are looked for */
    PROBES = 8          /* places looked at; beyond them a text counts as new */
};

/* ---- Memory ---- */

static size_t place(size_t *at, size_t count, size_t size)
{
    size_t begin = (*at + 7) & ~(size_t)7;
    *at = begin + count * size;
    return begin;
}

size_t hg_lane_state_lay_out(const hg_plan *plan, hg_lane_state *state, char *block)
{
    const hg_lanes *lanes = plan->lanes;
    size_t at = 0;
    size_t scans = place(&at, lanes->count, sizeof *state->scans);
    size_t hits = place(&at, lanes->use_total, sizeof *state->hits);
    size_t hit_uses = place(&at, lanes->word_total, sizeof(uint64_t));
    size_t rules = place(&at, plan->rule_count, sizeof *state->rules);
    size_t candidates = place(&at, plan->rule_count / 64 + 1, sizeof(uint64_t));
    size_t pending = place(&at, lanes->count / 64 + 1, sizeof(uint64_t));
    size_t pattern_hits = place(&at, lanes->pattern_most / 64 + 1, sizeof(uint64_t));
    if (block != NULL) {
        state->scans = (hg_lane_scan *)(void *)(block + scans);
        state->hits = (hg_use_hit *)(void *)(block + hits);
        state->hit_uses = (uint64_t *)(void *)(block + hit_uses);
        state->rules = (hg_rule_state *)(void *)(block + rules);
        state->candidates = (uint64_t *)(void *)(block + candidates);
        state->pending = (uint64_t *)(void *)(block + pending);
        state->pattern_hits = (uint64_t *)(void *)(block + pattern_hits);
    }
    return at;
}

void hg_lane_state_close(hg_lane_state *state)
{
    free(state->texts);
    free(state->slices);
    free(state->any);
    free(state->table);
    state->texts = NULL;
    state->slices = NULL;
    state->any = NULL;
    state->table = NULL;
    state->text_room = state->table_room = 0;
}

/* Entries of an older epoch count as empty, so that a new context clears nothing. */
void hg_lane_state_clear(hg_lane_state *state, const hg_plan *plan)
{
    if (++state->epoch == 0) {
        memset(state->scans, 0, plan->lanes->count * sizeof *state->scans);
        memset(state->rules, 0, plan->rule_count * sizeof *state->rules);
        state->epoch = 1;
    }
    state->complete_pass = 0;
    state->records = NULL;
    if (state->text_room > TEXTS_KEPT)
        hg_lane_state_close(state);
}

void hg_lane_state_copy(hg_lane_state *into, const hg_lane_state *from, const hg_plan *plan)
{
    memcpy(into->scans, from->scans, plan->lanes->count * sizeof *into->scans);
    memcpy(into->hits, from->hits, plan->lanes->use_total * sizeof *into->hits);
    memcpy(into->hit_uses, from->hit_uses, plan->lanes->word_total * sizeof *into->hit_uses);
    memcpy(into->rules, from->rules, plan->rule_count * sizeof *into->rules);
    into->epoch = from->epoch;
    into->complete_pass = from->complete_pass;
    into->records = from->records;
}

static bool text_room(hg_run *run, hg_lane_state *state, uint32_t count)
{
    if (count <= state->text_room)
        return true;
    uint32_t room = state->text_room ? state->text_room : 64;
    while (room < count)
        room *= 2;
    hg_text *texts = realloc(state->texts, room * sizeof *texts);
    state->texts = texts != NULL ? texts : state->texts;
    hg_slice *slices = realloc(state->slices, room * sizeof *slices);
    state->slices = slices != NULL ? slices : state->slices;
    bool *any = realloc(state->any, room * sizeof *any);
    state->any = any != NULL ? any : state->any;
    if (texts == NULL || slices == NULL || any == NULL)
        return run->failed = true, false;
    state->text_room = room;
    return true;
}

/* ---- One scan ---- */

typedef struct scan {
    hg_run *run;
    hg_lane_state *state;
    const hg_lane *lane;
    uint32_t lane_number;
    uint32_t raw_count;  /* texts [0, raw_count) are the elements' own, later ones what is to be scanned */
    uint32_t text_count;
    uint32_t hit_count;
    uint64_t bytes;
} scan;

static void record_hit(scan *s, uint32_t use, uint32_t element)
{
    hg_lane_state *state = s->state;
    uint64_t *known = state->hit_uses + s->lane->word_first;
    if (hg_bit_test(known, use))
        return;
    hg_bit_set(known, use);
    state->hits[s->lane->hit_first + s->hit_count++] = (hg_use_hit){use, element};
}

static bool has_hit(const scan *s, uint32_t use)
{
    return hg_bit_test(s->state->hit_uses + s->lane->word_first, use);
}

static void string_value(hg_value *v, hg_slice text)
{
    v->wide.head = HG_STRING;
    v->str.size = (uint32_t)text.len;
    v->str.ptr = (char *)text.ptr;
}

static bool ask(scan *s, const hg_use *use, const hg_value *value)
{
    hg_slice highlight;
    return use->matcher->op->match(use->matcher, value, &s->run->env, &highlight);
}

static hg_slice apply_chain(scan *s, const hg_lane_chain *chain, hg_slice text, uint32_t traits, bool *changed)
{
    hg_slice out = text;
    *changed = false;
    if (chain->chain.count > 0 && text.len > 0 && hg_transform_may_change(&chain->chain, traits) &&
        hg_transform_apply(&chain->chain, text, traits, &s->run->context->call, &out, changed) != HG_OK)
        s->run->failed = true;
    return *changed ? out : text;
}

/* Asks the matcher of a use about what its chain makes of a text that stands for it. */
static bool ask_about(scan *s, const hg_use *use, const hg_text *text)
{
    const hg_lane_chain *chain = &s->lane->chains[use->chain];
    bool changed;
    hg_value value;
    hg_slice shown = text->text;
    if (chain->folds && (text->traits & HG_TRAIT_UPPER))
        shown = apply_chain(s, chain, shown, text->traits, &changed);
    string_value(&value, shown);
    return ask(s, use, &value);
}

/* ---- Direct uses ---- */

/* Values that are no strings. */
static void ask_other(scan *s, const hg_value *element, uint32_t number)
{
    for (uint32_t u = 0; u < s->lane->direct_count; u++) {
        const hg_use *use = &s->lane->uses[u];
        if (!has_hit(s, u) && hg_matcher_accepts(use->matcher, element) && ask(s, use, element))
            record_hit(s, u, number);
    }
}

static void ask_directly(scan *s, const hg_text *text, uint8_t tag)
{
    hg_value original = {.type = tag};
    for (uint32_t u = 0; u < s->lane->direct_count; u++) {
        const hg_use *use = &s->lane->uses[u];
        if ((text->chains >> use->chain & 1) && !has_hit(s, u) && hg_matcher_accepts(use->matcher, &original) &&
            ask_about(s, use, text))
            record_hit(s, u, text->element);
    }
}

/* ---- Elements to texts ---- */

/* Adds a text to be scanned, unless the element already gave an equal one, which then stands for both. */
static void add_text(scan *s, uint32_t first, hg_text text)
{
    for (uint32_t i = first; i < s->text_count; i++) {
        if (hg_slice_equal(s->state->texts[i].text, text.text)) {
            s->state->texts[i].chains |= text.chains;
            return;
        }
    }
    if (text_room(s->run, s->state, s->text_count + 1))
        s->state->texts[s->text_count++] = text;
}

static uint32_t all_chains(const hg_lane *lane)
{
    return lane->chain_count == 32 ? UINT32_MAX : (1u << lane->chain_count) - 1;
}

/* What the lane's chains make of one element. */
static void prepare_element(scan *s, hg_slice own, uint32_t element, uint8_t tag)
{
    const hg_lane *lane = s->lane;
    hg_text text = {own, element, all_chains(lane), 0};
    uint32_t first = s->text_count;
    if (own.len > 0)
        text.traits = hg_text_survey(own);
    s->bytes += own.len;
    if (text.traits & lane->alters) {
        for (uint32_t c = 0; c < lane->chain_count; c++) {
            bool changed;
            if (!(text.traits & lane->chains[c].alters))
                continue;
            hg_slice made = apply_chain(s, &lane->chains[c], own, text.traits, &changed);
            if (!changed)
                continue;
            text.chains &= ~(1u << c);
            /* What a chain made is final: no case is left to fold. */
            add_text(s, first, (hg_text){made, element, 1u << c, 0});
        }
    }
    if (text.chains != 0)
        add_text(s, first, text);
    if (lane->direct_count > 0)
        for (uint32_t i = first; i < s->text_count; i++)
            ask_directly(s, &s->state->texts[i], tag);
}

/* Has an earlier element the same text? Its hits come first, so this one adds nothing. */
static bool is_repeated(scan *s, uint32_t index, uint32_t mask)
{
    const hg_text *texts = s->state->texts;
    uint64_t hash = hg_text_hash(texts[index].text);
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t *entry = &s->state->table[(hash + probe) & mask];
        if (*entry == 0) {
            *entry = index + 1;
            return false;
        }
        if (hg_slice_equal(texts[*entry - 1].text, texts[index].text))
            return true;
    }
    return false;
}

/* The mask of a cleared table for that many texts; 0 when equal texts are not looked for. */
static uint32_t clear_table(scan *s)
{
    hg_lane_state *state = s->state;
    if (s->raw_count < TABLE_LEAST || s->lane->tags_matter)
        return 0;
    uint32_t size = 32;
    while (size < s->raw_count * 2)
        size *= 2;
    if (size > state->table_room) {
        free(state->table);
        state->table = malloc(size * sizeof *state->table);
        state->table_room = state->table != NULL ? size : 0;
        if (state->table == NULL)
            return 0; /* every text is judged then */
    }
    memset(state->table, 0, size * sizeof *state->table);
    return size - 1;
}

/* The elements' own texts; other values are asked about at once. */
static void collect_elements(scan *s, const hg_value *object)
{
    hg_walk walk;
    uint32_t number = 0;
    hg_walk_start(&walk, s->run, object, s->lane->path, s->lane->keys ? HG_WALK_KEYS : HG_WALK_VALUES, NULL);
    for (; hg_walk_next(&walk) && !s->run->failed; number++) {
        if (!hg_is_string(walk.element)) {
            if (s->lane->other_accepts != 0)
                ask_other(s, walk.element, number);
            continue;
        }
        if (!text_room(s->run, s->state, s->raw_count + 1))
            return;
        hg_slice text = hg_cut_text(s->run->profile, hg_value_string(walk.element));
        s->state->texts[s->raw_count++] = (hg_text){text, number, walk.element->type, 0};
    }
}

static bool in_time(scan *s)
{
    hg_budget_work(&s->run->budget, s->bytes);
    s->bytes = 0;
    return !hg_expired(s->run);
}

/* False: time or memory ran out. */
static bool prepare_elements(scan *s)
{
    uint32_t mask = clear_table(s);
    s->text_count = s->raw_count;
    for (uint32_t i = 0; i < s->raw_count; i++) {
        const hg_text raw = s->state->texts[i];
        if (mask != 0 && is_repeated(s, i, mask))
            continue;
        prepare_element(s, raw.text, raw.element, (uint8_t)raw.chains);
        if (s->run->failed || (s->bytes > HG_WORK_PER_LOOK && !in_time(s)))
            return false;
    }
    return true;
}

/* ---- Texts against the set ---- */

static void take_pattern(scan *s, uint32_t pattern, const hg_text *text)
{
    const hg_lane *lane = s->lane;
    for (uint32_t u = lane->pattern_uses[pattern]; u < lane->pattern_uses[pattern + 1]; u++) {
        const hg_use *use = &lane->uses[u];
        if (!(text->chains >> use->chain & 1) || text->text.len < use->min_length || has_hit(s, u))
            continue;
        if (use->exact || ask_about(s, use, text))
            record_hit(s, u, text->element);
    }
}

static void take_patterns(scan *s, const hg_text *text)
{
    uint64_t *hits = s->state->pattern_hits;
    uint32_t count = s->lane->pattern_count;
    if (!hg_regex_set_scan(s->lane->set, s->run->env.regex, text->text, hits))
        return;
    for (uint32_t p = hg_bit_next(hits, 0, count); p < count; p = hg_bit_next(hits, p + 1, count))
        take_pattern(s, p, text);
}

/* False: time or memory ran out. */
static bool scan_texts(scan *s)
{
    hg_lane_state *state = s->state;
    for (uint32_t first = s->raw_count; first < s->text_count; first += BATCH) {
        const hg_text *texts = &state->texts[first];
        uint32_t count = s->text_count - first < BATCH ? s->text_count - first : BATCH;
        for (uint32_t i = 0; i < count; i++) {
            state->slices[i] = texts[i].text;
            s->bytes += texts[i].text.len;
        }
        hg_regex_set_any(s->lane->set, s->run->env.regex, state->slices, count, state->any);
        for (uint32_t i = 0; i < count; i++)
            if (state->any[i] && texts[i].text.len > 0) /* no operator of a set matches an empty text */
                take_patterns(s, &texts[i]);
        if (s->run->failed || (s->bytes > HG_WORK_PER_LOOK && !in_time(s)))
            return false;
    }
    return true;
}

static void mark_candidates(const hg_run *run, const hg_lane *lane, const hg_lane_scan *known)
{
    const hg_lane_state *state = run->context->lanes;
    for (uint32_t i = 0; i < known->hit_count; i++)
        hg_bit_set(state->candidates, lane->uses[state->hits[lane->hit_first + i].use].rule);
}

bool hg_lane_scan_object(hg_run *run, uint32_t number)
{
    hg_lane_state *state = run->context->lanes;
    const hg_lane *lane = &run->plan->lanes->lanes[number];
    const hg_value *object = run->context->slots[lane->address].value;
    hg_lane_scan *known = &state->scans[number];
    if (known->epoch != state->epoch || known->object != object) {
        scan s = {.run = run, .state = state, .lane = lane, .lane_number = number};
        known->epoch = state->epoch;
        known->object = NULL;
        known->hit_count = 0;
        memset(state->hit_uses + lane->word_first, 0, lane->hit_words * sizeof(uint64_t));
        collect_elements(&s, object);
        if (run->failed || !prepare_elements(&s) || (lane->set != NULL && !scan_texts(&s)) || run->failed)
            return false;
        hg_budget_work(&run->budget, s.bytes);
        known->object = object;
        known->hit_count = s.hit_count;
    }
    mark_candidates(run, lane, known);
    return true;
}

const hg_use_hit *hg_lane_hit(const hg_run *run, uint32_t number, uint32_t use)
{
    const hg_lane_state *state = run->context->lanes;
    const hg_lane *lane = &run->plan->lanes->lanes[number];
    if (!hg_bit_test(state->hit_uses + lane->word_first, use))
        return NULL;
    for (uint32_t i = 0; i < state->scans[number].hit_count; i++)
        if (state->hits[lane->hit_first + i].use == use)
            return &state->hits[lane->hit_first + i];
    return NULL;
}
