/* One row of a log: fields are appended in the order of the columns, in either format. */
#ifndef NET_ROW_H
#define NET_ROW_H

#include "hotgate/netlog.h"

typedef struct log_column {
    const char *name;
    const char *type; /* time, string, addr, port, enum, interval, count, bool, int, set[...], vector[...] */
} log_column;

/* A growing text; grows only beyond its peak. */
typedef struct log_text {
    char *bytes;
    size_t len, room;
    bool failed;
} log_text;

char *log_text_room(log_text *text, size_t more);
void log_text_add(log_text *text, const char *bytes, size_t len);

typedef struct log_row {
    log_text *text;
    const log_column *column; /* the next one */
    const hg_netlog_options *options;
    bool first;
} log_row;

void log_row_start(log_row *row, log_text *text, const log_column *columns, const hg_netlog_options *options);
void log_row_end(log_row *row);

void log_unset(log_row *row);
void log_time(log_row *row, hg_net_time time);
void log_interval(log_row *row, hg_net_time from, hg_net_time to);
void log_count(log_row *row, uint64_t value);
void log_int(log_row *row, int64_t value);
void log_bool(log_row *row, bool value);
void log_addr(log_row *row, const uint8_t addr[16]);
/* Text to be escaped. */
void log_string(log_row *row, hg_slice value);
/* Text that needs no escaping. */
void log_plain(log_row *row, const char *value, size_t len);
/* A set or vector of texts; count 0 gives the empty form. */
void log_list(log_row *row, const hg_slice *values, size_t count);
void log_endpoints(log_row *row, const hg_net_endpoint *orig, const hg_net_endpoint *resp);

#endif
