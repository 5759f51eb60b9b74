/* The engine with libddwaf 1's profile and the official library side by side, on the same rules and values. */
#ifndef TESTS_WAF_PEER_H
#define TESTS_WAF_PEER_H

#include "hotgate/waf.h"
#include "peers/ddwaf1.h"

typedef struct peer peer;

/* Prints why and returns NULL when the library is not installed or one of the two refuses the rules. */
peer *peer_open(const char *rules);
void peer_close(peer *p);
bool peer_is_missing(void); /* no library */

/* Has both judge one address map in fresh contexts, and prints what differs: verdict, events, attributes. The order of
 * map entries and array elements does not matter in attributes. True: both say the same. */
bool peer_agrees(peer *p, const hg_value *data);

typedef struct peer_counts {
    size_t judged;
    size_t matched;
    size_t with_attributes;
    size_t different;
} peer_counts;

peer_counts peer_counted(const peer *p);

/* A seeded generator. */
void random_seed(uint64_t seed);
uint32_t random_below(uint32_t bound);

/* Runs one() until `--seconds N` (5) are over, with `--seed N` (0). Exit status of main: 0, 1 differences, 77. */
int peer_main(int argc, char **argv, const char *rules, void (*one)(peer *p, hg_arena *arena));

/* Strings and maps in an arena; out of memory ends the program. */
void put_text(hg_arena *arena, hg_value *map, const char *key, hg_slice text);
hg_value *put(hg_arena *arena, hg_value *map, hg_slice key);
hg_value new_map(hg_arena *arena);
hg_value new_array(hg_arena *arena);
hg_value text_value(hg_arena *arena, hg_slice text);

/* Pieces joined at random; up to `most` of them. */
hg_slice random_text(hg_arena *arena, const char *const *pieces, size_t count, uint32_t most);

/* A part of s, not empty unless s is. */
hg_slice random_part(hg_slice s);

#endif
