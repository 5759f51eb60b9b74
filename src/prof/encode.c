/* One profile of an epoch as pprof bytes. Written in a stream, so fields come out of numeric order, which protocol
 * buffers permit: samples first (timestamped ones in their order, then the sums), then the tables, strings last. */
#include "prof/internal.h"

#include "prof/proto.h"

#include <math.h>
#include <stdlib.h>

typedef struct encoder {
    epoch *e;
    const profile *p;
    hg_buffer *out, record, inner;
    endpoint_entry *endpoints; /* sorted by root span id */
} encoder;

enum { STRING_LOCAL_ROOT = 1, STRING_TRACE_ENDPOINT = 2, STRING_END_TIMESTAMP = 3 }; /* as epoch_new interns them */

/* To the nearest integer, halves away from zero, saturating. */
static int64_t rounded(double v)
{
    if (v >= 0x1p63)
        return INT64_MAX;
    if (v <= -0x1p63)
        return INT64_MIN;
    return (int64_t)llround(v);
}

static int by_root(const void *a, const void *b)
{
    const endpoint_entry *x = a, *y = b;
    return (x->root > y->root) - (x->root < y->root);
}

static void put_label(encoder *c, uint32_t key, uint32_t text, int64_t number, uint32_t unit)
{
    proto_number(&c->inner, LABEL_KEY, key);
    proto_number(&c->inner, LABEL_STR, text);
    proto_number(&c->inner, LABEL_NUM, (uint64_t)number);
    proto_number(&c->inner, LABEL_NUM_UNIT, unit);
    proto_message(&c->record, SAMPLE_LABEL, &c->inner);
}

static void put_labels(encoder *c, uint32_t set, int64_t timestamp)
{
    span_entry span = ((const span_entry *)c->e->label_sets.items)[set];
    const label_entry *labels = c->e->labels.items;
    const endpoint_entry *endpoint = NULL;
    for (uint32_t i = 0; i < span.count; i++) {
        const label_entry *l = &labels[((const uint32_t *)c->e->label_ids.items)[span.start + i]];
        put_label(c, l->key, l->text, l->text ? 0 : l->number, l->unit);
        endpoint_entry wanted = {l->number, 0};
        if (l->key == STRING_LOCAL_ROOT && c->p->endpoints.count > 0)
            endpoint = bsearch(&wanted, c->endpoints, c->p->endpoints.count, sizeof wanted, by_root);
    }
    if (endpoint != NULL)
        put_label(c, STRING_TRACE_ENDPOINT, endpoint->resource, 0, 0);
    if (timestamp != 0)
        put_label(c, STRING_END_TIMESTAMP, 0, timestamp, 0);
}

static void put_sample(encoder *c, row r, int64_t timestamp, const double *values)
{
    span_entry stack = ((const span_entry *)c->e->stacks.items)[r.stack];
    const uint32_t *ids = (const uint32_t *)c->e->stack_ids.items + stack.start;
    for (uint32_t i = 0; i < stack.count; i++)
        proto_varint(&c->inner, (uint64_t)ids[i] + 1);
    proto_message(&c->record, SAMPLE_LOCATION_ID, &c->inner);
    for (unsigned i = 0; i < c->e->type_count; i++)
        proto_varint(&c->inner, (uint64_t)rounded(values[i]));
    proto_message(&c->record, SAMPLE_VALUE, &c->inner);
    put_labels(c, r.labels, timestamp);
    proto_message(c->out, PROFILE_SAMPLE, &c->record);
}

static void put_log(encoder *c)
{
    const char *at = c->p->log.ptr;
    for (size_t n = 0; n < c->p->log_count; n++) {
        uint32_t head[3];
        int64_t timestamp;
        memcpy(head, at, sizeof head);
        memcpy(&timestamp, at + sizeof head, sizeof timestamp);
        at += sizeof head + sizeof timestamp;
        double values[HG_PROF_TYPES] = {0};
        for (uint32_t left = head[2]; left != 0; left &= left - 1) {
            unsigned position = (unsigned)__builtin_popcount(c->e->types & ((left & -left) - 1));
            memcpy(&values[position], at, sizeof(double));
            at += sizeof(double);
        }
        put_sample(c, (row){head[0], head[1]}, timestamp, values);
    }
}

static void put_value_type(encoder *c, unsigned field, hg_prof_type type)
{
    proto_number(&c->record, VALUE_TYPE_TYPE, epoch_string(c->e, hg_slice_from(hg_prof_type_name(type))));
    proto_number(&c->record, VALUE_TYPE_UNIT, epoch_string(c->e, hg_slice_from(hg_prof_type_unit(type))));
    proto_message(c->out, field, &c->record);
}

static void put_tables(encoder *c)
{
    const location_entry *locations = c->e->locations.items;
    for (size_t i = 0; i < c->e->locations.count; i++) {
        proto_number(&c->record, LOCATION_ID, i + 1);
        proto_number(&c->record, LOCATION_ADDRESS, locations[i].address);
        if (locations[i].function != UINT32_MAX) {
            proto_number(&c->inner, LINE_FUNCTION_ID, (uint64_t)locations[i].function + 1);
            proto_number(&c->inner, LINE_LINE, locations[i].line);
            proto_message(&c->record, LOCATION_LINE, &c->inner);
        }
        proto_message(c->out, PROFILE_LOCATION, &c->record);
    }
    const function_entry *functions = c->e->functions.items;
    for (size_t i = 0; i < c->e->functions.count; i++) {
        proto_number(&c->record, FUNCTION_ID, i + 1);
        proto_number(&c->record, FUNCTION_NAME, functions[i].name);
        proto_number(&c->record, FUNCTION_FILENAME, functions[i].file);
        proto_message(c->out, PROFILE_FUNCTION, &c->record);
    }
}

hg_status profile_encode(epoch *e, const profile *p, hg_buffer *out)
{
    encoder c = {.e = e, .p = p, .out = out, .endpoints = p->endpoints.items};
    if (p->endpoints.count > 1)
        qsort(c.endpoints, p->endpoints.count, sizeof *c.endpoints, by_root);
    put_log(&c);
    const row *rows = p->rows.items;
    for (size_t i = 0; i < p->rows.count; i++)
        put_sample(&c, rows[i], 0, (const double *)p->values.items + i * e->type_count);
    for (uint32_t left = e->types; left != 0; left &= left - 1)
        put_value_type(&c, PROFILE_SAMPLE_TYPE, (hg_prof_type)__builtin_ctz(left));
    put_value_type(&c, PROFILE_PERIOD_TYPE, HG_PROF_WALL_TIME);
    put_tables(&c);
    const hg_slice *strings = e->strings.items;
    for (size_t i = 0; i < e->strings.count; i++)
        proto_bytes(out, PROFILE_STRING_TABLE, strings[i]);
    proto_number(out, PROFILE_TIME_NANOS, e->start_wall);
    proto_number(out, PROFILE_DURATION_NANOS, e->end_monotonic - e->start_monotonic);
    proto_number(out, PROFILE_PERIOD, 10000000);
    bool failed = out->failed || c.record.failed || c.inner.failed;
    hg_buffer_free(&c.record);
    hg_buffer_free(&c.inner);
    return failed ? HG_ERR_NOMEM : HG_OK;
}
