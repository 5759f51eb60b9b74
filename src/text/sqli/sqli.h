/* The SQL side of the injection detectors: tokens, folding, fingerprints. Shared inside the room, and with the
 * verb that explains a verdict. Offsets are in bytes of the input; nothing here allocates or keeps the input. */
#ifndef TEXT_SQLI_H
#define TEXT_SQLI_H

#include "hotgate/base.h"
#include "hotgate/injection.h"
#include "text/injection_profile.h"

enum {
    HG_SQLI_TEXT_MAX = 31, /* longer tokens are seen cut to this */
    HG_SQLI_SLOTS = 6,     /* what folding works on */
    HG_SQLI_SHOWN = 5      /* what it leaves */
};

typedef struct hg_sqli_token {
    size_t start;
    char type;
    uint8_t len;
    char open;      /* mark that opened a string, 0 = none */
    char close;     /* mark that closed it */
    uint8_t ats;    /* @s of a variable */
    bool is_joined; /* a phrase of several words: its text is below, not in the input */
    char joined[HG_SQLI_TEXT_MAX + 1];
} hg_sqli_token;

/* The tokenizer's state; set up by hg_sqli_scan_start, the counters may be read at any time. */
typedef struct hg_sqli_scan {
    const unsigned char *s;
    size_t n;
    size_t p;
    char quote;    /* imagined before the first byte: 0, ', " or ` */
    bool mysql;    /* # starts a comment, --x does not */
    bool brief;    /* only the verdict counts: folding may stop, with nothing, once it is sure to be negative */
    bool boundary; /* may a word start here? */
    bool illegal;  /* a word stood where none may: nothing more comes */
    size_t tokens;
    size_t ddx;    /* comments of the form --x */
    size_t hashes; /* # seen, twice for each that became a comment */
} hg_sqli_scan;

void hg_sqli_scan_start(hg_sqli_scan *scan, hg_slice text, char quote, bool mysql);

/* The next token; false at the end of input and after an illegal word. */
bool hg_sqli_next(hg_sqli_scan *scan, hg_sqli_token *token);

static inline hg_slice hg_sqli_text(const hg_sqli_scan *scan, const hg_sqli_token *token)
{
    return hg_slice_of(token->is_joined ? token->joined : (const char *)scan->s + token->start, token->len);
}

/* Scans and folds the whole input; the tokens that are left are slots[0..]: at most HG_SQLI_SHOWN, or one more
 * when the last is an X. */
size_t hg_sqli_fold(hg_sqli_scan *scan, hg_sqli_token slots[HG_SQLI_SLOTS]);

typedef enum hg_sqli_listing {
    HG_SQLI_UNLISTED,
    HG_SQLI_LISTED,
    HG_SQLI_RETIRED /* a known source of false positives: the stock library lists it, the WAF does not */
} hg_sqli_listing;

hg_sqli_listing hg_sqli_fingerprint(const char *letters, size_t len);

/* Does a listed or retired fingerprint start with these letters? second may be 0: with the first one. */
bool hg_sqli_starts_fingerprint(char first, char second);

/* One try at one context and dialect. */
typedef struct hg_sqli_attempt {
    hg_sqli_scan scan;
    hg_sqli_token tokens[HG_SQLI_SLOTS];
    size_t count;
    char fingerprint[HG_SQLI_FINGERPRINT_SIZE];
    bool listed;
    bool positive; /* listed, and no exception applies */
} hg_sqli_attempt;

void hg_sqli_try(hg_sqli_attempt *attempt, hg_slice text, char quote, bool mysql);

/* A detection, attempt by attempt. */
typedef struct hg_sqli_detection {
    hg_slice text;
    unsigned marks;          /* of the text */
    unsigned due;            /* one bit for each attempt still to be made */
    hg_sqli_attempt attempt; /* the latest */
} hg_sqli_detection;

void hg_sqli_begin(hg_sqli_detection *detection, hg_slice text);

/* Makes the next attempt that is due, in full; false when none is left or the last one was positive. */
bool hg_sqli_step(hg_sqli_detection *detection);

#endif
