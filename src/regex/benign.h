/* What harmless traffic looks like: how likely a byte, or a pair of bytes, is at a place of it. Guides the choice of
 * filters; never the answer. */
#ifndef REGEX_BENIGN_H
#define REGEX_BENIGN_H

#include "regex/program.h"

/* The strings behind the model, NULL-terminated: headers, URLs, parameters, JSON, prose. */
extern const char *const rx_benign_texts[];

/* Probability that a place of harmless text holds a byte of `first` with a byte of `second` behind it. */
float rx_pair_odds(const rx_byteset *first, const rx_byteset *second);
float rx_byte_odds(const rx_byteset *set);

#endif
