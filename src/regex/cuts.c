/* Finding required bytes in the tree. What follows what in a pattern is a network of series (concatenation) and
 * parallels (alternation), so that the cheapest cut is a minimum over series and a sum over parallels. Between two
 * neighbours of a concatenation the cut is (last bytes before) x (first bytes after); a third byte on either side is
 * added where it is known. Assertions are transparent. */
#include "regex/cuts.h"

#include "regex/benign.h"

#include <math.h>
#include <stdlib.h>

enum { AT_SELF = -1, AT_LOOP = -2 }; /* other choices: 2k = inside kid k, 2k + 1 = between kids k and k + 1 */

/* Per node: measured once, chosen anew for each cut. */
typedef struct info {
    rx_byteset first, last;
    rx_byteset second, last_but_one; /* of matches of two bytes and more */
    bool single;                     /* can match exactly one byte */
    float own_odds; /* a leaf's bytes; a repetition's last bytes before its first ones */
    bool empty;     /* matches only the empty string */
    float odds;     /* of the cheapest cut; INFINITY when there is none */
    int32_t choice;
    uint32_t pairs; /* of that cut */
} info;

typedef struct place {
    uint32_t node;
    int32_t choice;
} place;

typedef struct finder {
    const rx_syntax *syntax;
    info *infos;
    rx_byteset *after; /* room for one concatenation: first bytes from each kid on */
    float *junctions;  /* per entry of `kids`: odds of the pairs in front of it, INFINITY when they can be evaded */
    place banned[RX_MAX_TRIPLES];
    uint32_t banned_count;
    bool nomem;
} finder;

static void unite(rx_byteset *a, const rx_byteset *b)
{
    for (int w = 0; w < 4; w++)
        a->words[w] |= b->words[w];
}

static uint8_t lead_byte(uint32_t code)
{
    return (uint8_t)(code < 0x80 ? code : code < 0x800 ? 0xC0 | code >> 6 : code < 0x10000 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
}

/* The first two and last two bytes of the encodings; continuation bytes are not told apart. */
static void add_codes(info *i, rx_range r)
{
    static const rx_byteset continuation = {{0, 0, ~(uint64_t)0, 0}};
    for (uint32_t c = r.lo; c <= r.hi && c < 0x80; c++) {
        rx_byteset_add(&i->first, c);
        rx_byteset_add(&i->last, c);
        i->single = true;
    }
    if (r.hi < 0x80)
        return;
    for (unsigned b = lead_byte(r.lo < 0x80 ? 0x80 : r.lo); b <= lead_byte(r.hi); b++) {
        rx_byteset_add(&i->first, b);
        rx_byteset_add(&i->last_but_one, b);
    }
    unite(&i->last, &continuation);
    unite(&i->second, &continuation);
    unite(&i->last_but_one, &continuation);
}

static void add_char(finder *f, info *i, const rx_node *n)
{
    rx_class_builder orbit = {0};
    rx_class_add_fold(&orbit, n->arg, n->arg, n->fold);
    for (size_t k = 0; k < orbit.count; k++)
        add_codes(i, orbit.ranges[k]);
    f->nomem |= orbit.nomem;
    rx_class_close(&orbit);
}

static bool is_banned(const finder *f, uint32_t node, int32_t choice)
{
    for (uint32_t i = 0; i < f->banned_count; i++) {
        if (f->banned[i].node == node && f->banned[i].choice == choice)
            return true;
    }
    return false;
}

static void offer(const finder *f, uint32_t node, int32_t choice, float odds, uint32_t pairs)
{
    info *i = &f->infos[node];
    if (!(odds < i->odds) || pairs > RX_MAX_TRIPLES || is_banned(f, node, choice))
        return;
    i->odds = odds;
    i->choice = choice;
    i->pairs = pairs;
}

/* ---- Measuring ---- */

/* Bytes around a concatenation's parts that only depend on which kids can be empty or a single byte. */
static void measure_cat_edges(finder *f, info *self, const rx_node *n)
{
    const uint32_t *kids = f->syntax->kids + n->arg;
    const rx_node *nodes = f->syntax->nodes;
    uint32_t needed = 0;
    rx_byteset nothing = {{0}}, before = nothing;
    bool open = true; /* everything so far can be empty */
    for (uint32_t k = 0; k < n->count; k++) {
        const info *kid = &f->infos[kids[k]];
        if (open) {
            unite(&self->second, &kid->second);
            if (kid->single && k + 1 < n->count)
                unite(&self->second, &f->after[k + 1]);
        }
        open = open && nodes[kids[k]].nullable;
        needed += !nodes[kids[k]].nullable;
        bool ends = true; /* everything behind can be empty */
        for (uint32_t j = k + 1; j < n->count && ends && j < k + 8; j++)
            ends = nodes[kids[j]].nullable;
        if (ends) {
            unite(&self->last_but_one, &kid->last_but_one);
            if (kid->single)
                unite(&self->last_but_one, &before);
        }
        if (!nodes[kids[k]].nullable)
            before = nothing;
        unite(&before, &kid->last);
    }
    for (uint32_t k = 0; k < n->count && !self->single; k++)
        self->single = f->infos[kids[k]].single && needed <= (nodes[kids[k]].nullable ? 0 : 1);
}

static void measure_cat(finder *f, uint32_t node, const rx_node *n)
{
    const uint32_t *kids = f->syntax->kids + n->arg;
    info *self = &f->infos[node];
    rx_byteset before = {{0}}, after = {{0}};
    bool empty_after = true, empty_before = true;
    uint32_t last_needed = 0; /* behind it everything may be empty */
    for (uint32_t k = n->count; k-- > 0;) {
        if (!f->syntax->nodes[kids[k]].nullable) {
            after = (rx_byteset){{0}};
            if (empty_after)
                last_needed = k;
            empty_after = false;
        }
        unite(&after, &f->infos[kids[k]].first);
        f->after[k] = after;
    }
    self->first = after;
    for (uint32_t k = 0; k < n->count; k++) {
        const info *kid = &f->infos[kids[k]];
        bool needed = !empty_before && !empty_after && k <= last_needed && !kid->empty;
        f->junctions[n->arg + k] = needed ? rx_pair_odds(&before, &f->after[k]) : INFINITY;
        if (!f->syntax->nodes[kids[k]].nullable) {
            before = (rx_byteset){{0}};
            empty_before = false;
        }
        unite(&before, &kid->last);
    }
    self->last = before;
    measure_cat_edges(f, self, n);
}

static void measure_alt(finder *f, uint32_t node, const rx_node *n)
{
    for (uint32_t k = 0; k < n->count; k++) {
        const info *kid = &f->infos[f->syntax->kids[n->arg + k]];
        info *self = &f->infos[node];
        unite(&self->first, &kid->first);
        unite(&self->last, &kid->last);
        unite(&self->second, &kid->second);
        unite(&self->last_but_one, &kid->last_but_one);
        self->single |= kid->single;
    }
}

static void measure_repeat(finder *f, uint32_t node, const rx_node *n)
{
    info *self = &f->infos[node];
    const info *kid = &f->infos[n->arg];
    self->empty = n->max == 0 || kid->empty;
    if (n->max == 0)
        return;
    *self = *kid;
    self->own_odds = INFINITY;
    self->single = kid->single && (n->min <= 1 || f->syntax->nodes[n->arg].nullable);
    if (n->max != 1 && kid->single) {
        unite(&self->second, &kid->first);
        unite(&self->last_but_one, &kid->last);
    }
    if (n->min > 1 && !f->syntax->nodes[n->arg].nullable)
        self->own_odds = rx_pair_odds(&kid->last, &kid->first);
}

static void measure(finder *f, uint32_t node)
{
    const rx_node *n = &f->syntax->nodes[node];
    info *self = &f->infos[node];
    *self = (info){.own_odds = INFINITY};
    switch ((rx_kind)n->kind) {
    case RX_EMPTY:
    case RX_ASSERT:
        self->empty = true;
        return;
    case RX_CHAR:
        add_char(f, self, n);
        break;
    case RX_CLASS:
        for (uint32_t i = 0; i < f->syntax->classes[n->arg].count; i++)
            add_codes(self, f->syntax->ranges[f->syntax->classes[n->arg].first + i]);
        break;
    case RX_BYTE:
        memset(&self->first, 0xFF, sizeof self->first);
        self->last = self->first;
        self->single = true;
        break;
    case RX_CAT:
        measure_cat(f, node, n);
        return;
    case RX_ALT:
        measure_alt(f, node, n);
        return;
    case RX_REPEAT:
        measure_repeat(f, node, n);
        return;
    case RX_GROUP:
        *self = f->infos[n->arg];
        return;
    }
    self->own_odds = rx_byte_odds(&self->first);
}

/* ---- Choosing ---- */

static void choose(finder *f, uint32_t node)
{
    const rx_node *n = &f->syntax->nodes[node];
    info *self = &f->infos[node];
    float sum = 0;
    uint32_t pairs = 0;
    self->odds = INFINITY;
    self->pairs = RX_MAX_TRIPLES + 1;
    switch ((rx_kind)n->kind) {
    case RX_CAT:
        for (uint32_t k = 0; k < n->count; k++) {
            const uint32_t kid = f->syntax->kids[n->arg + k];
            offer(f, node, (int32_t)(2 * k) - 1, f->junctions[n->arg + k], 1);
            if (!f->syntax->nodes[kid].nullable)
                offer(f, node, (int32_t)(2 * k), f->infos[kid].odds, f->infos[kid].pairs);
        }
        return;
    case RX_ALT:
        for (uint32_t k = 0; k < n->count; k++) {
            const info *kid = &f->infos[f->syntax->kids[n->arg + k]];
            sum += kid->odds;
            pairs += kid->pairs;
        }
        offer(f, node, AT_SELF, sum, pairs);
        return;
    case RX_REPEAT:
        if (n->min > 0 && n->max != 0)
            offer(f, node, AT_SELF, f->infos[n->arg].odds, f->infos[n->arg].pairs);
        offer(f, node, AT_LOOP, self->own_odds, 1);
        return;
    case RX_GROUP:
        offer(f, node, AT_SELF, f->infos[n->arg].odds, f->infos[n->arg].pairs);
        return;
    default:
        offer(f, node, AT_SELF, self->own_odds, 1);
        return;
    }
}

/* ---- Reading the choice back ---- */

typedef struct reader {
    finder *f;
    uint32_t *stack;
    size_t depth;
    rx_triple *triples;
    uint32_t count;
    place places[RX_MAX_TRIPLES];
} reader;

static const rx_byteset every_byte = {{~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0}};

static rx_triple *take(reader *r, uint32_t node, int32_t choice, const rx_byteset *first, const rx_byteset *second)
{
    rx_triple *t = &r->triples[r->count];
    r->places[r->count++] = (place){node, choice};
    *t = (rx_triple){{*first, second ? *second : every_byte, every_byte}, second ? 2 : 1};
    return t;
}

/* What stands between kid and kid + 1 of a concatenation: the last bytes before, the byte before those, the first
 * bytes after, the byte after those. The outer ones are not known when they may lie outside the concatenation. */
typedef struct junction {
    rx_byteset before, before_that, after, after_that;
    bool before_known, after_known;
} junction;

static void look_back(const finder *f, const uint32_t *kids, uint32_t kid, junction *j)
{
    const rx_node *nodes = f->syntax->nodes;
    for (uint32_t k = kid + 1; k-- > 0;) {
        const info *i = &f->infos[kids[k]];
        unite(&j->before, &i->last);
        unite(&j->before_that, &i->last_but_one);
        bool known = !i->single;
        for (uint32_t b = k; i->single && !known && b-- > 0;) {
            unite(&j->before_that, &f->infos[kids[b]].last);
            known = !nodes[kids[b]].nullable;
        }
        j->before_known = j->before_known && known;
        if (!nodes[kids[k]].nullable)
            return;
    }
}

static void look_ahead(const finder *f, const uint32_t *kids, uint32_t count, uint32_t kid, junction *j)
{
    const rx_node *nodes = f->syntax->nodes;
    for (uint32_t k = kid + 1; k < count; k++) {
        const info *i = &f->infos[kids[k]];
        unite(&j->after, &i->first);
        unite(&j->after_that, &i->second);
        bool known = !i->single;
        for (uint32_t b = k + 1; i->single && !known && b < count; b++) {
            unite(&j->after_that, &f->infos[kids[b]].first);
            known = !nodes[kids[b]].nullable;
        }
        j->after_known = j->after_known && known;
        if (!nodes[kids[k]].nullable)
            return;
    }
}

static void take_junction(reader *r, uint32_t node, const rx_node *n, uint32_t kid)
{
    const uint32_t *kids = r->f->syntax->kids + n->arg;
    junction j = {.before_known = true, .after_known = true};
    look_back(r->f, kids, kid, &j);
    look_ahead(r->f, kids, n->count, kid, &j);
    rx_triple *t = take(r, node, (int32_t)(2 * kid + 1), &j.before, &j.after);
    float back = j.before_known ? rx_byte_odds(&j.before_that) : 1;
    float ahead = j.after_known ? rx_byte_odds(&j.after_that) : 1;
    if (back >= 1 && ahead >= 1)
        return;
    *t = back < ahead ? (rx_triple){{j.before_that, j.before, j.after}, 3}
                      : (rx_triple){{j.before, j.after, j.after_that}, 3};
}

static void read_node(reader *r, uint32_t node)
{
    const rx_node *n = &r->f->syntax->nodes[node];
    const info *i = &r->f->infos[node];
    switch ((rx_kind)n->kind) {
    case RX_CAT:
        if (i->choice & 1)
            take_junction(r, node, n, (uint32_t)i->choice / 2);
        else
            r->stack[r->depth++] = r->f->syntax->kids[n->arg + (uint32_t)i->choice / 2];
        break;
    case RX_ALT:
        for (uint32_t k = 0; k < n->count; k++)
            r->stack[r->depth++] = r->f->syntax->kids[n->arg + k];
        break;
    case RX_REPEAT:
        if (i->choice == AT_LOOP)
            take(r, node, AT_LOOP, &r->f->infos[n->arg].last, &r->f->infos[n->arg].first);
        else
            r->stack[r->depth++] = n->arg;
        break;
    case RX_GROUP:
        r->stack[r->depth++] = n->arg;
        break;
    default:
        take(r, node, AT_SELF, &i->first, NULL);
        break;
    }
}

/* Triples that differ in one place only are one. */
static uint32_t merge_triples(rx_triple *triples, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count;) {
            unsigned different = triples[i].known != triples[k].known ? 2 : 0;
            for (unsigned b = 0; b < 3; b++)
                different += memcmp(&triples[i].bytes[b], &triples[k].bytes[b], sizeof(rx_byteset)) != 0;
            if (different > 1) {
                k++;
                continue;
            }
            for (unsigned b = 0; b < 3; b++)
                unite(&triples[i].bytes[b], &triples[k].bytes[b]);
            triples[k] = triples[--count];
        }
    }
    return count;
}

static bool find_one(finder *f, uint32_t *stack, rx_triple *triples, rx_cut *cut)
{
    const rx_syntax *s = f->syntax;
    for (uint32_t node = 0; node < s->node_count; node++)
        choose(f, node);
    const info *root = &f->infos[s->root];
    if (root->odds == INFINITY || root->pairs > RX_MAX_TRIPLES)
        return false;
    reader r = {.f = f, .stack = stack, .triples = triples};
    r.stack[r.depth++] = s->root;
    while (r.depth > 0)
        read_node(&r, r.stack[--r.depth]);
    for (uint32_t i = 0; i < r.count && f->banned_count < RX_MAX_TRIPLES; i++)
        f->banned[f->banned_count++] = r.places[i];
    *cut = (rx_cut){triples, merge_triples(triples, r.count), root->odds};
    return true;
}

static bool same_cut(const rx_cut *a, const rx_cut *b)
{
    return a->count == b->count && memcmp(a->triples, b->triples, a->count * sizeof *a->triples) == 0;
}

bool rx_find_cuts(const rx_syntax *syntax, rx_cut cuts[RX_MAX_CUTS], uint32_t *count)
{
    static const float useless = 0.25f, second_at_most = 0.02f;
    finder f = {.syntax = syntax};
    *count = 0;
    if (syntax->nodes[syntax->root].nullable)
        return true;
    size_t room = syntax->kid_count > syntax->node_count ? syntax->kid_count : syntax->node_count;
    f.infos = malloc(syntax->node_count * sizeof *f.infos);
    f.after = malloc((syntax->kid_count + 1) * sizeof *f.after);
    f.junctions = malloc((syntax->kid_count + 1) * sizeof *f.junctions);
    uint32_t *stack = malloc((room + 1) * sizeof *stack);
    rx_triple *triples = malloc(RX_MAX_CUTS * RX_MAX_TRIPLES * sizeof *triples);
    bool ok = f.infos != NULL && f.after != NULL && f.junctions != NULL && stack != NULL && triples != NULL;
    for (uint32_t node = 0; ok && node < syntax->node_count; node++)
        measure(&f, node);
    ok = ok && !f.nomem;
    uint32_t used = 0;
    for (int attempt = 0; ok && attempt < 2 * RX_MAX_CUTS && *count < RX_MAX_CUTS; attempt++) {
        rx_cut *cut = &cuts[*count];
        if (!find_one(&f, stack, triples + used, cut) || cut->odds > (*count == 0 ? useless : second_at_most))
            break;
        if (*count > 0 && same_cut(cut, cut - 1))
            continue; /* the third byte made it the cut before */
        used += cut->count;
        (*count)++;
    }
    free(f.infos);
    free(f.after);
    free(f.junctions);
    free(stack);
    if (!ok || *count == 0) {
        free(triples);
        return ok;
    }
    rx_triple *kept = realloc(triples, used * sizeof *triples);
    for (uint32_t c = 0, at = 0; kept != NULL && c < *count; at += cuts[c++].count)
        cuts[c].triples = kept + at;
    return true;
}
