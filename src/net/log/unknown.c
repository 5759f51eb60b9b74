/* unknown_protocols.log: what no layer knew. */
#include "net/log/log.h"

const log_column log_unknown_columns[] = {
    {"ts", "time"},
    {"analyzer", "string"},
    {"protocol_id", "string"},
    {"first_bytes", "string"},
    {"analyzer_history", "vector[string]"},
    {NULL, NULL},
};

void log_unknown(void *state, const hg_net_unknown *unknown)
{
    enum { MOST = 64 };
    static const char hex[] = "0123456789abcdef";
    hg_netlog *log = state;
    hg_slice history[MOST];
    char id[24], bytes[64];
    log_row row;
    log_open(log, LOG_UNKNOWN, &row);
    log_time(&row, unknown->time);
    log_plain(&row, unknown->analyzer, strlen(unknown->analyzer));
    log_plain(&row, id, (size_t)snprintf(id, sizeof id, "0x%llx", (unsigned long long)unknown->protocol_id));
    size_t len = unknown->first_bytes.len < sizeof bytes / 2 ? unknown->first_bytes.len : sizeof bytes / 2;
    for (size_t i = 0; i < len; i++) {
        bytes[2 * i] = hex[(unsigned char)unknown->first_bytes.ptr[i] >> 4];
        bytes[2 * i + 1] = hex[unknown->first_bytes.ptr[i] & 15];
    }
    log_string(&row, hg_slice_of(bytes, 2 * len));
    size_t count = unknown->history_count < MOST ? unknown->history_count : MOST;
    for (size_t i = 0; i < count; i++)
        history[i] = hg_slice_from(unknown->history[i]);
    log_list(&row, history, count);
    log_done(log, LOG_UNKNOWN, &row);
}
