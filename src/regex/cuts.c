/* Finding required pairs in the tree. What follows what in a pattern is a network of series (concatenation) and
 * parallels (alternation), so that the cheapest cut is a minimum over series and a sum over parallels. Between two
 * neighbours of a concatenation the cut is (last bytes before) x (first bytes after). Assertions are transparent. */
#include "regex/cuts.h"

#include "regex/benign.h"

#include <math.h>
#include <stdlib.h>

enum { AT_SELF = -1, AT_LOOP = -2 }; /* other choices: 2k = inside kid k, 2k + 1 = between kids k and k + 1 */

/* Per node: measured once, chosen anew for each cut. */
typedef struct info {
    rx_byteset first, last;
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
    place banned[RX_MAX_PAIRS];
    uint32_t banned_count;
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

/* The first and last bytes of the encodings; continuation bytes are not told apart. */
static void add_codes(info *i, rx_range r)
{
    static const rx_byteset continuation = {{0, 0, ~(uint64_t)0, 0}};
    for (uint32_t c = r.lo; c <= r.hi && c < 0x80; c++) {
        rx_byteset_add(&i->first, c);
        rx_byteset_add(&i->last, c);
    }
    if (r.hi < 0x80)
        return;
    for (unsigned b = lead_byte(r.lo < 0x80 ? 0x80 : r.lo); b <= lead_byte(r.hi); b++)
        rx_byteset_add(&i->first, b);
    unite(&i->last, &continuation);
}

static void add_char(info *i, const rx_node *n)
{
    rx_class_builder orbit = {0};
    rx_class_add_fold(&orbit, n->arg, n->arg, n->fold);
    for (size_t k = 0; k < orbit.count; k++)
        add_codes(i, orbit.ranges[k]);
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
    if (!(odds < i->odds) || pairs > RX_MAX_PAIRS || is_banned(f, node, choice))
        return;
    i->odds = odds;
    i->choice = choice;
    i->pairs = pairs;
}

/* ---- Measuring ---- */

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
}

static void measure_alt(finder *f, uint32_t node, const rx_node *n)
{
    for (uint32_t k = 0; k < n->count; k++) {
        const info *kid = &f->infos[f->syntax->kids[n->arg + k]];
        unite(&f->infos[node].first, &kid->first);
        unite(&f->infos[node].last, &kid->last);
    }
}

static void measure_repeat(finder *f, uint32_t node, const rx_node *n)
{
    info *self = &f->infos[node];
    const info *kid = &f->infos[n->arg];
    self->empty = n->max == 0 || kid->empty;
    if (n->max == 0)
        return;
    self->first = kid->first;
    self->last = kid->last;
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
        add_char(self, n);
        break;
    case RX_CLASS:
        for (uint32_t i = 0; i < f->syntax->classes[n->arg].count; i++)
            add_codes(self, f->syntax->ranges[f->syntax->classes[n->arg].first + i]);
        break;
    case RX_BYTE:
        memset(&self->first, 0xFF, sizeof self->first);
        self->last = self->first;
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
    const uint32_t *kids = f->syntax->kids + n->arg;
    info *self = &f->infos[node];
    float sum = 0;
    uint32_t pairs = 0;
    self->odds = INFINITY;
    self->pairs = RX_MAX_PAIRS + 1;
    switch ((rx_kind)n->kind) {
    case RX_CAT:
        for (uint32_t k = 0; k < n->count; k++) {
            offer(f, node, (int32_t)(2 * k) - 1, f->junctions[n->arg + k], 1);
            if (!f->syntax->nodes[kids[k]].nullable)
                offer(f, node, (int32_t)(2 * k), f->infos[kids[k]].odds, f->infos[kids[k]].pairs);
        }
        return;
    case RX_ALT:
        for (uint32_t k = 0; k < n->count; k++) {
            sum += f->infos[kids[k]].odds;
            pairs += f->infos[kids[k]].pairs;
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
    rx_pair *pairs;
    uint32_t count;
    place places[RX_MAX_PAIRS];
} reader;

static void take(reader *r, uint32_t node, int32_t choice, const rx_byteset *first, const rx_byteset *second)
{
    r->places[r->count] = (place){node, choice};
    r->pairs[r->count] = (rx_pair){.first = *first, .alone = second == NULL};
    if (second != NULL)
        r->pairs[r->count].second = *second;
    else
        memset(&r->pairs[r->count].second, 0xFF, sizeof r->pairs->second);
    r->count++;
}

static void take_junction(reader *r, uint32_t node, const rx_node *n, uint32_t kid)
{
    const rx_syntax *s = r->f->syntax;
    const uint32_t *kids = s->kids + n->arg;
    rx_byteset before = {{0}}, after = {{0}};
    for (uint32_t k = kid + 1; k-- > 0;) {
        unite(&before, &r->f->infos[kids[k]].last);
        if (!s->nodes[kids[k]].nullable)
            break;
    }
    for (uint32_t k = kid + 1; k < n->count; k++) {
        unite(&after, &r->f->infos[kids[k]].first);
        if (!s->nodes[kids[k]].nullable)
            break;
    }
    take(r, node, (int32_t)(2 * kid + 1), &before, &after);
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

/* Pairs that share one side are one pair. */
static uint32_t merge_pairs(rx_pair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count;) {
            bool same_first = memcmp(&pairs[i].first, &pairs[k].first, sizeof(rx_byteset)) == 0;
            bool same_second = memcmp(&pairs[i].second, &pairs[k].second, sizeof(rx_byteset)) == 0 &&
                               pairs[i].alone == pairs[k].alone;
            if (!same_second && !(same_first && pairs[i].alone == pairs[k].alone)) {
                k++;
                continue;
            }
            unite(&pairs[i].first, &pairs[k].first);
            unite(&pairs[i].second, &pairs[k].second);
            pairs[k] = pairs[--count];
        }
    }
    return count;
}

static bool find_one(finder *f, uint32_t *stack, rx_pair *pairs, rx_cut *cut)
{
    const rx_syntax *s = f->syntax;
    for (uint32_t node = 0; node < s->node_count; node++)
        choose(f, node);
    const info *root = &f->infos[s->root];
    if (root->odds == INFINITY || root->pairs > RX_MAX_PAIRS)
        return false;
    reader r = {.f = f, .stack = stack, .pairs = pairs};
    r.stack[r.depth++] = s->root;
    while (r.depth > 0)
        read_node(&r, r.stack[--r.depth]);
    for (uint32_t i = 0; i < r.count && f->banned_count < RX_MAX_PAIRS; i++)
        f->banned[f->banned_count++] = r.places[i];
    *cut = (rx_cut){pairs, merge_pairs(pairs, r.count), root->odds};
    return true;
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
    rx_pair *pairs = malloc(RX_MAX_CUTS * RX_MAX_PAIRS * sizeof *pairs);
    bool ok = f.infos != NULL && f.after != NULL && f.junctions != NULL && stack != NULL && pairs != NULL;
    for (uint32_t node = 0; ok && node < syntax->node_count; node++)
        measure(&f, node);
    uint32_t used = 0;
    while (ok && *count < RX_MAX_CUTS && find_one(&f, stack, pairs + used, &cuts[*count])) {
        if (cuts[*count].odds > (*count == 0 ? useless : second_at_most))
            break;
        used += cuts[(*count)++].count;
    }
    free(f.infos);
    free(f.after);
    free(f.junctions);
    free(stack);
    if (!ok || *count == 0)
        free(pairs);
    return ok;
}
