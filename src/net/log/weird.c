/* weird.log: anomalies. */
#include "net/log/log.h"

const log_column log_weird_columns[] = {
    {"ts", "time"},        {"uid", "string"},  {"id.orig_h", "addr"}, {"id.orig_p", "port"},
    {"id.resp_h", "addr"}, {"id.resp_p", "port"}, {"name", "string"}, {"addl", "string"},
    {"notice", "bool"},    {"peer", "string"}, {"source", "string"},  {NULL, NULL},
};

static void string_or_unset(log_row *row, const char *text)
{
    if (text[0] == '\0')
        log_unset(row);
    else
        log_string(row, hg_slice_from(text));
}

void log_weird(void *state, const hg_net_weird *weird)
{
    hg_netlog *log = state;
    log_row row;
    log_open(log, LOG_WEIRD, &row);
    log_time(&row, weird->time);
    if (weird->kind == HG_NET_WEIRD_FLOW)
        log_uid(log, &row, weird->serial);
    else
        log_unset(&row);
    if (weird->kind == HG_NET_WEIRD_BARE)
        for (int i = 0; i < 4; i++)
            log_unset(&row);
    else
        log_endpoints(&row, &weird->orig, &weird->resp);
    string_or_unset(&row, weird->name);
    string_or_unset(&row, weird->addl);
    log_bool(&row, weird->notice);
    string_or_unset(&row, log->peer);
    string_or_unset(&row, weird->source);
    log_done(log, LOG_WEIRD, &row);
}
