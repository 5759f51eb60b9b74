/* Pattern sets. */
#include "regex/internal.h"

#include <stdlib.h>

hg_regex_set *hg_regex_set_new(hg_regex *const *regexes, size_t count)
{
    hg_regex_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    set->regexes = malloc((count ? count : 1) * sizeof *set->regexes);
    if (set->regexes == NULL) {
        free(set);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        set->regexes[i] = hg_regex_ref(regexes[i]);
    set->count = count;
    return set;
}

void hg_regex_set_free(hg_regex_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++)
        hg_regex_unref(set->regexes[i]);
    free(set->regexes);
    free(set);
}

size_t hg_regex_set_count(const hg_regex_set *set)
{
    return set->count;
}

bool hg_regex_set_scan(const hg_regex_set *set, hg_regex_scratch *scratch, hg_slice text, uint64_t *hits)
{
    bool any = false;
    memset(hits, 0, (set->count + 63) / 64 * sizeof *hits);
    for (size_t i = 0; i < set->count; i++) {
        if (hg_regex_test(set->regexes[i], scratch, text)) {
            hits[i / 64] |= (uint64_t)1 << (i % 64);
            any = true;
        }
    }
    return any;
}

void hg_regex_set_any(const hg_regex_set *set, hg_regex_scratch *scratch, const hg_slice *texts, size_t count,
                      bool *any)
{
    for (size_t t = 0; t < count; t++) {
        any[t] = false;
        for (size_t i = 0; i < set->count && !any[t]; i++)
            any[t] = hg_regex_test(set->regexes[i], scratch, texts[t]);
    }
}
