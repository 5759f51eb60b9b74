/* Differential runs of this build's libddwaf.so (ABI 1) against the official one. A case is a ruleset and series of
 * inputs, all as JSON text made from a seed; both libraries get the same objects and must give the same answers. */
#ifndef COMPAT_DIFF_H
#define COMPAT_DIFF_H

#include "hotgate/value.h"
#include "peers/ddwaf1.h"

/* ---- random.c ---- */

typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *r);
/* 0 .. n - 1 */
unsigned rng_below(rng *r, unsigned n);
/* True with that chance in a hundred. */
bool rng_percent(rng *r, unsigned chance);

#define PICK(r, list) ((list)[rng_below((r), sizeof(list) / sizeof *(list))])

/* ---- text.c: JSON text ---- */

/* Appends a JSON string; bytes are kept as they are, NUL and controls escaped. */
void put_string(hg_buffer *out, hg_slice s);
/* A random string: fragments that operators and transformers care about. */
void put_text(rng *r, hg_buffer *out);
/* A random scalar or container. */
void put_value(rng *r, hg_buffer *out, unsigned depth);

extern const char *const addresses[];
enum { ADDRESSES = 12 };
/* Chooses the few addresses that most of a case is about, so that rules and inputs meet. */
void focus_addresses(rng *r);
const char *pick_address(rng *r);

/* ---- ruleset.c, input.c ---- */

/* Whether rulesets have processors. */
extern bool with_processors;

/* A ruleset as JSON text. */
void put_ruleset(rng *r, hg_buffer *out);
/* A ruleset of schema version 1. */
void put_legacy(rng *r, hg_buffer *out);
/* One condition of any operator with its inputs. */
void put_condition(rng *r, hg_buffer *out, bool with_data);
/* A map of addresses. */
void put_input(rng *r, hg_buffer *out);
/* A configuration with random damage. */
void put_broken(rng *r, hg_buffer *out);

/* ---- maim.c ---- */

/* Damages some values of an input: no type, no key, no bytes. */
void maim(rng *r, ddwaf1_object *o);

/* ---- order.c ---- */

/* Whether the answers to the ruleset are defined: no two rules of one sorting class, and so on. */
bool is_determined(const char *json, size_t length);

/* ---- compare.c ---- */


/* Whether both objects say the same; *where gets the place of the first difference. Order counts only where it is
 * defined. */
bool objects_agree(const ddwaf1_object *a, const ddwaf1_object *b, char where[256]);

/* Appends an object as JSON. */
void put_object(const ddwaf1_object *o, hg_buffer *out);

#endif
