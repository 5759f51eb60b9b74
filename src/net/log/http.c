/* http.log: a row a transaction. The file columns of the format stay unset: files are not analysed. */
#include "net/log/log.h"

const log_column log_http_columns[] = {
    {"ts", "time"},
    {"uid", "string"},
    {"id.orig_h", "addr"},
    {"id.orig_p", "port"},
    {"id.resp_h", "addr"},
    {"id.resp_p", "port"},
    {"trans_depth", "count"},
    {"method", "string"},
    {"host", "string"},
    {"uri", "string"},
    {"referrer", "string"},
    {"version", "string"},
    {"user_agent", "string"},
    {"origin", "string"},
    {"request_body_len", "count"},
    {"response_body_len", "count"},
    {"status_code", "count"},
    {"status_msg", "string"},
    {"info_code", "count"},
    {"info_msg", "string"},
    {"tags", "set[enum]"},
    {"username", "string"},
    {"password", "string"},
    {"proxied", "set[string]"},
    {"orig_fuids", "vector[string]"},
    {"orig_filenames", "vector[string]"},
    {"orig_mime_types", "vector[string]"},
    {"resp_fuids", "vector[string]"},
    {"resp_filenames", "vector[string]"},
    {"resp_mime_types", "vector[string]"},
    {NULL, NULL},
};

static void optional(log_row *row, hg_slice value)
{
    if (value.ptr == NULL)
        log_unset(row);
    else
        log_string(row, value);
}

void log_http(void *state, const hg_net_http *http)
{
    hg_netlog *log = state;
    log_row row;
    log_open(log, LOG_HTTP, &row);
    log_time(&row, http->time);
    log_uid(log, &row, http->serial);
    log_endpoints(&row, &http->orig, &http->resp);
    log_count(&row, http->depth);
    optional(&row, http->method);
    optional(&row, http->host);
    optional(&row, http->uri);
    optional(&row, http->referrer);
    if (http->has_reply) {
        char version[8] = {(char)('0' + http->version_major), '.', (char)('0' + http->version_minor)};
        log_plain(&row, version, 3);
    } else {
        log_unset(&row);
    }
    optional(&row, http->user_agent);
    optional(&row, http->origin);
    log_count(&row, http->request_body);
    log_count(&row, http->response_body);
    if (http->has_reply)
        log_count(&row, http->status);
    else
        log_unset(&row);
    optional(&row, http->status_text);
    if (http->info_status != 0)
        log_count(&row, http->info_status);
    else
        log_unset(&row);
    optional(&row, http->info_text);
    log_list(&row, NULL, 0);
    optional(&row, http->username);
    optional(&row, http->password);
    if (http->proxied_count > 0)
        log_list(&row, http->proxied, http->proxied_count);
    else
        log_unset(&row);
    for (int i = 0; i < 6; i++)
        log_unset(&row);
    log_done(log, LOG_HTTP, &row);
}
