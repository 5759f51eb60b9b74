/* Sets of strings whose members may expire. */
#ifndef HG_TEXT_EXACT_H
#define HG_TEXT_EXACT_H

#include "text/expiry.h"

typedef struct hg_exact hg_exact;

/* The set of `count` strings; of equal ones the latest expiry counts. expirations may be NULL: none expires. The set
 * lives in the arena, the strings' bytes are borrowed. NULL when out of memory. */
const hg_exact *hg_exact_build(const hg_slice *strings, const uint64_t *expirations, size_t count, hg_arena *arena);

/* When s expires: HG_ABSENT, HG_NEVER_EXPIRES, or Unix seconds. O(s.len). */
uint64_t hg_exact_find(const hg_exact *set, hg_slice s);

#endif
