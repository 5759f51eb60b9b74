#include "text/sql/scan.h"

static const hg_slice keywords[] = {HG_SLICE("SELECT"),
                                    HG_SLICE("ALL"),
                                    HG_SLICE("DISTINCT"),
                                    HG_SLICE("DISTINCTROW"),
                                    HG_SLICE("HIGH_PRIORITY"),
                                    HG_SLICE("STRAIGHT_JOIN"),
                                    HG_SLICE("SQL_SMALL_RESULT"),
                                    HG_SLICE("SQL_BIG_RESULT"),
                                    HG_SLICE("SQL_BUFFER_RESULT"),
                                    HG_SLICE("SQL_NO_CACHE"),
                                    HG_SLICE("SQL_CALC_FOUND_ROWS"),
                                    HG_SLICE("FROM"),
                                    HG_SLICE("PARTITION"),
                                    HG_SLICE("WHERE"),
                                    HG_SLICE("GROUP"),
                                    HG_SLICE("WITH"),
                                    HG_SLICE("ROLLUP"),
                                    HG_SLICE("UNION"),
                                    HG_SLICE("INTERSECT"),
                                    HG_SLICE("EXCEPT"),
                                    HG_SLICE("HAVING"),
                                    HG_SLICE("WINDOW"),
                                    HG_SLICE("ORDER"),
                                    HG_SLICE("CASE"),
                                    HG_SLICE("NULL"),
                                    HG_SLICE("BY"),
                                    HG_SLICE("ASC"),
                                    HG_SLICE("DESC"),
                                    HG_SLICE("LIMIT"),
                                    HG_SLICE("OFFSET"),
                                    HG_SLICE("AS"),
                                    {NULL, 0}};

static const hg_slice operators[] = {HG_SLICE("MOD"), HG_SLICE("AND"),      HG_SLICE("BETWEEN"), HG_SLICE("BINARY"),
                                     HG_SLICE("DIV"), HG_SLICE("LAST_DAY"), HG_SLICE("REGEXP"),  HG_SLICE("XOR"),
                                     HG_SLICE("OR"),  HG_SLICE("RLIKE"),    HG_SLICE("SOUNDS"),  HG_SLICE("LIKE"),
                                     HG_SLICE("NOT"), HG_SLICE("IN"),       HG_SLICE("IS"),      {NULL, 0}};

static const mark marks[] = {{HG_SLICE("->>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("->"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("!"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">>"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE(">="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(">"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<=>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<>"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("<<"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("<"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("%"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("||"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("|"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("&&"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("^&"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("~&"), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE("&"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("^"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE("~"), HG_SQL_BITWISE_OPERATOR},
                             {HG_SLICE(":="), HG_SQL_BINARY_OPERATOR},
                             {HG_SLICE(":"), HG_SQL_COLON},
                             {HG_SLICE("."), HG_SQL_DOT},
                             {HG_SLICE(","), HG_SQL_COMMA},
                             {HG_SLICE(";"), HG_SQL_QUERY_END},
                             {HG_SLICE("*/"), HG_SQL_NONE},
                             {HG_SLICE("*"), HG_SQL_ASTERISK},
                             {HG_SLICE("?"), HG_SQL_QUESTION_MARK},
                             {HG_SLICE("{"), HG_SQL_CURLY_OPEN},
                             {HG_SLICE("}"), HG_SQL_CURLY_CLOSE},
                             {{NULL, 0}, HG_SQL_NONE}};

/* The length of one character of quoted text at r: UTF-8 by lead byte and continuation bytes. 0 when broken. */
static size_t character(const scan *s, size_t r)
{
    uint8_t c = (uint8_t)s->s.ptr[r];
    if (c < 0x80)
        return 1;
    size_t len = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4 || s->s.len - r < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if (((uint8_t)s->s.ptr[r + i] & 0xC0) != 0x80)
            return 0;
    return len;
}

/* The end of the quoted part at r, 0 when it is not closed. */
static size_t quoted_part(const scan *s, size_t r)
{
    char quote = s->s.ptr[r++];
    while (r < s->s.len) {
        if (s->s.ptr[r] == quote)
            return r + 1;
        if (s->s.ptr[r] == '\\' && (++r == s->s.len || s->s.ptr[r] == '\n'))
            return 0;
        size_t len = character(s, r);
        if (len == 0)
            return 0;
        r += len;
    }
    return 0;
}

/* The end of a part of a variable's name at r; r when there is none. */
static size_t variable_part(const scan *s, size_t r)
{
    size_t at = r;
    if (r + 1 < s->s.len && s->s.ptr[r] == ':' && s->s.ptr[r + 1] == '`')
        at++;
    if (at < s->s.len && (s->s.ptr[at] == '`' || s->s.ptr[at] == '\'' || s->s.ptr[at] == '"')) {
        size_t end = quoted_part(s, at);
        return end > 0 ? end : r;
    }
    while (r < s->s.len && (hg_is_word((uint8_t)s->s.ptr[r]) || s->s.ptr[r] == '$'))
        r++;
    return r;
}

static void variable(scan *s)
{
    size_t begin = s->r + 1 + (hg_sql_next(s, 1) == '@');
    size_t end = variable_part(s, begin);
    if (end == begin) {
        s->r++;
        return;
    }
    for (;;) {
        size_t dot = end + (end < s->s.len && s->s.ptr[end] == ':');
        if (dot >= s->s.len || s->s.ptr[dot] != '.')
            break;
        end = variable_part(s, dot + 1);
    }
    hg_sql_push(s, HG_SQL_IDENTIFIER, end);
}

/* A number, or a word that only begins like one. */
static void digit(scan *s)
{
    size_t end = hg_sql_number(s, s->r);
    if (end > 0) {
        hg_sql_push(s, HG_SQL_NUMBER, end);
        return;
    }
    end = hg_sql_identifier(s);
    size_t digits = s->r;
    while (digits < end && hg_is_digit((uint8_t)s->s.ptr[digits]))
        digits++;
    if (digits < end)
        hg_sql_push(s, HG_SQL_IDENTIFIER, end);
    else
        s->r++;
}

static bool own(scan *s, uint8_t c)
{
    if (hg_is_digit(c)) {
        digit(s);
        return true;
    }
    if (c == '@') {
        variable(s);
        return true;
    }
    if ((c == 'b' || c == 'B' || c == 'x' || c == 'X') && hg_sql_next(s, 1) == '\'') {
        hg_sql_push_prefixed(s, HG_SQL_NUMBER, hg_sql_plain(s, s->r + 1), 1);
        return true;
    }
    if (c == '/' && hg_sql_next(s, 1) == '*' && hg_sql_next(s, 2) == '!') {
        s->r += 3; /* what such a comment holds is run by MySQL */
        return true;
    }
    return false;
}

const sql_dialect hg_sql_mysql = {
    .keywords = keywords,
    .operators = operators,
    .marks = marks,
    .quotes = {{'\'', QUOTE_ESCAPED, HG_SQL_SINGLE_QUOTED},
               {'"', QUOTE_ESCAPED, HG_SQL_DOUBLE_QUOTED},
               {'`', QUOTE_ESCAPED, HG_SQL_IDENTIFIER}},
    .hash_comments = true,
    .dashes_need_space = true,
    .own = own,
};
