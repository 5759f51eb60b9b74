/* From folded tokens to a verdict: the fingerprint, its look-up, the exceptions, and the order of the attempts. */
#include "text/bytes.h"
#include "text/injection_marks.h"
#include "text/sqli/scan.h"

static hg_slice text_of(const hg_sqli_attempt *attempt, size_t at)
{
    return hg_sqli_text(&attempt->scan, &attempt->tokens[at]);
}

static bool starts_with(hg_slice text, char c)
{
    return text.len > 0 && text.ptr[0] == c;
}

/* A number and a comment (stock profile): only what can really end a number makes it an attack. */
static bool number_ends_in_comment(const hg_sqli_attempt *attempt)
{
    const hg_sqli_scan *scan = &attempt->scan;
    if (starts_with(text_of(attempt, 1), '/') || scan->tokens > 2)
        return true;
    size_t at = attempt->tokens[0].len; /* the reference takes the length for an offset */
    unsigned char c = at < scan->n ? scan->s[at] : 0;
    if (c <= 0x20 || c >= 0x80)
        return true;
    return (c == '/' && hg_sqli_at(scan, at + 1, '*')) || (c == '-' && hg_sqli_at(scan, at + 1, '-'));
}

static bool two_are_positive(const hg_sqli_attempt *attempt)
{
    const char *letters = attempt->fingerprint;
    hg_slice second = text_of(attempt, 1);
    if (letters[1] == 'U')
        return attempt->scan.tokens != 2;
    if (starts_with(second, '#'))
        return false;
    if (HG_STOCK && strcmp(letters, "nc") == 0 && !starts_with(second, '/'))
        return false;
    if (HG_STOCK && strcmp(letters, "1c") == 0)
        return number_ends_in_comment(attempt);
    return !(second.len > 2 && starts_with(second, '-'));
}

/* Two strings around an operator must be cut by the same kind of quote that the input was put into. */
static bool quotes_fit(const hg_sqli_attempt *attempt)
{
    const hg_sqli_token *first = &attempt->tokens[0], *last = &attempt->tokens[2];
    return first->open == 0 && last->close == 0 && first->close == last->open;
}

static bool is_one_of(const char *letters, const char (*set)[4], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(letters, set[i]) == 0)
            return true;
    return false;
}

static bool three_are_positive(const hg_sqli_attempt *attempt)
{
    static const char strings[][4] = {"sos", "s&s"};
    static const char logic[][4] = {"s&n", "n&1", "1&1", "1&v", "1&s"};
    const char *letters = attempt->fingerprint;
    if (is_one_of(letters, strings, 2))
        return quotes_fit(attempt);
    if (is_one_of(letters, logic, 5))
        return attempt->scan.tokens != 3;
    if (letters[1] == 'k') {
        /* INTO OUTFILE and INTO DUMPFILE write files; other keywords are plain English. */
        hg_slice keyword = text_of(attempt, 1);
        return keyword.len >= 5 && hg_starts_nocase(keyword, HG_SLICE("INTO"));
    }
    return true;
}

/* A listed fingerprint is an attack unless it is one of those that ordinary text has as well. */
static bool is_positive(const hg_sqli_attempt *attempt, size_t len)
{
    const hg_sqli_scan *scan = &attempt->scan;
    /* SQL Server hides statements from its log when they hold this name. */
    if (len >= 2 && attempt->fingerprint[len - 1] == 'c' && memmem(scan->s, scan->n, "sp_password", 11) != NULL)
        return true;
    if (len == 2)
        return two_are_positive(attempt);
    if (len == 3)
        return three_are_positive(attempt);
    return true;
}

/* Writes the letters of the folded tokens; returns their number. */
static size_t spell(hg_sqli_attempt *attempt)
{
    hg_sqli_token *tokens = attempt->tokens;
    size_t len = attempt->count;
    if (len > 2) {
        /* A lone back-tick at the end of the input works like a comment. */
        hg_sqli_token *last = &tokens[len - 1];
        if (last->type == 'n' && last->open == '`' && last->len == 0 && last->close == 0)
            last->type = 'c';
    }
    for (size_t i = 0; i < len; i++)
        attempt->fingerprint[i] = tokens[i].type;
    if (memchr(attempt->fingerprint, 'X', len) != NULL) {
        tokens[0].type = 'X';
        attempt->fingerprint[0] = 'X';
        attempt->count = len = 1;
    }
    attempt->fingerprint[len] = '\0';
    return len;
}

static void make_attempt(hg_sqli_attempt *attempt)
{
    attempt->count = hg_sqli_fold(&attempt->scan, attempt->tokens);
    size_t len = spell(attempt);
    hg_sqli_listing listing = hg_sqli_fingerprint(attempt->fingerprint, len);
    attempt->listed = listing == HG_SQLI_LISTED || (HG_STOCK && listing == HG_SQLI_RETIRED);
    attempt->positive = attempt->listed && is_positive(attempt, len);
}

void hg_sqli_try(hg_sqli_attempt *attempt, hg_slice text, char quote, bool mysql)
{
    hg_sqli_scan_start(&attempt->scan, text, quote, mysql);
    make_attempt(attempt);
}

/* The attempts in their order. Those in the second dialect are due when the attempt before left the dialect open. */
enum { PLAIN, PLAIN_MYSQL, SINGLE, SINGLE_MYSQL, DOUBLE, BACKTICK };

static const struct {
    char quote;
    bool mysql;
} order[] = {{0, false}, {0, true}, {'\'', false}, {'\'', true}, {'"', true}, {'`', true}};

void hg_sqli_begin(hg_sqli_detection *d, hg_slice text)
{
    d->text = text;
    d->marks = hg_injection_marks(text);
    d->due = text.len > 0 ? 1 << PLAIN : 0;
    if (d->marks & HG_MARK_SINGLE)
        d->due |= 1 << SINGLE;
    if (d->marks & HG_MARK_DOUBLE)
        d->due |= 1 << DOUBLE;
    if (!HG_STOCK && d->marks & HG_MARK_BACKTICK)
        d->due |= 1 << BACKTICK;
}

static bool make_next(hg_sqli_detection *d, bool brief)
{
    if (d->due == 0)
        return false;
    int at = __builtin_ctz(d->due);
    hg_sqli_scan *scan = &d->attempt.scan;
    hg_sqli_scan_start(scan, d->text, order[at].quote, order[at].mysql);
    scan->brief = brief;
    make_attempt(&d->attempt);
    d->due &= d->due - 1;
    if (d->attempt.positive)
        d->due = 0;
    /* A brief attempt that stopped before it met what the dialects read differently would stop there again. */
    else if (!scan->mysql && (scan->ddx > 0 || scan->hashes > 0))
        d->due |= 2u << at;
    return true;
}

bool hg_sqli_step(hg_sqli_detection *d)
{
    return make_next(d, false);
}

bool hg_sqli(hg_slice text, char fingerprint[HG_SQLI_FINGERPRINT_SIZE])
{
    hg_sqli_detection d;
    hg_sqli_begin(&d, text);
    /* Letters, digits and _ alone are one word, or numbers up to a word that may not stand there: no fingerprint of one
     * letter but X is listed, and none of numbers and malformed numbers. */
    if (!HG_STOCK && (d.marks & HG_MARK_OTHER) == 0)
        d.due = 0;
    /* An X makes any fingerprint positive, and comes from nothing but these two. */
    bool brief = (d.marks & (HG_MARK_ASTERISK | HG_MARK_BACKTICK)) == 0, found = false;
    while (!found && make_next(&d, brief))
        found = d.attempt.positive;
    if (fingerprint != NULL)
        strcpy(fingerprint, found ? d.attempt.fingerprint : "");
    return found;
}
