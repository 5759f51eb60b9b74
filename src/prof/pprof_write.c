/* Writing and merging of pprof models. */
#include "prof/pprof.h"

#include "prof/gzip.h"
#include "prof/proto.h"

#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A table of strings for one write ---- */

typedef struct strings {
    hg_slice *items;
    uint32_t *cells;
    size_t count, capacity; /* cells: twice the capacity */
    bool failed;
} strings;

static void strings_grow(strings *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 1024;
    hg_slice *items = realloc(s->items, capacity * sizeof *items);
    if (items != NULL)
        s->items = items;
    uint32_t *cells = calloc(capacity * 2, sizeof *cells);
    if (items == NULL || cells == NULL) {
        free(cells);
        s->failed = true;
        return;
    }
    free(s->cells);
    s->cells = cells;
    s->capacity = capacity;
    for (size_t i = 0; i < s->count; i++) {
        size_t at = hg_hash(s->items[i], 0) & (capacity * 2 - 1);
        while (cells[at] != 0)
            at = (at + 1) & (capacity * 2 - 1);
        cells[at] = (uint32_t)i + 1;
    }
}

static uint64_t string_id(strings *s, hg_slice text)
{
    if (s->count == s->capacity)
        strings_grow(s);
    if (s->failed)
        return 0;
    size_t at = hg_hash(text, 0) & (s->capacity * 2 - 1);
    for (; s->cells[at] != 0; at = (at + 1) & (s->capacity * 2 - 1))
        if (hg_slice_equal(s->items[s->cells[at] - 1], text))
            return s->cells[at] - 1;
    s->items[s->count] = text;
    s->cells[at] = (uint32_t)s->count + 1;
    return s->count++;
}

typedef struct writer {
    hg_buffer *out, record, inner;
    strings strings;
} writer;

static void put_type(writer *w, unsigned number, const pprof_type *t)
{
    proto_number(&w->record, VALUE_TYPE_TYPE, string_id(&w->strings, t->type));
    proto_number(&w->record, VALUE_TYPE_UNIT, string_id(&w->strings, t->unit));
    proto_message(w->out, number, &w->record);
}

static void put_sample(writer *w, const pprof *p, const pprof_sample *s)
{
    for (size_t i = 0; i < s->location_count; i++)
        proto_varint(&w->inner, (uint64_t)s->locations[i] + 1);
    proto_message(&w->record, SAMPLE_LOCATION_ID, &w->inner);
    for (size_t i = 0; i < p->type_count; i++)
        proto_varint(&w->inner, (uint64_t)s->values[i]);
    proto_message(&w->record, SAMPLE_VALUE, &w->inner);
    for (size_t i = 0; i < s->label_count; i++) {
        proto_number(&w->inner, LABEL_KEY, string_id(&w->strings, s->labels[i].key));
        proto_number(&w->inner, LABEL_STR, string_id(&w->strings, s->labels[i].text));
        proto_number(&w->inner, LABEL_NUM, (uint64_t)s->labels[i].number);
        proto_number(&w->inner, LABEL_NUM_UNIT, string_id(&w->strings, s->labels[i].unit));
        proto_message(&w->record, SAMPLE_LABEL, &w->inner);
    }
    proto_message(w->out, PROFILE_SAMPLE, &w->record);
}

static void put_location(writer *w, const pprof_location *l, size_t position)
{
    proto_number(&w->record, LOCATION_ID, position + 1);
    proto_number(&w->record, LOCATION_MAPPING_ID, l->mapping == UINT32_MAX ? 0 : (uint64_t)l->mapping + 1);
    proto_number(&w->record, LOCATION_ADDRESS, l->address);
    for (size_t i = 0; i < l->line_count; i++) {
        proto_number(&w->inner, LINE_FUNCTION_ID, (uint64_t)l->lines[i].function + 1);
        proto_number(&w->inner, LINE_LINE, (uint64_t)l->lines[i].line);
        proto_message(&w->record, LOCATION_LINE, &w->inner);
    }
    proto_message(w->out, PROFILE_LOCATION, &w->record);
}

static void put_function(writer *w, const pprof_function *f, size_t position)
{
    proto_number(&w->record, FUNCTION_ID, position + 1);
    proto_number(&w->record, FUNCTION_NAME, string_id(&w->strings, f->name));
    proto_number(&w->record, FUNCTION_SYSTEM_NAME, string_id(&w->strings, f->system_name));
    proto_number(&w->record, FUNCTION_FILENAME, string_id(&w->strings, f->file));
    proto_number(&w->record, FUNCTION_START_LINE, (uint64_t)f->start_line);
    proto_message(w->out, PROFILE_FUNCTION, &w->record);
}

static void put_mapping(writer *w, const pprof_mapping *m, size_t position)
{
    proto_number(&w->record, MAPPING_ID, position + 1);
    proto_number(&w->record, MAPPING_START, m->start);
    proto_number(&w->record, MAPPING_LIMIT, m->limit);
    proto_number(&w->record, MAPPING_OFFSET, m->offset);
    proto_number(&w->record, MAPPING_FILENAME, string_id(&w->strings, m->file));
    proto_number(&w->record, MAPPING_BUILD_ID, string_id(&w->strings, m->build_id));
    proto_message(w->out, PROFILE_MAPPING, &w->record);
}

hg_status pprof_write(const pprof *p, hg_buffer *out)
{
    writer w = {.out = out};
    string_id(&w.strings, HG_SLICE(""));
    for (size_t i = 0; i < p->type_count; i++)
        put_type(&w, PROFILE_SAMPLE_TYPE, &p->types[i]);
    for (size_t i = 0; i < p->sample_count; i++)
        put_sample(&w, p, &p->samples[i]);
    for (size_t i = 0; i < p->mapping_count; i++)
        put_mapping(&w, &p->mappings[i], i);
    for (size_t i = 0; i < p->location_count; i++)
        put_location(&w, &p->locations[i], i);
    for (size_t i = 0; i < p->function_count; i++)
        put_function(&w, &p->functions[i], i);
    if (p->period_type.type.len > 0)
        put_type(&w, PROFILE_PERIOD_TYPE, &p->period_type);
    proto_number(out, PROFILE_TIME_NANOS, (uint64_t)p->time_ns);
    proto_number(out, PROFILE_DURATION_NANOS, (uint64_t)p->duration_ns);
    proto_number(out, PROFILE_PERIOD, (uint64_t)p->period);
    for (size_t i = 0; i < p->comment_count; i++)
        proto_number(out, PROFILE_COMMENT, string_id(&w.strings, p->comments[i]));
    proto_number(out, PROFILE_DEFAULT_SAMPLE_TYPE, string_id(&w.strings, p->default_type));
    for (size_t i = 0; i < w.strings.count; i++)
        proto_bytes(out, PROFILE_STRING_TABLE, w.strings.items[i]);
    bool failed = out->failed || w.record.failed || w.inner.failed || w.strings.failed;
    hg_buffer_free(&w.record);
    hg_buffer_free(&w.inner);
    free(w.strings.items);
    free(w.strings.cells);
    return failed ? HG_ERR_NOMEM : HG_OK;
}

hg_status pprof_write_file(const pprof *p, const char *path, bool packed)
{
    hg_buffer plain = {0}, zipped = {0};
    hg_status status = pprof_write(p, &plain);
    if (status == HG_OK && packed)
        status = gzip_pack(hg_slice_of(plain.ptr, plain.len), &zipped);
    hg_buffer *bytes = packed ? &zipped : &plain;
    FILE *file = status != HG_OK ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (status == HG_OK) {
        bool ok = file != NULL && fwrite(bytes->ptr, 1, bytes->len, file) == bytes->len;
        if (file != NULL)
            ok &= (file == stdout ? fflush(file) : fclose(file)) == 0;
        status = ok ? HG_OK : HG_ERR_IO;
    }
    hg_buffer_free(&plain);
    hg_buffer_free(&zipped);
    return status;
}

/* ---- Merging: everything of `from` is copied, then equal rows become one ---- */

static hg_slice keep(pprof *p, hg_slice s, bool *ok)
{
    bool fine;
    hg_slice copy = hg_arena_copy(&p->arena, s, &fine);
    *ok &= fine;
    return copy;
}

static void *extend(pprof *p, void *items, size_t count, size_t more, size_t size, bool *ok)
{
    void *grown = hg_arena_alloc(&p->arena, (count + more) * size + 1, 8);
    if (grown == NULL)
        *ok = false;
    else if (count > 0)
        memcpy(grown, items, count * size);
    return grown;
}

static bool same_types(const pprof *a, const pprof *b)
{
    if (a->type_count != b->type_count)
        return false;
    for (size_t i = 0; i < a->type_count; i++)
        if (!hg_slice_equal(a->types[i].type, b->types[i].type) || !hg_slice_equal(a->types[i].unit, b->types[i].unit))
            return false;
    return true;
}

static bool copy_tables(pprof *into, const pprof *from)
{
    bool ok = true;
    into->functions = extend(into, into->functions, into->function_count, from->function_count, sizeof *into->functions, &ok);
    into->mappings = extend(into, into->mappings, into->mapping_count, from->mapping_count, sizeof *into->mappings, &ok);
    into->locations = extend(into, into->locations, into->location_count, from->location_count, sizeof *into->locations, &ok);
    if (!ok)
        return false;
    for (size_t i = 0; i < from->function_count; i++) {
        pprof_function f = from->functions[i];
        f.name = keep(into, f.name, &ok);
        f.system_name = keep(into, f.system_name, &ok);
        f.file = keep(into, f.file, &ok);
        into->functions[into->function_count + i] = f;
    }
    for (size_t i = 0; i < from->mapping_count; i++) {
        pprof_mapping m = from->mappings[i];
        m.file = keep(into, m.file, &ok);
        m.build_id = keep(into, m.build_id, &ok);
        into->mappings[into->mapping_count + i] = m;
    }
    for (size_t i = 0; i < from->location_count && ok; i++) {
        pprof_location l = from->locations[i];
        if (l.mapping != UINT32_MAX)
            l.mapping += (uint32_t)into->mapping_count;
        l.lines = extend(into, l.lines, l.line_count, 0, sizeof *l.lines, &ok);
        for (size_t k = 0; ok && k < l.line_count; k++)
            l.lines[k].function += (uint32_t)into->function_count;
        into->locations[into->location_count + i] = l;
    }
    return ok;
}

static bool copy_samples(pprof *into, const pprof *from, int sign)
{
    bool ok = true;
    into->samples = extend(into, into->samples, into->sample_count, from->sample_count, sizeof *into->samples, &ok);
    for (size_t i = 0; i < from->sample_count && ok; i++) {
        pprof_sample s = from->samples[i];
        s.locations = extend(into, s.locations, s.location_count, 0, sizeof *s.locations, &ok);
        s.values = extend(into, s.values, into->type_count, 0, sizeof *s.values, &ok);
        s.labels = extend(into, s.labels, s.label_count, 0, sizeof *s.labels, &ok);
        for (size_t k = 0; ok && k < s.location_count; k++)
            s.locations[k] += (uint32_t)into->location_count;
        for (size_t k = 0; ok && k < into->type_count; k++)
            s.values[k] = (int64_t)((uint64_t)s.values[k] * (uint64_t)(int64_t)sign);
        for (size_t k = 0; ok && k < s.label_count; k++) {
            s.labels[k].key = keep(into, s.labels[k].key, &ok);
            s.labels[k].text = keep(into, s.labels[k].text, &ok);
            s.labels[k].unit = keep(into, s.labels[k].unit, &ok);
        }
        into->samples[into->sample_count + i] = s;
    }
    return ok;
}

/* ---- Equal rows: by what the frames say, not by ids ---- */

static uint64_t hash_sample(const pprof *p, const pprof_sample *s)
{
    uint64_t h = s->location_count;
    for (size_t i = 0; i < s->location_count; i++) {
        const pprof_location *l = &p->locations[s->locations[i]];
        h = hg_hash_u64(h ^ (l->line_count ? 0 : l->address));
        for (size_t k = 0; k < l->line_count; k++)
            h = hg_hash(p->functions[l->lines[k].function].name, h + (uint64_t)l->lines[k].line);
    }
    for (size_t i = 0; i < s->label_count; i++)
        h = hg_hash(s->labels[i].text, hg_hash(s->labels[i].key, h) ^ (uint64_t)s->labels[i].number);
    return h;
}

static bool same_location(const pprof *p, uint32_t a, uint32_t b)
{
    const pprof_location *x = &p->locations[a], *y = &p->locations[b];
    if (a == b)
        return true;
    if (x->line_count != y->line_count || (x->line_count == 0 && x->address != y->address))
        return false;
    for (size_t i = 0; i < x->line_count; i++) {
        const pprof_function *f = &p->functions[x->lines[i].function], *g = &p->functions[y->lines[i].function];
        if (x->lines[i].line != y->lines[i].line || !hg_slice_equal(f->name, g->name) || !hg_slice_equal(f->file, g->file))
            return false;
    }
    return true;
}

static bool same_sample(const pprof *p, const pprof_sample *a, const pprof_sample *b)
{
    if (a->location_count != b->location_count || a->label_count != b->label_count)
        return false;
    for (size_t i = 0; i < a->location_count; i++)
        if (!same_location(p, a->locations[i], b->locations[i]))
            return false;
    for (size_t i = 0; i < a->label_count; i++)
        if (!hg_slice_equal(a->labels[i].key, b->labels[i].key) || !hg_slice_equal(a->labels[i].text, b->labels[i].text) ||
            a->labels[i].number != b->labels[i].number)
            return false;
    return true;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a > 0 ? INT64_MAX : INT64_MIN) : sum;
}

/* An empty table of positions + 1 with room for `count`. */
static uint32_t *cells_new(size_t count, size_t *capacity)
{
    *capacity = 64;
    while (*capacity < count * 2)
        *capacity *= 2;
    return calloc(*capacity, sizeof(uint32_t));
}

static bool same_function(const pprof_function *a, const pprof_function *b)
{
    return a->start_line == b->start_line && hg_slice_equal(a->name, b->name) && hg_slice_equal(a->file, b->file) &&
           hg_slice_equal(a->system_name, b->system_name);
}

/* Equal functions become one, for whoever tells functions apart by their position. */
static hg_status fold_functions(pprof *p)
{
    size_t capacity, kept = 0;
    uint32_t *cells = cells_new(p->function_count, &capacity), *moved = malloc((p->function_count + 1) * sizeof *moved);
    for (size_t i = 0; cells != NULL && moved != NULL && i < p->function_count; i++) {
        const pprof_function f = p->functions[i];
        size_t at = hg_hash(f.file, hg_hash(f.name, 0)) & (capacity - 1);
        while (cells[at] != 0 && !same_function(&p->functions[cells[at] - 1], &f))
            at = (at + 1) & (capacity - 1);
        if (cells[at] == 0) {
            p->functions[kept] = f;
            cells[at] = (uint32_t)++kept;
        }
        moved[i] = cells[at] - 1;
    }
    hg_status status = cells != NULL && moved != NULL ? HG_OK : HG_ERR_NOMEM;
    for (size_t i = 0; status == HG_OK && i < p->location_count; i++)
        for (size_t k = 0; k < p->locations[i].line_count; k++)
            p->locations[i].lines[k].function = moved[p->locations[i].lines[k].function];
    if (status == HG_OK)
        p->function_count = kept;
    free(cells);
    free(moved);
    return status;
}

static hg_status fold_rows(pprof *p)
{
    size_t capacity;
    uint32_t *cells = cells_new(p->sample_count, &capacity);
    if (cells == NULL)
        return HG_ERR_NOMEM;
    size_t kept = 0;
    for (size_t i = 0; i < p->sample_count; i++) {
        pprof_sample *s = &p->samples[i];
        size_t at = hash_sample(p, s) & (capacity - 1);
        while (cells[at] != 0 && !same_sample(p, &p->samples[cells[at] - 1], s))
            at = (at + 1) & (capacity - 1);
        if (cells[at] != 0) {
            for (size_t k = 0; k < p->type_count; k++)
                p->samples[cells[at] - 1].values[k] = add(p->samples[cells[at] - 1].values[k], s->values[k]);
            continue;
        }
        p->samples[kept] = *s;
        cells[at] = (uint32_t)++kept;
    }
    p->sample_count = kept;
    free(cells);
    return HG_OK;
}

hg_status pprof_merge(pprof *into, const pprof *from, int sign)
{
    if (!same_types(into, from))
        return HG_ERR_ARGUMENT;
    if (!copy_tables(into, from) || !copy_samples(into, from, sign))
        return HG_ERR_NOMEM;
    into->function_count += from->function_count;
    into->mapping_count += from->mapping_count;
    into->location_count += from->location_count;
    into->sample_count += from->sample_count;
    into->duration_ns = add(into->duration_ns, from->duration_ns);
    if (from->time_ns != 0 && from->time_ns < into->time_ns)
        into->time_ns = from->time_ns;
    hg_status status = fold_functions(into);
    return status == HG_OK ? fold_rows(into) : status;
}
