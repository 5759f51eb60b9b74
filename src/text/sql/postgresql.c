#include "text/sql/scan.h"

static const hg_slice keywords[] = {HG_SLICE("SELECT"),    HG_SLICE("FROM"),  HG_SLICE("WHERE"),  HG_SLICE("GROUP"),
                                    HG_SLICE("OFFSET"),    HG_SLICE("LIMIT"), HG_SLICE("HAVING"), HG_SLICE("ORDER"),
                                    HG_SLICE("PARTITION"), HG_SLICE("BY"),    HG_SLICE("ASC"),    HG_SLICE("DESC"),
                                    HG_SLICE("NULL"),      {NULL, 0}};

static const hg_slice operators[] = {
    HG_SLICE("OR"),   HG_SLICE("XOR"),    HG_SLICE("AND"),    HG_SLICE("IN"),  HG_SLICE("BETWEEN"),
    HG_SLICE("LIKE"), HG_SLICE("REGEXP"), HG_SLICE("SOUNDS"), HG_SLICE("NOT"), HG_SLICE("IS"),
    HG_SLICE("MOD"),  HG_SLICE("DIV"),    {NULL, 0}};

static const mark marks[] = {{HG_SLICE("->>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("->"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("#>>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("#>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("#-"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("#"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("@@"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("@>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("@"), HG_SQL_NONE},
                             {HG_SLICE("?|"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("?&"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("?"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<=>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<@"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("%"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("||"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("|"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("&"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("^"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("~"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("::"), HG_SQL_KEYWORD},
                             {HG_SLICE(":="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(":"), HG_SQL_COLON},
                             {HG_SLICE("."), HG_SQL_DOT},
                             {HG_SLICE(","), HG_SQL_COMMA},
                             {HG_SLICE(";"), HG_SQL_QUERY_END},
                             {HG_SLICE("*"), HG_SQL_ASTERISK},
                             {HG_SLICE("["), HG_SQL_ARRAY_OPEN},
                             {HG_SLICE("]"), HG_SQL_ARRAY_CLOSE},
                             {{NULL, 0}, HG_SQL_NONE}};

/* Strings with a prefix. Their text starts at the quote. */
static bool prefixed_string(scan *s, uint8_t c)
{
    uint8_t next = hg_sql_next(s, 1);
    switch (hg_to_lower(c)) {
    case 'e':
        if (next != '\'')
            return false;
        hg_sql_push_prefixed(s, HG_SQL_SINGLE_QUOTED, hg_sql_escaped(s, s->r + 1), 1);
        return true;
    case 'b':
    case 'x':
        if (next != '\'')
            return false;
        hg_sql_push_prefixed(s, HG_SQL_NUMBER, hg_sql_plain(s, s->r + 1), 1);
        return true;
    case 'u':
        if (next != '&' || (hg_sql_next(s, 2) != '\'' && hg_sql_next(s, 2) != '"'))
            return false;
        hg_sql_push_prefixed(s, hg_sql_next(s, 2) == '"' ? HG_SQL_IDENTIFIER : HG_SQL_SINGLE_QUOTED,
                             hg_sql_conforming(s, s->r + 2), 2);
        return true;
    default:
        return false;
    }
}

static void dollar_string(scan *s)
{
    size_t tag_end = s->r + 1;
    while (tag_end < s->s.len && (hg_is_word((uint8_t)s->s.ptr[tag_end]) || (uint8_t)s->s.ptr[tag_end] > 0x7F))
        tag_end++;
    if (tag_end == s->s.len || s->s.ptr[tag_end] != '$') {
        s->r = tag_end < s->s.len ? tag_end + 1 : tag_end;
        return;
    }
    hg_slice tag = hg_slice_of(s->s.ptr + s->r, tag_end + 1 - s->r);
    size_t close = hg_find(s->s, tag_end + 1, tag);
    hg_sql_push(s, HG_SQL_DOLLAR_QUOTED, close == SIZE_MAX ? s->s.len : close + tag.len);
}

static void dollar(scan *s)
{
    uint8_t next = hg_sql_next(s, 1);
    if (!hg_is_digit(next) && (hg_is_word(next) || next == '$' || next > 0x7F)) {
        dollar_string(s);
        return;
    }
    size_t end = s->r + 1;
    while (end < s->s.len && hg_is_digit((uint8_t)s->s.ptr[end]))
        end++;
    if (end > s->r + 1 && hg_sql_boundary(s, end))
        hg_sql_push(s, HG_SQL_IDENTIFIER, end);
    else
        s->r++;
}

static bool own(scan *s, uint8_t c)
{
    if (c == '$') {
        dollar(s);
        return true;
    }
    return prefixed_string(s, c);
}

const sql_dialect hg_sql_postgresql = {
    .keywords = keywords,
    .operators = operators,
    .marks = marks,
    .quotes = {{'\'', QUOTE_CONFORMING, HG_SQL_SINGLE_QUOTED},
               {'"', QUOTE_CONFORMING, HG_SQL_IDENTIFIER},
               {'`', QUOTE_UNKNOWN, HG_SQL_NONE}},
    .own = own,
};
