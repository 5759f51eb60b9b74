/* Logs as tables of rows, and their comparison: order does not matter, uids only by what they connect. */
#ifndef PACKETS_ROWS_H
#define PACKETS_ROWS_H

#include "conformance/conformance.h"

enum { PACKETS_COLUMNS = 48 };

typedef enum packets_log {
    PACKETS_CONN, PACKETS_TUNNEL, PACKETS_HTTP, PACKETS_WEIRD, PACKETS_UNKNOWN, PACKETS_LOGS,
} packets_log;

extern const char *const packets_log_names[PACKETS_LOGS];

typedef struct packets_field {
    char *name;
    char *value;
} packets_field;

typedef struct packets_row {
    packets_field fields[PACKETS_COLUMNS];
    size_t count;
    char *sort; /* everything but uids */
    char *text; /* with canonical uids */
} packets_row;

typedef struct packets_table {
    packets_row *rows;
    size_t count;
    char *columns[PACKETS_COLUMNS]; /* of a TSV file */
    size_t column_count;
} packets_table;

/* How a log is read. keep: only these columns count (NULL: all). ignore: the log does not count. foreign: made by other
 * settings: times are masked and columns may stand in any order. */
typedef struct packets_reading {
    bool ignore;
    bool foreign;
    bool known_services; /* only services that are ours to see */
    const packets_table *keep;
} packets_reading;

/* Reads a log of either format; an absent file is an empty table. False: it cannot be read. */
bool packets_load(const char *path, const packets_reading *reading, packets_table *table);

/* Gives uids canonical names over all logs of one run and makes the rows' texts, sorted. */
void packets_canonical(packets_table tables[PACKETS_LOGS]);

/* A row that only one of them has: *missing or *extra; true when there is none. */
bool packets_equal(const packets_table *expected, const packets_table *got, const char **missing, const char **extra);

void packets_free(packets_table tables[PACKETS_LOGS]);

#endif
