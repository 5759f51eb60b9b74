#include "cli/scan/tally.h"

#include <stdlib.h>

static uint64_t hash_of(hg_slice s)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001B3u;
    return h ^ (h >> 29);
}

static tally_entry *find(const tally *t, hg_slice name)
{
    size_t at = hash_of(name) & (t->slot_count - 1);
    while (t->slots[at].name != NULL && !hg_slice_equal(hg_slice_from(t->slots[at].name), name))
        at = (at + 1) & (t->slot_count - 1);
    return &t->slots[at];
}

static bool grow(tally *t)
{
    tally bigger = {.slot_count = t->slot_count > 0 ? t->slot_count * 2 : 256, .used = t->used};
    bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < t->slot_count; i++)
        if (t->slots[i].name != NULL)
            *find(&bigger, hg_slice_from(t->slots[i].name)) = t->slots[i];
    free(t->slots);
    *t = bigger;
    return true;
}

void tally_add(tally *t, hg_slice name)
{
    if (t->used * 2 >= t->slot_count && !grow(t))
        return;
    /* a name ends at a NUL byte, so that names in the table and names looked for compare alike */
    const char *nul = name.len > 0 ? memchr(name.ptr, '\0', name.len) : NULL;
    name = nul != NULL ? hg_slice_take(name, (size_t)(nul - name.ptr)) : name;
    tally_entry *entry = find(t, name);
    if (entry->name == NULL) {
        if (t->used == TALLY_MAX || (entry->name = strndup(name.len > 0 ? name.ptr : "", name.len)) == NULL)
            return;
        t->used++;
    }
    entry->count++;
}

void tally_free(tally *t)
{
    for (size_t i = 0; i < t->slot_count; i++)
        free(t->slots[i].name);
    free(t->slots);
    *t = (tally){0};
}

size_t tally_top(const tally *t, const tally_entry **top, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < t->slot_count; i++) {
        const tally_entry *entry = &t->slots[i];
        if (entry->name == NULL || (n == most && top[n - 1]->count >= entry->count))
            continue;
        size_t at = n < most ? n++ : most - 1;
        for (; at > 0 && top[at - 1]->count < entry->count; at--)
            top[at] = top[at - 1];
        top[at] = entry;
    }
    return n;
}
