/* What a thread remembers: texts in which nothing was found. Logs repeat their user agents, referers and parameters.
 *
 * Only keys are kept, 64 bits each. A key is a multilinear hash (Lemire and Kaser, "Strongly universal string hashing
 * is fast", 2014) under secret random multipliers that no other memo has: any two different texts of one owner, or texts
 * of different owners, have the same key with a probability of 2^-64, whoever chose them. */
#ifndef REGEX_MEMO_H
#define REGEX_MEMO_H

#include "hotgate/base.h"

enum { HG_MEMO_MOST = 256, HG_MEMO_ENTRIES = 16384, HG_MEMO_WORDS = HG_MEMO_MOST / 8 + 3 };

typedef struct hg_memo {
    uint64_t known[HG_MEMO_ENTRIES]; /* by key; 0: free */
    uint16_t seen[HG_MEMO_ENTRIES];  /* parts of keys noted once: only what comes twice is kept */
    uint64_t multipliers[HG_MEMO_WORDS][2]; /* low and high half */
} hg_memo;

/* NULL: no memory. Freed with free(). For one thread. */
hg_memo *hg_memo_new(void);

static inline unsigned __int128 hg_memo_term(const hg_memo *memo, size_t i, uint64_t word)
{
    const uint64_t *m = memo->multipliers[i];
    return (unsigned __int128)m[0] * word + ((unsigned __int128)(m[1] * word) << 64);
}

/* The 1 to 8 bytes at p as a word, zeros behind them; reads nothing else. */
static inline uint64_t hg_memo_tail(const char *p, size_t n)
{
    uint32_t first = 0, last = 0;
    uint64_t word = 0;
    if (n == 8) {
        memcpy(&word, p, 8);
    } else if (n >= 4) {
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        word = first | (uint64_t)last << (8 * (n - 4));
    } else {
        word = (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << (8 * (n / 2)) |
               (uint64_t)(uint8_t)p[n - 1] << (8 * (n - 1));
    }
    return word;
}

/* The key of a text of 1 to HG_MEMO_MOST bytes, never 0. `owner` is whose finding is remembered. */
static inline uint64_t hg_memo_key(const hg_memo *memo, uint64_t owner, hg_slice text)
{
    unsigned __int128 sum = hg_memo_term(memo, 0, owner) + hg_memo_term(memo, 1, text.len);
    size_t i = 2, at = 0;
    for (; at + 8 < text.len; at += 8, i++) {
        uint64_t word;
        memcpy(&word, text.ptr + at, 8);
        sum += hg_memo_term(memo, i, word);
    }
    sum += hg_memo_term(memo, i, hg_memo_tail(text.ptr + at, text.len - at));
    uint64_t key = (uint64_t)(sum >> 64);
    return key != 0 ? key : 1;
}

/* Fetches what is kept about a key, for hg_memo_knows a little later. */
static inline void hg_memo_fetch(const hg_memo *memo, uint64_t key)
{
    __builtin_prefetch(&memo->known[key % HG_MEMO_ENTRIES]);
}

static inline bool hg_memo_knows(const hg_memo *memo, uint64_t key)
{
    return memo->known[key % HG_MEMO_ENTRIES] == key;
}

/* Nothing was found in the text. Told twice, it takes the place of whatever was there. */
static inline void hg_memo_note(hg_memo *memo, uint64_t key)
{
    size_t at = key % HG_MEMO_ENTRIES;
    uint16_t part = (uint16_t)(key >> 48);
    if (memo->seen[at] == part)
        memo->known[at] = key;
    memo->seen[at] = part;
}

#endif
