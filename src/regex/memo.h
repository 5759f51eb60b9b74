/* What a thread remembers: texts in which a set found nothing. Logs repeat user agents and referers. Whole texts are
 * kept and compared, so a hash made to collide wins nothing. */
#ifndef REGEX_MEMO_H
#define REGEX_MEMO_H

#include "base/hash.h"

/* Shorter texts are scanned as fast; longer ones would need more room than they are worth. */
enum { RX_MEMO_LEAST = 40, RX_MEMO_MOST = 112, RX_MEMO_ENTRIES = 512, RX_MEMO_LEAST_PATTERNS = 16 };

typedef struct rx_memo_entry {
    uint64_t key; /* 0: free */
    uint32_t set; /* serial number */
    uint32_t len;
    char text[RX_MEMO_MOST];
} rx_memo_entry;

typedef struct rx_memo {
    uint32_t seen[RX_MEMO_ENTRIES]; /* parts of keys seen once: only what comes twice is kept */
    rx_memo_entry entries[RX_MEMO_ENTRIES];
} rx_memo;

/* A key for the pair, never 0. */
static inline uint64_t rx_memo_key(uint64_t seed, uint32_t set, hg_slice text)
{
    return hg_hash(text, seed + set) | 1;
}

static inline bool rx_memo_knows(const rx_memo *memo, uint64_t key, uint32_t set, hg_slice text)
{
    const rx_memo_entry *e = &memo->entries[(key >> 32) % RX_MEMO_ENTRIES];
    return e->key == key && e->set == set && e->len == text.len && memcmp(e->text, text.ptr, text.len) == 0;
}

/* The second time, the text takes the place of whatever was there. */
static inline void rx_memo_note(rx_memo *memo, uint64_t key, uint32_t set, hg_slice text)
{
    size_t at = (key >> 32) % RX_MEMO_ENTRIES;
    rx_memo_entry *e = &memo->entries[at];
    if (memo->seen[at] != (uint32_t)key) {
        memo->seen[at] = (uint32_t)key;
        return;
    }
    e->key = key;
    e->set = set;
    e->len = (uint32_t)text.len;
    memcpy(e->text, text.ptr, text.len);
}

#endif
