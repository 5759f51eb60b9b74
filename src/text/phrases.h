/* Search for any of many phrases at once, with the reporting rules of libddwaf's phrase_match. */
#ifndef HG_TEXT_PHRASES_H
#define HG_TEXT_PHRASES_H

#include "hotgate/base.h"

typedef struct hg_phrases hg_phrases;

/* A matcher for `count` phrases (any bytes; empty ones never match). With words_only the longest occurrence is looked
 * for and must begin and end at word boundaries. Everything lives in the arena; the phrases are not kept. NULL when out
 * of memory or when the phrases have 2^30 bytes or more. O(n log n) in the bytes of all phrases. */
const hg_phrases *hg_phrases_build(const hg_slice *phrases, size_t count, bool words_only, hg_arena *arena);

/* Without words_only: the first occurrence to end. A phrase that is the tail of another one that is being read is seen
 * only when the reading of that other one fails.
 * With words_only: the longest occurrence so seen, the first of equally long ones; it counts only if each of its two
 * ends is an end of the text or has a byte that is no word byte (A-Z a-z 0-9 _) at one of its sides; no other
 * occurrence is tried.
 * *found is a part of text. O(text.len). */
bool hg_phrases_find(const hg_phrases *set, hg_slice text, hg_slice *found);

#endif
