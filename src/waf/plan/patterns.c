#include "waf/plan/patterns.h"

#include "hotgate/value.h"

#include <stdlib.h>

enum {
    PHRASE_BYTES = 12,        /* of each phrase that the pattern looks at */
    PHRASE_MEMORY = 256 << 20 /* phrase lists are ours to size, not RE2's */
};

/* A pattern made here, for reuse by other inputs of the same condition. */
typedef struct made {
    const void *source; /* parameters of the matcher */
    bool folds;
    hg_regex *regex;
} made;

struct hg_set_store {
    made *made;
    size_t made_count, made_room;
    hg_regex_set **sets;
    size_t set_count, set_room;
};

static bool make_room(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t larger = *room ? *room * 2 : 16;
    void *grown = realloc(*items, larger * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *room = larger;
    return true;
}

hg_set_store *hg_set_store_new(void)
{
    return calloc(1, sizeof(hg_set_store));
}

void hg_set_store_free(hg_set_store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < store->set_count; i++)
        hg_regex_set_free(store->sets[i]);
    for (size_t i = 0; i < store->made_count; i++)
        hg_regex_unref(store->made[i].regex);
    free(store->sets);
    free(store->made);
    free(store);
}

const hg_regex_set *hg_set_store_add(hg_set_store *store, hg_regex *const *patterns, size_t count)
{
    if (!make_room((void **)&store->sets, store->set_count, &store->set_room, sizeof *store->sets))
        return NULL;
    hg_regex_set *set = hg_regex_set_new(patterns, count);
    if (set != NULL)
        store->sets[store->set_count++] = set;
    return set;
}

/* ---- Phrases as one pattern: a trie written with groups ---- */

static int compare_phrases(const void *a, const void *b)
{
    return hg_slice_compare(*(const hg_slice *)a, *(const hg_slice *)b);
}

static void write_byte(hg_buffer *out, unsigned char byte)
{
    bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    if (plain)
        hg_buffer_byte(out, (char)byte);
    else if (byte < 0x80)
        hg_buffer_printf(out, "\\x%02x", byte);
    else
        hg_buffer_append(out, HG_SLICE("\\C")); /* any byte: found more often, confirmed later */
}

/* Phrases [first, end) agree in their first `depth` bytes. Once one of them ends, longer ones add nothing. */
static void write_trie(hg_buffer *out, const hg_slice *phrases, size_t first, size_t end, size_t depth)
{
    if (depth == PHRASE_BYTES || phrases[first].len == depth)
        return;
    bool several = phrases[first].ptr[depth] != phrases[end - 1].ptr[depth];
    if (several)
        hg_buffer_append(out, HG_SLICE("(?:"));
    for (size_t at = first; at < end;) {
        size_t next = at + 1;
        char byte = phrases[at].ptr[depth];
        while (next < end && phrases[next].ptr[depth] == byte)
            next++;
        if (at > first)
            hg_buffer_byte(out, '|');
        write_byte(out, (unsigned char)byte);
        write_trie(out, phrases, at, next, depth + 1);
        at = next;
    }
    if (several)
        hg_buffer_byte(out, ')');
}

static hg_regex *compile_phrases(const hg_phrase_params *params, bool folds, bool *failed)
{
    hg_buffer text = {0};
    hg_regex_options options = {.case_insensitive = folds, .max_mem = PHRASE_MEMORY};
    hg_slice *sorted = malloc((params->count + 1) * sizeof *sorted);
    size_t count = 0;
    *failed = sorted == NULL;
    for (size_t i = 0; i < params->count && sorted != NULL; i++)
        if (params->phrases[i].len > 0)
            sorted[count++] = params->phrases[i];
    hg_regex *regex = NULL;
    if (count > 0) {
        qsort(sorted, count, sizeof *sorted, compare_phrases);
        write_trie(&text, sorted, 0, count, 0);
        *failed = text.failed;
        if (!text.failed)
            regex = hg_regex_compile(hg_slice_of(text.ptr, text.len), &options, NULL);
    }
    hg_buffer_free(&text);
    free(sorted);
    return regex;
}

/* ---- Patterns of matchers ---- */

static made *find_made(hg_set_store *store, const void *source, bool folds)
{
    for (size_t i = 0; i < store->made_count; i++)
        if (store->made[i].source == source && store->made[i].folds == folds)
            return &store->made[i];
    return NULL;
}

/* A group such as (?-i:...) sees the case again. */
static bool restores_case(hg_slice pattern)
{
    for (size_t i = 0; i + 2 < pattern.len; i++) {
        if (pattern.ptr[i] != '(' || pattern.ptr[i + 1] != '?')
            continue;
        bool minus = false;
        for (size_t k = i + 2; k < pattern.len && strchr("imsU-", pattern.ptr[k]) != NULL; k++) {
            minus |= pattern.ptr[k] == '-';
            if (minus && pattern.ptr[k] == 'i')
                return true;
        }
    }
    return false;
}

/* Occurs in every text: nothing in it looks around and it can be empty. Such a pattern would only slow its set. */
static bool is_everywhere(const hg_regex *regex)
{
    hg_slice pattern = hg_regex_pattern(regex);
    for (size_t i = 0; i < pattern.len; i++)
        if (strchr("^$\\", pattern.ptr[i]) != NULL)
            return false;
    hg_regex_scratch *scratch = hg_regex_scratch_new();
    bool empty = scratch != NULL && hg_regex_test(regex, scratch, HG_SLICE(""));
    hg_regex_scratch_free(scratch);
    return empty;
}

static hg_pattern keep(hg_set_store *store, const void *source, bool folds, hg_regex *regex)
{
    if (!make_room((void **)&store->made, store->made_count, &store->made_room, sizeof *store->made)) {
        hg_regex_unref(regex);
        return (hg_pattern){.failed = true};
    }
    store->made[store->made_count++] = (made){source, folds, regex};
    return (hg_pattern){.regex = regex};
}

static hg_pattern regex_pattern(hg_set_store *store, const hg_regex_params *params, bool folds)
{
    hg_pattern pattern = {.min_length = params->min_length, .exact = params->checksum == NULL};
    if (is_everywhere(params->regex) || (folds && restores_case(hg_regex_pattern(params->regex))))
        return pattern;
    if (!folds || !params->case_sensitive) {
        pattern.regex = params->regex;
        return pattern;
    }
    const made *known = find_made(store, params, folds);
    hg_regex_options options = {.case_insensitive = true, .max_mem = PHRASE_MEMORY};
    hg_pattern blind = known != NULL
                           ? (hg_pattern){.regex = known->regex}
                           : keep(store, params, folds,
                                  hg_regex_compile(hg_regex_pattern(params->regex), &options, NULL));
    blind.min_length = params->min_length;
    return blind;
}

hg_pattern hg_pattern_of(hg_set_store *store, const hg_matcher *matcher, bool folds)
{
    if (matcher->op == &hg_operator_match_regex || matcher->op == &hg_operator_match_regex_with_checksum)
        return regex_pattern(store, matcher->params, folds);
    if (matcher->op != &hg_operator_phrase_match)
        return (hg_pattern){0};
    const made *known = find_made(store, matcher->params, folds);
    if (known != NULL)
        return (hg_pattern){.regex = known->regex};
    bool failed;
    hg_regex *regex = compile_phrases(matcher->params, folds, &failed);
    if (failed)
        return (hg_pattern){.failed = true};
    return keep(store, matcher->params, folds, regex);
}
