/* SQL injection seen where the statement is run: does a parameter hold more than a literal? */
#ifndef HG_TEXT_SQL_INJECTION_H
#define HG_TEXT_SQL_INJECTION_H

#include "text/sql/sql.h"

enum { HG_SQL_PARAM_MIN = 3 };

typedef struct hg_sql_fact hg_sql_fact;

/* A statement with its tokens, and sums over them. */
typedef struct hg_sql_statement {
    hg_slice sql;
    const hg_sql_token *tokens;
    size_t count;
    const hg_sql_fact *facts;
    size_t first_where; /* index of the first keyword WHERE; SIZE_MAX: none */
} hg_sql_statement;

/* HG_ERR_SYNTAX when the text has no tokens or cannot be taken apart, HG_ERR_NOMEM. Linear. */
hg_status hg_sql_statement_init(hg_sql_statement *statement, hg_slice sql, hg_sql_dialect dialect, hg_arena *arena);

/* Does a parameter at [begin, end) of the statement change its structure? O(log tokens) but for ORDER BY lists. */
bool hg_sql_is_injected(const hg_sql_statement *statement, size_t begin, size_t end);

/* The statement with "?" in place of its literals, in the arena. {NULL, 0} when out of memory. */
hg_slice hg_sql_redacted(const hg_sql_statement *statement, hg_arena *arena);

#endif
