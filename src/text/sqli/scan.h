/* Inside the SQL tokenizer: byte classes and the scanners of each token family. */
#ifndef TEXT_SQLI_SCAN_H
#define TEXT_SQLI_SCAN_H

#include "text/sqli/sqli.h"

enum {
    SQLI_WHITE = 1,
    SQLI_DIGIT = 2,
    SQLI_HEX = 4,
    SQLI_LETTER = 8,
    SQLI_NAME_END = 16, /* ends the name of a variable */
    SQLI_BINARY = 32,   /* 0 and 1 */
    SQLI_MONEY = 64     /* digits, dot, comma */
};
extern const unsigned char hg_sqli_byte_classes[256];

static inline bool hg_sqli_is(unsigned char c, unsigned classes)
{
    return (hg_sqli_byte_classes[c] & classes) != 0;
}

/* Is the byte at offset `at` there, and is it c? */
static inline bool hg_sqli_at(const hg_sqli_scan *scan, size_t at, char c)
{
    return at < scan->n && scan->s[at] == (unsigned char)c;
}

/* First offset from `from` on whose byte is c; n when there is none. */
static inline size_t hg_sqli_find(const hg_sqli_scan *scan, size_t from, char c)
{
    if (from >= scan->n)
        return scan->n;
    const unsigned char *hit = memchr(scan->s + from, c, scan->n - from);
    return hit ? (size_t)(hit - scan->s) : scan->n;
}

/* End of the run of bytes of these classes that starts at `from`. */
static inline size_t hg_sqli_run(const hg_sqli_scan *scan, size_t from, unsigned classes)
{
    while (from < scan->n && hg_sqli_is(scan->s[from], classes))
        from++;
    return from;
}

/* The same where a NUL does not end the run: the reference searched a C string for it, and found its end. */
static inline size_t hg_sqli_run_or_nul(const hg_sqli_scan *scan, size_t from, unsigned classes)
{
    while (from < scan->n && (scan->s[from] == 0 || hg_sqli_is(scan->s[from], classes)))
        from++;
    return from;
}

/* Fills the token with input bytes [start, end), goes on at `resume`, and sets whether a word may follow. */
static inline bool hg_sqli_emit(hg_sqli_scan *scan, hg_sqli_token *token, char type, size_t start, size_t end,
                                size_t resume, bool boundary)
{
    size_t len = end - start;
    token->start = start;
    token->type = type;
    token->len = (uint8_t)(len < HG_SQLI_TEXT_MAX ? len : HG_SQLI_TEXT_MAX);
    token->open = 0;
    token->close = 0;
    token->ats = 0;
    token->is_joined = false;
    scan->p = resume;
    scan->boundary = boundary;
    scan->tokens++;
    return true;
}

/* Each produces one token at scan->p. False, with scan->illegal set, only where a word may not start. */
bool hg_sqli_scan_word(hg_sqli_scan *scan, hg_sqli_token *token);
bool hg_sqli_scan_number(hg_sqli_scan *scan, hg_sqli_token *token);
bool hg_sqli_scan_dollar(hg_sqli_scan *scan, hg_sqli_token *token);
bool hg_sqli_scan_variable(hg_sqli_scan *scan, hg_sqli_token *token);
bool hg_sqli_scan_backtick(hg_sqli_scan *scan, hg_sqli_token *token);

/* A string that starts at `content`, behind an opening mark of which `open` is reported (0 = imagined). */
bool hg_sqli_scan_string(hg_sqli_scan *scan, hg_sqli_token *token, char mark, size_t content, char open);

/* E'..', N'..', U&'..', Q'..', NQ'..', B'..' and X'..': when the bytes at p fit none of them, a word. */
bool hg_sqli_scan_prefixed(hg_sqli_scan *scan, hg_sqli_token *token);

#endif
