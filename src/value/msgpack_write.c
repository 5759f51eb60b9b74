#include "hotgate/msgpack.h"

#include "base/utf.h"
#include "value/walk.h"

enum { DEPTH_CAP = 1024 };

/* A format byte and a big-endian number of n bytes. */
static void put(hg_buffer *out, uint8_t format, uint64_t x, size_t n)
{
    char text[9];
    text[0] = (char)format;
    for (size_t i = 0; i < n; i++)
        text[1 + i] = (char)(x >> (8 * (n - 1 - i)));
    hg_buffer_append(out, hg_slice_of(text, n + 1));
}

void hg_msgpack_put_nil(hg_buffer *out)
{
    put(out, 0xC0, 0, 0);
}

void hg_msgpack_put_bool(hg_buffer *out, bool v)
{
    put(out, v ? 0xC3 : 0xC2, 0, 0);
}

void hg_msgpack_put_unsigned(hg_buffer *out, uint64_t v)
{
    if (v < 0x80)
        put(out, (uint8_t)v, 0, 0);
    else if (v <= UINT8_MAX)
        put(out, 0xCC, v, 1);
    else if (v <= UINT16_MAX)
        put(out, 0xCD, v, 2);
    else if (v <= UINT32_MAX)
        put(out, 0xCE, v, 4);
    else
        put(out, 0xCF, v, 8);
}

void hg_msgpack_put_signed(hg_buffer *out, int64_t v)
{
    if (v >= 0)
        hg_msgpack_put_unsigned(out, (uint64_t)v);
    else if (v >= -32)
        put(out, (uint8_t)v, 0, 0);
    else if (v >= INT8_MIN)
        put(out, 0xD0, (uint64_t)v, 1);
    else if (v >= INT16_MIN)
        put(out, 0xD1, (uint64_t)v, 2);
    else if (v >= INT32_MIN)
        put(out, 0xD2, (uint64_t)v, 4);
    else
        put(out, 0xD3, (uint64_t)v, 8);
}

void hg_msgpack_put_float(hg_buffer *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(out, 0xCB, bits, 8);
}

void hg_msgpack_put_str(hg_buffer *out, hg_slice s)
{
    if (s.len < 32)
        put(out, (uint8_t)(0xA0 | s.len), 0, 0);
    else if (s.len <= UINT8_MAX)
        put(out, 0xD9, s.len, 1);
    else if (s.len <= UINT16_MAX)
        put(out, 0xDA, s.len, 2);
    else
        put(out, 0xDB, s.len, 4);
    hg_buffer_append(out, s);
}

void hg_msgpack_put_bin(hg_buffer *out, hg_slice s)
{
    if (s.len <= UINT8_MAX)
        put(out, 0xC4, s.len, 1);
    else if (s.len <= UINT16_MAX)
        put(out, 0xC5, s.len, 2);
    else
        put(out, 0xC6, s.len, 4);
    hg_buffer_append(out, s);
}

void hg_msgpack_put_array(hg_buffer *out, uint32_t entries)
{
    if (entries < 16)
        put(out, (uint8_t)(0x90 | entries), 0, 0);
    else
        put(out, entries <= UINT16_MAX ? 0xDC : 0xDD, entries, entries <= UINT16_MAX ? 2 : 4);
}

void hg_msgpack_put_map(hg_buffer *out, uint32_t pairs)
{
    if (pairs < 16)
        put(out, (uint8_t)(0x80 | pairs), 0, 0);
    else
        put(out, pairs <= UINT16_MAX ? 0xDE : 0xDF, pairs, pairs <= UINT16_MAX ? 2 : 4);
}

static void put_text(hg_slice s, hg_buffer *out)
{
    if (hg_utf8_valid(s))
        hg_msgpack_put_str(out, s);
    else
        hg_msgpack_put_bin(out, s);
}

static void put_scalar(const hg_value *v, hg_buffer *out)
{
    switch (v->type) {
    case HG_BOOL:
        hg_msgpack_put_bool(out, walk_bool(v));
        return;
    case HG_SIGNED:
        hg_msgpack_put_signed(out, v->i64.val);
        return;
    case HG_UNSIGNED:
        hg_msgpack_put_unsigned(out, v->u64.val);
        return;
    case HG_FLOAT:
        hg_msgpack_put_float(out, v->f64.val);
        return;
    default:
        hg_msgpack_put_nil(out);
    }
}

/* One run of the writer. Trusts nothing: what is broken or nested too deep is nil and counted. */
typedef struct writer {
    walk_stack walk;
    hg_buffer *out;
    size_t faults;
} writer;

static void put_fault(writer *w)
{
    hg_msgpack_put_nil(w->out);
    w->faults++;
}

static void put_container(writer *w, const hg_value *v)
{
    if (w->walk.depth >= DEPTH_CAP) {
        put_fault(w);
        return;
    }
    uint32_t size = (uint32_t)hg_value_size(v);
    if (hg_is_map(v))
        hg_msgpack_put_map(w->out, size);
    else
        hg_msgpack_put_array(w->out, size);
    if (size > 0 && !walk_push(&w->walk, v, NULL))
        w->out->failed = true;
}

static void put_value(writer *w, const hg_value *v)
{
    switch (walk_kind_of(v)) {
    case WALK_SCALAR:
        put_scalar(v, w->out);
        return;
    case WALK_STRING:
        put_text(hg_value_string(v), w->out);
        return;
    case WALK_CONTAINER:
        put_container(w, v);
        return;
    default:
        put_fault(w);
    }
}

static void put_key(writer *w, const hg_value *key)
{
    bool text = walk_kind_of(key) == WALK_STRING;
    w->faults += !text;
    put_text(text ? hg_value_string(key) : HG_SLICE(""), w->out);
}

size_t hg_msgpack_write(const hg_value *v, hg_buffer *out)
{
    writer w;
    w.out = out;
    w.faults = 0;
    walk_init(&w.walk);
    put_value(&w, v);
    while (w.walk.depth > 0 && !out->failed) {
        walk_frame *frame = walk_top(&w.walk);
        if (frame->next == hg_value_size(frame->from)) {
            w.walk.depth--;
            continue;
        }
        size_t i = frame->next++;
        if (hg_is_map(frame->from))
            put_key(&w, &hg_map_pairs(frame->from)[i].key);
        put_value(&w, walk_entry(frame->from, i));
    }
    walk_end(&w.walk);
    return w.faults;
}
