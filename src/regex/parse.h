/* Shared by parse.c and parse_class.c: the state of one reading. */
#ifndef REGEX_PARSE_H
#define REGEX_PARSE_H

#include "regex/grow.h"
#include "regex/syntax.h"
#include "regex/unicode.h"

enum { RX_FOLD = 1, RX_MULTI_LINE = 2, RX_DOT_NEWLINE = 4, RX_SWAP_LAZY = 8 };

#define RX_NO_GROUP UINT32_MAX /* the number of a group that captures nothing */
#define RX_NONE SIZE_MAX

typedef struct rx_frame {
    size_t branches; /* first item of the group: finished branches lie from here to `items` */
    size_t items;    /* first item of the current branch */
    uint32_t number;
    unsigned outer_flags; /* restored at the closing parenthesis */
} rx_frame;

enum { RX_RECENT_CLASSES = 64, RX_LARGE_CLASSES = 8 };

/* How a class of many ranges was written; the same text under the same flag is the same class. */
typedef struct rx_written {
    hg_slice text;
    bool fold;
    uint32_t class;
} rx_written;

typedef struct rx_parser {
    hg_slice pattern;
    size_t at;
    size_t last_repeat; /* where the repetition operator directly before `at` begins, or RX_NONE */
    unsigned flags;
    rx_syntax *syntax;
    rx_class_builder builder;
    uint32_t recent[RX_RECENT_CLASSES]; /* by hash: class + 1, so that equal classes are kept once */
    rx_written large[RX_LARGE_CLASSES]; /* so that repeating one does not mean reading it again */
    size_t large_next;
    uint32_t *items;
    rx_frame *frames;
    size_t item_count, item_cap, frame_count, frame_cap;
    hg_regex_error *error;
} rx_parser;

static inline hg_slice rx_rest(const rx_parser *p)
{
    return hg_slice_skip(p->pattern, p->at);
}

static inline hg_slice rx_since(const rx_parser *p, size_t begin)
{
    return hg_slice_of(p->pattern.ptr + begin, p->at - begin);
}

static inline bool rx_is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Both return false, for `return rx_parse_fail(...)`. */
bool rx_parse_fail(rx_parser *p, hg_regex_code code, hg_slice argument);
bool rx_parse_nomem(rx_parser *p);

/* Length of the code point at the start of s, 0 when there is none. Surrogates count as code points. */
size_t rx_decode(hg_slice s, uint32_t *code);
bool rx_valid_utf8(hg_slice s);

/* Takes one code point; fails with BadUTF8, also at the end of the pattern. */
bool rx_next_code(rx_parser *p, uint32_t *code);

/* An escape that stands for one code point, at the backslash. */
bool rx_read_escape(rx_parser *p, uint32_t *code);

/* \pX, \p{Name} and the like at the backslash; [class] at the bracket. Both add to p->builder. */
bool rx_read_property(rx_parser *p);
bool rx_read_class(rx_parser *p);

#endif
