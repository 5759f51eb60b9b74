/* Everything quoted: plain, prefixed and q-strings, dollar strings, back-tick names, variables. */
#include "text/sqli/scan.h"
#include "text/sqli/words.h"

/* Offset of the mark that ends the string which starts at `content`, or n. A mark behind an odd number of
 * backslashes is escaped, a doubled mark stands for itself. */
static size_t string_end(const hg_sqli_scan *scan, char mark, size_t content)
{
    size_t q = hg_sqli_find(scan, content, mark);
    while (q < scan->n) {
        size_t first = q;
        while (first > content && scan->s[first - 1] == '\\')
            first--;
        if ((q - first) % 2 == 1)
            q = hg_sqli_find(scan, q + 1, mark);
        else if (hg_sqli_at(scan, q + 1, mark))
            q = hg_sqli_find(scan, q + 2, mark);
        else
            break;
    }
    return q;
}

bool hg_sqli_scan_string(hg_sqli_scan *scan, hg_sqli_token *token, char mark, size_t content, char open)
{
    size_t end = string_end(scan, mark, content);
    bool closed = end < scan->n;
    hg_sqli_emit(scan, token, 's', content, end, end + closed, true);
    token->open = open;
    token->close = closed ? mark : 0;
    return true;
}

/* A string up to the first `closer`, of length `len`, at or after `from`; no escapes. */
static bool scan_until(hg_sqli_scan *scan, hg_sqli_token *token, size_t content, size_t end, size_t len, char mark)
{
    bool closed = end < scan->n;
    hg_sqli_emit(scan, token, 's', content, end, closed ? end + len : end, false);
    token->open = mark;
    token->close = closed ? mark : 0;
    return true;
}

/* First occurrence of needle inside [from, to), or n. */
static size_t find_text(const hg_sqli_scan *scan, size_t from, size_t to, const void *needle, size_t len)
{
    if (from >= to)
        return scan->n;
    const unsigned char *hit = memmem(scan->s + from, to - from, needle, len);
    return hit ? (size_t)(hit - scan->s) : scan->n;
}

/* Oracle's Q'(...)': does one start at r? */
static bool is_q_string(const hg_sqli_scan *scan, size_t r)
{
    return r + 2 < scan->n && (scan->s[r] | 32) == 'q' && scan->s[r + 1] == '\'' && scan->s[r + 2] > 0x20 &&
           scan->s[r + 2] < 0x80;
}

static bool scan_q_string(hg_sqli_scan *scan, hg_sqli_token *token, size_t r)
{
    char closer[2] = {(char)scan->s[r + 2], '\''};
    switch (closer[0]) {
    case '(':
        closer[0] = ')';
        break;
    case '[':
        closer[0] = ']';
        break;
    case '{':
        closer[0] = '}';
        break;
    case '<':
        closer[0] = '>';
        break;
    }
    return scan_until(scan, token, r + 3, find_text(scan, r + 3, scan->n, closer, 2), 2, 'q');
}

/* B'..' and X'..' are numbers when they hold nothing but digits. */
static bool scan_bits(hg_sqli_scan *scan, hg_sqli_token *token, unsigned digits)
{
    size_t p = scan->p;
    if (p + 2 >= scan->n || scan->s[p + 1] != '\'')
        return hg_sqli_scan_word(scan, token);
    size_t end = hg_sqli_run_or_nul(scan, p + 2, digits);
    if (!hg_sqli_at(scan, end, '\''))
        return hg_sqli_scan_word(scan, token);
    return hg_sqli_emit(scan, token, '1', p, end + 1, end + 1, false);
}

bool hg_sqli_scan_prefixed(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p;
    bool quoted = hg_sqli_at(scan, p + 1, '\'') && p + 2 < scan->n;
    switch (scan->s[p] | 32) {
    case 'b':
        return scan_bits(scan, token, SQLI_BINARY);
    case 'x':
        return scan_bits(scan, token, SQLI_HEX);
    case 'e':
        if (quoted)
            return hg_sqli_scan_string(scan, token, '\'', p + 2, '\'');
        break;
    case 'n':
        if (quoted)
            return hg_sqli_scan_string(scan, token, '\'', p + 2, '\'');
        if (is_q_string(scan, p + 1))
            return scan_q_string(scan, token, p + 1);
        break;
    case 'q':
        if (is_q_string(scan, p))
            return scan_q_string(scan, token, p);
        break;
    case 'u':
        if (hg_sqli_at(scan, p + 1, '&') && hg_sqli_at(scan, p + 2, '\'')) {
            hg_sqli_scan_string(scan, token, '\'', p + 3, 'u');
            token->close = token->close ? 'u' : 0;
            return true;
        }
        break;
    }
    return hg_sqli_scan_word(scan, token);
}

bool hg_sqli_scan_backtick(hg_sqli_scan *scan, hg_sqli_token *token)
{
    hg_sqli_scan_string(scan, token, '`', scan->p + 1, '`');
    hg_slice name = hg_sqli_text(scan, token);
    token->type = hg_sqli_word_type(name.ptr, name.len) == 'f' ? 'f' : 'n';
    return true;
}

bool hg_sqli_scan_variable(hg_sqli_scan *scan, hg_sqli_token *token)
{
    uint8_t ats = hg_sqli_at(scan, scan->p + 1, '@') ? 2 : 1;
    size_t name = scan->p + ats;
    char mark = name < scan->n ? (char)scan->s[name] : 0;
    if (mark == '`' || mark == '\'' || mark == '"') {
        hg_sqli_scan_string(scan, token, mark, name + 1, mark);
        token->type = 'v';
    } else {
        size_t end = name;
        while (end < scan->n && !hg_sqli_is(scan->s[end], SQLI_NAME_END))
            end++;
        hg_sqli_emit(scan, token, 'v', name, end, end, false);
    }
    token->ats = ats;
    return true;
}

/* PostgreSQL's $tag$...$tag$; `len` is the length of the tag at p, with both dollars. */
static bool scan_tagged(hg_sqli_scan *scan, hg_sqli_token *token, size_t len)
{
    size_t p = scan->p, content = p + len;
    /* The reference looks for the closing tag in a window that fits only a tag at the very start; often it
     * finds the opening tag itself, or nothing. Either way the string is then open to the end. */
    size_t from = HG_STOCK ? content : len, to = HG_STOCK ? scan->n : scan->n - p;
    size_t end = find_text(scan, from, to, scan->s + p, len);
    return scan_until(scan, token, content, end < content ? scan->n : end, len, '$');
}

bool hg_sqli_scan_dollar(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p;
    if (p + 1 == scan->n)
        return hg_sqli_emit(scan, token, 'n', p, p + 1, p + 1, false);
    size_t money = hg_sqli_run_or_nul(scan, p + 1, SQLI_MONEY);
    if (money == p + 2 && scan->s[p + 1] == '.')
        return hg_sqli_scan_word(scan, token);
    if (money > p + 1)
        return hg_sqli_emit(scan, token, '1', p, money, money, false);
    if (scan->s[p + 1] == '$')
        return scan_until(scan, token, p + 2, find_text(scan, p + 2, scan->n, "$$", 2), 2, '$');
    size_t tag = hg_sqli_run_or_nul(scan, p + 1, SQLI_LETTER);
    if (tag == p + 1)
        return hg_sqli_emit(scan, token, 'n', p, p + 1, p + 1, false);
    if (!hg_sqli_at(scan, tag, '$'))
        return hg_sqli_emit(scan, token, 'n', p, p + 1, p + 1, true);
    return scan_tagged(scan, token, tag + 1 - p);
}
