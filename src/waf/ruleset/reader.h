/* Reading typed values out of a configuration, with the error texts of the format (waf-config 1). A function that
 * returns false has left the reason in the reader; the first reason stays. */
#ifndef WAF_RULESET_READER_H
#define WAF_RULESET_READER_H

#include "waf/ruleset/id_map.h"
#include "waf/ruleset/regex_store.h"
#include "waf/ruleset/ruleset.h"

typedef enum hg_failure {
    HG_FAILURE_NONE,
    HG_FAILURE_ERROR,
    HG_FAILURE_WARNING,
    HG_FAILURE_SKIP, /* the item is for another version */
    HG_FAILURE_NOMEM
} hg_failure;

struct hg_reader {
    const hg_profile *profile;
    hg_arena *arena;         /* of the configuration being read */
    hg_regex_store *regexes; /* owns what is compiled */
    hg_failure failure;
    hg_slice message;
    const hg_value *where; /* the value complained about */
    const char *expected;  /* set if the failure is a wrong type: what was wanted */
};

struct hg_table {
    const hg_value *map;
};

/* Forgets the failure. */
void hg_reader_clear(hg_reader *r);

/* Notes a failure whose message is the parts joined; returns false. */
bool hg_read_fail(hg_reader *r, hg_failure failure, const hg_value *where, const hg_slice *parts, size_t count);

#define HG_READ_ERROR(r, where, ...) HG_READ_FAIL(r, HG_FAILURE_ERROR, where, __VA_ARGS__)
#define HG_READ_WARNING(r, where, ...) HG_READ_FAIL(r, HG_FAILURE_WARNING, where, __VA_ARGS__)
#define HG_READ_FAIL(r, failure, where, ...)                                                                          \
    hg_read_fail(r, failure, where, (const hg_slice[]){__VA_ARGS__},                                                  \
                 sizeof((const hg_slice[]){__VA_ARGS__}) / sizeof(hg_slice))

bool hg_read_skip(hg_reader *r);
bool hg_read_nomem(hg_reader *r);

/* Notes `bad cast, expected '<expected>', obtained '<type of v>'`; returns false. */
bool hg_read_bad_cast(hg_reader *r, const hg_value *v, const char *expected);

/* Zeroed memory of the reader; NULL (with the failure noted) when there is none. */
void *hg_read_alloc(hg_reader *r, size_t count, size_t size);
#define HG_READ_NEW(r, type, count) ((type *)hg_read_alloc(r, count, sizeof(type)))

/* A conversion: *out gets what its comment says. Strings are copied into the reader's memory. */
typedef bool hg_cast(hg_reader *r, const hg_value *v, void *out);

hg_cast hg_cast_string;      /* hg_slice; numbers and booleans become their text */
hg_cast hg_cast_view;        /* hg_slice; strings only */
hg_cast hg_cast_bool;        /* bool; also the words true and false */
hg_cast hg_cast_unsigned;    /* uint64_t */
hg_cast hg_cast_signed;      /* int64_t */
hg_cast hg_cast_double;      /* double */
hg_cast hg_cast_array;       /* const hg_value * */
hg_cast hg_cast_table;       /* hg_table; refuses maps with keys that are none */
hg_cast hg_cast_strings;     /* hg_slices; elements as hg_cast_string */
hg_cast hg_cast_views;       /* hg_slices; elements as hg_cast_view */
hg_cast hg_cast_tags;        /* hg_tags; values as hg_cast_string, first of equal keys */
hg_cast hg_cast_key_path;    /* hg_key_path */
hg_cast hg_cast_version;     /* uint32_t, comparable */

/* The number hg_cast_unsigned would give; false instead of a failure. */
bool hg_as_unsigned(const hg_profile *profile, const hg_value *v, uint64_t *out);

/* Names the key in the wrong type just noted, if that is the failure; returns false. */
bool hg_read_tie(hg_reader *r, hg_slice key);

/* First entry with that key, or NULL. */
const hg_value *hg_table_find(const hg_table *table, hg_slice key);

/* Converts the entry `key`. Wrong types are reported with the key. A missing entry is an error. */
bool hg_read(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out);

/* The same, but leaves *out alone when there is no such entry. */
bool hg_read_optional(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out);

/* The same with wrong types reported as `bad cast`, without the key. */
bool hg_read_optional_untied(hg_reader *r, const hg_table *table, hg_slice key, hg_cast *cast, void *out);

/* min_version and max_version: an error, a skip, or true. */
bool hg_read_version_gate(hg_reader *r, const hg_table *table);

/* A pattern owned by the configuration. NULL: compile failure (*error filled, no failure noted) or out of memory
 * (failure noted). */
hg_regex *hg_read_regex(hg_reader *r, hg_slice pattern, bool case_insensitive, hg_regex_error *error);

/* A key path with an empty step: an error. */
bool hg_read_no_empty_step(hg_reader *r, const hg_value *where, hg_key_path path);

/* A key path with more steps than the profile allows: an error. */
bool hg_read_path_limit(hg_reader *r, const hg_value *where, hg_key_path path);

/* hg_cast_tags with wrong types reported with the tag's name. */
bool hg_cast_tags_tied(hg_reader *r, const hg_value *map, hg_tags *out);

/* Whether an earlier entry of the map has the key of entry i: the first of equal keys counts. Asked for each i in turn
 * with one `seen`, zeroed at first, so that long maps take linear time. Out of memory: true, with the failure noted. */
bool hg_read_is_repeated(hg_reader *r, const hg_value *map, size_t i, hg_id_map *seen);

/* A scalar copied into the reader's memory. */
bool hg_read_scalar(hg_reader *r, const hg_value *v, hg_value *out);

#endif
