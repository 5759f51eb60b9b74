/* What the parts of the SQL tokenizer share. */
#ifndef HG_TEXT_SQL_SCAN_H
#define HG_TEXT_SQL_SCAN_H

#include "text/bytes.h"
#include "text/sql/sql.h"

typedef struct sql_dialect sql_dialect;

typedef struct scan {
    hg_slice s;
    size_t r;
    const sql_dialect *dialect;
    hg_arena *arena;
    hg_sql_token *tokens;
    size_t count;
    size_t room;
    bool out_of_memory;
    /* What is known of the word being tried, so that trying again at its next bytes costs nothing. */
    size_t run_end;
    size_t run_boundary;
    size_t no_decimal_before;
} scan;

typedef enum quote_style {
    QUOTE_UNKNOWN,   /* the byte is not expected */
    QUOTE_ESCAPED,   /* a backslash escapes; a doubled quote goes on */
    QUOTE_CONFORMING /* a doubled quote goes on */
} quote_style;

typedef struct sql_quote {
    char byte;
    uint8_t style;
    uint8_t type;
} sql_quote;

typedef struct mark {
    hg_slice text;
    uint8_t type;
} mark;

/* A dialect is its tables plus what they cannot say. Lists end with an empty text; longer marks come first. */
struct sql_dialect {
    const hg_slice *keywords;
    const hg_slice *operators; /* words that are binary operators */
    const mark *marks;
    sql_quote quotes[3];
    bool hash_comments;
    bool dashes_need_space; /* "--" is a comment only before a space byte, a NUL byte or the end */
    bool dollar_words;
    /* Handles what is the dialect's own at s->r; false: nothing of the kind is there. */
    bool (*own)(scan *s, uint8_t c);
};

extern const sql_dialect hg_sql_generic;
extern const sql_dialect hg_sql_mysql;
extern const sql_dialect hg_sql_postgresql;
extern const sql_dialect hg_sql_sqlite;

/* Records the bytes from s->r to end and moves there. */
void hg_sql_push(scan *s, hg_sql_type type, size_t end);

/* The same, with a text that begins prefix bytes later. */
void hg_sql_push_prefixed(scan *s, hg_sql_type type, size_t end, size_t prefix);

/* Is there a word boundary at position r > 0? */
bool hg_sql_boundary(const scan *s, size_t r);

/* The end of the number at `begin`, which may have a sign; 0 when there is none. */
size_t hg_sql_number(scan *s, size_t begin);

/* Length of the identifier character at r, 0 when there is none: A-Z a-z 0-9 _ $ or U+0080-U+FFFF. */
size_t hg_sql_word_char(const scan *s, size_t r);

/* The end of the identifier that begins at s->r with an identifier character; 0 when none has a boundary. */
size_t hg_sql_identifier(scan *s);

/* A keyword, an operator word or an identifier at s->r, or nothing. */
void hg_sql_word(scan *s);

/* The end of the string whose quote is at `open`. */
size_t hg_sql_escaped(const scan *s, size_t open);
size_t hg_sql_conforming(const scan *s, size_t open);
size_t hg_sql_plain(const scan *s, size_t open);

/* The byte after s->r, 0 at the end. */
static inline uint8_t hg_sql_next(const scan *s, size_t distance)
{
    return s->r + distance < s->s.len ? (uint8_t)s->s.ptr[s->r + distance] : 0;
}

#endif
