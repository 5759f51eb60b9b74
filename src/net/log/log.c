/* The set of log files: made with their first row, written in large pieces, closed with a line that says so. */
#include "net/log/log.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { WRITE_AT = 256 * 1024, PATH = 4096 };

hg_netlog *hg_netlog_new(const hg_netlog_options *options)
{
    hg_netlog *log = calloc(1, sizeof *log);
    if (log == NULL)
        return NULL;
    log->options = *options;
    log->dir = strdup(options->dir ? options->dir : ".");
    log->peer = strdup(options->peer ? options->peer : "hotgate");
    if (log->dir == NULL || log->peer == NULL) {
        free(log->dir);
        free(log->peer);
        free(log);
        return NULL;
    }
    log_conn_columns(options, log->conn_columns);
    log->files[LOG_CONN] = (log_file){.name = "conn", .columns = log->conn_columns};
    log->files[LOG_TUNNEL] = (log_file){.name = "tunnel", .columns = log_tunnel_columns};
    log->files[LOG_WEIRD] = (log_file){.name = "weird", .columns = log_weird_columns};
    log->files[LOG_HTTP] = (log_file){.name = "http", .columns = log_http_columns};
    log->files[LOG_UNKNOWN] = (log_file){.name = "unknown_protocols", .columns = log_unknown_columns};
    log->files[LOG_ALERT] = (log_file){.name = "alert"};
    return log;
}

void hg_netlog_sink(hg_netlog *log, hg_net_sink *sink)
{
    sink->state = log;
    sink->conn = log_conn;
    sink->tunnel = log_tunnel;
    sink->weird = log_weird;
    sink->http = log_http;
    sink->unknown = log_unknown;
}

void hg_netlog_bind(hg_netlog *log, const hg_net *net)
{
    log->net = net;
}

static bool to_stdout(const hg_netlog *log)
{
    return strcmp(log->dir, "-") == 0;
}

static void stamp(const char *key, log_text *text)
{
    char line[64];
    time_t now = time(NULL);
    struct tm tm;
    localtime_r(&now, &tm);
    size_t len = (size_t)snprintf(line, sizeof line, "#%s\t", key);
    len += strftime(line + len, sizeof line - len, "%Y-%m-%d-%H-%M-%S\n", &tm);
    log_text_add(text, line, len);
}

static void add(log_text *text, const char *line)
{
    log_text_add(text, line, strlen(line));
}

static void header(log_file *file)
{
    log_text *text = &file->text;
    add(text, "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\t");
    add(text, file->name);
    add(text, "\n");
    stamp("open", text);
    add(text, "#fields");
    for (const log_column *c = file->columns; c->name != NULL; c++) {
        add(text, "\t");
        add(text, c->name);
    }
    add(text, "\n#types");
    for (const log_column *c = file->columns; c->name != NULL; c++) {
        add(text, "\t");
        add(text, c->type);
    }
    add(text, "\n");
}

static bool is_tsv(const hg_netlog *log, const log_file *file)
{
    return file->columns != NULL && log->options.format == HG_NETLOG_TSV;
}

static void path_of(const hg_netlog *log, const log_file *file, char path[PATH])
{
    snprintf(path, PATH, "%s/%s.log", log->dir, file->name);
}

static void write_out(hg_netlog *log, log_file *file)
{
    if (file->text.failed) {
        log->failed = true;
        file->text.failed = false;
    }
    if (log->dir[0] == '\0')
        file->text.len = 0;
    if (file->text.len == 0)
        return;
    if (file->file == NULL) {
        char path[PATH];
        path_of(log, file, path);
        file->file = to_stdout(log) ? stdout : fopen(path, "w");
        if (file->file == NULL) {
            if (!log->failed)
                fprintf(stderr, "%s: %s\n", path, strerror(errno));
            log->failed = true;
            file->text.len = 0;
            return;
        }
    }
    if (fwrite(file->text.bytes, 1, file->text.len, file->file) != file->text.len)
        log->failed = true;
    file->text.len = 0;
}

static void start(hg_netlog *log, log_file *file)
{
    if (file->used)
        return;
    file->used = true;
    if (is_tsv(log, file))
        header(file);
}

void log_open(hg_netlog *log, log_id id, log_row *row)
{
    log_file *file = &log->files[id];
    start(log, file);
    log_row_start(row, &file->text, file->columns, &log->options);
}

void log_done(hg_netlog *log, log_id id, log_row *row)
{
    log_file *file = &log->files[id];
    log_row_end(row);
    if (file->text.len >= WRITE_AT)
        write_out(log, file);
}

void log_uid(hg_netlog *log, log_row *row, uint64_t serial)
{
    char uid[HG_NET_UID];
    log_plain(row, uid, hg_net_uid(log->net, serial, uid));
}

void hg_netlog_line(hg_netlog *log, const char *name, hg_slice json)
{
    for (int i = 0; i < LOG_COUNT; i++) {
        log_file *file = &log->files[i];
        if (strcmp(file->name, name) != 0)
            continue;
        start(log, file);
        log_text_add(&file->text, json.ptr, json.len);
        log_text_add(&file->text, "\n", 1);
        if (file->text.len >= WRITE_AT)
            write_out(log, file);
    }
}

void hg_netlog_flush(hg_netlog *log)
{
    for (int i = 0; i < LOG_COUNT; i++) {
        write_out(log, &log->files[i]);
        if (log->files[i].file != NULL && fflush(log->files[i].file) != 0)
            log->failed = true;
    }
}

static void finish(hg_netlog *log, log_file *file)
{
    if (file->used && is_tsv(log, file))
        stamp("close", &file->text);
    write_out(log, file);
    if (file->file != NULL && (file->file == stdout ? fflush(stdout) : fclose(file->file)) != 0)
        log->failed = true;
    file->file = NULL;
    file->used = false;
}

void hg_netlog_rotate(hg_netlog *log, int64_t when)
{
    char path[PATH], old[PATH + 64], suffix[40];
    time_t at = (time_t)when;
    struct tm tm;
    gmtime_r(&at, &tm);
    strftime(suffix, sizeof suffix, "%Y-%m-%dT%H-%M-%SZ", &tm);
    for (int i = 0; i < LOG_COUNT; i++) {
        log_file *file = &log->files[i];
        if (!file->used)
            continue;
        finish(log, file);
        if (to_stdout(log))
            continue;
        path_of(log, file, path);
        snprintf(old, sizeof old, "%s/%s.%s.log", log->dir, file->name, suffix);
        if (rename(path, old) != 0)
            log->failed = true;
    }
}

hg_status hg_netlog_close(hg_netlog *log)
{
    for (int i = 0; i < LOG_COUNT; i++) {
        finish(log, &log->files[i]);
        free(log->files[i].text.bytes);
    }
    hg_status status = log->failed ? HG_ERR_IO : HG_OK;
    free(log->dir);
    free(log->peer);
    free(log);
    return status;
}
