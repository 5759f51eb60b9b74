/* One pattern against RE2 and against our own other engines, on one text. */
#ifndef REGEX_DIFFERENTIAL_H
#define REGEX_DIFFERENTIAL_H

#include "regex/internal.h"
#include "regex/re2_peer.h"

#include <stdlib.h>

enum { DIFF_GROUPS = 8 };
static const long diff_budget = 8 << 20;

typedef struct diff_pair {
    hg_regex *ours;
    void *theirs;
} diff_pair;

static inline void diff_show(const char *what, hg_slice pattern, int insensitive, hg_slice text)
{
    fprintf(stderr, "%s\n  pattern%s ", what, insensitive ? " (i)" : "");
    for (size_t i = 0; i < pattern.len; i++)
        fprintf(stderr, pattern.ptr[i] >= ' ' && pattern.ptr[i] < 127 ? "%c" : "\\x%02x", (unsigned char)pattern.ptr[i]);
    fprintf(stderr, "\n  text ");
    for (size_t i = 0; i < text.len; i++)
        fprintf(stderr, text.ptr[i] >= ' ' && text.ptr[i] < 127 ? "%c" : "\\x%02x", (unsigned char)text.ptr[i]);
    fprintf(stderr, "\n");
}

/* Both must accept, or refuse for the same reason with the same argument. Size differences are tolerated where RE2
 * is the one to accept after simplifying, or we are. *ours is NULL when there is nothing to compare further. */
static inline bool diff_compile(const re2_peer *re2, hg_slice pattern, int insensitive, diff_pair *pair)
{
    char argument[1024];
    size_t argument_len;
    int code;
    hg_regex_error error;
    hg_regex_options options = {.case_insensitive = insensitive != 0, .max_mem = diff_budget};
    pair->theirs = re2->compile(pattern.ptr, pattern.len, insensitive, diff_budget, &code, argument, sizeof argument,
                                &argument_len);
    pair->ours = hg_regex_compile(pattern, &options, &error);
    bool same = (pair->ours != NULL) == (pair->theirs != NULL);
    if (pair->ours == NULL && pair->theirs == NULL)
        same = (int)error.code == code && error.argument.len == argument_len &&
               (argument_len > sizeof argument || argument_len == 0 ||
                memcmp(error.argument.ptr, argument, argument_len) == 0);
    bool size = code == HG_REGEX_TOO_LARGE || (pair->ours == NULL && error.code == HG_REGEX_TOO_LARGE);
    if (same && pair->ours != NULL)
        return true;
    if (pair->ours != NULL)
        hg_regex_unref(pair->ours);
    if (pair->theirs != NULL)
        re2->free(pair->theirs);
    pair->ours = NULL;
    pair->theirs = NULL;
    return same || size;
}

/* Do the positions' bits, where a pattern has them, tell the same? */
static inline bool diff_bits(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text, bool expected)
{
    rx_bits bits;
    if (!rx_bits_open(&bits, &regex->program))
        return true;
    bool found = rx_bits_exists(&bits, scratch->sim.bits, text);
    rx_bits_close(&bits);
    return found == expected;
}

/* Our engines among themselves: what exists must be found by each, and the filter must let it pass. */
static inline bool diff_engines(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text, bool expected)
{
    const rx_cut *cuts[1] = {regex->cuts};
    uint32_t counts[1] = {regex->cut_count};
    uint64_t candidate = 1;
    rx_filter filter;
    if (hg_regex_test(regex, scratch, text) != expected ||
        rx_exists(&regex->program, &scratch->sim, text, 0) != expected || !diff_bits(regex, scratch, text, expected))
        return false;
    if (!expected)
        return true;
    if (rx_filter_open(&filter, cuts, counts, 1)) {
        rx_filter_run(&filter, text, &candidate);
        rx_filter_close(&filter);
    }
    return candidate == 1;
}

/* RE2 may return a longer match than its own priority rules when an unbounded repetition holds another one and the
 * body of either can match empty. Tells whether the pattern has that shape. */
static inline bool diff_nests_empty_loops(hg_slice pattern, int insensitive)
{
    enum { LOOP = 1, EMPTY_LOOP = 2 }; /* what is at a node or below */
    rx_syntax s;
    if (!rx_parse(pattern, insensitive != 0, &s, NULL))
        return false;
    unsigned char *below = calloc(s.node_count, 1);
    bool found = false;
    for (size_t i = 0; below != NULL && i < s.node_count; i++) {
        const rx_node *n = &s.nodes[i];
        bool list = n->kind == RX_CAT || n->kind == RX_ALT;
        for (uint32_t k = 0; list && k < n->count; k++)
            below[i] |= below[s.kids[n->arg + k]];
        if (n->kind == RX_REPEAT || n->kind == RX_GROUP)
            below[i] = below[n->arg];
        if (n->kind != RX_REPEAT || n->max != RX_UNBOUNDED)
            continue;
        bool empty = s.nodes[n->arg].nullable;
        found |= (below[i] & EMPTY_LOOP) || (empty && below[i]);
        below[i] |= empty ? LOOP | EMPTY_LOOP : LOOP;
    }
    free(below);
    rx_syntax_close(&s);
    return found;
}

/* RE2 merges branches of one character before it loosens classes, and loses letters where a pattern mixes the two
 * cases of folding; on overlong sequences and such patterns either answer counts. */
static inline bool diff_is_quirky(hg_slice pattern, hg_slice text)
{
    if (memchr(pattern.ptr, '|', pattern.len) == NULL)
        return false;
    for (size_t i = 0; i + 1 < text.len; i++) {
        unsigned char a = (unsigned char)text.ptr[i], b = (unsigned char)text.ptr[i + 1];
        if ((a == 0xE0 && b < 0xA0) || (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F))
            return true;
    }
    for (size_t i = 0; i + 2 < pattern.len; i++) {
        if (pattern.ptr[i] == '(' && pattern.ptr[i + 1] == '?' && pattern.ptr[i + 2] != ':')
            return true;
    }
    return false;
}

typedef enum diff_result { DIFF_SAME, DIFF_SPAN, DIFF_GROUP, DIFF_EXISTENCE, DIFF_ENGINES } diff_result;

static inline diff_result diff_match(const re2_peer *re2, const diff_pair *pair, hg_regex_scratch *scratch,
                                     hg_slice text)
{
    size_t want[2 * DIFF_GROUPS];
    hg_span got[DIFF_GROUPS];
    bool theirs = re2->match(pair->theirs, text.ptr, text.len, want, DIFF_GROUPS) != 0;
    bool ours = hg_regex_match(pair->ours, scratch, text, 0, got, DIFF_GROUPS);
    if (ours != theirs)
        return DIFF_EXISTENCE;
    if (!diff_engines(pair->ours, scratch, text, ours))
        return DIFF_ENGINES;
    for (int i = 0; ours && i < DIFF_GROUPS; i++) {
        if (got[i].begin != want[2 * i] || got[i].end != want[2 * i + 1])
            return i == 0 ? DIFF_SPAN : DIFF_GROUP;
    }
    return DIFF_SAME;
}

#endif
