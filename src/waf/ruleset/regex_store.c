#include "waf/ruleset/regex_store.h"

#include <stdlib.h>

#include "base/hash.h"

struct hg_regex_entry {
    hg_regex_entry *next;
    hg_regex *regex;
    bool case_insensitive;
    uint64_t hash;
    size_t holds;
};

static bool grow_buckets(hg_regex_store *store)
{
    if (store->count < store->bucket_count)
        return true;
    size_t count = store->bucket_count ? store->bucket_count * 2 : 64;
    hg_regex_entry **buckets = calloc(count, sizeof(hg_regex_entry *));
    if (buckets == NULL)
        return false;
    for (size_t i = 0; i < store->bucket_count; i++) {
        for (hg_regex_entry *e = store->buckets[i], *next; e != NULL; e = next) {
            next = e->next;
            e->next = buckets[e->hash & (count - 1)];
            buckets[e->hash & (count - 1)] = e;
        }
    }
    free(store->buckets);
    store->buckets = buckets;
    store->bucket_count = count;
    return true;
}

static bool grow_hold(hg_regex_hold *hold)
{
    if (hold->count < hold->capacity)
        return true;
    size_t capacity = hold->capacity ? hold->capacity * 2 : 16;
    hg_regex_entry **entries = realloc(hold->entries, capacity * sizeof(hg_regex_entry *));
    if (entries == NULL)
        return false;
    hold->entries = entries;
    hg_regex **regexes = realloc(hold->regexes, capacity * sizeof(hg_regex *));
    if (regexes == NULL)
        return false;
    hold->regexes = regexes;
    hold->capacity = capacity;
    return true;
}

static hg_regex_entry *find(const hg_regex_store *store, hg_slice pattern, bool case_insensitive, uint64_t hash)
{
    if (store->bucket_count == 0)
        return NULL;
    for (hg_regex_entry *e = store->buckets[hash & (store->bucket_count - 1)]; e != NULL; e = e->next)
        if (e->hash == hash && e->case_insensitive == case_insensitive &&
            hg_slice_equal(hg_regex_pattern(e->regex), pattern))
            return e;
    return NULL;
}

static hg_regex_entry *add(hg_regex_store *store, hg_slice pattern, bool case_insensitive, uint64_t hash,
                           hg_regex_error *error)
{
    hg_regex_entry *e = grow_buckets(store) ? malloc(sizeof *e) : NULL;
    if (e == NULL) {
        error->status = HG_ERR_NOMEM;
        return NULL;
    }
    hg_regex_options options = {.case_insensitive = case_insensitive};
    hg_regex *regex = hg_regex_compile(pattern, &options, error);
    if (regex == NULL) {
        free(e);
        return NULL;
    }
    hg_regex_entry **bucket = &store->buckets[hash & (store->bucket_count - 1)];
    *e = (hg_regex_entry){*bucket, regex, case_insensitive, hash, 0};
    *bucket = e;
    store->count++;
    return e;
}

hg_regex *hg_regex_store_get(hg_regex_store *store, hg_slice pattern, bool case_insensitive, hg_regex_error *error)
{
    hg_regex_hold *hold = store->hold;
    if (!grow_hold(hold)) {
        error->status = HG_ERR_NOMEM;
        return NULL;
    }
    uint64_t hash = hg_hash(pattern, hg_hash_seed());
    hg_regex_entry *e = find(store, pattern, case_insensitive, hash);
    if (e == NULL)
        e = add(store, pattern, case_insensitive, hash, error);
    if (e == NULL)
        return NULL;
    e->holds++;
    hold->entries[hold->count] = e;
    hold->regexes[hold->count++] = hg_regex_ref(e->regex);
    return e->regex;
}

static void forget(hg_regex_store *store, hg_regex_entry *e)
{
    hg_regex_entry **at = &store->buckets[e->hash & (store->bucket_count - 1)];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    hg_regex_unref(e->regex);
    free(e);
    store->count--;
}

void hg_regex_store_release(hg_regex_store *store, hg_regex_hold *hold)
{
    if (hold->entries == NULL)
        return;
    for (size_t i = 0; i < hold->count; i++)
        if (--hold->entries[i]->holds == 0)
            forget(store, hold->entries[i]);
    free(hold->entries);
    hold->entries = NULL;
}

void hg_regex_hold_close(hg_regex_hold *hold)
{
    for (size_t i = 0; i < hold->count; i++)
        hg_regex_unref(hold->regexes[i]);
    free(hold->regexes);
    free(hold->entries);
    *hold = (hg_regex_hold){0};
}

void hg_regex_store_close(hg_regex_store *store)
{
    free(store->buckets);
    *store = (hg_regex_store){0};
}
