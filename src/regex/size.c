/* RE2's size rule: how many instructions its compiler needs for a pattern. RE2 builds multi-byte classes as a trie
 * of byte ranges that shares only some nodes; the count follows that construction step by step. */
#include "regex/grow.h"
#include "regex/syntax.h"
#include "regex/unicode.h"

static const uint64_t too_many = (uint64_t)1 << 40;

/* ---- One class: the trie ---- */

typedef struct trie_node {
    uint32_t split; /* splits: the alternative added last, `next` being the earlier ones; else 0 */
    uint32_t next;  /* 0 = end of the character */
    uint8_t lo, hi;
    bool shared;
} trie_node;

typedef struct trie {
    trie_node *nodes; /* index 0 is no node */
    size_t count, cap;
    size_t live; /* nodes not given back */
    uint32_t *table;
    size_t table_size;
    uint32_t root;
    bool nomem;
} trie;

static uint32_t add_node(trie *t, trie_node node)
{
    if (t->count == 0)
        t->count = 1;
    while (t->count >= t->cap) {
        if (!rx_grow(&t->nodes, t->cap, &t->cap, sizeof *t->nodes)) {
            t->nomem = true;
            return 0;
        }
    }
    t->nodes[t->count] = node;
    t->live++;
    return (uint32_t)t->count++;
}

static size_t hash_node(const trie_node *n, size_t mask)
{
    uint64_t h = (((uint64_t)n->next << 16) | ((uint64_t)n->lo << 8) | n->hi) * 0x9E3779B97F4A7C15ull;
    return (size_t)(h >> 32) & mask;
}

static bool grow_table(trie *t)
{
    size_t size = t->table_size ? t->table_size * 4 : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL) {
        t->nomem = true;
        return false;
    }
    for (size_t i = 0; i < t->table_size; i++) {
        if (t->table[i] == 0)
            continue;
        size_t at = hash_node(&t->nodes[t->table[i]], size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = t->table[i];
    }
    free(t->table);
    t->table = table;
    t->table_size = size;
    return true;
}

static uint32_t shared_node(trie *t, uint8_t lo, uint8_t hi, uint32_t next)
{
    if (t->live * 2 >= t->table_size && !grow_table(t))
        return 0;
    trie_node node = {.next = next, .lo = lo, .hi = hi, .shared = true};
    size_t mask = t->table_size - 1, at = hash_node(&node, mask);
    for (; t->table[at] != 0; at = (at + 1) & mask) {
        const trie_node *old = &t->nodes[t->table[at]];
        if (old->lo == lo && old->hi == hi && old->next == next)
            return t->table[at];
    }
    uint32_t id = add_node(t, node);
    if (id != 0)
        t->table[at] = id;
    return id;
}

/* Adds the sequence `id` to the alternatives `root` and returns the new ones. At most 4 deep. */
static uint32_t insert(trie *t, uint32_t root, uint32_t id)
{
    if (t->nomem)
        return root;
    uint32_t newest = t->nodes[root].split ? t->nodes[root].split : root;
    if (t->nodes[newest].lo != t->nodes[id].lo || t->nodes[newest].hi != t->nodes[id].hi)
        return add_node(t, (trie_node){.split = id, .next = root});
    if (t->nodes[newest].shared) {
        trie_node copy = t->nodes[newest];
        copy.shared = false;
        uint32_t clone = add_node(t, copy);
        if (t->nodes[root].split)
            t->nodes[root].split = clone;
        else
            root = clone;
        newest = clone;
    }
    uint32_t rest = t->nodes[id].next;
    if (!t->nodes[id].shared)
        t->live--;
    uint32_t merged = insert(t, t->nodes[newest].next, rest);
    t->nodes[newest].next = merged;
    return root;
}

static void add_sequence(trie *t, uint32_t id)
{
    t->root = t->root == 0 ? id : insert(t, t->root, id);
}

static void add_everything_long(trie *t)
{
    uint32_t tail = 0;
    static const uint8_t leads[3][2] = {{0xC2, 0xDF}, {0xE0, 0xEF}, {0xF0, 0xF4}};
    for (int i = 0; i < 3; i++) {
        tail = add_node(t, (trie_node){.lo = 0x80, .hi = 0xBF, .next = tail});
        add_sequence(t, add_node(t, (trie_node){.lo = leads[i][0], .hi = leads[i][1], .next = tail}));
    }
}

static size_t encode(uint32_t code, uint8_t out[4])
{
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3F));
    out[0] = (uint8_t)(len == 1 ? code : (0xF00u >> len) | code);
    return len;
}

/* A range whose code points agree on all but one aligned block of continuation bytes. */
static void add_block(trie *t, uint32_t lo, uint32_t hi)
{
    uint8_t first[4], last[4];
    size_t len = encode(lo, first);
    encode(hi, last);
    uint32_t id = 0;
    for (size_t i = len; i-- > 0;) {
        bool share = len > 1 && (i == len - 1 || (i > 0 && first[i] < last[i]));
        id = share ? shared_node(t, first[i], last[i], id)
                   : add_node(t, (trie_node){.lo = first[i], .hi = last[i], .next = id});
    }
    if (!t->nomem)
        add_sequence(t, id);
}

/* Cuts [lo, hi], all of one encoded length, into blocks. Each cut leaves a shorter rest, at most 6 deep. */
static void add_range(trie *t, uint32_t lo, uint32_t hi)
{
    for (unsigned bits = 6; bits <= 18 && hi >= 0x80; bits += 6) {
        uint32_t m = (1u << bits) - 1;
        if ((lo & ~m) == (hi & ~m))
            continue;
        if ((lo & m) != 0) {
            add_range(t, lo, lo | m);
            add_range(t, (lo | m) + 1, hi);
            return;
        }
        if ((hi & m) != m) {
            add_range(t, lo, (hi & ~m) - 1);
            add_range(t, hi & ~m, hi);
            return;
        }
    }
    add_block(t, lo, hi);
}

static void add_by_length(trie *t, rx_range r)
{
    static const uint32_t last[] = {0x7F, 0x7FF, 0xFFFF, RX_MAX_CODE};
    for (int i = 0; i < 4 && r.lo <= r.hi; i++) {
        if (r.lo == 0x80 && r.hi == RX_MAX_CODE) {
            add_everything_long(t);
            return;
        }
        if (r.lo > last[i])
            continue;
        uint32_t hi = r.hi < last[i] ? r.hi : last[i];
        add_range(t, r.lo, hi);
        r.lo = hi + 1;
    }
}

/* Does the class treat every ASCII letter like its other case? */
static bool folds_ascii(const rx_range *ranges, size_t count)
{
    uint64_t letters = 0; /* U+0040 to U+007F */
    for (size_t i = 0; i < count && ranges[i].lo < 0x80; i++) {
        uint32_t lo = ranges[i].lo > 0x40 ? ranges[i].lo - 0x40 : 0, hi = ranges[i].hi;
        if (hi >= 0x40)
            letters |= (~(uint64_t)0 >> (hi < 0x7F ? 0x7F - hi : 0)) & (~(uint64_t)0 << lo);
    }
    return ((letters ^ letters >> 32) & 0x07FFFFFE) == 0;
}

static uint64_t class_cost(const rx_range *ranges, size_t count, bool *nomem)
{
    bool symmetric = folds_ascii(ranges, count);
    uint64_t pieces = 0;
    size_t ascii = 0;
    for (; ascii < count && ranges[ascii].hi < 0x80; ascii++)
        pieces += !symmetric || ranges[ascii].lo < 'A' || ranges[ascii].hi > 'Z';
    if (ascii == count)
        return pieces > 0 ? 2 * pieces - 1 : 0;
    trie t = {0};
    for (size_t i = 0; i < count && !t.nomem; i++) {
        if (!symmetric || ranges[i].lo < 'A' || ranges[i].hi > 'Z')
            add_by_length(&t, ranges[i]);
    }
    uint64_t cost = t.live;
    *nomem |= t.nomem;
    free(t.nodes);
    free(t.table);
    return cost;
}

/* ---- The tree ---- */

static uint64_t char_cost(const rx_node *n, bool *nomem)
{
    uint8_t bytes[4];
    if (!n->fold)
        return encode(n->arg, bytes);
    if (n->arg < 0x80 && rx_fold_next(rx_fold_next(n->arg)) == n->arg)
        return 1;
    rx_class_builder orbit = {0};
    rx_class_add_fold(&orbit, n->arg, n->arg, true);
    rx_class_settle(&orbit);
    uint64_t cost = class_cost(orbit.ranges, orbit.count, nomem);
    *nomem |= orbit.nomem;
    rx_class_close(&orbit);
    return cost;
}

static uint64_t repeat_cost(const rx_node *n, const rx_node *kid, uint64_t x)
{
    if (n->max == 0)
        return 1;
    if (n->max != RX_UNBOUNDED)
        return (uint64_t)n->min * x + (uint64_t)(n->max - n->min) * (x + 1);
    if (n->min == 0)
        return x + (kid->nullable ? 2 : 1);
    return (uint64_t)n->min * x + 1;
}

static uint64_t node_cost(const rx_syntax *s, const rx_node *n, const uint64_t *costs, const uint64_t *classes,
                          bool *nomem)
{
    uint64_t sum = 0;
    switch ((rx_kind)n->kind) {
    case RX_CHAR:
        return char_cost(n, nomem);
    case RX_CLASS:
        return classes[n->arg];
    case RX_CAT:
    case RX_ALT:
        for (uint32_t i = 0; i < n->count; i++)
            sum += costs[s->kids[n->arg + i]];
        return sum + (n->kind == RX_ALT ? n->count - 1 : 0);
    case RX_REPEAT:
        return repeat_cost(n, &s->nodes[n->arg], costs[n->arg]);
    case RX_GROUP:
        return costs[n->arg] + 2;
    default:
        return 1;
    }
}

static bool is_text_start(const rx_node *n)
{
    return n->kind == RX_ASSERT && n->arg == RX_BEGIN_TEXT;
}

static bool starts_anchored(const rx_syntax *s)
{
    const rx_node *n = &s->nodes[s->root];
    for (int level = 0; level < 4; level++) {
        if (is_text_start(n))
            return true;
        if (n->kind != RX_CAT && n->kind != RX_GROUP)
            return false;
        n = &s->nodes[n->kind == RX_CAT ? s->kids[n->arg] : n->arg];
    }
    return false;
}

/* A partner that is not just the other ASCII case ends a run of literals. */
static bool joins_run(const rx_node *n)
{
    if (n->kind != RX_CHAR)
        return false;
    return !n->fold || (n->arg < 0x80 && rx_fold_next(rx_fold_next(n->arg)) == n->arg);
}

/* ^literal...: RE2 compares the literal outside the program. Returns the kids that cost nothing, 0 when none. */
static uint32_t free_prefix(const rx_syntax *s)
{
    const rx_node *n = &s->nodes[s->root];
    if (n->kind != RX_CAT)
        return 0;
    const uint32_t *kids = s->kids + n->arg;
    uint32_t i = 0;
    while (i < n->count && is_text_start(&s->nodes[kids[i]]))
        i++;
    if (i == 0 || i == n->count || !joins_run(&s->nodes[kids[i]]))
        return 0;
    bool insensitive = s->nodes[kids[i]].insensitive;
    while (i < n->count && joins_run(&s->nodes[kids[i]]) && s->nodes[kids[i]].insensitive == insensitive)
        i++;
    return i;
}

static uint64_t total_cost(const rx_syntax *s, const uint64_t *costs)
{
    uint32_t skipped = free_prefix(s);
    if (skipped == 0)
        return costs[s->root] + (starts_anchored(s) ? 2 : 4);
    const rx_node *root = &s->nodes[s->root];
    uint64_t cost = skipped == root->count ? 1 : 0;
    for (uint32_t i = skipped; i < root->count; i++)
        cost += costs[s->kids[root->arg + i]];
    return cost + 4;
}

uint64_t rx_cost(const rx_syntax *syntax, bool *nomem)
{
    uint64_t *costs = malloc((syntax->node_count + syntax->class_count) * sizeof *costs);
    if (costs == NULL) {
        *nomem = true;
        return 0;
    }
    uint64_t *classes = costs + syntax->node_count;
    for (size_t i = 0; i < syntax->class_count && !*nomem; i++)
        classes[i] = class_cost(syntax->ranges + syntax->classes[i].first, syntax->classes[i].count, nomem);
    for (size_t i = 0; i < syntax->node_count && !*nomem; i++) {
        uint64_t cost = node_cost(syntax, &syntax->nodes[i], costs, classes, nomem);
        costs[i] = cost < too_many ? cost : too_many;
    }
    uint64_t total = *nomem ? 0 : total_cost(syntax, costs);
    free(costs);
    return total;
}

/* ---- What RE2 would simplify first ---- */

static bool same_leaf(const rx_node *a, const rx_node *b)
{
    return a->kind == b->kind && a->arg == b->arg && a->fold == b->fold &&
           (a->kind == RX_CHAR || a->kind == RX_CLASS || a->kind == RX_BYTE || a->kind == RX_ASSERT);
}

static const rx_node *first_item(const rx_syntax *s, const rx_node *n)
{
    return n->kind == RX_CAT ? &s->nodes[s->kids[n->arg]] : n;
}

static bool is_one_character(const rx_node *n)
{
    return n->kind == RX_CHAR || n->kind == RX_CLASS;
}

/* Branches that share a beginning, or are one character each, are merged. */
static bool merges_branches(const rx_syntax *s, const rx_node *a, const rx_node *b)
{
    return (is_one_character(a) && is_one_character(b)) || same_leaf(first_item(s, a), first_item(s, b));
}

/* Repetitions of one character are joined with what follows when that is the same character. */
static bool joins_repeats(const rx_syntax *s, const rx_node *a, const rx_node *b)
{
    if (a->kind != RX_REPEAT || a->max != RX_UNBOUNDED)
        return false;
    const rx_node *repeated = &s->nodes[a->arg], *next = b->kind == RX_REPEAT ? &s->nodes[b->arg] : b;
    return same_leaf(repeated, next);
}

static bool is_simple_operator(const rx_node *n)
{
    return n->kind == RX_REPEAT && n->min <= 1 && (n->max == RX_UNBOUNDED || (n->min == 0 && n->max == 1));
}

bool rx_may_simplify(const rx_syntax *syntax)
{
    for (size_t i = 0; i < syntax->node_count; i++) {
        const rx_node *n = &syntax->nodes[i];
        if (is_simple_operator(n) && is_simple_operator(&syntax->nodes[n->arg]))
            return true;
        if (n->kind != RX_CAT && n->kind != RX_ALT)
            continue;
        for (uint32_t k = 0; k + 1 < n->count; k++) {
            const rx_node *a = &syntax->nodes[syntax->kids[n->arg + k]];
            const rx_node *b = &syntax->nodes[syntax->kids[n->arg + k + 1]];
            if (n->kind == RX_ALT ? merges_branches(syntax, a, b) : joins_repeats(syntax, a, b))
                return true;
        }
    }
    return false;
}
