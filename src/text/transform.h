/* Transformers: named rewritings of a byte string, applied in lists before a value is matched.
 *
 * A string is first surveyed (hg_text_survey): one pass that tells which traits it has. A transformer can change
 * only strings that have one of its traits, so most strings pass all lists untouched for the price of one AND. */
#ifndef HG_TEXT_TRANSFORM_H
#define HG_TEXT_TRANSFORM_H

#include "hotgate/base.h"

#define HG_TRANSFORM_CHAIN_MAX 10

/* What hg_text_survey finds. Pairs are adjacent bytes. */
enum {
    HG_TRAIT_UPPER = 1u << 0,       /* A-Z */
    HG_TRAIT_NUL = 1u << 1,         /* byte 0 */
    HG_TRAIT_SPACE_RUN = 1u << 2,   /* two spaces */
    HG_TRAIT_BACKSLASH = 1u << 3,   /* \ */
    HG_TRAIT_PERCENT = 1u << 4,     /* % (perhaps only with a hexadecimal digit or u, U) */
    HG_TRAIT_PLUS = 1u << 5,        /* + */
    HG_TRAIT_ENTITY = 1u << 6,      /* & (perhaps only with a letter, a digit or #) */
    HG_TRAIT_QUOTE = 1u << 7,       /* " ' ^ */
    HG_TRAIT_SEPARATOR = 1u << 8,   /* , ; */
    HG_TRAIT_GLUE = 1u << 9,        /* a space byte and a space byte , ; ( or / */
    HG_TRAIT_SLASH = 1u << 10,      /* / */
    HG_TRAIT_CUT = 1u << 11,        /* ? # */
    HG_TRAIT_DOT_PART = 1u << 12,   /* . and / or the end */
    HG_TRAIT_COMMENT = 1u << 13,    /* # and the pairs -- // slash-star <! */
    HG_TRAIT_HIGH = 1u << 14,       /* a byte above 0x7F */
    HG_TRAIT_NOT_BASE64 = 1u << 15, /* a byte that no base64 text has */
    HG_TRAIT_NOT_BASE64URL = 1u << 16,
    HG_TRAIT_ANY = 1u << 17 /* not empty */
};

/* The traits of s; 0 for the empty string. Linear, one pass. */
uint32_t hg_text_survey(hg_slice s);

typedef enum hg_transform_result {
    HG_TRANSFORM_SAME = 0,    /* nothing to do; *out is not set */
    HG_TRANSFORM_CHANGED = 1, /* *out is the new text */
    HG_TRANSFORM_ALTERED = 2  /* *out differs but counts as unchanged unless a later transformer changes it */
} hg_transform_result;

/* Rewrites `in` (not empty) into `room` and points *out at the result, which may also be a part of `in`. room has
 * room_for(in) bytes, in.len when the transformer has no room_for; only then may it be in.ptr itself, else the two
 * must not overlap. Linear in in.len. */
typedef hg_transform_result (*hg_transform_fn)(hg_slice in, char *room, hg_slice *out);

typedef struct hg_transform {
    const char *name;
    const char *alias; /* NULL when there is none */
    hg_transform_fn run;
    size_t (*room_for)(hg_slice in); /* NULL: never grows. 0: nothing to do for this one */
    uint32_t any;                    /* a string without any of these traits stays as it is */
    uint32_t none;                   /* and so does one with any of these */
} hg_transform;

/* All transformers; their index is their id. */
extern const hg_transform hg_transforms[];
extern const size_t hg_transform_count;

/* The id of a name or alias (case-sensitive), -1 when there is no such transformer. */
int hg_transform_find(hg_slice name);

/* A list of transformers. Start from {0} and add. */
typedef struct hg_transform_chain {
    uint32_t any; /* the union of its members' */
    uint8_t count;
    uint8_t ids[HG_TRANSFORM_CHAIN_MAX];
} hg_transform_chain;

/* HG_ERR_LIMIT when the chain is full, HG_ERR_ARGUMENT when there is no such id. */
hg_status hg_transform_chain_add(hg_transform_chain *chain, int id);

/* False: hg_transform_apply would leave a string with these traits as it is. */
static inline bool hg_transform_may_change(const hg_transform_chain *chain, uint32_t traits)
{
    return (chain->any & traits) != 0;
}

/* Runs the chain on s, whose traits are given. *out is s itself when nothing counts as a change, else the result,
 * in the arena or a part of s. *changed tells which. HG_ERR_NOMEM when the arena cannot grow. Linear in s.len. */
hg_status hg_transform_apply(const hg_transform_chain *chain, hg_slice s, uint32_t traits, hg_arena *arena,
                             hg_slice *out, bool *changed);

#endif
