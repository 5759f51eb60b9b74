/* Reading pprof bytes. Every length is checked against what is left; ids may come in any order and before their use. */
#include "prof/pprof.h"

#include "prof/gzip.h"
#include "prof/proto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct cursor {
    const char *start, *at, *end;
    bool broken;
    const char *message;
} cursor;

typedef struct field {
    unsigned number, wire;
    uint64_t value;
    hg_slice bytes;
} field;

static void fail(cursor *c, const char *message)
{
    if (!c->broken)
        c->message = message;
    c->broken = true;
}

static uint64_t get_varint(cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (c->at >= c->end) {
            fail(c, "a number is cut short");
            return 0;
        }
        unsigned char byte = (unsigned char)*c->at++;
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    fail(c, "a number has more than ten bytes");
    return 0;
}

static bool next_field(cursor *c, field *f)
{
    if (c->broken || c->at >= c->end)
        return false;
    uint64_t tag = get_varint(c);
    *f = (field){.number = (unsigned)(tag >> 3), .wire = (unsigned)(tag & 7)};
    if (tag >> 3 == 0 || tag >> 32 != 0) {
        fail(c, "not a field");
        return false;
    }
    size_t fixed = f->wire == WIRE_FIXED64 ? 8 : f->wire == WIRE_FIXED32 ? 4 : 0;
    if (f->wire == WIRE_VARINT) {
        f->value = get_varint(c);
    } else if (fixed > 0 || f->wire == WIRE_BYTES) {
        uint64_t length = fixed ? fixed : get_varint(c);
        if (length > (uint64_t)(c->end - c->at)) {
            fail(c, "a field is longer than what is left");
            return false;
        }
        f->bytes = hg_slice_of(c->at, (size_t)length);
        c->at += length;
    } else {
        fail(c, "unknown wire type");
    }
    return !c->broken;
}

static cursor inside(const cursor *outer, hg_slice s)
{
    const char *at = s.ptr ? s.ptr : ""; /* a field of another kind has no bytes */
    return (cursor){.start = outer->start, .at = at, .end = at + s.len};
}

/* ---- First pass: how many of each; second pass: what they are ---- */

typedef struct reader {
    pprof *p;
    hg_slice *strings;
    size_t string_count;
    cursor *where; /* for error positions */
} reader;

static hg_slice string_at(reader *r, uint64_t index)
{
    if (index < r->string_count)
        return r->strings[index];
    fail(r->where, "a string that is not in the table");
    return (hg_slice){"", 0};
}

static int by_function_id(const void *a, const void *b)
{
    uint64_t x = ((const pprof_function *)a)->id, y = ((const pprof_function *)b)->id;
    return (x > y) - (x < y);
}

static int by_location_id(const void *a, const void *b)
{
    uint64_t x = ((const pprof_location *)a)->id, y = ((const pprof_location *)b)->id;
    return (x > y) - (x < y);
}

static int by_mapping_id(const void *a, const void *b)
{
    uint64_t x = ((const pprof_mapping *)a)->id, y = ((const pprof_mapping *)b)->id;
    return (x > y) - (x < y);
}

static uint32_t position(const void *found, const void *items, size_t size)
{
    return found ? (uint32_t)(((const char *)found - (const char *)items) / size) : UINT32_MAX;
}

static void read_type(reader *r, cursor c, pprof_type *out)
{
    *out = (pprof_type){HG_SLICE(""), HG_SLICE("")};
    for (field f; next_field(&c, &f);) {
        if (f.number == VALUE_TYPE_TYPE)
            out->type = string_at(r, f.value);
        else if (f.number == VALUE_TYPE_UNIT)
            out->unit = string_at(r, f.value);
    }
    if (c.broken)
        fail(r->where, c.message);
}

static void read_function(reader *r, cursor c, pprof_function *out)
{
    *out = (pprof_function){.name = HG_SLICE(""), .system_name = HG_SLICE(""), .file = HG_SLICE("")};
    for (field f; next_field(&c, &f);)
        switch (f.number) {
        case FUNCTION_ID:
            out->id = f.value;
            break;
        case FUNCTION_NAME:
            out->name = string_at(r, f.value);
            break;
        case FUNCTION_SYSTEM_NAME:
            out->system_name = string_at(r, f.value);
            break;
        case FUNCTION_FILENAME:
            out->file = string_at(r, f.value);
            break;
        case FUNCTION_START_LINE:
            out->start_line = (int64_t)f.value;
            break;
        }
    if (c.broken)
        fail(r->where, c.message);
}

static void read_mapping(reader *r, cursor c, pprof_mapping *out)
{
    *out = (pprof_mapping){.file = HG_SLICE(""), .build_id = HG_SLICE("")};
    for (field f; next_field(&c, &f);)
        switch (f.number) {
        case MAPPING_ID:
            out->id = f.value;
            break;
        case MAPPING_START:
            out->start = f.value;
            break;
        case MAPPING_LIMIT:
            out->limit = f.value;
            break;
        case MAPPING_OFFSET:
            out->offset = f.value;
            break;
        case MAPPING_FILENAME:
            out->file = string_at(r, f.value);
            break;
        case MAPPING_BUILD_ID:
            out->build_id = string_at(r, f.value);
            break;
        }
    if (c.broken)
        fail(r->where, c.message);
}

static void *room(reader *r, size_t count, size_t size)
{
    void *ptr = hg_arena_alloc(&r->p->arena, count * size + 1, 8);
    if (ptr == NULL)
        fail(r->where, "out of memory");
    else
        memset(ptr, 0, count * size + 1);
    return ptr;
}

static size_t count_fields(cursor c, unsigned number)
{
    size_t count = 0;
    for (field f; next_field(&c, &f);)
        count += f.number == number;
    return count;
}

static void read_line(reader *r, cursor c, pprof_line *out)
{
    uint64_t id = 0;
    for (field f; next_field(&c, &f);) {
        if (f.number == LINE_FUNCTION_ID)
            id = f.value;
        else if (f.number == LINE_LINE)
            out->line = (int64_t)f.value;
    }
    pprof_function key = {.id = id};
    const void *found = r->p->function_count == 0 ? NULL : bsearch(&key, r->p->functions, r->p->function_count, sizeof key, by_function_id);
    out->function = position(found, r->p->functions, sizeof key);
    if (found == NULL)
        fail(r->where, "a function that is not there");
    if (c.broken)
        fail(r->where, c.message);
}

static void read_location(reader *r, cursor c, pprof_location *out)
{
    *out = (pprof_location){.mapping = UINT32_MAX};
    out->lines = room(r, count_fields(c, LOCATION_LINE), sizeof *out->lines);
    uint64_t mapping_id = 0;
    for (field f; !r->where->broken && next_field(&c, &f);)
        switch (f.number) {
        case LOCATION_ID:
            out->id = f.value;
            break;
        case LOCATION_MAPPING_ID:
            mapping_id = f.value;
            break;
        case LOCATION_ADDRESS:
            out->address = f.value;
            break;
        case LOCATION_LINE:
            read_line(r, inside(&c, f.bytes), &out->lines[out->line_count++]);
            break;
        }
    pprof_mapping key = {.id = mapping_id};
    if (mapping_id != 0 && r->p->mapping_count > 0)
        out->mapping = position(bsearch(&key, r->p->mappings, r->p->mapping_count, sizeof key, by_mapping_id),
                                r->p->mappings, sizeof key);
    if (c.broken)
        fail(r->where, c.message);
}

/* Repeated numbers come packed or one by one. */
static size_t count_numbers(cursor c, unsigned number)
{
    size_t count = 0;
    for (field f; next_field(&c, &f);) {
        if (f.number != number)
            continue;
        if (f.wire != WIRE_BYTES) {
            count++;
            continue;
        }
        for (size_t i = 0; i < f.bytes.len; i++)
            count += (unsigned char)f.bytes.ptr[i] < 0x80;
    }
    return count;
}

static uint32_t location_position(reader *r, uint64_t id)
{
    pprof_location key = {.id = id};
    const void *found = r->p->location_count == 0 ? NULL : bsearch(&key, r->p->locations, r->p->location_count, sizeof key, by_location_id);
    if (found == NULL)
        fail(r->where, "a location that is not there");
    return position(found, r->p->locations, sizeof key);
}

static void add_number(reader *r, pprof_sample *s, unsigned number, uint64_t value, size_t *values)
{
    if (number == SAMPLE_LOCATION_ID)
        s->locations[s->location_count++] = location_position(r, value);
    else if (*values < r->p->type_count)
        s->values[(*values)++] = (int64_t)value;
    else
        fail(r->where, "a sample has more values than there are types");
}

static void read_label(reader *r, cursor c, pprof_label *out)
{
    *out = (pprof_label){HG_SLICE(""), HG_SLICE(""), HG_SLICE(""), 0};
    for (field f; next_field(&c, &f);)
        switch (f.number) {
        case LABEL_KEY:
            out->key = string_at(r, f.value);
            break;
        case LABEL_STR:
            out->text = string_at(r, f.value);
            break;
        case LABEL_NUM:
            out->number = (int64_t)f.value;
            break;
        case LABEL_NUM_UNIT:
            out->unit = string_at(r, f.value);
            break;
        }
    if (c.broken)
        fail(r->where, c.message);
}

static void read_sample(reader *r, cursor c, pprof_sample *out)
{
    *out = (pprof_sample){0};
    out->locations = room(r, count_numbers(c, SAMPLE_LOCATION_ID), sizeof *out->locations);
    out->values = room(r, r->p->type_count, sizeof *out->values);
    out->labels = room(r, count_fields(c, SAMPLE_LABEL), sizeof *out->labels);
    size_t values = 0;
    for (field f; !r->where->broken && next_field(&c, &f);) {
        if (f.number == SAMPLE_LABEL) {
            read_label(r, inside(&c, f.bytes), &out->labels[out->label_count++]);
        } else if (f.number == SAMPLE_LOCATION_ID || f.number == SAMPLE_VALUE) {
            if (f.wire != WIRE_BYTES) {
                add_number(r, out, f.number, f.value, &values);
                continue;
            }
            cursor packed = inside(&c, f.bytes);
            while (packed.at < packed.end && !packed.broken && !r->where->broken) {
                uint64_t value = get_varint(&packed);
                if (!packed.broken)
                    add_number(r, out, f.number, value, &values);
            }
            if (packed.broken)
                fail(r->where, packed.message);
        }
    }
    if (c.broken)
        fail(r->where, c.message);
    else if (!r->where->broken && values != r->p->type_count)
        fail(r->where, "a sample has fewer values than there are types");
}

typedef void each_fn(reader *r, cursor content, void *item);

static void read_all(reader *r, unsigned number, size_t size, each_fn *each, void **items, size_t *count)
{
    cursor c = *r->where;
    *items = room(r, count_fields(c, number), size);
    for (field f; !r->where->broken && next_field(&c, &f);) {
        if (f.number != number || f.wire != WIRE_BYTES)
            continue;
        each(r, inside(&c, f.bytes), (char *)*items + *count * size);
        ++*count;
        if (r->where->broken)
            r->where->at = f.bytes.ptr;
    }
}

static void each_type(reader *r, cursor c, void *item) { read_type(r, c, item); }
static void each_function(reader *r, cursor c, void *item) { read_function(r, c, item); }
static void each_mapping(reader *r, cursor c, void *item) { read_mapping(r, c, item); }
static void each_location(reader *r, cursor c, void *item) { read_location(r, c, item); }
static void each_sample(reader *r, cursor c, void *item) { read_sample(r, c, item); }

static void read_strings(reader *r)
{
    cursor c = *r->where;
    r->strings = room(r, count_fields(c, PROFILE_STRING_TABLE), sizeof *r->strings);
    for (field f; !r->where->broken && next_field(&c, &f);) {
        if (f.number != PROFILE_STRING_TABLE)
            continue;
        bool ok;
        r->strings[r->string_count++] = hg_arena_copy(&r->p->arena, f.bytes, &ok);
        if (!ok)
            fail(r->where, "out of memory");
    }
    if (c.broken) {
        r->where->at = c.at;
        fail(r->where, c.message);
    }
    if (!r->where->broken && (r->string_count == 0 || r->strings[0].len != 0))
        fail(r->where, "not a pprof profile: the string table does not begin with an empty string");
}

static void read_scalars(reader *r)
{
    pprof *p = r->p;
    cursor c = *r->where;
    p->period_type = (pprof_type){HG_SLICE(""), HG_SLICE("")};
    p->default_type = HG_SLICE("");
    p->comments = room(r, count_numbers(c, PROFILE_COMMENT), sizeof *p->comments);
    for (field f; !r->where->broken && next_field(&c, &f);)
        switch (f.number) {
        case PROFILE_TIME_NANOS:
            p->time_ns = (int64_t)f.value;
            break;
        case PROFILE_DURATION_NANOS:
            p->duration_ns = (int64_t)f.value;
            break;
        case PROFILE_PERIOD:
            p->period = (int64_t)f.value;
            break;
        case PROFILE_PERIOD_TYPE:
            read_type(r, inside(&c, f.bytes), &p->period_type);
            break;
        case PROFILE_DEFAULT_SAMPLE_TYPE:
            p->default_type = string_at(r, f.value);
            break;
        case PROFILE_COMMENT:
            if (f.wire == WIRE_VARINT)
                p->comments[p->comment_count++] = string_at(r, f.value);
            for (cursor packed = inside(&c, f.bytes); f.wire == WIRE_BYTES && packed.at < packed.end && !packed.broken;) {
                uint64_t index = get_varint(&packed);
                if (!packed.broken)
                    p->comments[p->comment_count++] = string_at(r, index);
            }
            break;
        }
}

static hg_status read_plain(hg_slice bytes, pprof *out, pprof_error *error)
{
    cursor top = {.start = bytes.ptr, .at = bytes.ptr, .end = bytes.ptr + bytes.len};
    reader r = {.p = out, .where = &top};
    read_strings(&r);
    if (!top.broken)
        read_all(&r, PROFILE_SAMPLE_TYPE, sizeof *out->types, each_type, (void **)&out->types, &out->type_count);
    if (!top.broken)
        read_all(&r, PROFILE_FUNCTION, sizeof *out->functions, each_function, (void **)&out->functions, &out->function_count);
    if (!top.broken)
        read_all(&r, PROFILE_MAPPING, sizeof *out->mappings, each_mapping, (void **)&out->mappings, &out->mapping_count);
    if (!top.broken && out->function_count > 0)
        qsort(out->functions, out->function_count, sizeof *out->functions, by_function_id);
    if (!top.broken && out->mapping_count > 0)
        qsort(out->mappings, out->mapping_count, sizeof *out->mappings, by_mapping_id);
    if (!top.broken)
        read_all(&r, PROFILE_LOCATION, sizeof *out->locations, each_location, (void **)&out->locations, &out->location_count);
    if (!top.broken && out->location_count > 0)
        qsort(out->locations, out->location_count, sizeof *out->locations, by_location_id);
    if (!top.broken)
        read_all(&r, PROFILE_SAMPLE, sizeof *out->samples, each_sample, (void **)&out->samples, &out->sample_count);
    if (!top.broken)
        read_scalars(&r);
    if (!top.broken)
        return HG_OK;
    *error = (pprof_error){(size_t)(top.at - top.start), top.message};
    return HG_ERR_SYNTAX;
}

hg_status pprof_read(hg_slice bytes, pprof *out, pprof_error *error)
{
    *out = (pprof){0};
    *error = (pprof_error){0};
    hg_buffer unpacked = {0};
    if (bytes.len >= 2 && memcmp(bytes.ptr, "\x1f\x8b", 2) == 0) {
        hg_status status = gzip_unpack(bytes, PPROF_UNPACKED_MAX, &unpacked);
        if (status != HG_OK) {
            error->message = status == HG_ERR_UNSUPPORTED ? "gzip, but zlib is not built in" :
                             status == HG_ERR_LIMIT ? "unpacks to more than 1 GiB" : "broken gzip data";
            hg_buffer_free(&unpacked);
            return status;
        }
        bytes = hg_slice_of(unpacked.ptr, unpacked.len);
    }
    if (bytes.len >= 4 && memcmp(bytes.ptr, "\x28\xb5\x2f\xfd", 4) == 0) {
        error->message = "compressed with zstd: unpack it first (zstd -d)";
        hg_buffer_free(&unpacked);
        return HG_ERR_UNSUPPORTED;
    }
    hg_arena_init(&out->arena, NULL);
    hg_status status = bytes.len == 0 ? HG_ERR_SYNTAX : read_plain(bytes, out, error);
    if (bytes.len == 0)
        error->message = "the profile is empty";
    hg_buffer_free(&unpacked);
    if (status != HG_OK)
        pprof_free(out);
    return status;
}

hg_status pprof_read_file(const char *path, pprof *out, pprof_error *error)
{
    *error = (pprof_error){0};
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    hg_buffer bytes = {0};
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && !bytes.failed) {
        char step[65536];
        got = read(fd, step, sizeof step);
        if (got > 0)
            hg_buffer_append(&bytes, hg_slice_of(step, (size_t)got));
    }
    hg_status status = got < 0 ? HG_ERR_IO : bytes.failed ? HG_ERR_NOMEM : HG_OK;
    if (got < 0)
        error->message = strerror(errno);
    if (fd >= 0)
        close(fd);
    if (status == HG_OK)
        status = pprof_read(hg_slice_of(bytes.ptr ? bytes.ptr : "", bytes.len), out, error);
    hg_buffer_free(&bytes);
    return status;
}

void pprof_free(pprof *p)
{
    hg_arena_close(&p->arena);
    *p = (pprof){0};
}
