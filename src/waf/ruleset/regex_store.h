/* Compiled patterns of a builder, shared by text: loading a changed configuration compiles only what is new in it.
 * A configuration holds its patterns; the store forgets those that no loaded configuration holds. */
#ifndef WAF_RULESET_REGEX_STORE_H
#define WAF_RULESET_REGEX_STORE_H

#include "hotgate/regex.h"

typedef struct hg_regex_entry hg_regex_entry;

/* The patterns one configuration holds. Zeroed is empty. */
typedef struct hg_regex_hold {
    hg_regex_entry **entries; /* valid until hg_regex_store_release */
    hg_regex **regexes;       /* a reference each */
    size_t count;
    size_t capacity;
} hg_regex_hold;

typedef struct hg_regex_store {
    hg_regex_entry **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
    hg_regex_hold *hold; /* where hg_regex_store_get notes what it gives */
} hg_regex_store;

/* The compiled pattern, owned by the current hold. NULL with *error when it is refused or memory is short. */
hg_regex *hg_regex_store_get(hg_regex_store *store, hg_slice pattern, bool case_insensitive, hg_regex_error *error);

/* The configuration is no longer loaded: forgets what only it held. Its references stay. */
void hg_regex_store_release(hg_regex_store *store, hg_regex_hold *hold);

/* Gives the references back. */
void hg_regex_hold_close(hg_regex_hold *hold);

/* After release of every hold. */
void hg_regex_store_close(hg_regex_store *store);

#endif
