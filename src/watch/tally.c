/* Counting by name. */
#include "watch/tally.h"

#include <stdlib.h>

static uint32_t bucket_of(hg_slice name)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a: names come from summaries of bounded size */
    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (unsigned char)name.ptr[i]) * 1099511628211u;
    return (uint32_t)(h >> 32) % 1024;
}

void watch_tally_add(watch_tally *tally, hg_slice name, uint64_t count)
{
    name = hg_slice_take(name, WATCH_TALLY_NAME - 1);
    uint32_t bucket = bucket_of(name);
    for (uint32_t at = tally->buckets[bucket]; at != 0; at = tally->entries[at - 1].next) {
        watch_entry *entry = &tally->entries[at - 1];
        if (strncmp(entry->name, name.ptr, name.len) == 0 && entry->name[name.len] == '\0') {
            entry->count += count;
            return;
        }
    }
    if (tally->entries == NULL)
        tally->entries = malloc(WATCH_TALLY_MOST * sizeof *tally->entries);
    if (tally->entries == NULL || tally->count == WATCH_TALLY_MOST) {
        tally->others += count;
        return;
    }
    watch_entry *entry = &tally->entries[tally->count++];
    if (name.len > 0)
        memcpy(entry->name, name.ptr, name.len);
    entry->name[name.len] = '\0';
    entry->count = count;
    entry->next = tally->buckets[bucket];
    tally->buckets[bucket] = tally->count;
}

size_t watch_tally_top(const watch_tally *tally, const watch_entry **top, size_t n)
{
    size_t found = 0;
    for (uint32_t i = 0; i < tally->count; i++) {
        const watch_entry *entry = &tally->entries[i];
        size_t at = found < n ? found++ : n;
        while (at > 0 && entry->count > top[at - 1]->count) {
            if (at < n)
                top[at] = top[at - 1];
            at--;
        }
        if (at < n)
            top[at] = entry;
    }
    return found;
}

void watch_tally_free(watch_tally *tally)
{
    free(tally->entries);
    tally->entries = NULL;
}
