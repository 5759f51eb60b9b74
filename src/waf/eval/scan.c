#include "waf/eval/scan.h"

#include "waf/eval/pool.h"
#include "waf/eval/walk.h"

enum {
    TOGETHER = 16384,   /* bytes from which on further lanes wait for their turn */
    TABLE_LEAST = 8,    /* texts from which on equal ones are looked for */
    PROBES = 8,         /* places looked at; beyond them a text counts as new */
    AHEAD = 8,          /* texts whose keys are made together */
    FRESH = 64,         /* texts of a scan that may be remembered */
    RECALL_COST = 16    /* bytes' worth of work */
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
    if (block != NULL) {
        state->scans = (hg_lane_scan *)(void *)(block + scans);
        state->hits = (hg_use_hit *)(void *)(block + hits);
        state->hit_uses = (uint64_t *)(void *)(block + hit_uses);
        state->rules = (hg_rule_state *)(void *)(block + rules);
        state->candidates = (uint64_t *)(void *)(block + candidates);
        state->pending = (uint64_t *)(void *)(block + pending);
    }
    return at;
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

/* ---- One scan ---- */

typedef struct scan {
    hg_run *run;
    hg_lane_state *state;
    uint32_t text_count; /* to go through sets, of all lanes */
    uint64_t bytes;      /* since the last look at the time */
    uint64_t own_bytes;  /* of all elements */

    hg_workspace *work;
    uint64_t owner;      /* the lane at hand, in the memo */
    uint32_t fresh_count;
    struct {
        uint64_t key;
        uint32_t lane;
    } fresh[FRESH];      /* texts the memo did not know */

    /* The lane at hand. */
    const hg_lane *lane;
    uint32_t number;
    uint32_t raw_count;
} scan;

static void start(scan *s, hg_run *run)
{
    s->run = run;
    s->state = run->context->lanes;
    s->work = run->work;
    s->text_count = s->fresh_count = 0;
    s->bytes = s->own_bytes = 0;
}

static void turn_to(scan *s, uint32_t number)
{
    s->number = number;
    s->lane = &s->run->plan->lanes->lanes[number];
    s->owner = (uint64_t)s->run->plan->lanes->serial << 32 | (uint64_t)number << 8;
}

static void record_hit(scan *s, uint32_t use, uint32_t element)
{
    hg_lane_state *state = s->state;
    uint64_t *known = state->hit_uses + s->lane->word_first;
    if (hg_bit_test(known, use))
        return;
    hg_bit_set(known, use);
    state->hits[s->lane->hit_first + state->scans[s->number].hit_count++] = (hg_use_hit){use, element};
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
    hg_text_list *list = &s->work->texts;
    for (uint32_t i = first; i < s->text_count; i++) {
        if (hg_slice_equal(list->items[i].text, text.text)) {
            list->items[i].chains |= text.chains;
            return;
        }
    }
    if (s->text_count < list->room || hg_workspace_grow_texts(list))
        list->items[s->text_count++] = text;
    else
        s->run->failed = true;
}

static uint32_t all_chains(const hg_lane *lane)
{
    return lane->chain_count == 32 ? UINT32_MAX : (1u << lane->chain_count) - 1;
}

/* Can what the chain makes of a text matter to some use of it? */
static bool may_matter(const hg_lane_chain *chain, uint8_t found)
{
    for (uint32_t i = 0; i < chain->need_count; i++)
        if ((chain->needs[i] & ~found) == 0)
            return true;
    return false;
}

/* What the lane's chains make of one element. */
static void prepare_element(scan *s, hg_slice own, uint32_t element, uint8_t tag)
{
    const hg_lane *lane = s->lane;
    hg_text text = {own, element, all_chains(lane), 0, s->number};
    uint32_t first = s->text_count;
    if (own.len > 0)
        text.traits = hg_text_survey(own);
    s->bytes += own.len;
    s->own_bytes += own.len;
    if (text.traits & lane->alters) {
        uint8_t found = lane->needs != NULL ? hg_need_find(lane->needs, own) : 0;
        for (uint32_t c = 0; c < lane->chain_count; c++) {
            bool changed;
            if (!(text.traits & lane->chains[c].alters))
                continue;
            if (lane->chains[c].needs != NULL && !may_matter(&lane->chains[c], found)) {
                text.chains &= ~(1u << c);
                continue;
            }
            hg_slice made = apply_chain(s, &lane->chains[c], own, text.traits, &changed);
            if (!changed)
                continue;
            text.chains &= ~(1u << c);
            /* What a chain made is final: no case is left to fold. */
            add_text(s, first, (hg_text){made, element, 1u << c, 0, s->number});
        }
    }
    if (text.chains != 0)
        add_text(s, first, text);
    if (lane->direct_count > 0)
        for (uint32_t i = first; i < s->text_count; i++)
            ask_directly(s, &s->work->texts.items[i], tag);
}

/* Has an earlier element the same text? Its hits come first, so this one adds nothing. */
static bool is_repeated(scan *s, uint32_t index, uint32_t mask)
{
    const hg_text *texts = s->work->raw.items;
    uint64_t hash = hg_text_hash(texts[index].text);
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t *entry = &s->work->table[(hash + probe) & mask];
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
    hg_workspace *work = s->work;
    if (s->raw_count < TABLE_LEAST || s->lane->tags_matter)
        return 0;
    uint32_t size = 32;
    while (size < s->raw_count * 2)
        size *= 2;
    if (size > work->table_room && !hg_workspace_grow_table(work, size))
        return 0; /* every text is judged then */
    memset(work->table, 0, size * sizeof *work->table);
    return size - 1;
}

/* Keeps an element's own text; other values are asked about at once. False: memory ran out. */
static inline bool collect(scan *s, const hg_value *element, uint8_t type, uint32_t number)
{
    if (!(type & HG_STRING_ANY)) {
        if (s->lane->other_accepts != 0)
            ask_other(s, element, number);
        return true;
    }
    hg_text_list *list = &s->work->raw;
    if (s->raw_count == list->room && !hg_workspace_grow_texts(list))
        return s->run->failed = true, false;
    hg_text *raw = &list->items[s->raw_count++];
    raw->text = hg_value_string(element);
    if (raw->text.len > s->run->profile->max_string_length)
        raw->text = hg_cut_text(s->run->profile, raw->text);
    raw->element = number;
    raw->chains = type;
    return true;
}

/* The usual shapes need no walk: a scalar, or a map or array of nothing but scalars. False: it is another. */
static bool collect_flat(scan *s, const hg_value *object)
{
    const hg_profile *profile = s->run->profile;
    size_t size = hg_value_size(object);
    const bool map = hg_is_map(object), keys = s->lane->keys;
    uint32_t number = 0;
    if (!hg_is_container(object)) {
        if (hg_is_scalar(object) && !keys)
            collect(s, object, object->type, 0);
        return true;
    }
    if (size > profile->max_container_size || profile->max_container_depth == 0)
        return false;
    const hg_pair *pairs = hg_map_pairs(object);
    const hg_value *items = hg_array_items(object);
    for (size_t i = 0; i < size; i++)
        if (hg_is_container(map ? &pairs[i].val : &items[i]))
            return false;
    if (keys && !map)
        return true; /* arrays have no keys */
    for (size_t i = 0; i < size; i++) {
        const hg_value *element = keys ? &pairs[i].key : map ? &pairs[i].val : &items[i];
        if (keys ? !hg_is_string(element) : !hg_is_scalar(element))
            continue;
        /* A key is a string of tag 0x10 whatever it is. */
        if (!collect(s, element, keys ? HG_STRING : element->type, number++))
            break;
    }
    return true;
}

static void collect_elements(scan *s, const hg_value *root)
{
    const unsigned wanted = s->lane->keys ? HG_WALK_KEYS : HG_WALK_VALUES;
    const hg_value *object = hg_walk_origin(s->run->profile, root, s->lane->path, wanted, NULL);
    if (object == NULL || collect_flat(s, object))
        return;
    hg_walk walk;
    uint32_t number = 0;
    hg_walk_start(&walk, s->run, root, s->lane->path, wanted, NULL);
    while (hg_walk_next(&walk) && collect(s, walk.element, walk.element->type, number))
        number++;
}

/* ---- Texts in which a lane found nothing before ---- */

/* All that a lane finds in an element depends on its text alone, and on the kind of string where that matters. Keys are
 * made and their places fetched ahead of the texts' turn. */
static void fetch_memo(scan *s, uint32_t from, uint64_t keys[AHEAD])
{
    uint32_t end = from + AHEAD < s->raw_count ? from + AHEAD : s->raw_count;
    for (uint32_t i = from; i < end; i++) {
        const hg_text *raw = &s->work->raw.items[i];
        uint64_t *key = &keys[i % AHEAD];
        *key = 0;
        if (s->work->memo == NULL || raw->text.len == 0 || raw->text.len > HG_MEMO_MOST)
            continue;
        *key = hg_memo_key(s->work->memo, s->owner | (s->lane->tags_matter ? raw->chains : 0), raw->text);
        hg_memo_fetch(s->work->memo, *key);
    }
}

static bool is_known(scan *s, uint64_t key)
{
    if (key == 0)
        return false;
    if (hg_memo_knows(s->work->memo, key)) {
        s->bytes += RECALL_COST;
        return true;
    }
    if (s->fresh_count < FRESH) {
        s->fresh[s->fresh_count].key = key;
        s->fresh[s->fresh_count++].lane = s->number;
    }
    return false;
}

/* After a scan that came to its end. */
static void note_fresh(const scan *s)
{
    for (uint32_t i = 0; i < s->fresh_count; i++)
        if (s->state->scans[s->fresh[i].lane].hit_count == 0)
            hg_memo_note(s->work->memo, s->fresh[i].key);
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
    uint64_t keys[AHEAD];
    for (uint32_t i = 0; i < s->raw_count; i++) {
        if (i % AHEAD == 0)
            fetch_memo(s, i, keys);
        const hg_text raw = s->work->raw.items[i];
        if (is_known(s, keys[i % AHEAD]) || (mask != 0 && raw.text.len > 0 && is_repeated(s, i, mask)))
            continue;
        prepare_element(s, raw.text, raw.element, (uint8_t)raw.chains);
        if (s->run->failed || (s->bytes > HG_WORK_PER_LOOK && !in_time(s)))
            return false;
    }
    return true;
}

/* ---- Texts against their sets ---- */

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

static void take_hits(scan *s, const hg_text *text, const uint64_t *hits)
{
    turn_to(s, text->lane);
    uint32_t count = s->lane->pattern_count;
    for (uint32_t p = hg_bit_next(hits, 0, count); p < count; p = hg_bit_next(hits, p + 1, count))
        take_pattern(s, p, text);
}

/* No operator of a set matches an empty text. */
static uint32_t fill_jobs(scan *s, uint32_t *at, uint32_t *texts)
{
    hg_workspace *work = s->work;
    const hg_lane *lanes = s->run->plan->lanes->lanes;
    uint32_t count = 0;
    for (; *at < s->text_count && count < HG_SCAN_BATCH; ++*at) {
        const hg_text *text = &work->texts.items[*at];
        if (text->text.len == 0 || lanes[text->lane].set == NULL)
            continue;
        s->bytes += text->text.len;
        texts[count] = *at;
        work->jobs[count] = (hg_regex_job){lanes[text->lane].set, text->text, hg_workspace_hits(work, count), false};
        count++;
    }
    return count;
}

/* False: time or memory ran out. */
static bool scan_texts(scan *s)
{
    uint32_t texts[HG_SCAN_BATCH];
    for (uint32_t at = 0; at < s->text_count;) {
        uint32_t count = fill_jobs(s, &at, texts);
        hg_regex_scan_jobs(s->work->regex, s->work->jobs, count);
        for (uint32_t i = 0; i < count; i++)
            if (s->work->jobs[i].any)
                take_hits(s, &s->work->texts.items[texts[i]], s->work->jobs[i].hits);
        if (s->run->failed || (s->bytes > HG_WORK_PER_LOOK && !in_time(s)))
            return false;
    }
    return true;
}

/* ---- Lanes ---- */

static void mark_candidates(const hg_run *run, uint32_t number)
{
    const hg_lane_state *state = run->context->lanes;
    const hg_lane *lane = &run->plan->lanes->lanes[number];
    for (uint32_t i = 0; i < state->scans[number].hit_count; i++)
        hg_bit_set(state->candidates, lane->uses[state->hits[lane->hit_first + i].use].rule);
}

static const hg_value *object_of(const hg_run *run, uint32_t number)
{
    return run->context->slots[run->plan->lanes->lanes[number].address].value;
}

static bool is_scanned(const hg_run *run, uint32_t number)
{
    const hg_lane_scan *known = &run->context->lanes->scans[number];
    return known->epoch == run->context->lanes->epoch && known->object == object_of(run, number);
}

/* Adds a lane's texts; the lane counts as not scanned until the scan is finished. */
static bool begin_lane(scan *s, uint32_t number)
{
    hg_lane_scan *known = &s->state->scans[number];
    turn_to(s, number);
    *known = (hg_lane_scan){NULL, s->state->epoch, 0};
    memset(s->state->hit_uses + s->lane->word_first, 0, s->lane->hit_words * sizeof(uint64_t));
    s->raw_count = 0;
    collect_elements(s, object_of(s->run, number));
    return !s->run->failed && prepare_elements(s);
}

void hg_lane_is_empty(hg_run *run, uint32_t number)
{
    hg_lane_state *state = run->context->lanes;
    const hg_lane *lane = &run->plan->lanes->lanes[number];
    state->scans[number] = (hg_lane_scan){object_of(run, number), state->epoch, 0};
    memset(state->hit_uses + lane->word_first, 0, lane->hit_words * sizeof(uint64_t));
}

static bool finish_scan(scan *s)
{
    bool done = scan_texts(s);
    s->run->failed |= hg_regex_scratch_status(s->work->regex) != HG_OK;
    if (!done || s->run->failed)
        return false;
    note_fresh(s);
    hg_budget_work(&s->run->budget, s->bytes);
    return true;
}

bool hg_lanes_scan(hg_run *run, uint32_t *lane, uint32_t end)
{
    const hg_lanes *lanes = run->plan->lanes;
    const hg_lane_state *state = run->context->lanes;
    scan s;
    uint32_t first = *lane, at = first;
    start(&s, run);
    for (; at < lanes->count && lanes->lanes[at].first_rule < end && s.own_bytes < TOGETHER;
         at = hg_bit_next(state->pending, at + 1, lanes->count))
        if (!is_scanned(run, at) && !begin_lane(&s, at))
            return false;
    if (!finish_scan(&s))
        return false;
    for (uint32_t i = first; i < at; i = hg_bit_next(state->pending, i + 1, lanes->count)) {
        run->context->lanes->scans[i].object = object_of(run, i);
        mark_candidates(run, i);
    }
    *lane = at;
    return true;
}

bool hg_lane_scan_now(hg_run *run, uint32_t number)
{
    scan s;
    if (is_scanned(run, number))
        return true;
    start(&s, run);
    if (!begin_lane(&s, number) || !finish_scan(&s))
        return false;
    s.state->scans[number].object = object_of(run, number);
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

/* ---- Warming ---- */

static const char *const ordinary[] = {
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
    "/products/list?category=shoes&page=2&sort=price",
    "gzip, deflate, br",
};

enum { ORDINARY = sizeof ordinary / sizeof *ordinary };

/* Have earlier lanes the same set? */
static bool is_warm(const hg_lanes *lanes, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (lanes->lanes[i].set == lanes->lanes[number].set)
            return true;
    return false;
}

HG_COLD void hg_lanes_warm(const hg_plan *plan)
{
    const hg_lanes *lanes = plan->lanes;
    hg_workspace *work = hg_pool_take_workspace(plan);
    for (uint32_t i = 0; i < lanes->count && work != NULL; i++) {
        if (lanes->lanes[i].set == NULL || is_warm(lanes, i))
            continue;
        for (uint32_t k = 0; k < ORDINARY; k++)
            work->jobs[k] = (hg_regex_job){lanes->lanes[i].set, hg_slice_from(ordinary[k]), hg_workspace_hits(work, k),
                                           false};
        hg_regex_scan_jobs(work->regex, work->jobs, ORDINARY);
    }
    if (work != NULL)
        hg_pool_give_workspace(work);
}
