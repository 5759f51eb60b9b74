/* The word table: keywords, functions, types, phrases and two-byte operators with their token letters. */
#ifndef TEXT_SQLI_WORDS_H
#define TEXT_SQLI_WORDS_H

#include "text/sqli/sqli.h"

/* A word as it is looked up: upper-cased, padded with zeros. */
typedef union hg_sqli_key {
    char bytes[32];
    uint64_t words[4];
} hg_sqli_key;

/* Type letter of the key's first len bytes (at most 31), all others being zero; 0 when it is not listed. */
char hg_sqli_key_type(const hg_sqli_key *key, size_t len);

/* The same for a piece of text, in any case. */
char hg_sqli_word_type(const char *text, size_t len);

/* May other tokens turn this one into another: as the head of a phrase, or as a name that calls or compares when a
 * parenthesis follows? False is certain, true is not. */
bool hg_sqli_may_turn(hg_slice text);

/* Type letter of the phrase "head tail", 0 when it is not listed; joined is then undefined, else the phrase. */
char hg_sqli_phrase_type(hg_slice head, hg_slice tail, char joined[HG_SQLI_TEXT_MAX + 1]);

#endif
