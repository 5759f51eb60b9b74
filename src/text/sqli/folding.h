/* Inside the folding of SQL tokens: its state, and the rules for two and for three tokens. */
#ifndef TEXT_SQLI_FOLDING_H
#define TEXT_SQLI_FOLDING_H

#include "text/sqli/sqli.h"

/* The window is the two or three slots from `left` on. A rule that drops tokens always removes the last filled
 * slots, wherever the window is: after a rule has moved `left` back to 0 the two may differ, and the
 * fingerprints depend on it. */
typedef struct folding {
    hg_sqli_scan *scan;
    hg_sqli_token *slots;
    size_t filled;
    size_t left;
    bool more;        /* the tokenizer may still deliver */
    bool has_comment; /* no token came after the last comment, which is: */
    hg_sqli_token comment;
    bool is_evil; /* ended at an X, which counts even in the sixth slot */
} folding;

typedef enum step {
    TURN,  /* a rule changed the slots: start over */
    GO_ON, /* look at more tokens */
    DONE
} step;

/* Apply the first rule that holds for the tokens of the window. */
step hg_sqli_fold_two(folding *f, hg_sqli_token *a, hg_sqli_token *b);
step hg_sqli_fold_three(folding *f, hg_sqli_token *a, hg_sqli_token *b, const hg_sqli_token *c);

/* An operator that may stand before a value without changing what it is. */
bool hg_sqli_is_unary(const hg_sqli_scan *scan, const hg_sqli_token *token);

#endif
