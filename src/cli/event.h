/* Reading the events of a result (libddwaf 2's shape). */
#ifndef CLI_EVENT_H
#define CLI_EVENT_H

#include "hotgate/value.h"

typedef struct cli_event {
    hg_slice id, name, type, category;
    const hg_value *tags;
    const hg_value *on_match;
    const hg_value *matches; /* array, one a condition */
} cli_event;

/* What one condition matched. */
typedef struct cli_match {
    hg_slice operator_name, operator_value, address, value, highlight;
    const hg_value *key_path;
} cli_match;

/* Event i of a result's value. */
cli_event cli_event_at(const hg_value *result, size_t i);

size_t cli_event_count(const hg_value *result);

/* Match i of an event; of structured operators the resource. */
cli_match cli_match_at(const cli_event *event, size_t i);

/* The match that is worth showing: the first one with a highlight, else the first. */
cli_match cli_event_best(const cli_event *event);

/* Appends address and key path as text: server.request.query.id[0]. */
void cli_match_place(const cli_match *match, hg_buffer *out);

/* The string under a key of a map, or empty. */
hg_slice cli_text_at(const hg_value *map, const char *key);

#endif
