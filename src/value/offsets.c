/* Address of a value -> byte offset in the text it was read from: open addressing, at most half full. */
#include "value/offsets.h"

#include "base/hash.h"

#include <stdlib.h>

typedef struct entry {
    const hg_value *value;
    size_t offset;
} entry;

struct hg_json_offsets {
    entry *entries;
    size_t used, room; /* room is 0 or a power of two */
};

hg_json_offsets *hg_json_offsets_new(void)
{
    return calloc(1, sizeof(hg_json_offsets));
}

void hg_json_offsets_free(hg_json_offsets *table)
{
    if (table == NULL)
        return;
    free(table->entries);
    free(table);
}

void offsets_clear(hg_json_offsets *table)
{
    free(table->entries);
    *table = (hg_json_offsets){NULL, 0, 0};
}

/* The entry of that address, or the free one where it would go. */
static entry *locate(entry *entries, size_t room, const hg_value *value)
{
    size_t i = (size_t)hg_hash_u64((uintptr_t)value) & (room - 1);
    while (entries[i].value != NULL && entries[i].value != value)
        i = (i + 1) & (room - 1);
    return &entries[i];
}

static bool grow(hg_json_offsets *table)
{
    size_t room = table->room ? 2 * table->room : 64;
    entry *entries = calloc(room, sizeof *entries);
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < table->room; i++) {
        if (table->entries[i].value != NULL)
            *locate(entries, room, table->entries[i].value) = table->entries[i];
    }
    free(table->entries);
    table->entries = entries;
    table->room = room;
    return true;
}

bool offsets_put(hg_json_offsets *table, const hg_value *value, size_t offset)
{
    if (2 * (table->used + 1) > table->room && !grow(table))
        return false;
    entry *e = locate(table->entries, table->room, value);
    table->used += e->value == NULL;
    *e = (entry){value, offset};
    return true;
}

size_t hg_json_offset_of(const hg_json_offsets *table, const hg_value *value)
{
    if (table == NULL || table->room == 0)
        return SIZE_MAX;
    const entry *e = locate(table->entries, table->room, value);
    return e->value == value ? e->offset : SIZE_MAX;
}

void tracker_init(offsets_tracker *t, hg_json_offsets *table)
{
    *t = (offsets_tracker){.table = table};
}

void tracker_end(offsets_tracker *t)
{
    free(t->values);
    free(t->opens);
}

static bool put_at(size_t **list, size_t *room, size_t index, size_t offset)
{
    if (index >= *room) {
        size_t more = index < 64 ? 128 : 2 * index;
        size_t *grown = realloc(*list, more * sizeof *grown);
        if (grown == NULL)
            return false;
        for (size_t i = *room; i < more; i++)
            grown[i] = SIZE_MAX;
        *list = grown;
        *room = more;
    }
    (*list)[index] = offset;
    return true;
}

bool tracker_value(offsets_tracker *t, size_t index, size_t offset)
{
    return put_at(&t->values, &t->value_room, index, offset);
}

bool tracker_open(offsets_tracker *t, size_t depth, size_t offset)
{
    return put_at(&t->opens, &t->open_room, depth, offset);
}

bool tracker_close(offsets_tracker *t, size_t depth, size_t first, const hg_value *container)
{
    const hg_value *entries = container->wide.ptr;
    size_t slots = hg_value_size(container) * (hg_is_map(container) ? 2 : 1);
    for (size_t i = 0; i < slots; i++) {
        /* what a limit put in the place of something else has no offset of its own */
        size_t offset = first + i < t->value_room ? t->values[first + i] : SIZE_MAX;
        if (!offsets_put(t->table, entries + i, offset))
            return false;
    }
    return tracker_value(t, first, t->opens[depth]);
}

bool tracker_root(offsets_tracker *t, const hg_value *root)
{
    return offsets_put(t->table, root, t->value_room > 0 ? t->values[0] : SIZE_MAX);
}

void hg_json_position(hg_slice text, size_t offset, uint32_t *line, uint32_t *column)
{
    size_t start = 0;
    uint32_t lines = 1;
    if (offset > text.len)
        offset = text.len;
    for (size_t i = 0; i < offset; i++) {
        if (text.ptr[i] == '\n') {
            lines++;
            start = i + 1;
        }
    }
    *line = lines;
    *column = (uint32_t)(offset - start) + 1;
}
