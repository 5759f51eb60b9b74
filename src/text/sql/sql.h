/* SQL taken apart into tokens, in four dialects, the way libddwaf's sqli_detector sees it. */
#ifndef HG_TEXT_SQL_H
#define HG_TEXT_SQL_H

#include "hotgate/base.h"

typedef enum hg_sql_dialect { HG_SQL_GENERIC, HG_SQL_MYSQL, HG_SQL_POSTGRESQL, HG_SQL_SQLITE } hg_sql_dialect;

typedef enum hg_sql_type {
    HG_SQL_NONE, /* recorded nowhere */
    HG_SQL_KEYWORD,
    HG_SQL_IDENTIFIER,
    HG_SQL_NUMBER,
    HG_SQL_SINGLE_QUOTED,
    HG_SQL_DOUBLE_QUOTED,
    HG_SQL_DOLLAR_QUOTED,
    HG_SQL_BACK_QUOTED,
    HG_SQL_ASTERISK,
    HG_SQL_LINE_COMMENT,
    HG_SQL_INLINE_COMMENT,
    HG_SQL_COMMA,
    HG_SQL_DOT,
    HG_SQL_COLON,
    HG_SQL_QUESTION_MARK,
    HG_SQL_QUERY_END,
    HG_SQL_BINARY_OPERATOR,
    HG_SQL_BITWISE_OPERATOR,
    HG_SQL_ARRAY_OPEN,
    HG_SQL_ARRAY_CLOSE,
    HG_SQL_CURLY_OPEN,
    HG_SQL_CURLY_CLOSE
} hg_sql_type;

/* Its text begins `prefix` bytes after `at`; `len` counts the text only. */
typedef struct hg_sql_token {
    size_t at;
    size_t len;
    uint8_t prefix;
    uint8_t type;
} hg_sql_token;

static inline hg_slice hg_sql_text(hg_slice sql, const hg_sql_token *t)
{
    return hg_slice_of(sql.ptr + t->at + t->prefix, t->len);
}

/* The dialect that a driver's or database's name stands for, without regard to case; else the generic one. */
hg_sql_dialect hg_sql_dialect_of(hg_slice name);

/* All tokens but parentheses, in order, in the arena. HG_ERR_SYNTAX: the text has a byte that the dialect does not
 * know; HG_ERR_NOMEM. Linear. */
hg_status hg_sql_tokenize(hg_slice sql, hg_sql_dialect dialect, hg_arena *arena, const hg_sql_token **tokens,
                          size_t *count);

#endif
