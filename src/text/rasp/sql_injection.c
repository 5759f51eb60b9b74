#include "text/rasp/sql_injection.h"

#include "text/bytes.h"

/* About token i of a statement; there is one more at the end. */
struct hg_sql_fact {
    size_t structural_before; /* tokens before i that no list of literals has */
    size_t next_comment;      /* index of the first line comment at or after i */
};

/* Commas and literals: what a parameter may well be. */
static bool is_structural(const hg_sql_token *t)
{
    switch (t->type) {
    case HG_SQL_COMMA:
    case HG_SQL_NUMBER:
    case HG_SQL_SINGLE_QUOTED:
    case HG_SQL_DOUBLE_QUOTED:
    case HG_SQL_DOLLAR_QUOTED:
        return false;
    default:
        return true;
    }
}

static bool reads(const hg_sql_statement *s, const hg_sql_token *t, hg_slice text)
{
    return hg_equal_nocase(hg_sql_text(s->sql, t), text);
}

static bool is_keyword(const hg_sql_statement *s, const hg_sql_token *t, hg_slice text)
{
    return t->type == HG_SQL_KEYWORD && reads(s, t, text);
}

hg_status hg_sql_statement_init(hg_sql_statement *s, hg_slice sql, hg_sql_dialect dialect, hg_arena *arena)
{
    *s = (hg_sql_statement){.sql = sql, .first_where = SIZE_MAX};
    hg_status status = hg_sql_tokenize(sql, dialect, arena, &s->tokens, &s->count);
    if (status != HG_OK)
        return status;
    if (s->count == 0)
        return HG_ERR_SYNTAX;
    hg_sql_fact *facts = hg_arena_alloc(arena, (s->count + 1) * sizeof *facts, _Alignof(hg_sql_fact));
    if (facts == NULL)
        return HG_ERR_NOMEM;
    facts[0].structural_before = 0;
    for (size_t i = 0; i < s->count; i++) {
        facts[i + 1].structural_before = facts[i].structural_before + is_structural(&s->tokens[i]);
        if (s->first_where == SIZE_MAX && is_keyword(s, &s->tokens[i], HG_SLICE("where")))
            s->first_where = i;
    }
    facts[s->count].next_comment = s->count;
    for (size_t i = s->count; i-- > 0;)
        facts[i].next_comment = s->tokens[i].type == HG_SQL_LINE_COMMENT ? i : facts[i + 1].next_comment;
    s->facts = facts;
    return HG_OK;
}

static size_t end_of(const hg_sql_token *t)
{
    return t->at + t->len;
}

/* The first token that ends after `position`. */
static size_t first_ending_after(const hg_sql_statement *s, size_t position)
{
    size_t low = 0;
    size_t high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end_of(&s->tokens[middle]) > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first token that starts at or after `position`. */
static size_t first_starting_at(const hg_sql_statement *s, size_t position)
{
    size_t low = 0;
    size_t high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->tokens[middle].at >= position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How far a list of ORDER BY terms has been read. */
typedef enum order_state {
    TERM,       /* a term must come */
    INDEX,      /* number */
    NAME,       /* name */
    DOT,        /* name . */
    FULL_NAME,  /* name . name */
    DIRECTION,  /* ASC or DESC */
    LIMIT,      /* LIMIT or OFFSET */
    LIMIT_VALUE,
    WRONG
} order_state;

static order_state after_term(const hg_sql_statement *s, const hg_sql_token *t, bool may_have_direction)
{
    if (t->type == HG_SQL_COMMA)
        return TERM;
    if (t->type != HG_SQL_KEYWORD)
        return WRONG;
    if (may_have_direction && (reads(s, t, HG_SLICE("asc")) || reads(s, t, HG_SLICE("desc"))))
        return DIRECTION;
    return reads(s, t, HG_SLICE("limit")) || reads(s, t, HG_SLICE("offset")) ? LIMIT : WRONG;
}

static order_state next_state(const hg_sql_statement *s, order_state state, const hg_sql_token *t)
{
    switch (state) {
    case TERM:
        return t->type == HG_SQL_NUMBER ? INDEX : t->type == HG_SQL_IDENTIFIER ? NAME : WRONG;
    case NAME:
        return t->type == HG_SQL_DOT ? DOT : after_term(s, t, true);
    case INDEX:
    case FULL_NAME:
        return after_term(s, t, true);
    case DOT:
        return t->type == HG_SQL_IDENTIFIER ? FULL_NAME : WRONG;
    case DIRECTION:
        return after_term(s, t, false);
    case LIMIT:
        return t->type == HG_SQL_NUMBER ? LIMIT_VALUE : WRONG;
    case LIMIT_VALUE:
        return t->type == HG_SQL_COMMA ? WRONG : after_term(s, t, false);
    default:
        return WRONG;
    }
}

static bool is_order_list(const hg_sql_statement *s, size_t first, size_t end)
{
    if (first < 2 || !reads(s, &s->tokens[first - 2], HG_SLICE("order")) ||
        !reads(s, &s->tokens[first - 1], HG_SLICE("by")))
        return false;
    order_state state = TERM;
    for (size_t i = first; i < end && state != WRONG; i++)
        state = next_state(s, state, &s->tokens[i]);
    return state == INDEX || state == NAME || state == FULL_NAME || state == DIRECTION || state == LIMIT_VALUE;
}

static bool is_tautology(const hg_sql_statement *s, size_t first, size_t end)
{
    if (end - first != 3 || s->first_where >= first)
        return false;
    const hg_sql_token *t = &s->tokens[first];
    if (t[1].type != HG_SQL_BINARY_OPERATOR)
        return reads(s, &t[1], HG_SLICE("or")) || reads(s, &t[1], HG_SLICE("xor")) || reads(s, &t[1], HG_SLICE("||"));
    hg_slice operator_text = hg_sql_text(s->sql, &t[1]);
    if (t[0].type == t[2].type || hg_find_byte(operator_text, 0, '=') == operator_text.len)
        return true;
    for (int i = 0; i <= 2; i += 2)
        if (t[i].type == HG_SQL_KEYWORD || t[i].type == HG_SQL_IDENTIFIER)
            return false;
    return true;
}

/* Does the parameter that ends at `param_end` comment out the rest? */
static bool is_comment(const hg_sql_statement *s, size_t first, size_t end, size_t param_end)
{
    size_t i = s->facts[first].next_comment;
    if (end - first == 1 || i >= end || i == first)
        return false;
    const hg_sql_token *t = &s->tokens[i];
    bool dashes = s->sql.ptr[t->at] == '-';
    return !dashes || i + 1 < end || param_end >= t->at + 2;
}

bool hg_sql_is_injected(const hg_sql_statement *s, size_t begin, size_t end)
{
    size_t first = first_ending_after(s, begin);
    size_t last = first_starting_at(s, end);
    if (first >= last)
        return false;
    if (last - first < 4)
        return is_tautology(s, first, last) || is_comment(s, first, last, end);
    return s->facts[last].structural_before > s->facts[first].structural_before && !is_order_list(s, first, last);
}

static bool is_literal(const hg_sql_token *t)
{
    return t->type == HG_SQL_NUMBER || t->type == HG_SQL_SINGLE_QUOTED || t->type == HG_SQL_DOUBLE_QUOTED ||
           t->type == HG_SQL_DOLLAR_QUOTED || t->type == HG_SQL_BACK_QUOTED;
}

hg_slice hg_sql_redacted(const hg_sql_statement *s, hg_arena *arena)
{
    char *room = hg_arena_alloc(arena, s->sql.len, 1);
    if (room == NULL)
        return (hg_slice){NULL, 0};
    char *to = room;
    size_t read = 0;
    for (size_t i = 0; i < s->count; i++) {
        const hg_sql_token *t = &s->tokens[i];
        if (!is_literal(t))
            continue;
        memcpy(to, s->sql.ptr + read, t->at - read);
        to += t->at - read;
        *to++ = '?';
        read = end_of(t);
    }
    memcpy(to, s->sql.ptr + read, s->sql.len - read);
    return hg_slice_of(room, (size_t)(to - room) + s->sql.len - read);
}
