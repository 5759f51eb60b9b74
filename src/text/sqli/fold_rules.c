/* The rules of folding: the first that holds for the tokens of the window is applied. They stand under the type of
 * the first token; among those of one type the order counts. */
#include "text/bytes.h"
#include "text/sqli/folding.h"
#include "text/sqli/words.h"

enum {
    VALUE = 1,      /* n 1 v s */
    PHRASE_TAIL = 2 /* may be the second part of a phrase */
};

static const unsigned char type_classes[128] = {
    ['n'] = VALUE | PHRASE_TAIL, ['1'] = VALUE,       ['v'] = VALUE,       ['s'] = VALUE,
    ['k'] = PHRASE_TAIL,         ['o'] = PHRASE_TAIL, ['U'] = PHRASE_TAIL, ['f'] = PHRASE_TAIL,
    ['E'] = PHRASE_TAIL,         ['T'] = PHRASE_TAIL, ['t'] = PHRASE_TAIL, ['&'] = PHRASE_TAIL,
};

static bool type_is(const hg_sqli_token *token, unsigned classes)
{
    return (type_classes[token->type & 127] & classes) != 0;
}

static bool text_is(const hg_sqli_scan *scan, const hg_sqli_token *token, hg_slice word)
{
    return hg_equal_nocase(hg_sqli_text(scan, token), word);
}

bool hg_sqli_is_unary(const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    if (token->type != 'o')
        return false;
    const char *text = hg_sqli_text(scan, token).ptr;
    switch (token->len) {
    case 1:
        return *text == '+' || *text == '-' || *text == '!' || *text == '~';
    case 2:
        return text[0] == '!' && text[1] == '!';
    case 3:
        return text_is(scan, token, HG_SLICE("NOT"));
    }
    return false;
}

static bool is_arithmetic(const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    return token->type == 'o' && token->len == 1 && strchr("*/-+%", *hg_sqli_text(scan, token).ptr) != NULL;
}

/* Names that are calls when a parenthesis follows. */
static bool is_callable(const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    static const hg_slice names[] = {
        {"USER_ID", 7},   {"USER_NAME", 9},       {"DATABASE", 8},           {"PASSWORD", 8},
        {"USER", 4},      {"CURRENT_USER", 12},   {"CURRENT_DATE", 12},      {"CURRENT_TIME", 12},
        {"LOCALTIME", 9}, {"LOCALTIMESTAMP", 14}, {"CURRENT_TIMESTAMP", 17},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_is(scan, token, names[i]))
            return true;
    return false;
}

/* The step after dropping the last `count` tokens and moving the window back to the start. */
static step drop(folding *f, size_t count)
{
    f->filled -= count;
    f->left = 0;
    return TURN;
}

/* The step after dropping one token and widening the window by one to the left. */
static step drop_and_retreat(folding *f)
{
    f->filled--;
    f->left -= f->left > 0;
    return TURN;
}

/* Joins two words that make a phrase of the table. */
static bool join_phrase(folding *f, hg_sqli_token *a, const hg_sqli_token *b)
{
    if (!type_is(b, PHRASE_TAIL))
        return false;
    char joined[HG_SQLI_TEXT_MAX + 1];
    hg_slice head = hg_sqli_text(f->scan, a), tail = hg_sqli_text(f->scan, b);
    char type = hg_sqli_phrase_type(head, tail, joined);
    if (type == 0)
        return false;
    a->len = (uint8_t)(head.len + 1 + tail.len);
    a->type = type;
    a->is_joined = true;
    memcpy(a->joined, joined, a->len);
    return true;
}

/* COLLATE and a name with an underscore: the name is a collation, which is a type. */
static step fold_collation(folding *f, hg_sqli_token *b)
{
    hg_slice name = hg_sqli_text(f->scan, b);
    if (memchr(name.ptr, '_', strnlen(name.ptr, name.len)) != NULL) {
        b->type = 't';
        f->left = 0;
    }
    return GO_ON;
}

static step fold_backslash(folding *f, hg_sqli_token *a, const hg_sqli_token *b)
{
    if (is_arithmetic(f->scan, b)) {
        a->type = '1';
        f->left = 0;
        return TURN;
    }
    *a = *b;
    return drop(f, 1);
}

/* ODBC's {name ...}. An empty back-tick name there is an attack of its own. */
static step fold_brace(folding *f, hg_sqli_token *b)
{
    if (b->len > 0)
        return drop(f, 2);
    b->type = 'X';
    f->left += 2;
    f->has_comment = false;
    f->is_evil = true;
    return DONE;
}

static step fold_word(folding *f, hg_sqli_token *a, hg_sqli_token *b)
{
    const hg_sqli_scan *scan = f->scan;
    if (join_phrase(f, a, b))
        return drop_and_retreat(f);
    switch (a->type) {
    case 'n':
        if (b->type == '(' && is_callable(scan, a)) {
            a->type = 'f';
            return TURN;
        }
        break;
    case 'k':
        if (text_is(scan, a, HG_SLICE("IN")) || text_is(scan, a, HG_SLICE("NOT IN"))) {
            a->type = b->type == '(' ? 'o' : 'n';
            return TURN;
        }
        break;
    case 'o':
        if (text_is(scan, a, HG_SLICE("LIKE")) || text_is(scan, a, HG_SLICE("NOT LIKE"))) {
            a->type = b->type == '(' ? 'f' : 'o';
            return GO_ON;
        }
        break;
    case 't':
        if (type_is(b, VALUE) || b->type == 't' || b->type == '(' || b->type == 'f') {
            *a = *b;
            return drop(f, 1);
        }
        break;
    }
    return b->type == '}' ? drop(f, 1) : GO_ON;
}

step hg_sqli_fold_two(folding *f, hg_sqli_token *a, hg_sqli_token *b)
{
    const hg_sqli_scan *scan = f->scan;
    switch (a->type) {
    case 'o':
    case '&':
        if (b->type == 't' || hg_sqli_is_unary(scan, b))
            return drop(f, 1);
        if (a->type == 'o')
            return fold_word(f, a, b);
        break;
    case 'k':
    case 'n':
    case 'U':
    case 'f':
    case 'E':
    case 'T':
    case 't':
        return fold_word(f, a, b);
    case 'v':
        if (b->type == '(' && is_callable(scan, a)) {
            a->type = 'f';
            return TURN;
        }
        break;
    case 's':
        if (b->type == 's') {
            f->filled--;
            return TURN;
        }
        break;
    case ';':
        if (b->type == ';') {
            f->filled--;
            return TURN;
        }
        if (b->type == 'f' && hg_starts_nocase(hg_sqli_text(scan, b), HG_SLICE("IF"))) {
            b->type = 'T';
            return TURN;
        }
        break;
    case '(':
        if (hg_sqli_is_unary(scan, b))
            return drop_and_retreat(f);
        if (b->type == '(')
            return drop(f, 1);
        break;
    case ')':
        if (b->type == ')')
            return drop(f, 1);
        break;
    case 'A':
        if (b->type == 'n')
            return fold_collation(f, b);
        break;
    case '\\':
        return fold_backslash(f, a, b);
    case '{':
        if (b->type == 'n')
            return fold_brace(f, b);
        break;
    }
    return b->type == '}' ? drop(f, 1) : GO_ON;
}

/* What follows a value: an operation or a list that is a value again. */
static step fold_value(folding *f, const hg_sqli_token *a, const hg_sqli_token *b, const hg_sqli_token *c)
{
    bool folds = false;
    switch (b->type) {
    case 'o':
        if (c->type == 't')
            folds = text_is(f->scan, b, HG_SLICE("::"));
        else if (a->type != 's')
            folds = c->type == '1' || c->type == 'n' || (c->type == 'v' && a->type == 'v');
        break;
    case ',':
        folds = type_is(c, VALUE);
        break;
    case '.':
        folds = a->type == 'n' && c->type == 'n';
        break;
    }
    return folds ? drop(f, 2) : GO_ON;
}

/* What stands before a sign and a value: c takes the sign's place. */
static step fold_sign(folding *f, const hg_sqli_token *a, hg_sqli_token *b, const hg_sqli_token *c)
{
    if (!hg_sqli_is_unary(f->scan, b))
        return GO_ON;
    bool value = type_is(c, VALUE), call = c->type == 'f', group = c->type == '(';
    if (!value && !call && !(group && a->type != 'k'))
        return GO_ON;
    *b = *c;
    return drop(f, value && a->type == ',' ? 3 : 1); /* in a list, the comma and the value go too */
}

step hg_sqli_fold_three(folding *f, hg_sqli_token *a, hg_sqli_token *b, const hg_sqli_token *c)
{
    switch (a->type) {
    case 'n':
    case '1':
    case 'v':
    case 's':
        return fold_value(f, a, b, c);
    case 'o':
        return b->type != '(' && c->type == 'o' ? drop(f, 2) : GO_ON;
    case '&':
        return c->type == '&' ? drop(f, 2) : GO_ON;
    case 'E':
        if (b->type == '.' && c->type == 'n') {
            *b = *c;
            return drop(f, 1);
        }
        return fold_sign(f, a, b, c);
    case 'B':
    case 'k':
    case ',':
        return fold_sign(f, a, b, c);
    case 'f':
        if (b->type == '(' && c->type != ')' && text_is(f->scan, a, HG_SLICE("USER")))
            a->type = 'n';
        break;
    }
    return GO_ON;
}
