/* Hotgate: RE2-syntax patterns and pattern sets. RE2 20220601 syntax and results (default options, UTF-8),
 * linear time, bounded memory, no allocation after warm-up. */
#ifndef HOTGATE_REGEX_H
#define HOTGATE_REGEX_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hg_regex hg_regex;             /* one compiled pattern; immutable, reference counted, any thread */
typedef struct hg_regex_set hg_regex_set;     /* many patterns scanned at once; any thread */
typedef struct hg_regex_scratch hg_regex_scratch; /* working memory of one thread */

typedef struct hg_regex_options {
    bool case_insensitive;
    int64_t max_mem; /* RE2's budget, decides refusals; 0 = 512 KiB as the WAF uses */
    size_t automaton_memory; /* most bytes of the pattern's own automaton; 0 = 1 MiB. Reserved, used as it grows. */
} hg_regex_options;

/* Why a pattern is refused, with RE2's numbers. */
typedef enum hg_regex_code {
    HG_REGEX_OK = 0,
    HG_REGEX_BAD_ESCAPE = 2,
    HG_REGEX_BAD_CHAR_RANGE = 4,
    HG_REGEX_MISSING_BRACKET = 5,
    HG_REGEX_MISSING_PAREN = 6,
    HG_REGEX_UNEXPECTED_PAREN = 7,
    HG_REGEX_TRAILING_BACKSLASH = 8,
    HG_REGEX_REPEAT_ARGUMENT = 9,
    HG_REGEX_REPEAT_SIZE = 10,
    HG_REGEX_REPEAT_OP = 11,
    HG_REGEX_BAD_PERL_OP = 12,
    HG_REGEX_BAD_UTF8 = 13,
    HG_REGEX_BAD_NAMED_CAPTURE = 14,
    HG_REGEX_TOO_LARGE = 15
} hg_regex_code;

typedef struct hg_regex_error {
    hg_status status;   /* HG_ERR_SYNTAX, HG_ERR_LIMIT (too large) or HG_ERR_NOMEM (code is 0 then) */
    char message[64];   /* RE2's wording, e.g. "missing )" */
    hg_slice argument;  /* RE2's error argument: a part of the caller's pattern, valid as long as that is */
    hg_regex_code code;
} hg_regex_error;

/* Compiles. NULL on refusal, with *error (may be NULL) filled. The pattern text is copied. */
HG_API hg_regex *hg_regex_compile(hg_slice pattern, const hg_regex_options *options, hg_regex_error *error);
HG_API hg_regex *hg_regex_ref(hg_regex *regex);
HG_API void hg_regex_unref(hg_regex *regex);
HG_API hg_slice hg_regex_pattern(const hg_regex *regex);
HG_API unsigned hg_regex_groups(const hg_regex *regex); /* capture groups, without the whole match */

/* One scratch a thread; grows on first use of each regex or set, then allocates no more. */
HG_API hg_regex_scratch *hg_regex_scratch_new(void);
HG_API void hg_regex_scratch_free(hg_regex_scratch *scratch);

/* Sets remember texts of 40 to 256 bytes that came twice and in which they found nothing (160 KiB a scratch, from the
 * first such scan on). `wanted` false: this scratch does not, for texts that do not repeat. */
HG_API void hg_regex_scratch_remember(hg_regex_scratch *scratch, bool wanted);

/* HG_OK, or HG_ERR_NOMEM once a call could not get memory and therefore found nothing. */
HG_API hg_status hg_regex_scratch_status(const hg_regex_scratch *scratch);

typedef struct hg_span {
    size_t begin; /* SIZE_MAX: the group did not take part */
    size_t end;
} hg_span;

/* Does the pattern occur in text? About a nanosecond a byte; linear in the text in any case. */
HG_API bool hg_regex_test(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text);

/* Leftmost-first match from byte `from` on; assertions see what stands before it. spans[0] is the whole match,
 * spans[1..count-1] are groups (up to 31 are told). False: no match, spans are unchanged. O(program x text). */
HG_API bool hg_regex_match(const hg_regex *regex, hg_regex_scratch *scratch, hg_slice text, size_t from,
                           hg_span *spans, size_t count);

/* A set keeps references to its patterns. Pattern i of the set is regexes[i]. NULL when out of memory. */
HG_API hg_regex_set *hg_regex_set_new(hg_regex *const *regexes, size_t count);

/* The same with the most bytes that the set's automaton may take (0 = 4 MiB; reserved, used as it grows). With less the
 * set is slower on varied texts, never wrong. Filters come on top: about 24 KiB for every hundred patterns. */
HG_API hg_regex_set *hg_regex_set_new_sized(hg_regex *const *regexes, size_t count, size_t automaton_memory);
HG_API void hg_regex_set_free(hg_regex_set *set);
HG_API size_t hg_regex_set_count(const hg_regex_set *set);

/* Which patterns occur in text: sets bit i of hits (count bits rounded up to 64-bit words, all written).
 * Returns whether any does. Never waits for another thread, allocates nothing once the scratch fits and the
 * patterns' automata are open; linear in the text. */
HG_API bool hg_regex_set_scan(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits);

/* hg_regex_set_scan of many strings, interleaved: the hits of texts[i] begin at hits[i * words], where words is the
 * count rounded up to 64-bit words. any (may be NULL): whether texts[i] has hits. The fastest way for a request. */
HG_API void hg_regex_set_scan_many(const hg_regex_set *set, hg_regex_scratch *scratch, const hg_slice *texts,
                                   size_t count, uint64_t *hits, bool *any);

typedef struct hg_regex_job {
    const hg_regex_set *set;
    hg_slice text;
    uint64_t *hits; /* room for a bit per pattern, rounded up to 64-bit words; all written */
    bool any;       /* the answer: does some pattern occur? */
} hg_regex_job;

/* hg_regex_set_scan of many texts with sets of their own, interleaved; nothing is remembered. Jobs of one set are best
 * put together. */
HG_API void hg_regex_scan_jobs(hg_regex_scratch *scratch, hg_regex_job *jobs, size_t count);

/* Filter for many strings at once: any[i] tells whether some pattern occurs in texts[i]. Strings are interleaved;
 * follow with hg_regex_set_scan for those that are true. */
HG_API void hg_regex_set_any(const hg_regex_set *set, hg_regex_scratch *scratch, const hg_slice *texts, size_t count,
                             bool *any);

#ifdef __cplusplus
}
#endif
#endif
