#include "text/sql/scan.h"

void hg_sql_push_prefixed(scan *s, hg_sql_type type, size_t end, size_t prefix)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        hg_sql_token *grown = hg_arena_resize(s->arena, s->tokens, s->room * sizeof *grown, room * sizeof *grown,
                                              _Alignof(hg_sql_token));
        if (grown == NULL) {
            s->out_of_memory = true;
            s->r = end;
            return;
        }
        s->tokens = grown;
        s->room = room;
    }
    s->tokens[s->count++] = (hg_sql_token){s->r, end - s->r - prefix, (uint8_t)prefix, (uint8_t)type};
    s->r = end;
}

void hg_sql_push(scan *s, hg_sql_type type, size_t end)
{
    hg_sql_push_prefixed(s, type, end, 0);
}

static void line_comment(scan *s)
{
    hg_sql_push(s, HG_SQL_LINE_COMMENT, hg_find_byte(s->s, s->r, '\n'));
}

/* "--" at s->r. */
static bool is_dash_comment(const scan *s)
{
    if (hg_sql_next(s, 1) != '-')
        return false;
    uint8_t after = hg_sql_next(s, 2); /* 0 at the end as well */
    return !s->dialect->dashes_need_space || after == 0 || hg_is_space(after);
}

static bool push_mark(scan *s)
{
    hg_slice rest = hg_slice_skip(s->s, s->r);
    for (const mark *m = s->dialect->marks; m->text.len > 0; m++) {
        if (!hg_starts_with(rest, m->text))
            continue;
        if (m->type == HG_SQL_NONE)
            s->r += m->text.len;
        else
            hg_sql_push(s, m->type, s->r + m->text.len);
        return true;
    }
    return false;
}

/* A sign belongs to the number after it unless a number stands before it. */
static void push_sign(scan *s)
{
    bool after_number = s->count > 0 && s->tokens[s->count - 1].type == HG_SQL_NUMBER;
    size_t end = after_number ? 0 : hg_sql_number(s, s->r);
    if (end > 0)
        hg_sql_push(s, HG_SQL_NUMBER, end);
    else
        hg_sql_push(s, HG_SQL_BINARY_OPERATOR, s->r + 1);
}

static void push_dash(scan *s)
{
    if (is_dash_comment(s))
        line_comment(s);
    else if (!push_mark(s))
        push_sign(s);
}

static void push_slash(scan *s)
{
    if (hg_sql_next(s, 1) != '*') {
        hg_sql_push(s, HG_SQL_BINARY_OPERATOR, s->r + 1);
        s->r++; /* the byte after the operator is lost on purpose: so do the rules expect it */
        return;
    }
    size_t close = hg_find(s->s, s->r + 2, HG_SLICE("*/"));
    hg_sql_push(s, HG_SQL_INLINE_COMMENT, close == SIZE_MAX ? s->s.len : close + 2);
}

static void push_number(scan *s)
{
    size_t end = hg_sql_number(s, s->r);
    if (end > 0)
        hg_sql_push(s, HG_SQL_NUMBER, end);
    else
        s->r++;
}

/* False: no such quote in this dialect. */
static bool push_quoted(scan *s, uint8_t c)
{
    for (int i = 0; i < 3; i++) {
        const sql_quote *q = &s->dialect->quotes[i];
        if ((uint8_t)q->byte != c)
            continue;
        if (q->style == QUOTE_UNKNOWN)
            return false;
        hg_sql_push(s, q->type, q->style == QUOTE_ESCAPED ? hg_sql_escaped(s, s->r) : hg_sql_conforming(s, s->r));
        return true;
    }
    return false;
}

/* One token, blank or byte that makes none. False: the byte is not expected. */
static bool step(scan *s)
{
    uint8_t c = (uint8_t)s->s.ptr[s->r];
    if (hg_is_space(c) || c == '(' || c == ')') {
        s->r++;
        return true;
    }
    if (s->dialect->own && s->dialect->own(s, c))
        return true;
    if (hg_is_alpha(c) || c == '_' || c > 0x7F || (c == '$' && s->dialect->dollar_words)) {
        hg_sql_word(s);
    } else if (hg_is_digit(c)) {
        push_number(s);
    } else if (c == '+') {
        push_sign(s);
    } else if (c == '-') {
        push_dash(s);
    } else if (c == '/') {
        push_slash(s);
    } else if (c == '#' && s->dialect->hash_comments) {
        line_comment(s);
    } else {
        return push_quoted(s, c) || push_mark(s);
    }
    return true;
}

static const sql_dialect *const dialects[] = {
    [HG_SQL_GENERIC] = &hg_sql_generic,
    [HG_SQL_MYSQL] = &hg_sql_mysql,
    [HG_SQL_POSTGRESQL] = &hg_sql_postgresql,
    [HG_SQL_SQLITE] = &hg_sql_sqlite,
};

hg_status hg_sql_tokenize(hg_slice sql, hg_sql_dialect dialect, hg_arena *arena, const hg_sql_token **tokens,
                          size_t *count)
{
    scan s = {.s = sql, .dialect = dialects[dialect], .arena = arena};
    *tokens = NULL;
    *count = 0;
    while (s.r < sql.len && !s.out_of_memory)
        if (!step(&s))
            return HG_ERR_SYNTAX;
    if (s.out_of_memory)
        return HG_ERR_NOMEM;
    *tokens = s.tokens;
    *count = s.count;
    return HG_OK;
}

hg_sql_dialect hg_sql_dialect_of(hg_slice name)
{
    static const struct {
        hg_slice name;
        hg_sql_dialect dialect;
    } names[] = {{HG_SLICE("mysql"), HG_SQL_MYSQL},
                 {HG_SLICE("mysql2"), HG_SQL_MYSQL},
                 {HG_SLICE("postgresql"), HG_SQL_POSTGRESQL},
                 {HG_SLICE("pgsql"), HG_SQL_POSTGRESQL},
                 {HG_SLICE("sqlite"), HG_SQL_SQLITE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (hg_equal_nocase(name, names[i].name))
            return names[i].dialect;
    return HG_SQL_GENERIC;
}
