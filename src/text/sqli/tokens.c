/* The SQL tokenizer: one look at a byte decides which scanner takes over. */
#include "text/bytes.h"
#include "text/sqli/scan.h"
#include "text/sqli/words.h"

/* Classes of the bytes that belong to several scanners. */
const unsigned char hg_sqli_byte_classes[256] = {
    [0] = SQLI_WHITE | SQLI_NAME_END,
    [9 ... 13] = SQLI_WHITE | SQLI_NAME_END,
    [' '] = SQLI_WHITE | SQLI_NAME_END,
    [0xA0] = SQLI_WHITE,
    ['0' ... '1'] = SQLI_DIGIT | SQLI_HEX | SQLI_BINARY | SQLI_MONEY,
    ['2' ... '9'] = SQLI_DIGIT | SQLI_HEX | SQLI_MONEY,
    ['A' ... 'F'] = SQLI_LETTER | SQLI_HEX,
    ['G' ... 'Z'] = SQLI_LETTER,
    ['a' ... 'f'] = SQLI_LETTER | SQLI_HEX,
    ['g' ... 'z'] = SQLI_LETTER,
    ['.'] = SQLI_MONEY,
    [','] = SQLI_MONEY | SQLI_NAME_END,
    ['<'] = SQLI_NAME_END,  ['>'] = SQLI_NAME_END,  [':'] = SQLI_NAME_END, ['\\'] = SQLI_NAME_END,
    ['?'] = SQLI_NAME_END,  ['='] = SQLI_NAME_END,  ['@'] = SQLI_NAME_END, ['!'] = SQLI_NAME_END,
    ['#'] = SQLI_NAME_END,  ['~'] = SQLI_NAME_END,  ['+'] = SQLI_NAME_END, ['-'] = SQLI_NAME_END,
    ['*'] = SQLI_NAME_END,  ['/'] = SQLI_NAME_END,  ['&'] = SQLI_NAME_END, ['^'] = SQLI_NAME_END,
    ['%'] = SQLI_NAME_END,  ['('] = SQLI_NAME_END,  [')'] = SQLI_NAME_END, ['\''] = SQLI_NAME_END,
    [';'] = SQLI_NAME_END,  ['"'] = SQLI_NAME_END,  ['`'] = SQLI_NAME_END, ['|'] = SQLI_NAME_END,
};

/* What starts at this byte. */
typedef enum starter {
    WORD, /* the letters, _ and the bytes beyond ASCII: all that is not named below */
    SKIP,
    OPERATOR,
    LONE_OPERATOR,
    PUNCTUATION,
    QUOTE,
    PREFIX,
    NUMBER,
    HASH,
    DASH,
    SLASH,
    DOLLAR,
    VARIABLE,
    BACKTICK,
    BRACKET,
    BACKSLASH,
    UNKNOWN
} starter;

static const unsigned char starters[256] = {
    [0 ... 0x20] = SKIP, [0x7F] = SKIP, [0xA0] = SKIP,
    ['!'] = OPERATOR, ['&'] = OPERATOR, ['*'] = OPERATOR, [':'] = OPERATOR, ['<'] = OPERATOR, ['='] = OPERATOR,
    ['>'] = OPERATOR, ['|'] = OPERATOR,
    ['%'] = LONE_OPERATOR, ['+'] = LONE_OPERATOR, ['^'] = LONE_OPERATOR, ['~'] = LONE_OPERATOR,
    ['('] = PUNCTUATION, [')'] = PUNCTUATION, [','] = PUNCTUATION, [';'] = PUNCTUATION, ['{'] = PUNCTUATION,
    ['}'] = PUNCTUATION,
    ['"'] = QUOTE, ['\''] = QUOTE,
    ['B'] = PREFIX, ['b'] = PREFIX, ['X'] = PREFIX, ['x'] = PREFIX, ['E'] = PREFIX, ['e'] = PREFIX,
    ['N'] = PREFIX, ['n'] = PREFIX, ['Q'] = PREFIX, ['q'] = PREFIX, ['U'] = PREFIX, ['u'] = PREFIX,
    ['.'] = NUMBER, ['0' ... '9'] = NUMBER,
    ['#'] = HASH, ['-'] = DASH, ['/'] = SLASH, ['$'] = DOLLAR, ['@'] = VARIABLE, ['`'] = BACKTICK,
    ['['] = BRACKET, ['\\'] = BACKSLASH, ['?'] = UNKNOWN, [']'] = UNKNOWN,
};

/* For the bytes that words consist of: the upper-case form, and a flag for those at which a word may be split. 0
 * for the bytes that end a word. */
enum { SPLITS = 1 << 8 };
#define IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define ENDS_WORD(c)                                                                                                 \
    ((c) == 0 || IN(c, '\t', '\r') || IN(c, ' ', '#') || IN(c, '%', '-') || (c) == '/' || IN(c, ':', '@') ||         \
     IN(c, '[', '^') || IN(c, '{', '~') || (c) == 0xA0)
#define ROW1(c) (ENDS_WORD(c) ? 0 : (IN(c, 'a', 'z') ? (c)-32 : (c)) | ((c) == '.' || (c) == '`' ? SPLITS : 0)),
#define ROW4(c) ROW1(c) ROW1((c) + 1) ROW1((c) + 2) ROW1((c) + 3)
#define ROW16(c) ROW4(c) ROW4((c) + 4) ROW4((c) + 8) ROW4((c) + 12)
#define ROW64(c) ROW16(c) ROW16((c) + 16) ROW16((c) + 32) ROW16((c) + 48)
static const uint16_t word_bytes[256] = {ROW64(0) ROW64(64) ROW64(128) ROW64(192)};

/* Type of the first len bytes of the key. */
static char prefix_type(const hg_sqli_key *key, size_t len)
{
    hg_sqli_key prefix = {.words = {0}};
    memcpy(prefix.bytes, key->bytes, len);
    return hg_sqli_key_type(&prefix, len);
}

bool hg_sqli_scan_word(hg_sqli_scan *scan, hg_sqli_token *token)
{
    if (!HG_STOCK && !scan->boundary) {
        scan->illegal = true;
        return false;
    }
    const unsigned char *word = scan->s + scan->p;
    size_t left = scan->n - scan->p, shown = left < HG_SQLI_TEXT_MAX ? left : HG_SQLI_TEXT_MAX, len = 0;
    hg_sqli_key key = {.words = {0}};
    uint32_t dots = 0; /* offsets of dots and back-ticks */
    for (unsigned c; len < shown && (c = word_bytes[word[len]]) != 0; len++) {
        key.bytes[len] = (char)c;
        dots |= c / SPLITS << len;
    }
    for (; dots != 0; dots &= dots - 1) {
        size_t dot = (size_t)__builtin_ctz(dots);
        char type = prefix_type(&key, dot);
        if (type != 0 && type != 'n')
            return hg_sqli_emit(scan, token, type, scan->p, scan->p + dot, scan->p + dot, false);
    }
    char type = 0;
    if (len == HG_SQLI_TEXT_MAX)
        while (len < left && word_bytes[word[len]] != 0)
            len++;
    if (len <= HG_SQLI_TEXT_MAX)
        type = hg_sqli_key_type(&key, len);
    size_t end = scan->p + len;
    return hg_sqli_emit(scan, token, type ? type : 'n', scan->p, end, end, false);
}

static bool scan_operator(hg_sqli_scan *scan, hg_sqli_token *token)
{
    const unsigned char *s = scan->s + scan->p;
    size_t p = scan->p, left = scan->n - p;
    if (left >= 3 && memcmp(s, "<=>", 3) == 0)
        return hg_sqli_emit(scan, token, 'o', p, p + 3, p + 3, true);
    if (left >= 2) {
        char type = hg_sqli_word_type((const char *)s, 2);
        if (type != 0)
            return hg_sqli_emit(scan, token, type, p, p + 2, p + 2, true);
    }
    /* A colon that ends the input counts as an operator. */
    return hg_sqli_emit(scan, token, left >= 2 && s[0] == ':' ? ':' : 'o', p, p + 1, p + 1, true);
}

static bool scan_line_comment(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t end = hg_sqli_find(scan, scan->p, '\n');
    return hg_sqli_emit(scan, token, 'c', scan->p, end, end + (end < scan->n), true);
}

static bool scan_hash(hg_sqli_scan *scan, hg_sqli_token *token)
{
    scan->hashes++;
    if (!scan->mysql)
        return hg_sqli_emit(scan, token, 'o', scan->p, scan->p + 1, scan->p + 1, false);
    scan->hashes++;
    return scan_line_comment(scan, token);
}

static bool scan_dash(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p;
    if (hg_sqli_at(scan, p + 1, '-')) {
        if (p + 2 == scan->n || hg_sqli_is(scan->s[p + 2], SQLI_WHITE))
            return scan_line_comment(scan, token);
        if (!scan->mysql) {
            scan->ddx++;
            return scan_line_comment(scan, token);
        }
    }
    return hg_sqli_emit(scan, token, 'o', p, p + 1, p + 1, true);
}

static bool scan_slash(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p, body = p + 2;
    if (!hg_sqli_at(scan, p + 1, '*'))
        return hg_sqli_emit(scan, token, 'o', p, p + 1, p + 1, false);
    const unsigned char *s = scan->s;
    const unsigned char *close = body < scan->n ? memmem(s + body, scan->n - body, "*/", 2) : NULL;
    /* MySQL runs what stands behind an exclamation mark; a comment inside a comment is there to confuse. */
    bool evil = hg_sqli_at(scan, body, '!');
    if (close != NULL && memmem(s + body, (size_t)(close + 1 - (s + body)), "/*", 2) != NULL)
        evil = true;
    size_t end = close ? (size_t)(close - s) + 2 : scan->n;
    return hg_sqli_emit(scan, token, evil ? 'X' : 'c', p, end, end, !evil);
}

static bool scan_backslash(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p;
    if (hg_sqli_at(scan, p + 1, 'N')) /* MySQL's other NULL */
        return hg_sqli_emit(scan, token, '1', p, p + 2, p + 2, false);
    return hg_sqli_emit(scan, token, '\\', p, p + 1, p + 1, false);
}

static bool scan_bracket(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t close = hg_sqli_find(scan, scan->p, ']');
    size_t end = close + (close < scan->n);
    return hg_sqli_emit(scan, token, 'n', scan->p, end, end, false);
}

static bool scan_token(hg_sqli_scan *scan, hg_sqli_token *token)
{
    size_t p = scan->p;
    unsigned char c = scan->s[p];
    switch ((starter)starters[c]) {
    case OPERATOR:
        return scan_operator(scan, token);
    case LONE_OPERATOR:
        return hg_sqli_emit(scan, token, 'o', p, p + 1, p + 1, false);
    case PUNCTUATION:
        return hg_sqli_emit(scan, token, (char)c, p, p + 1, p + 1, true);
    case QUOTE:
        return hg_sqli_scan_string(scan, token, (char)c, p + 1, (char)c);
    case PREFIX:
        return hg_sqli_scan_prefixed(scan, token);
    case NUMBER:
        return hg_sqli_scan_number(scan, token);
    case HASH:
        return scan_hash(scan, token);
    case DASH:
        return scan_dash(scan, token);
    case SLASH:
        return scan_slash(scan, token);
    case DOLLAR:
        return hg_sqli_scan_dollar(scan, token);
    case VARIABLE:
        return hg_sqli_scan_variable(scan, token);
    case BACKTICK:
        return hg_sqli_scan_backtick(scan, token);
    case BRACKET:
        return scan_bracket(scan, token);
    case BACKSLASH:
        return scan_backslash(scan, token);
    case UNKNOWN:
        return hg_sqli_emit(scan, token, '?', p, p + 1, p + 1, false);
    case WORD:
    case SKIP:
        break;
    }
    return hg_sqli_scan_word(scan, token);
}

void hg_sqli_scan_start(hg_sqli_scan *scan, hg_slice text, char quote, bool mysql)
{
    *scan = (hg_sqli_scan){
        .s = (const unsigned char *)text.ptr, .n = text.len, .quote = quote, .mysql = mysql, .boundary = true};
}

bool hg_sqli_next(hg_sqli_scan *scan, hg_sqli_token *token)
{
    if (scan->n == 0 || scan->illegal)
        return false;
    if (scan->p == 0 && scan->quote != 0)
        return hg_sqli_scan_string(scan, token, scan->quote, 0, 0);
    while (scan->p < scan->n && starters[scan->s[scan->p]] == SKIP) {
        scan->p++;
        scan->boundary = true;
    }
    return scan->p < scan->n && scan_token(scan, token);
}
