/* Folding: reduces the stream of tokens to at most five, so that arithmetic, lists, parentheses and phrases of any
 * length leave the same few letters. Here: the window that moves over the tokens, and when it stops. */
#include "text/sqli/folding.h"
#include "text/sqli/words.h"

/* Brief folding stops where the first letters of the fingerprint are settled and no listed one starts with them.
 *
 * What can still change the first slot is a rule with it as `a` that renames it, joins it or puts another token in its
 * place; the types below have none, those of may_turn() only where a phrase or a parenthesis makes one. The same goes
 * for the second slot; besides, it must be none that a rule with the first as `a` takes away (o , . behind a value),
 * and be in none of the shapes. Every other rule drops tokens behind them. Two types stay first only if the second
 * stays: { is dropped before a name, a comma before a sign and a value. */
enum { FIRST_STAYS = 1, SECOND_STAYS = 2, MAY_TURN = 4, STAYS_IN_PAIR = 8 };

static const unsigned char settling[128] = {
    ['n'] = FIRST_STAYS | SECOND_STAYS | MAY_TURN,
    ['v'] = FIRST_STAYS | SECOND_STAYS | MAY_TURN,
    ['f'] = FIRST_STAYS | SECOND_STAYS | MAY_TURN,
    ['o'] = FIRST_STAYS | MAY_TURN,
    ['1'] = FIRST_STAYS | SECOND_STAYS,
    ['s'] = FIRST_STAYS | SECOND_STAYS,
    [':'] = FIRST_STAYS | SECOND_STAYS,
    ['?'] = FIRST_STAYS | SECOND_STAYS,
    ['('] = SECOND_STAYS,
    ['{'] = STAYS_IN_PAIR,
    [','] = STAYS_IN_PAIR,
    [')'] = FIRST_STAYS,
    ['}'] = FIRST_STAYS,
    [';'] = FIRST_STAYS,
    ['.'] = FIRST_STAYS,
};

static bool stays(const folding *f, size_t slot, unsigned as)
{
    const hg_sqli_token *token = &f->slots[slot];
    unsigned how = settling[token->type & 127];
    return (how & as) != 0 && ((how & MAY_TURN) == 0 || !hg_sqli_may_turn(hg_sqli_text(f->scan, token)));
}

static bool is_first_hopeless(const folding *f)
{
    return !hg_sqli_starts_fingerprint(f->slots[0].type, 0) && stays(f, 0, FIRST_STAYS);
}

/* Asked when no two-token rule holds for the first two slots. */
static bool is_pair_hopeless(const folding *f)
{
    return !hg_sqli_starts_fingerprint(f->slots[0].type, f->slots[1].type) &&
           stays(f, 0, FIRST_STAYS | STAYS_IN_PAIR) && stays(f, 1, SECOND_STAYS);
}

/* Do the first five slots hold one of four shapes that fold into their first? */
static bool is_shape(const hg_sqli_token *v)
{
    char b = v[1].type, c = v[2].type, d = v[3].type, e = v[4].type;
    if (v[0].type == '1')
        return ((b == 'o' || b == ',') && c == '(' && d == '1' && e == ')') ||
               (b == ')' && c == ',' && d == '(' && e == '1');
    if (v[0].type == 'n')
        return (b == 'o' && c == '(' && (d == 'n' || d == '1') && e == ')') ||
               (b == ')' && c == 'o' && d == '(' && e == 'n');
    return false;
}

/* Fetches until the window holds `wanted` tokens, as far as slots and input allow. */
static bool fetch(folding *f, size_t wanted)
{
    size_t room = f->left + wanted < HG_SQLI_SLOTS ? f->left + wanted : HG_SQLI_SLOTS;
    while (f->more && f->filled < room) {
        hg_sqli_token *token = &f->slots[f->filled];
        f->more = hg_sqli_next(f->scan, token);
        if (!f->more)
            break;
        f->has_comment = token->type == 'c';
        if (f->has_comment)
            f->comment = *token;
        else
            f->filled++;
    }
    return f->filled - f->left >= wanted;
}

static inline bool fill(folding *f, size_t wanted)
{
    return f->filled - f->left >= wanted || fetch(f, wanted);
}

/* Comments, parentheses, types and signs at the very start say nothing. */
static bool skip_leading(folding *f)
{
    hg_sqli_token *first = &f->slots[0];
    do {
        if (!hg_sqli_next(f->scan, first))
            return false;
    } while (first->type == 'c' || first->type == '(' || first->type == 't' || hg_sqli_is_unary(f->scan, first));
    f->filled = 1;
    return true;
}

/* Leaves nothing. */
static step give_up(folding *f)
{
    f->left = 0;
    f->has_comment = false;
    return DONE;
}

/* One turn over the window. At the end `left` is the number of tokens that remain. */
static step turn(folding *f)
{
    if (f->filled >= 5 && is_shape(f->slots)) {
        if (f->filled > 5)
            f->slots[1] = f->slots[5];
        f->filled = f->filled > 5 ? 2 : 1;
        f->left = 0;
    }
    if (!f->more || f->left >= 5) {
        f->left = f->filled;
        return DONE;
    }
    bool ready = fill(f, 2);
    if (f->scan->illegal)
        return give_up(f);
    if (!ready) {
        f->left = f->filled;
        return TURN;
    }
    step next = hg_sqli_fold_two(f, &f->slots[f->left], &f->slots[f->left + 1]);
    if (next != GO_ON)
        return next;
    if (f->scan->brief && f->left == 0 && is_pair_hopeless(f))
        return give_up(f);
    /* An illegal word that turns up here only ends the input; what was read before it counts. */
    if (!fill(f, 3)) {
        f->left = f->filled;
        return TURN;
    }
    if (hg_sqli_fold_three(f, &f->slots[f->left], &f->slots[f->left + 1], &f->slots[f->left + 2]) == GO_ON)
        f->left++;
    return TURN;
}

size_t hg_sqli_fold(hg_sqli_scan *scan, hg_sqli_token slots[HG_SQLI_SLOTS])
{
    folding f;
    f.scan = scan;
    f.slots = slots;
    f.left = 0;
    f.more = true;
    f.has_comment = false;
    f.is_evil = false;
    if (!skip_leading(&f) || (scan->brief && is_first_hopeless(&f)))
        return 0;
    while (turn(&f) != DONE) {
    }
    if (f.left < HG_SQLI_SHOWN && f.has_comment)
        slots[f.left++] = f.comment;
    return f.left < HG_SQLI_SHOWN || f.is_evil ? f.left : HG_SQLI_SHOWN;
}
