/* Keywords, operator words and identifiers. Each must end at a boundary. */
#include "text/sql/scan.h"

bool hg_sql_boundary(const scan *s, size_t r)
{
    if (r == s->s.len)
        return true;
    uint8_t next = (uint8_t)s->s.ptr[r];
    if (next == ' ' || next == '\t' || next == '\n' || next == '\f' || next == '\r')
        return true;
    return hg_is_word((uint8_t)s->s.ptr[r - 1]) != hg_is_word(next);
}

static bool is_continuation(const scan *s, size_t r)
{
    return r < s->s.len && ((uint8_t)s->s.ptr[r] & 0xC0) == 0x80;
}

size_t hg_sql_word_char(const scan *s, size_t r)
{
    if (r >= s->s.len)
        return 0;
    uint8_t c = (uint8_t)s->s.ptr[r];
    if (c < 0x80)
        return hg_is_word(c) || c == '$';
    if (c >= 0xC2 && c <= 0xDF)
        return is_continuation(s, r + 1) ? 2 : 0;
    if (c < 0xE0 || c > 0xEF || !is_continuation(s, r + 1) || !is_continuation(s, r + 2))
        return 0;
    return c == 0xE0 && (uint8_t)s->s.ptr[r + 1] < 0xA0 ? 0 : 3;
}

/* The run of identifier characters around s->r is looked at once: where it ends, and where its last boundary is. */
static void measure_run(scan *s)
{
    if (s->r < s->run_end)
        return;
    s->run_end = s->r;
    s->run_boundary = 0;
    size_t len;
    while ((len = hg_sql_word_char(s, s->run_end)) > 0) {
        s->run_end += len;
        if (hg_sql_boundary(s, s->run_end))
            s->run_boundary = s->run_end;
    }
}

size_t hg_sql_identifier(scan *s)
{
    if (hg_sql_word_char(s, s->r) == 0)
        return 0;
    measure_run(s);
    return s->run_boundary > s->r ? s->run_boundary : 0;
}

/* The end of the word, in any case, at s->r; 0 when it is not there. U+017F counts as s and U+212A as k. */
static size_t match_word(const scan *s, hg_slice word)
{
    size_t r = s->r;
    for (size_t i = 0; i < word.len; i++) {
        hg_slice rest = hg_slice_skip(s->s, r);
        if (rest.len == 0)
            return 0;
        if (hg_to_lower((uint8_t)rest.ptr[0]) == hg_to_lower((uint8_t)word.ptr[i]))
            r += 1;
        else if (word.ptr[i] == 'S' && hg_starts_with(rest, HG_SLICE("\xC5\xBF")))
            r += 2;
        else if (word.ptr[i] == 'K' && hg_starts_with(rest, HG_SLICE("\xE2\x84\xAA")))
            r += 3;
        else
            return 0;
    }
    return r;
}

static size_t match_any(const scan *s, const hg_slice *words)
{
    for (; words->len > 0; words++) {
        size_t end = match_word(s, *words);
        if (end > 0 && hg_sql_boundary(s, end))
            return end;
    }
    return 0;
}

static size_t dollar_number(const scan *s)
{
    size_t r = s->r + 1;
    while (r < s->s.len && hg_is_digit((uint8_t)s->s.ptr[r]))
        r++;
    return r > s->r + 1 && hg_sql_boundary(s, r) ? r : 0;
}

void hg_sql_word(scan *s)
{
    if (s->s.ptr[s->r] == '$') {
        size_t number = dollar_number(s);
        if (number > 0)
            hg_sql_push(s, HG_SQL_IDENTIFIER, number);
        else
            s->r++;
        return;
    }
    size_t end;
    if ((end = match_any(s, s->dialect->keywords)) > 0)
        hg_sql_push(s, HG_SQL_KEYWORD, end);
    else if ((end = match_any(s, s->dialect->operators)) > 0)
        hg_sql_push(s, HG_SQL_BINARY_OPERATOR, end);
    else if ((end = hg_sql_identifier(s)) > 0)
        hg_sql_push(s, HG_SQL_IDENTIFIER, end);
    else
        s->r++;
}
