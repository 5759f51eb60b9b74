/* What most databases agree on. */
#include "text/sql/scan.h"

static const hg_slice keywords[] = {HG_SLICE("SELECT"), HG_SLICE("FROM"),  HG_SLICE("WHERE"),    HG_SLICE("GROUP"),
                                    HG_SLICE("OFFSET"), HG_SLICE("LIMIT"), HG_SLICE("DISTINCT"), HG_SLICE("HAVING"),
                                    HG_SLICE("ORDER"),  HG_SLICE("ASC"),   HG_SLICE("DESC"),     HG_SLICE("UNION"),
                                    HG_SLICE("NULL"),   HG_SLICE("ALL"),   HG_SLICE("ANY"),      HG_SLICE("BY"),
                                    HG_SLICE("AS"),     {NULL, 0}};

static const hg_slice operators[] = {HG_SLICE("OR"),   HG_SLICE("AND"), HG_SLICE("BETWEEN"),
                                     HG_SLICE("LIKE"), HG_SLICE("IN"),  HG_SLICE("MOD"),
                                     HG_SLICE("IS"),   HG_SLICE("NOT"), {NULL, 0}};

static const mark marks[] = {{HG_SLICE("!="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("%"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("||"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("|"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("&"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("^"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("~"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE(":"), HG_SQL_COLON},
                             {HG_SLICE("."), HG_SQL_DOT},
                             {HG_SLICE(","), HG_SQL_COMMA},
                             {HG_SLICE(";"), HG_SQL_QUERY_END},
                             {HG_SLICE("*"), HG_SQL_ASTERISK},
                             {HG_SLICE("?"), HG_SQL_QUESTION_MARK},
                             {{NULL, 0}, HG_SQL_NONE}};

const sql_dialect hg_sql_generic = {
    .keywords = keywords,
    .operators = operators,
    .marks = marks,
    .quotes = {{'\'', QUOTE_ESCAPED, HG_SQL_SINGLE_QUOTED},
               {'"', QUOTE_ESCAPED, HG_SQL_IDENTIFIER},
               {'`', QUOTE_ESCAPED, HG_SQL_BACK_QUOTED}},
    .hash_comments = true,
};
