/* conn.log: a row a flow. */
#include "net/log/log.h"

static const log_column base[] = {
    {"ts", "time"},           {"uid", "string"},         {"id.orig_h", "addr"},      {"id.orig_p", "port"},
    {"id.resp_h", "addr"},    {"id.resp_p", "port"},     {"proto", "enum"},          {"service", "string"},
    {"duration", "interval"}, {"orig_bytes", "count"},   {"resp_bytes", "count"},    {"conn_state", "string"},
    {"local_orig", "bool"},   {"local_resp", "bool"},    {"missed_bytes", "count"},  {"history", "string"},
    {"orig_pkts", "count"},   {"orig_ip_bytes", "count"}, {"resp_pkts", "count"},    {"resp_ip_bytes", "count"},
    {"tunnel_parents", "set[string]"}, {"ip_proto", "count"},
};

void log_conn_columns(const hg_netlog_options *o, log_column *columns)
{
    size_t n = sizeof base / sizeof *base;
    memcpy(columns, base, sizeof base);
    if (o->vlan) {
        columns[n++] = (log_column){"vlan", "int"};
        columns[n++] = (log_column){"inner_vlan", "int"};
    }
    if (o->mac) {
        columns[n++] = (log_column){"orig_l2_addr", "string"};
        columns[n++] = (log_column){"resp_l2_addr", "string"};
    }
    if (o->community_id)
        columns[n++] = (log_column){"community_id", "string"};
    if (o->pppoe)
        columns[n++] = (log_column){"pppoe_session_id", "int"};
    columns[n] = (log_column){NULL, NULL};
}

static void text_or_unset(log_row *row, const char *text)
{
    if (text[0] == '\0')
        log_unset(row);
    else
        log_plain(row, text, strlen(text));
}

static void int_or_unset(log_row *row, int value)
{
    if (value < 0)
        log_unset(row);
    else
        log_int(row, value);
}

static void mac(log_row *row, const uint8_t *octets)
{
    static const char hex[] = "0123456789abcdef";
    char text[17];
    if (octets == NULL) {
        log_unset(row);
        return;
    }
    for (int i = 0; i < 6; i++) {
        text[3 * i] = hex[octets[i] >> 4];
        text[3 * i + 1] = hex[octets[i] & 15];
        if (i < 5)
            text[3 * i + 2] = ':';
    }
    log_plain(row, text, sizeof text);
}

static void parents(hg_netlog *log, log_row *row, const hg_net_conn *conn)
{
    enum { MOST = 64 };
    char uids[MOST][HG_NET_UID];
    hg_slice list[MOST];
    size_t count = conn->tunnel_parent_count < MOST ? conn->tunnel_parent_count : MOST;
    if (count == 0) {
        log_unset(row);
        return;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = hg_slice_of(uids[i], hg_net_uid(log->net, conn->tunnel_parents[i], uids[i]));
    log_list(row, list, count);
}

void log_conn(void *state, const hg_net_conn *conn)
{
    static const char *const protos[] = {"tcp", "udp", "icmp", "unknown_transport"};
    hg_netlog *log = state;
    log_row row;
    log_open(log, LOG_CONN, &row);
    log_time(&row, conn->start);
    log_uid(log, &row, conn->serial);
    log_endpoints(&row, &conn->orig, &conn->resp);
    text_or_unset(&row, protos[conn->proto]);
    text_or_unset(&row, conn->service);
    if (conn->end > conn->start) {
        log_interval(&row, conn->start, conn->end);
        log_count(&row, conn->side[0].bytes);
        log_count(&row, conn->side[1].bytes);
    } else {
        log_unset(&row);
        log_unset(&row);
        log_unset(&row);
    }
    text_or_unset(&row, conn->state);
    log_bool(&row, conn->local_orig);
    log_bool(&row, conn->local_resp);
    log_count(&row, conn->missed_bytes);
    text_or_unset(&row, conn->history);
    for (int i = 0; i < 2; i++) {
        log_count(&row, conn->side[i].packets);
        log_count(&row, conn->side[i].ip_bytes);
    }
    parents(log, &row, conn);
    log_count(&row, conn->ip_proto);
    if (log->options.vlan) {
        int_or_unset(&row, conn->vlan);
        int_or_unset(&row, conn->inner_vlan);
    }
    if (log->options.mac) {
        mac(&row, conn->side[0].mac);
        mac(&row, conn->side[1].mac);
    }
    if (log->options.community_id)
        text_or_unset(&row, conn->community_id);
    if (log->options.pppoe)
        int_or_unset(&row, conn->pppoe_session);
    log_done(log, LOG_CONN, &row);
}
