/* CSV results with a header row: our own columns (suite, class, method, params, toolchain, stage, ops, ns, bytes,
 * instructions) or those of BenchmarkDotNet's measurements export (Target_Type, Target_Method, Params,
 * Measurement_IterationStage, Measurement_Operations, Measurement_Nanoseconds, ...). Separator ',' or ';'. */
#include "cli/ab/ab.h"

#include <math.h>
#include <stdlib.h>

enum column { SUITE, CLASS, METHOD, PARAMS, TOOLCHAIN, MODE, STAGE, OPS, NS, BYTES, BYTES_PER_OP, INSTRUCTIONS, COLUMNS };
enum { FIELDS_MAX = 256 };

static const struct {
    const char *name;
    enum column column;
} headers[] = {
    {"suite", SUITE}, {"class", CLASS}, {"method", METHOD}, {"params", PARAMS}, {"toolchain", TOOLCHAIN},
    {"stage", STAGE}, {"ops", OPS}, {"ns", NS}, {"bytes", BYTES}, {"instructions", INSTRUCTIONS},
    {"Target_Type", CLASS}, {"Target_Method", METHOD}, {"Params", PARAMS}, {"Toolchain", TOOLCHAIN},
    {"Job_Display", TOOLCHAIN}, {"Measurement_IterationMode", MODE}, {"Measurement_IterationStage", STAGE},
    {"Measurement_Operations", OPS}, {"Measurement_Nanoseconds", NS}, {"Allocated_Bytes", BYTES_PER_OP},
};

/* Splits one row; a quoted field is unquoted in place (its bytes stay in `scratch`). Returns bytes used. */
static size_t split_row(hg_slice text, char separator, hg_slice *fields, size_t *count, char *scratch, bool *broken)
{
    size_t at = 0, used = 0;
    *count = 0;
    *broken = false;
    for (;;) {
        hg_slice value = {text.ptr + at, 0};
        if (at < text.len && text.ptr[at] == '"') {
            char *start = scratch + used;
            for (at++; at < text.len; at++) {
                if (text.ptr[at] == '"' && !(at + 1 < text.len && text.ptr[at + 1] == '"'))
                    break;
                at += text.ptr[at] == '"';
                scratch[used++] = text.ptr[at];
            }
            *broken |= at >= text.len;
            at += at < text.len;
            value = hg_slice_of(start, (size_t)(scratch + used - start));
        } else {
            while (at < text.len && text.ptr[at] != separator && text.ptr[at] != '\n')
                at++;
            value.len = (size_t)(text.ptr + at - value.ptr);
            if (value.len > 0 && value.ptr[value.len - 1] == '\r')
                value.len--;
        }
        if (*count < FIELDS_MAX)
            fields[(*count)++] = value;
        while (at < text.len && text.ptr[at] == '\r')
            at++;
        if (at >= text.len)
            return at;
        if (text.ptr[at] == '\n')
            return at + 1;
        *broken |= text.ptr[at] != separator;
        at++;
    }
}

static hg_slice pick(const hg_slice *fields, size_t count, const int *where, enum column column)
{
    return where[column] >= 0 && (size_t)where[column] < count ? fields[where[column]] : HG_SLICE("");
}

static double pick_number(const hg_slice *fields, size_t count, const int *where, enum column column)
{
    double value;
    return number_parse(pick(fields, count, where, column), &value) ? value : NAN;
}

static bool is_measured(hg_slice mode, hg_slice stage)
{
    if (mode.len > 0 && !hg_slice_equal(mode, HG_SLICE("Workload")))
        return false;
    return stage.len == 0 || hg_slice_equal(stage, HG_SLICE("measured")) ||
           hg_slice_equal(stage, HG_SLICE("result")) || hg_slice_equal(stage, HG_SLICE("Result"));
}

static hg_status add_row(const hg_slice *fields, size_t count, const int *where, result_set *set)
{
    if (!is_measured(pick(fields, count, where, MODE), pick(fields, count, where, STAGE)))
        return HG_OK;
    double ops = pick_number(fields, count, where, OPS), bytes = pick_number(fields, count, where, BYTES);
    double instructions = pick_number(fields, count, where, INSTRUCTIONS);
    double each = pick_number(fields, count, where, BYTES_PER_OP);
    if (!(ops > 0))
        ops = 1;
    hg_slice class = pick(fields, count, where, CLASS);
    measurement m = {.suite = pick(fields, count, where, SUITE), .class = class,
                     .method = pick(fields, count, where, METHOD), .params = pick(fields, count, where, PARAMS),
                     .toolchain = pick(fields, count, where, TOOLCHAIN),
                     .ns_per_op = pick_number(fields, count, where, NS) / ops,
                     .bytes_per_op = !isnan(each) ? each : isnan(bytes) ? -1 : bytes / ops,
                     .instructions_per_op = isnan(instructions) ? -1 : instructions / ops,
                     .program = hg_slice_equal(class, HG_SLICE("command"))};
    return set_add(set, &m);
}

static bool read_header(hg_slice text, char separator, char *scratch, int *where, size_t *used)
{
    hg_slice fields[FIELDS_MAX];
    size_t count;
    bool broken;
    *used = split_row(text, separator, fields, &count, scratch, &broken);
    for (int c = 0; c < COLUMNS; c++)
        where[c] = -1;
    for (size_t f = 0; f < count; f++)
        for (size_t h = 0; h < sizeof headers / sizeof *headers; h++)
            if (where[headers[h].column] < 0 && hg_slice_equal(fields[f], hg_slice_from(headers[h].name)))
                where[headers[h].column] = (int)f;
    return !broken && where[METHOD] >= 0 && where[NS] >= 0;
}

hg_status read_csv(hg_slice text, result_set *set, read_error *error)
{
    char *scratch = malloc(text.len + 1);
    if (scratch == NULL)
        return HG_ERR_NOMEM;
    int where[COLUMNS];
    size_t used;
    char separator = ',';
    if (!read_header(text, separator, scratch, where, &used) &&
        !read_header(text, separator = ';', scratch, where, &used)) {
        snprintf(error->message, sizeof error->message,
                 "not a format that is known: a CSV needs a header row with 'method' and 'ns' (or BenchmarkDotNet's "
                 "measurement columns)");
        free(scratch);
        return HG_ERR_SYNTAX;
    }
    hg_status status = HG_OK;
    for (size_t row = 2; used < text.len && status == HG_OK; row++) {
        hg_slice fields[FIELDS_MAX];
        size_t count;
        bool broken;
        used += split_row(hg_slice_skip(text, used), separator, fields, &count, scratch, &broken);
        if (broken) {
            snprintf(error->message, sizeof error->message, "row %zu: broken quoting", row);
            status = HG_ERR_SYNTAX;
        } else if (count > 1 || fields[0].len > 0) {
            status = add_row(fields, count, where, set);
        }
    }
    free(scratch);
    return status;
}
