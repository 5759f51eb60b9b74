/* An automaton over the trie of all phrases (Aho and Corasick, 1975). Nodes are numbered breadth-first, so that the
 * children of a node are neighbours and the shallow nodes come first. Text that contains no phrase keeps to those, and
 * they have rows with all their moves; deeper nodes have their children and a failure link only. */
#include "text/phrases.h"

#include "text/bytes.h"

#include <stdlib.h>

enum { NODES_MAX = 1 << 30, ROW_BYTES_MAX = 1 << 16, ROW_DEPTH_MAX = 2 };

typedef struct node {
    uint32_t child;  /* the first one */
    uint32_t fail;   /* the node of the longest proper tail of this one's text */
    uint32_t depth : 31;
    uint32_t ends : 1; /* a phrase ends here */
    uint16_t children;
    uint8_t byte; /* the last one of this node's text */
} node;

/* A move of a row: the next node, and whether a phrase is seen on the way to it or at it. */
#define SEEN (1u << 31)

struct hg_phrases {
    const node *nodes;
    const uint32_t *rows; /* row_count rows of class_count moves */
    uint32_t row_count;
    uint32_t class_count;
    bool words_only;
    uint8_t class_of[256]; /* class 0: the bytes of no phrase, if there are any */
};

/* The child that adds this byte; 0, which is nobody's child, when there is none. */
static uint32_t child_by(const node *nodes, const node *n, uint8_t byte)
{
    uint32_t low = n->child;
    uint32_t count = n->children;
    while (count > 4) {
        uint32_t half = count / 2;
        if (nodes[low + half].byte <= byte) {
            low += half;
            count -= half;
        } else {
            count = half;
        }
    }
    for (uint32_t i = low; i < low + count; i++)
        if (nodes[i].byte == byte)
            return i;
    return 0;
}

/* The search for the longest phrase or the first one. */
typedef struct search {
    bool first_only;
    size_t end;
    size_t length;
} search;

/* True: the search is over. */
static bool see(search *s, const node *n, size_t end)
{
    if (n->depth > s->length) {
        s->length = n->depth;
        s->end = end;
    }
    return s->first_only;
}

/* One step from node `at` over the byte at text position i. Nodes fallen back to end before the byte. True: over. */
static bool move(const node *nodes, uint32_t *at, uint8_t byte, size_t i, search *s)
{
    uint32_t next;
    while ((next = child_by(nodes, &nodes[*at], byte)) == 0 && *at != 0) {
        *at = nodes[*at].fail;
        if (nodes[*at].ends && see(s, &nodes[*at], i))
            return true;
    }
    *at = next;
    return nodes[next].ends && see(s, &nodes[next], i + 1);
}

/* Leaves a deep node for the next one or for one that has a row. True: over. */
static bool climb(const hg_phrases *set, uint32_t *at, uint8_t byte, size_t i, search *s, bool *moved)
{
    const node *nodes = set->nodes;
    while (*at >= set->row_count) {
        uint32_t next = child_by(nodes, &nodes[*at], byte);
        *moved = next != 0;
        *at = *moved ? next : nodes[*at].fail;
        if (nodes[*at].ends && see(s, &nodes[*at], i + *moved))
            return true;
        if (*moved)
            return false;
    }
    return false;
}

static void run(const hg_phrases *set, hg_slice text, search *s)
{
    uint32_t at = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = (uint8_t)text.ptr[i];
        if (at >= set->row_count) {
            bool moved = false;
            if (climb(set, &at, byte, i, s, &moved))
                return;
            if (moved)
                continue;
        }
        uint32_t next = set->rows[at * set->class_count + set->class_of[byte]];
        if (!(next & SEEN))
            at = next;
        else if (move(set->nodes, &at, byte, i, s))
            return;
    }
}

/* A word boundary at a side of the bytes at inside and outside (the neighbour). */
static bool bounds_word(hg_slice text, size_t inside, size_t outside)
{
    return !hg_is_word((uint8_t)text.ptr[inside]) || !hg_is_word((uint8_t)text.ptr[outside]);
}

static bool stands_alone(hg_slice text, size_t begin, size_t end)
{
    if (begin > 0 && !bounds_word(text, begin, begin - 1))
        return false;
    return end == text.len || bounds_word(text, end - 1, end);
}

bool hg_phrases_find(const hg_phrases *set, hg_slice text, hg_slice *found)
{
    search s = {.first_only = !set->words_only};
    run(set, text, &s);
    if (s.length == 0)
        return false;
    size_t begin = s.end - s.length;
    if (set->words_only && !stands_alone(text, begin, s.end))
        return false;
    *found = hg_slice_of(text.ptr + begin, s.length);
    return true;
}

/* ---- Building ---- */

/* The phrases that begin with a node's text: sorted[low..high). */
typedef struct span {
    size_t low;
    size_t high;
} span;

typedef struct builder {
    hg_slice *sorted;
    size_t count;
    node *nodes;
    span *spans; /* by node */
    uint32_t node_count;
} builder;

static int compare_phrases(const void *a, const void *b)
{
    return hg_slice_compare(*(const hg_slice *)a, *(const hg_slice *)b);
}

/* How many nodes the trie of the sorted phrases has; 0 when they are too many. */
static size_t count_nodes(const hg_slice *sorted, size_t count)
{
    size_t nodes = 1;
    hg_slice before = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        size_t common = 0;
        while (common < before.len && common < sorted[i].len && before.ptr[common] == sorted[i].ptr[common])
            common++;
        nodes += sorted[i].len - common;
        if (nodes >= NODES_MAX)
            return 0;
        before = sorted[i];
    }
    return nodes;
}

/* Appends the children of node n, whose phrases of its own length have been taken off its span. */
static void add_children(builder *b, uint32_t n)
{
    node *parent = &b->nodes[n];
    size_t depth = parent->depth;
    parent->child = b->node_count;
    for (size_t i = b->spans[n].low; i < b->spans[n].high;) {
        char byte = b->sorted[i].ptr[depth];
        size_t low = i;
        while (i < b->spans[n].high && b->sorted[i].ptr[depth] == byte)
            i++;
        node *child = &b->nodes[b->node_count];
        *child = (node){.depth = (uint32_t)depth + 1, .byte = (uint8_t)byte};
        while (low < i && b->sorted[low].len == depth + 1) {
            child->ends = 1;
            low++;
        }
        b->spans[b->node_count++] = (span){low, i};
        parent->children++;
    }
}

static void link_failures(builder *b, uint32_t n)
{
    for (uint32_t i = 0; i < b->nodes[n].children; i++) {
        node *child = &b->nodes[b->nodes[n].child + i];
        uint32_t at = n;
        uint32_t next = 0;
        while (at != 0 && next == 0) {
            at = b->nodes[at].fail;
            next = child_by(b->nodes, &b->nodes[at], child->byte);
        }
        child->fail = next;
    }
}

static void build_nodes(builder *b)
{
    size_t low = 0;
    while (low < b->count && b->sorted[low].len == 0)
        low++;
    b->nodes[0] = (node){0};
    b->spans[0] = (span){low, b->count};
    b->node_count = 1;
    for (uint32_t n = 0; n < b->node_count; n++) {
        add_children(b, n);
        link_failures(b, n);
    }
}

static void number_classes(hg_phrases *set, const builder *b)
{
    bool used[256] = {false};
    for (uint32_t n = 1; n < b->node_count; n++)
        used[b->nodes[n].byte] = true;
    memset(set->class_of, 0, sizeof set->class_of);
    set->class_count = memchr(used, false, sizeof used) ? 1 : 0;
    for (int byte = 0; byte < 256; byte++)
        if (used[byte])
            set->class_of[byte] = (uint8_t)set->class_count++;
}

static uint32_t count_rows(const hg_phrases *set, const builder *b)
{
    uint32_t limit = ROW_BYTES_MAX / (uint32_t)(set->class_count * sizeof *set->rows);
    uint32_t rows = 0;
    while (rows < b->node_count && rows < limit && b->nodes[rows].depth <= ROW_DEPTH_MAX)
        rows++;
    return rows;
}

/* A node moves as the one it falls back to does, but for its own children. */
static void fill_row(const hg_phrases *set, const node *nodes, uint32_t n, uint32_t *rows)
{
    uint32_t *row = rows + (size_t)n * set->class_count;
    uint32_t fail = nodes[n].fail;
    if (n == 0)
        memset(row, 0, set->class_count * sizeof *row);
    else
        memcpy(row, rows + (size_t)fail * set->class_count, set->class_count * sizeof *row);
    for (uint32_t i = 0; nodes[fail].ends && i < set->class_count; i++)
        row[i] = SEEN;
    for (uint32_t i = 0; i < nodes[n].children; i++) {
        uint32_t child = nodes[n].child + i;
        row[set->class_of[nodes[child].byte]] = child | (nodes[child].ends ? SEEN : 0);
    }
}

static bool build_rows(hg_phrases *set, const builder *b, hg_arena *arena)
{
    number_classes(set, b);
    set->row_count = count_rows(set, b);
    uint32_t *rows = hg_arena_alloc(arena, (size_t)set->row_count * set->class_count * sizeof *rows, 64);
    if (rows == NULL)
        return false;
    for (uint32_t n = 0; n < set->row_count; n++)
        fill_row(set, b->nodes, n, rows);
    set->rows = rows;
    return true;
}

static const hg_phrases *build(const hg_slice *phrases, size_t count, bool words_only, hg_arena *arena,
                               hg_arena *scratch)
{
    builder b = {.count = count};
    b.sorted = hg_arena_alloc(scratch, (count + 1) * sizeof *b.sorted, _Alignof(hg_slice));
    if (b.sorted == NULL)
        return NULL;
    if (count > 0)
        memcpy(b.sorted, phrases, count * sizeof *b.sorted);
    qsort(b.sorted, count, sizeof *b.sorted, compare_phrases);
    size_t nodes = count_nodes(b.sorted, count);
    if (nodes == 0)
        return NULL;
    hg_phrases *set = hg_arena_alloc(arena, sizeof *set, _Alignof(hg_phrases));
    b.nodes = hg_arena_alloc(arena, nodes * sizeof *b.nodes, _Alignof(node));
    b.spans = hg_arena_alloc(scratch, nodes * sizeof *b.spans, _Alignof(span));
    if (set == NULL || b.nodes == NULL || b.spans == NULL)
        return NULL;
    build_nodes(&b);
    set->nodes = b.nodes;
    set->words_only = words_only;
    return build_rows(set, &b, arena) ? set : NULL;
}

const hg_phrases *hg_phrases_build(const hg_slice *phrases, size_t count, bool words_only, hg_arena *arena)
{
    hg_arena scratch;
    hg_arena_init(&scratch, NULL);
    const hg_phrases *set = build(phrases, count, words_only, arena, &scratch);
    hg_arena_close(&scratch);
    return set;
}
