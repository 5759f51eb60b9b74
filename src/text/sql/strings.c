/* Quoted text. Without its closing quote it goes on to the end. */
#include "text/sql/scan.h"

size_t hg_sql_escaped(const scan *s, size_t open)
{
    char quote = s->s.ptr[open];
    bool escaped = false;
    for (size_t r = open + 1; r < s->s.len; r++) {
        char c = s->s.ptr[r];
        if (c == '\\') {
            escaped = !escaped;
            continue;
        }
        if (c == quote && !escaped) {
            if (r + 1 == s->s.len || s->s.ptr[r + 1] != quote)
                return r + 1;
            r++;
        }
        escaped = false;
    }
    return s->s.len;
}

size_t hg_sql_plain(const scan *s, size_t open)
{
    size_t close = hg_find_byte(s->s, open + 1, (uint8_t)s->s.ptr[open]);
    return close < s->s.len ? close + 1 : close;
}

size_t hg_sql_conforming(const scan *s, size_t open)
{
    size_t end = hg_sql_plain(s, open);
    while (end < s->s.len && s->s.ptr[end] == s->s.ptr[open])
        end = hg_sql_plain(s, end);
    return end;
}
