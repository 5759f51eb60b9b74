/* Logs as tables of rows. */
#include "conformance/packets_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const packets_log_names[PACKETS_LOGS] = {"conn", "tunnel", "http", "weird", "unknown_protocols"};

/* Columns of a file analysis that is not ours, and of the program's name. */
static const char *const skipped[] = {"orig_fuids", "orig_filenames", "orig_mime_types", "resp_fuids",
                                      "resp_filenames", "resp_mime_types", "peer"};

static const char *const services[] = {"http", "vxlan", "geneve", "teredo", "ayiya", "gtpv1"};

static char *copy(hg_slice s)
{
    char *text = malloc(s.len + 1);
    if (text == NULL)
        abort();
    if (s.len > 0)
        memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return text;
}

static bool is_skipped(const char *name)
{
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strcmp(skipped[i], name) == 0)
            return true;
    return false;
}

static bool is_uid(const char *name)
{
    return strcmp(name, "uid") == 0 || strcmp(name, "tunnel_parents") == 0;
}

static bool is_set(const char *name)
{
    return strcmp(name, "tunnel_parents") == 0 || strcmp(name, "proxied") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cuts at commas outside quotes and sorts the pieces. */
static void sort_set(char *value)
{
    enum { MOST = 256 };
    char *items[MOST];
    size_t count = 0, len = strlen(value);
    bool quoted = false;
    char *text = copy(hg_slice_of(value, len)), *from = text;
    for (char *at = text;; at++) {
        if (*at == '"' && (at == text || at[-1] != '\\'))
            quoted = !quoted;
        if ((*at == ',' && !quoted) || *at == '\0') {
            bool last = *at == '\0';
            *at = '\0';
            if (count < MOST)
                items[count++] = from;
            from = at + 1;
            if (last)
                break;
        }
    }
    qsort(items, count, sizeof *items, by_text);
    char *to = value;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(items[i]);
        if (i > 0)
            *to++ = ',';
        memcpy(to, items[i], n);
        to += n;
    }
    *to = '\0';
    free(text);
}

/* Leaves only services that the logs under test can show. */
static void keep_services(char *value)
{
    char *text = copy(hg_slice_from(value)), *state = NULL, *to = value;
    for (char *item = strtok_r(text, ",", &state); item != NULL; item = strtok_r(NULL, ",", &state))
        for (size_t i = 0; i < sizeof services / sizeof *services; i++)
            if (strcmp(item, services[i]) == 0)
                to += sprintf(to, "%s%s", to == value ? "" : ",", item);
    if (to == value)
        strcpy(value, "-");
    free(text);
    sort_set(value);
}

static bool is_kept(const packets_reading *reading, const char *name)
{
    if (is_skipped(name) || (reading->foreign && strcmp(name, "ts") == 0))
        return false;
    if (reading->keep == NULL || reading->keep->column_count == 0)
        return true;
    for (size_t i = 0; i < reading->keep->column_count; i++)
        if (strcmp(reading->keep->columns[i], name) == 0)
            return true;
    return false;
}

static void add_field(packets_row *row, const packets_reading *reading, hg_slice name, hg_slice value)
{
    if (row->count == PACKETS_COLUMNS)
        return;
    packets_field *field = &row->fields[row->count];
    field->name = copy(name);
    if (!is_kept(reading, field->name)) {
        free(field->name);
        return;
    }
    field->value = copy(value);
    if (is_set(field->name))
        sort_set(field->value);
    if (reading->known_services && strcmp(field->name, "service") == 0)
        keep_services(field->value);
    row->count++;
}

static packets_row *add_row(packets_table *table)
{
    packets_row *rows = realloc(table->rows, (table->count + 1) * sizeof *rows);
    if (rows == NULL)
        abort();
    table->rows = rows;
    packets_row *row = &rows[table->count++];
    memset(row, 0, sizeof *row);
    return row;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const packets_field *)a)->name, ((const packets_field *)b)->name);
}

static bool cut(hg_slice *rest, char separator, hg_slice *piece)
{
    if (rest->ptr == NULL)
        return false;
    const char *end = memchr(rest->ptr, separator, rest->len);
    if (end == NULL) {
        *piece = *rest;
        rest->ptr = NULL;
        return true;
    }
    *piece = hg_slice_take(*rest, (size_t)(end - rest->ptr));
    *rest = hg_slice_skip(*rest, piece->len + 1);
    return true;
}

static void read_columns(packets_table *table, hg_slice line)
{
    hg_slice name;
    while (table->column_count < PACKETS_COLUMNS && cut(&line, '\t', &name))
        table->columns[table->column_count++] = copy(name);
}

/* A cut log starts with the names of its columns; the one that does not has these. */
#define CUT_COLUMNS "id.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tcommunity_id"

static bool names_columns(hg_slice line)
{
    return line.len > 0 && line.ptr[0] >= 'a' && line.ptr[0] <= 'z' && memchr(line.ptr, ':', line.len) == NULL;
}

static void read_tsv(packets_table *table, const packets_reading *reading, hg_slice line)
{
    packets_row *row = add_row(table);
    hg_slice value;
    for (size_t i = 0; i < table->column_count && cut(&line, '\t', &value); i++)
        add_field(row, reading, hg_slice_from(table->columns[i]), value);
    if (reading->foreign)
        qsort(row->fields, row->count, sizeof *row->fields, by_name);
}

/* The end of a JSON value at s: strings and one level of arrays are all there is. */
static size_t json_end(hg_slice s)
{
    bool quoted = false;
    int depth = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '[')
            depth++;
        else if (!quoted && c == ']')
            depth--;
        else if (!quoted && depth == 0 && (c == ',' || c == '}'))
            return i;
    }
    return s.len;
}

static hg_slice bare(hg_slice value)
{
    if (value.len >= 2 && (value.ptr[0] == '"' || value.ptr[0] == '['))
        return hg_slice_of(value.ptr + 1, value.len - 2);
    return value;
}

/* Doubles are compared by value: more than one text may stand for one. */
static bool is_fraction(hg_slice value)
{
    return value.len > 0 && value.len < 40 && value.ptr[0] != '"' && value.ptr[0] != '[' &&
           (memchr(value.ptr, '.', value.len) != NULL || memchr(value.ptr, 'e', value.len) != NULL) &&
           strchr("tf", value.ptr[0]) == NULL;
}

static void read_json(packets_table *table, const packets_reading *reading, hg_slice line)
{
    packets_row *row = add_row(table);
    line = hg_slice_skip(line, 1);
    while (line.len > 2 && line.ptr[0] == '"') {
        line = hg_slice_skip(line, 1);
        const char *end = memchr(line.ptr, '"', line.len);
        if (end == NULL)
            return;
        hg_slice name = hg_slice_take(line, (size_t)(end - line.ptr));
        line = hg_slice_skip(line, name.len + 2);
        size_t len = json_end(line);
        hg_slice value = hg_slice_take(line, len);
        /* uids are compared by name, so their quotes go; elsewhere the form is part of the answer */
        bool plain = hg_slice_equal(name, HG_SLICE("uid")) || hg_slice_equal(name, HG_SLICE("tunnel_parents"));
        char number[40];
        if (is_fraction(value))
            value = hg_slice_of(number, (size_t)snprintf(number, sizeof number, "%.17g", strtod(value.ptr, NULL)));
        add_field(row, reading, name, plain ? bare(value) : value);
        line = hg_slice_skip(line, len + 1);
    }
}

bool packets_load(const char *path, const packets_reading *reading, packets_table *table)
{
    hg_slice content, rest, line;
    if (reading->ignore || access(path, F_OK) != 0)
        return true;
    if (!conformance_read(path, &content))
        return false;
    rest = content;
    while (conformance_line(&rest, &line)) {
        if (line.len > 0 && line.ptr[0] == '{') {
            read_json(table, reading, line);
        } else if (line.len > 8 && memcmp(line.ptr, "#fields\t", 8) == 0) {
            read_columns(table, hg_slice_skip(line, 8));
        } else if (line.len > 0 && line.ptr[0] != '#') {
            bool first = table->column_count == 0;
            if (first)
                read_columns(table, names_columns(line) ? line : HG_SLICE(CUT_COLUMNS));
            if (!first || !names_columns(line)) {
                read_tsv(table, reading, line);
            }
        }
    }
    free((char *)content.ptr);
    return true;
}

static char *joined(const packets_row *row, bool uids)
{
    size_t len = 1;
    for (size_t i = 0; i < row->count; i++)
        len += strlen(row->fields[i].name) + strlen(row->fields[i].value) + 2;
    char *text = malloc(len), *to = text;
    if (text == NULL)
        abort();
    *to = '\0';
    for (size_t i = 0; i < row->count; i++)
        if (uids || !is_uid(row->fields[i].name))
            to += sprintf(to, "%s=%s\t", row->fields[i].name, row->fields[i].value);
    return text;
}

static int by_sort(const void *a, const void *b)
{
    return strcmp(((const packets_row *)a)->sort, ((const packets_row *)b)->sort);
}

static int by_row_text(const void *a, const void *b)
{
    return strcmp(((const packets_row *)a)->text, ((const packets_row *)b)->text);
}

typedef struct names {
    char **old;
    size_t count;
} names;

static size_t name_number(names *n, const char *uid, bool add)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->old[i], uid) == 0)
            return i + 1;
    if (!add)
        return 0;
    n->old = realloc(n->old, (n->count + 1) * sizeof *n->old);
    if (n->old == NULL)
        abort();
    n->old[n->count++] = copy(hg_slice_from(uid));
    return n->count;
}

static void rename_uids(packets_field *field, names *n)
{
    char *text = field->value, *state = NULL, *to;
    if (strcmp(text, "-") == 0)
        return;
    field->value = to = malloc(strlen(text) * 2 + 32);
    if (to == NULL)
        abort();
    for (char *uid = strtok_r(text, ",\"", &state); uid != NULL; uid = strtok_r(NULL, ",\"", &state))
        to += sprintf(to, "%su%zu", to == field->value ? "" : ",", name_number(n, uid, false));
    *to = '\0';
    free(text);
    sort_set(field->value);
}

void packets_canonical(packets_table tables[PACKETS_LOGS])
{
    names n = {0};
    for (int log = 0; log < PACKETS_LOGS; log++) {
        packets_table *t = &tables[log];
        for (size_t i = 0; i < t->count; i++)
            t->rows[i].sort = joined(&t->rows[i], false);
        if (t->count > 0)
            qsort(t->rows, t->count, sizeof *t->rows, by_sort);
        for (size_t i = 0; i < t->count; i++)
            for (size_t k = 0; k < t->rows[i].count; k++) {
                const packets_field *f = &t->rows[i].fields[k];
                if (strcmp(f->name, "uid") == 0 && strcmp(f->value, "-") != 0)
                    name_number(&n, f->value, true);
            }
    }
    for (int log = 0; log < PACKETS_LOGS; log++) {
        packets_table *t = &tables[log];
        for (size_t i = 0; i < t->count; i++) {
            for (size_t k = 0; k < t->rows[i].count; k++)
                if (is_uid(t->rows[i].fields[k].name))
                    rename_uids(&t->rows[i].fields[k], &n);
            t->rows[i].text = joined(&t->rows[i], true);
        }
        if (t->count > 0)
            qsort(t->rows, t->count, sizeof *t->rows, by_row_text);
    }
    for (size_t i = 0; i < n.count; i++)
        free(n.old[i]);
    free(n.old);
}

bool packets_equal(const packets_table *expected, const packets_table *got, const char **missing, const char **extra)
{
    size_t a = 0, b = 0;
    *missing = *extra = NULL;
    while (a < expected->count || b < got->count) {
        int order = a == expected->count ? 1
                    : b == got->count    ? -1
                                         : strcmp(expected->rows[a].text, got->rows[b].text);
        if (order < 0 && *missing == NULL)
            *missing = expected->rows[a].text;
        if (order > 0 && *extra == NULL)
            *extra = got->rows[b].text;
        a += order <= 0;
        b += order >= 0;
    }
    return *missing == NULL && *extra == NULL;
}

void packets_free(packets_table tables[PACKETS_LOGS])
{
    for (int log = 0; log < PACKETS_LOGS; log++) {
        packets_table *t = &tables[log];
        for (size_t i = 0; i < t->count; i++) {
            for (size_t k = 0; k < t->rows[i].count; k++) {
                free(t->rows[i].fields[k].name);
                free(t->rows[i].fields[k].value);
            }
            free(t->rows[i].sort);
            free(t->rows[i].text);
        }
        for (size_t i = 0; i < t->column_count; i++)
            free(t->columns[i]);
        free(t->rows);
        memset(t, 0, sizeof *t);
    }
}
