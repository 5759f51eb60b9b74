/* The tree of a pattern. Children stand before their parents in `nodes`, so that a pass from the leaves up is
 * one loop, whatever the nesting depth. */
#ifndef REGEX_SYNTAX_H
#define REGEX_SYNTAX_H

#include "hotgate/regex.h"
#include "regex/class.h"

typedef enum rx_kind {
    RX_EMPTY,
    RX_CHAR,   /* code point `arg`; with fold its whole orbit */
    RX_CLASS,  /* classes[arg] */
    RX_BYTE,   /* any one byte */
    RX_ASSERT, /* rx_assertion `arg` */
    RX_CAT,    /* kids[arg .. arg + count) */
    RX_ALT,    /* the same, in order of preference */
    RX_REPEAT, /* node `arg`, min..max times */
    RX_GROUP   /* node `arg` as group number `count` */
} rx_kind;

/* Bits, so that a set of them that hold at a place is a mask. */
typedef enum rx_assertion {
    RX_BEGIN_TEXT = 1,
    RX_END_TEXT = 2,
    RX_BEGIN_LINE = 4,
    RX_END_LINE = 8,
    RX_WORD = 16,
    RX_NOT_WORD = 32
} rx_assertion;

enum { RX_UNBOUNDED = -1, RX_MAX_REPEAT = 1000 };

typedef struct rx_node {
    uint8_t kind;
    bool fold;
    bool insensitive;  /* RX_CHAR: read under the flag i, whether it has a partner or not */
    bool lazy;
    bool nullable;     /* can match the empty string */
    uint16_t repeats;  /* largest product of counters on a path down, saturated above RX_MAX_REPEAT */
    int16_t min, max;  /* RX_REPEAT; max may be RX_UNBOUNDED */
    uint32_t arg;
    uint32_t count;
} rx_node;

typedef struct rx_class {
    uint32_t first, count; /* in ranges */
} rx_class;

typedef struct rx_syntax {
    rx_node *nodes;
    uint32_t *kids;
    rx_class *classes;
    rx_range *ranges;
    size_t node_count, kid_count, class_count, range_count;
    size_t node_cap, kid_cap, class_cap, range_cap;
    uint32_t root;
    uint32_t groups;
} rx_syntax;

/* Reads a pattern. False: *error says why (its argument points into the pattern); *out is closed then. */
bool rx_parse(hg_slice pattern, bool fold, rx_syntax *out, hg_regex_error *error);

void rx_syntax_close(rx_syntax *syntax);

/* Fills *error with RE2's wording of the category. */
void rx_refuse(hg_regex_error *error, hg_regex_code code, hg_slice argument);

/* RE2's instruction count of the pattern (specification of the size limit), saturated. */
uint64_t rx_cost(const rx_syntax *syntax, bool *nomem);

/* Whether RE2 would simplify the tree before it counts: its own count may be lower than rx_cost then. */
bool rx_may_simplify(const rx_syntax *syntax);

#endif
