#ifndef VALUE_OFFSETS_H
#define VALUE_OFFSETS_H

#include "hotgate/value.h"

/* Notes where the value now at this address began. False when out of memory. */
bool offsets_put(hg_json_offsets *table, const hg_value *value, size_t offset);
void offsets_clear(hg_json_offsets *table);

/* While a reader runs, values sit on the builder's stack: the tracker keeps their offsets by stack index, and moves
 * them to the table when a container closes and its entries have their final address. */
typedef struct offsets_tracker {
    hg_json_offsets *table;
    size_t *values; /* by index on the value stack */
    size_t value_room;
    size_t *opens; /* by depth: where the open container began */
    size_t open_room;
} offsets_tracker;

void tracker_init(offsets_tracker *t, hg_json_offsets *table);
void tracker_end(offsets_tracker *t);
bool tracker_value(offsets_tracker *t, size_t index, size_t offset);
bool tracker_open(offsets_tracker *t, size_t depth, size_t offset);
/* The container that was open at `depth` is now the value at stack index `first`. */
bool tracker_close(offsets_tracker *t, size_t depth, size_t first, const hg_value *container);
bool tracker_root(offsets_tracker *t, const hg_value *root);

#endif
