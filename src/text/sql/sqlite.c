#include "text/sql/scan.h"

static const hg_slice keywords[] = {
    HG_SLICE("SELECT"), HG_SLICE("DISTINCT"),  HG_SLICE("ALL"),    HG_SLICE("FROM"),   HG_SLICE("WHERE"),
    HG_SLICE("GROUP"),  HG_SLICE("HAVING"),    HG_SLICE("WINDOW"), HG_SLICE("VALUES"), HG_SLICE("OFFSET"),
    HG_SLICE("LIMIT"),  HG_SLICE("ORDER"),     HG_SLICE("BY"),     HG_SLICE("ASC"),    HG_SLICE("DESC"),
    HG_SLICE("UNION"),  HG_SLICE("INTERSECT"), HG_SLICE("EXCEPT"), HG_SLICE("NULL"),   HG_SLICE("AS"),
    {NULL, 0}};

static const hg_slice operators[] = {
    HG_SLICE("OR"),      HG_SLICE("AND"),    HG_SLICE("IN"),      HG_SLICE("BETWEEN"), HG_SLICE("LIKE"),
    HG_SLICE("GLOB"),    HG_SLICE("ESCAPE"), HG_SLICE("COLLATE"), HG_SLICE("REGEXP"),  HG_SLICE("MATCH"),
    HG_SLICE("NOTNULL"), HG_SLICE("ISNULL"), HG_SLICE("NOT"),     HG_SLICE("IS"),      {NULL, 0}};

static const mark marks[] = {{HG_SLICE("->>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("->"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<=>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("%"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("||"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("|"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("&"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("~"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE(":"), HG_SQL_COLON},
                             {HG_SLICE("."), HG_SQL_DOT},
                             {HG_SLICE(","), HG_SQL_COMMA},
                             {HG_SLICE(";"), HG_SQL_QUERY_END},
                             {HG_SLICE("*"), HG_SQL_ASTERISK},
                             {HG_SLICE("?"), HG_SQL_QUESTION_MARK},
                             {{NULL, 0}, HG_SQL_NONE}};

/* A bracketed name ends before its bracket, which no rule expects: such a statement is not judged. */
static bool own(scan *s, uint8_t c)
{
    if (c != '[')
        return false;
    hg_sql_push(s, HG_SQL_IDENTIFIER, hg_find_byte(s->s, s->r, ']'));
    return true;
}

const sql_dialect hg_sql_sqlite = {
    .keywords = keywords,
    .operators = operators,
    .marks = marks,
    .quotes = {{'\'', QUOTE_CONFORMING, HG_SQL_SINGLE_QUOTED},
               {'"', QUOTE_CONFORMING, HG_SQL_IDENTIFIER},
               {'`', QUOTE_CONFORMING, HG_SQL_IDENTIFIER}},
    .dollar_words = true,
    .own = own,
};
