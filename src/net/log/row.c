/* Rows in tab-separated values or JSON. */
#include "net/log/escape.h"
#include "net/log/row.h"

#include <stdlib.h>
#include <time.h>

enum { NUMBER = 32 };

char *log_text_room(log_text *text, size_t more)
{
    if (text->room - text->len < more) {
        size_t room = text->room ? text->room : 4096;
        while (room - text->len < more)
            room *= 2;
        char *bytes = realloc(text->bytes, room);
        if (bytes == NULL) {
            text->failed = true;
            return NULL;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return text->bytes + text->len;
}

void log_text_add(log_text *text, const char *bytes, size_t len)
{
    char *to = log_text_room(text, len);
    if (to == NULL || len == 0)
        return;
    memcpy(to, bytes, len);
    text->len += len;
}

static bool is_json(const log_row *row)
{
    return row->options->format == HG_NETLOG_JSON;
}

void log_row_start(log_row *row, log_text *text, const log_column *columns, const hg_netlog_options *options)
{
    *row = (log_row){.text = text, .column = columns, .options = options, .first = true};
    if (is_json(row))
        log_text_add(text, "{", 1);
}

void log_row_end(log_row *row)
{
    if (is_json(row))
        log_text_add(row->text, "}\n", 2);
    else
        log_text_add(row->text, "\n", 1);
}

/* What stands before a value. */
static void begin(log_row *row)
{
    const char *name = row->column->name;
    row->column++;
    if (!is_json(row)) {
        if (!row->first)
            log_text_add(row->text, "\t", 1);
        row->first = false;
        return;
    }
    log_text_add(row->text, ",\"", row->first ? 0 : 1);
    row->first = false;
    log_text_add(row->text, "\"", 1);
    log_text_add(row->text, name, strlen(name));
    log_text_add(row->text, "\":", 2);
}

void log_unset(log_row *row)
{
    if (is_json(row)) {
        row->column++;
        return;
    }
    begin(row);
    log_text_add(row->text, "-", 1);
}

static size_t digits(uint64_t value, char out[NUMBER])
{
    char back[NUMBER];
    size_t n = 0;
    do {
        back[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < n; i++)
        out[i] = back[n - 1 - i];
    return n;
}

/* Seconds with six decimals from microseconds. */
static size_t seconds(hg_net_time us, char out[NUMBER])
{
    size_t n = 0;
    uint64_t value = us < 0 ? -(uint64_t)us : (uint64_t)us;
    if (us < 0)
        out[n++] = '-';
    n += digits(value / 1000000, out + n);
    out[n++] = '.';
    uint32_t rest = (uint32_t)(value % 1000000);
    for (uint32_t unit = 100000; unit > 0; unit /= 10)
        out[n++] = (char)('0' + rest / unit % 10);
    return n;
}

/* As JSON's doubles: no zeros at the end but one behind the point. */
static size_t shorten(const char *text, size_t len)
{
    while (text[len - 1] == '0' && text[len - 2] != '.')
        len--;
    return len;
}

static size_t iso(hg_net_time us, char out[NUMBER])
{
    time_t whole = (time_t)(us / 1000000);
    struct tm tm;
    gmtime_r(&whole, &tm);
    size_t n = strftime(out, NUMBER, "%Y-%m-%dT%H:%M:%S", &tm);
    return n + (size_t)snprintf(out + n, NUMBER - n, ".%06dZ", (int)(us % 1000000));
}

void log_time(log_row *row, hg_net_time time)
{
    char out[NUMBER];
    begin(row);
    if (!is_json(row)) {
        log_text_add(row->text, out, seconds(time, out));
    } else if (row->options->time == HG_NETLOG_ISO) {
        log_text_add(row->text, "\"", 1);
        log_text_add(row->text, out, iso(time, out));
        log_text_add(row->text, "\"", 1);
    } else if (row->options->time == HG_NETLOG_MILLIS) {
        log_text_add(row->text, out, digits((uint64_t)time / 1000, out));
    } else {
        size_t len = seconds(time, out);
        log_text_add(row->text, out, shorten(out, len));
    }
}

/* Without an exponent where the peer writes none: from 10^-6 up. */
static size_t plain_form(char out[NUMBER])
{
    char *e = strchr(out, 'e');
    int exponent = e ? atoi(e + 1) : 0;
    if (e == NULL || exponent > 0)
        return strlen(out);
    if (exponent < -6) { /* e-07 becomes e-7 */
        snprintf(e, (size_t)(out + NUMBER - e), "e%d", exponent);
        return strlen(out);
    }
    char mantissa[NUMBER];
    size_t n = 0, len = 0;
    bool negative = out[0] == '-';
    for (const char *at = out; at < e; at++)
        if (*at >= '0' && *at <= '9')
            mantissa[n++] = *at;
    if (negative)
        out[len++] = '-';
    out[len++] = '0';
    out[len++] = '.';
    for (int i = -1; i > exponent; i--)
        out[len++] = '0';
    memcpy(out + len, mantissa, n);
    out[len + n] = '\0';
    return len + n;
}

/* The shortest decimal text that reads back as the same double; always with a point or an exponent. */
static size_t shortest(double value, char out[NUMBER])
{
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(out, NUMBER, "%.*g", precision, value);
        if (strtod(out, NULL) == value)
            break;
    }
    if (strpbrk(out, ".e") == NULL)
        strcat(out, ".0");
    return plain_form(out);
}

static double to_double(hg_net_time us)
{
    return (double)(us / 1000000) + (double)(us % 1000000) / 1e6;
}

void log_interval(log_row *row, hg_net_time from, hg_net_time to)
{
    char out[NUMBER];
    begin(row);
    if (is_json(row))
        log_text_add(row->text, out, shortest(to_double(to) - to_double(from), out));
    else
        log_text_add(row->text, out, seconds(to - from, out));
}

void log_count(log_row *row, uint64_t value)
{
    char out[NUMBER];
    begin(row);
    log_text_add(row->text, out, digits(value, out));
}

void log_int(log_row *row, int64_t value)
{
    char out[NUMBER];
    begin(row);
    if (value < 0)
        log_text_add(row->text, "-", 1);
    log_text_add(row->text, out, digits(value < 0 ? -(uint64_t)value : (uint64_t)value, out));
}

void log_bool(log_row *row, bool value)
{
    begin(row);
    if (is_json(row))
        log_text_add(row->text, value ? "true" : "false", value ? 4 : 5);
    else
        log_text_add(row->text, value ? "T" : "F", 1);
}

void log_plain(log_row *row, const char *value, size_t len)
{
    begin(row);
    if (!is_json(row)) {
        log_text_add(row->text, value, len);
        return;
    }
    log_text_add(row->text, "\"", 1);
    log_text_add(row->text, value, len);
    log_text_add(row->text, "\"", 1);
}

void log_addr(log_row *row, const uint8_t addr[16])
{
    char out[64];
    log_plain(row, out, hg_net_addr_text(addr, out));
}

static bool is_reserved(hg_slice s)
{
    return hg_slice_equal(s, HG_SLICE("-")) || hg_slice_equal(s, HG_SLICE("(empty)"));
}

/* A text value in TSV: the words that mean unset and empty have their first character escaped. */
static void tsv_value(log_text *text, hg_slice value, bool in_list)
{
    if (is_reserved(value)) {
        log_text_add(text, value.ptr[0] == '-' ? "\\x2d" : "\\x28", 4);
        value = hg_slice_skip(value, 1);
    }
    log_escape_tsv(text, value, in_list);
}

void log_string(log_row *row, hg_slice value)
{
    begin(row);
    if (is_json(row)) {
        log_text_add(row->text, "\"", 1);
        log_escape_json(row->text, value);
        log_text_add(row->text, "\"", 1);
    } else if (value.len == 0) {
        log_text_add(row->text, "(empty)", 7);
    } else {
        tsv_value(row->text, value, false);
    }
}

void log_list(log_row *row, const hg_slice *values, size_t count)
{
    begin(row);
    bool json = is_json(row);
    if (json)
        log_text_add(row->text, "[", 1);
    else if (count == 0)
        log_text_add(row->text, "(empty)", 7);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            log_text_add(row->text, ",", 1);
        if (json) {
            log_text_add(row->text, "\"", 1);
            log_escape_json(row->text, values[i]);
            log_text_add(row->text, "\"", 1);
        } else if (values[i].len == 0) {
            log_text_add(row->text, "(empty)", 7);
        } else {
            tsv_value(row->text, values[i], true);
        }
    }
    if (json)
        log_text_add(row->text, "]", 1);
}

void log_endpoints(log_row *row, const hg_net_endpoint *orig, const hg_net_endpoint *resp)
{
    log_addr(row, orig->addr);
    log_count(row, orig->port);
    log_addr(row, resp->addr);
    log_count(row, resp->port);
}
