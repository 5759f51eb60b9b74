/* Operators: what a condition of a rule, or a scanner, asks of a value. An operator is one file in this folder and one
 * line in table.c; its file holds both the reading of its parameters and the matching. */
#ifndef WAF_OPERATORS_OPERATOR_H
#define WAF_OPERATORS_OPERATOR_H

#include "hotgate/regex.h"
#include "hotgate/value.h"
#include "waf/profile.h"

typedef struct hg_operator hg_operator;
typedef struct hg_matcher hg_matcher;
typedef struct hg_reader hg_reader; /* ruleset/reader.h: memory, profile and the error of a ruleset being read */
typedef struct hg_table hg_table;   /* ruleset/reader.h: a map opened for look-up */

/* Kinds of values a matcher tests; other values are skipped. */
enum {
    HG_ACCEPT_STRING = 1,
    HG_ACCEPT_HEAP_STRING = 2, /* tag 0x10 only */
    HG_ACCEPT_BOOL = 4,
    HG_ACCEPT_INTEGER = 8,
    HG_ACCEPT_FLOAT = 16
};

/* An operator with its parameters: what is asked of each value. Immutable, any thread. */
struct hg_matcher {
    const hg_operator *op;
    const void *params; /* the operator's own structure; NULL if it has none */
    uint32_t accepts;   /* HG_ACCEPT_ mask */
};

static inline bool hg_matcher_accepts(const hg_matcher *m, const hg_value *v)
{
    switch (v->type) {
    case HG_STRING:
        return (m->accepts & (HG_ACCEPT_STRING | HG_ACCEPT_HEAP_STRING)) != 0;
    case HG_LITERAL:
    case HG_SMALL_STRING:
        return (m->accepts & HG_ACCEPT_STRING) != 0;
    case HG_BOOL:
        return (m->accepts & HG_ACCEPT_BOOL) != 0;
    case HG_SIGNED:
    case HG_UNSIGNED:
        return (m->accepts & HG_ACCEPT_INTEGER) != 0;
    case HG_FLOAT:
        return (m->accepts & HG_ACCEPT_FLOAT) != 0;
    default:
        return false;
    }
}

/* Working memory of one thread that matching may use. */
typedef struct hg_match_env {
    hg_regex_scratch *regex;
    hg_arena *arena; /* lives at least until the result is reported */
} hg_match_env;

/* ---- Structured operators (detectors): the caller resolves arguments and walks parameters. ---- */

typedef struct hg_detect hg_detect;

/* One question to a detector. The fields above the line are the caller's, those below are the answer. */
struct hg_detect {
    const hg_value *resource;
    const hg_value *db_type; /* NULL unless the operator has that argument */
    size_t object_count;     /* `params` objects that are present and not excluded, in order of configuration */
    hg_match_env *env;

    /* Next parameter string of object `object` (keys and values in walk order, excluded ones left out); false at its
     * end. Objects are walked one after the other; asking for another object starts it from its beginning. */
    bool (*next)(hg_detect *d, size_t object, hg_slice *param);
    /* Remembers the place of the parameter just given as the one to report. */
    void (*mark)(hg_detect *d);
    /* Has the time budget run out? Asked once for each occurrence of a parameter. */
    bool (*expired)(hg_detect *d);
    /* -------- */
    bool marked;        /* some parameter was marked; else it is reported with empty address, value and path */
    hg_slice resource_text; /* reported as the value of `resource`; may be in env->arena */
    hg_slice param;     /* reported as the value of `params` */
    hg_slice highlight; /* may be in env->arena */
};

enum { HG_ARGUMENTS_MAX = 3 };

typedef struct hg_argument {
    hg_slice name;
    bool variadic;
    uint8_t types; /* structured operators: HG_ARGUMENT_ mask of what the object may be */
} hg_argument;

enum {
    HG_ARGUMENT_STRING = 1,
    HG_ARGUMENT_ARRAY = 2,
    HG_ARGUMENT_ANY = 4
};

typedef enum hg_operator_kind {
    HG_OPERATOR_SCALAR,  /* match() is asked for each value */
    HG_OPERATOR_EXISTS,  /* answered by the evaluator from the key path alone */
    HG_OPERATOR_DETECTOR /* detect() is asked once */
} hg_operator_kind;

struct hg_operator {
    hg_slice name; /* as configured and reported, without `!` */
    hg_operator_kind kind;
    bool negatable;
    uint32_t max_version; /* of `@vN`; 0 = versions are ignored */
    hg_argument arguments[HG_ARGUMENTS_MAX]; /* a name without bytes ends the list */

    /* Reads the parameters into *m (whose op and default accepts are set) with memory of the reader, which owns it.
     * Operators that take their list from a data set put its id into *data and leave m->params NULL. False: the
     * reader holds the error. NULL: none to read. */
    bool (*read)(hg_reader *r, const hg_table *parameters, hg_matcher *m, hg_slice *data);
    /* Operators that may take their list from a data set: the parameters for these values, whose bytes are borrowed;
     * expirations may be NULL. Memory of the arena. NULL when out of memory. */
    const void *(*build)(const hg_slice *values, const uint64_t *expirations, size_t count, hg_arena *arena);
    /* What the report shows as operator_value. NULL: the empty string. */
    hg_slice (*shown)(const void *params);
    /* Values tested when `read` doesn't say otherwise. */
    uint32_t accepts;

    /* Scalar: does the value match? Strings may be empty. On true *highlight is the matched part: in the value, the
     * parameters, static, or in env->arena. Called only for accepted values. Linear in the value. */
    bool (*match)(const hg_matcher *m, const hg_value *v, hg_match_env *env, hg_slice *highlight);
    /* Detector. True: the answer is filled in. */
    bool (*detect)(const void *params, hg_detect *d);
};

/* The operator of that name (without `!` and version), or NULL. */
const hg_operator *hg_operator_find(hg_slice name);

/* All operators in the order of the table. */
const hg_operator *const *hg_operator_list(size_t *count);

/* ---- Parameters that others look into: the plan joins them into pattern sets, builders of data fill them. ---- */

/* match_regex and match_regex_with_checksum */
typedef struct hg_regex_params {
    hg_regex *regex;
    size_t min_length;
    bool case_sensitive;
    bool (*checksum)(hg_slice matched); /* NULL for match_regex */
} hg_regex_params;

/* phrase_match */
typedef struct hg_phrase_params {
    const struct hg_phrases *set;
    const hg_slice *phrases; /* as configured */
    size_t count;
} hg_phrase_params;

extern const hg_operator hg_operator_match_regex;
extern const hg_operator hg_operator_match_regex_with_checksum;
extern const hg_operator hg_operator_phrase_match;
extern const hg_operator hg_operator_exact_match;
extern const hg_operator hg_operator_ip_match;

/* A value with the time it expires: Unix seconds, 0 = never. */
typedef struct hg_expiring {
    hg_slice value;
    uint64_t expiration;
} hg_expiring;

/* Parameters of an operator that has `build`, from a list of values (duplicates: never expiring wins, else the
 * latest). Memory of the arena. NULL when out of memory. */
const void *hg_data_params(const hg_operator *op, const hg_expiring *values, size_t count, hg_arena *arena);

#endif
