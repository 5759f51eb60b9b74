/* Random patterns from a grammar, and texts that match them or nearly do. Everything follows from a seed. */
#ifndef REGEX_GENERATOR_H
#define REGEX_GENERATOR_H

#include "hotgate/base.h"

#include <stdio.h>

enum { GEN_TEXT = 512, GEN_NODES = 64 };

typedef enum gen_kind { GEN_LITERAL, GEN_CLASS, GEN_ASSERT, GEN_EMPTY, GEN_CAT, GEN_ALT, GEN_REPEAT } gen_kind;

typedef struct gen_node {
    gen_kind kind;
    const char *text;   /* literal, assertion, or class as written */
    const char *sample; /* class: bytes of members, one after another */
    int kids[4];
    int count;
    int min, max; /* repeat; max -1 = unbounded */
    bool lazy, group;
} gen_node;

typedef struct generator {
    uint64_t state;
    gen_node nodes[GEN_NODES];
    int count;
    bool ascii; /* no bytes beyond ASCII in patterns */
} generator;

static uint32_t gen_below(generator *g, uint32_t n)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)((g->state * 0x2545F4914F6CDD1Dull >> 33) % n);
}

static const char *const gen_literals[] = {"a", "b", "c", "k", "s", "A", "_", "1", " ", "\\n", "ab", "foo", "\\.", "/",
                                           "\xC3\xA9", "\xE2\x84\xAA", "\xF0\x9F\x98\x80", "\\xe9", "\\Q*\\E", "x"};
static const char *const gen_literal_bytes[] = {"a", "b", "c", "k", "s", "A", "_", "1", " ", "\n", "ab", "foo", ".", "/",
                                                "\xC3\xA9", "\xE2\x84\xAA", "\xF0\x9F\x98\x80", "\xC3\xA9", "*", "x"};
enum { GEN_ASCII_LITERALS = 14, GEN_LITERALS = sizeof gen_literals / sizeof *gen_literals };

static const char *const gen_classes[][2] = {
    {"[a-c]", "abc"}, {"[^a]", "bx1"}, {"\\w", "a_Z9"}, {"\\W", " .-"}, {"\\d", "019"}, {"\\s", " \t"}, {"\\S", "ax/"},
    {".", "ab1 "}, {"(?s:.)", "a\n"}, {"[[:alpha:]]", "azK"}, {"[ab\\n]", "ab\n"}, {"[^\\n]", "ab "}, {"[k-s]", "ks"},
    {"[\xC3\xA0-\xC3\xBC]", "\xC3\xA9"}, {"\\pL", "ak"}, {"\\pN", "17"}, {"[^\xC3\xA9]", "ab"}, {"\\p{Greek}", "\xCE\xB1"},
    {"\\C", "a\n"}, {"[^k]", "ab"}};
enum { GEN_CLASSES = sizeof gen_classes / sizeof *gen_classes };

static const char *const gen_asserts[] = {"^", "$", "\\b", "\\B", "\\A", "\\z", "(?m:^)", "(?m:$)"};

static int gen_leaf(generator *g)
{
    gen_node *n = &g->nodes[g->count];
    uint32_t pick = gen_below(g, 20);
    *n = (gen_node){.kind = GEN_LITERAL};
    if (pick < 11) {
        uint32_t i = gen_below(g, g->ascii ? GEN_ASCII_LITERALS : GEN_LITERALS);
        n->text = gen_literals[i];
        n->sample = gen_literal_bytes[i];
    } else if (pick < 17) {
        uint32_t i = gen_below(g, GEN_CLASSES);
        n->kind = GEN_CLASS;
        n->text = gen_classes[i][0];
        n->sample = gen_classes[i][1];
    } else if (pick < 19) {
        n->kind = GEN_ASSERT;
        n->text = gen_asserts[gen_below(g, 8)];
    } else {
        n->kind = GEN_EMPTY;
        n->text = "";
    }
    return g->count++;
}

static int gen_tree(generator *g, int depth)
{
    if (depth == 0 || g->count > GEN_NODES - 12 || gen_below(g, 5) == 0)
        return gen_leaf(g);
    gen_node n = {.kind = (gen_kind)(GEN_CAT + gen_below(g, 3)), .group = gen_below(g, 3) == 0};
    static const int bounds[][2] = {{0, -1}, {1, -1}, {0, 1}, {2, 2}, {0, 3}, {2, -1}, {1, 3}, {0, 0}};
    n.count = n.kind == GEN_REPEAT ? 1 : 2 + (int)gen_below(g, 2);
    for (int i = 0; i < n.count; i++)
        n.kids[i] = gen_tree(g, depth - 1);
    if (n.kind == GEN_REPEAT) {
        uint32_t i = gen_below(g, gen_below(g, 3) ? 3 : 8);
        n.min = bounds[i][0];
        n.max = bounds[i][1];
        n.lazy = gen_below(g, 4) == 0;
    }
    g->nodes[g->count] = n;
    return g->count++;
}

static size_t gen_append(char *out, size_t at, const char *text)
{
    size_t len = strlen(text);
    if (at + len >= GEN_TEXT)
        return at;
    memcpy(out + at, text, len);
    return at + len;
}

static size_t gen_write(const generator *g, int node, char *out, size_t at)
{
    const gen_node *n = &g->nodes[node];
    char counter[32];
    if (n->kind < GEN_CAT)
        return gen_append(out, at, n->text);
    at = gen_append(out, at, n->group ? "(" : "(?:");
    for (int i = 0; i < n->count; i++) {
        if (i > 0 && n->kind == GEN_ALT)
            at = gen_append(out, at, "|");
        at = gen_write(g, n->kids[i], out, at);
    }
    if (n->kind != GEN_REPEAT)
        return gen_append(out, at, ")");
    /* The group around the body keeps the operator off its last item alone. */
    at = gen_append(out, at, ")");
    if (n->max == -1 && n->min < 2)
        snprintf(counter, sizeof counter, "%s", n->min ? "+" : "*");
    else if (n->max == -1)
        snprintf(counter, sizeof counter, "{%d,}", n->min);
    else
        snprintf(counter, sizeof counter, "{%d,%d}", n->min, n->max);
    at = gen_append(out, at, n->min == 0 && n->max == 1 ? "?" : counter);
    return n->lazy ? gen_append(out, at, "?") : at;
}

/* Makes a pattern of at most GEN_TEXT bytes; returns its length. */
static size_t gen_pattern(generator *g, char *out, int *root)
{
    g->count = 0;
    *root = gen_tree(g, 1 + (int)gen_below(g, 4));
    return gen_write(g, *root, out, 0);
}

/* A text that matches but for assertions. */
static size_t gen_sample(generator *g, int node, char *out, size_t at)
{
    const gen_node *n = &g->nodes[node];
    switch (n->kind) {
    case GEN_LITERAL:
        return gen_append(out, at, n->sample);
    case GEN_CLASS: {
        char one[2] = {n->sample[gen_below(g, (uint32_t)strlen(n->sample))], 0};
        return gen_append(out, at, (unsigned char)n->sample[0] < 0x80 ? one : n->sample);
    }
    case GEN_CAT:
        for (int i = 0; i < n->count; i++)
            at = gen_sample(g, n->kids[i], out, at);
        return at;
    case GEN_ALT:
        return gen_sample(g, n->kids[gen_below(g, (uint32_t)n->count)], out, at);
    case GEN_REPEAT:
        for (int i = 0, rounds = n->min + (int)gen_below(g, 3); i < rounds && (n->max < 0 || i < n->max); i++)
            at = gen_sample(g, n->kids[0], out, at);
        return at;
    default:
        return at;
    }
}

static const char *const gen_noise[] = {"a", "b", "k", "K", "S", "s", " ", "\n", "_", "1", ".", "foo", "ab", "\xC3\xA9", "\xE2\x84\xAA",
                                        "\xC5\xBF", "\xFF", "\x80", "\xC3", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xED\xA0\x80", "x/", "A"};

/* A text around the pattern: sampled, embedded, mutated or unrelated. At most GEN_TEXT bytes. */
static size_t gen_text(generator *g, int root, char *out)
{
    size_t len = 0;
    uint32_t way = gen_below(g, 6);
    for (uint32_t i = way == 0 ? 12 : gen_below(g, 4) * (way > 1); i > 0; i--)
        len = gen_append(out, len, gen_noise[gen_below(g, sizeof gen_noise / sizeof *gen_noise)]);
    if (way > 0)
        len = gen_sample(g, root, out, len);
    if (way > 3 && len > 0)
        out[gen_below(g, (uint32_t)len)] = gen_noise[gen_below(g, sizeof gen_noise / sizeof *gen_noise)][0];
    for (uint32_t i = way > 2 ? gen_below(g, 4) : 0; i > 0; i--)
        len = gen_append(out, len, gen_noise[gen_below(g, sizeof gen_noise / sizeof *gen_noise)]);
    return len;
}

#endif
