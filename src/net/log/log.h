/* The logs: a file each, one source file each. */
#ifndef NET_LOG_H
#define NET_LOG_H

#include "net/log/row.h"

typedef enum log_id { LOG_CONN, LOG_TUNNEL, LOG_WEIRD, LOG_HTTP, LOG_UNKNOWN, LOG_ALERT, LOG_COUNT } log_id;

typedef struct log_file {
    const char *name;
    const log_column *columns; /* NULL: lines of JSON made elsewhere */
    FILE *file;
    log_text text; /* rows not yet written */
    bool used;     /* a row was written since it was opened */
} log_file;

enum { LOG_COLUMNS = 48 };

struct hg_netlog {
    hg_netlog_options options;
    char *dir;
    char *peer;
    const hg_net *net;
    log_file files[LOG_COUNT];
    log_column conn_columns[LOG_COLUMNS]; /* with the optional ones */
    bool failed;
};

/* A row of that log; NULL row->text never happens. */
void log_open(hg_netlog *log, log_id id, log_row *row);
void log_done(hg_netlog *log, log_id id, log_row *row);

void log_conn_columns(const hg_netlog_options *options, log_column *columns);
extern const log_column log_tunnel_columns[], log_weird_columns[], log_http_columns[], log_unknown_columns[];

void log_conn(void *state, const hg_net_conn *conn);
void log_tunnel(void *state, const hg_net_tunnel_event *event);
void log_weird(void *state, const hg_net_weird *weird);
void log_http(void *state, const hg_net_http *http);
void log_unknown(void *state, const hg_net_unknown *unknown);

/* The uid column. */
void log_uid(hg_netlog *log, log_row *row, uint64_t serial);

#endif
