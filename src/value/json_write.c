/* Values to JSON text. Trusts nothing: what is broken, and what is nested deeper than the cap, is null and counted. */
#include "value/internal.h"
#include "value/number.h"
#include "value/walk.h"

#include "base/utf.h"

#include <math.h>

enum { DEPTH_CAP = 1024 };

static const char hex_digits[] = "0123456789abcdef";

static void put_u_escape(hg_buffer *out, uint32_t unit)
{
    char text[6] = {'\\', 'u', hex_digits[unit >> 12 & 15], hex_digits[unit >> 8 & 15], hex_digits[unit >> 4 & 15],
                    hex_digits[unit & 15]};
    hg_buffer_append(out, hg_slice_of(text, 6));
}

/* Letter of a two-character escape, 'u' for other control characters, 0 for a plain character. */
static char escape_letter(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return c < 0x20 ? 'u' : 0;
    }
}

static void put_escape(hg_buffer *out, uint8_t c, char letter)
{
    if (letter == 'u') {
        put_u_escape(out, c);
        return;
    }
    char text[2] = {'\\', letter};
    hg_buffer_append(out, hg_slice_of(text, 2));
}

static void put_code_point(hg_buffer *out, uint32_t cp, unsigned flags)
{
    if (flags & HG_JSON_ASCII) {
        if (cp > 0xFFFF) {
            put_u_escape(out, 0xD7C0 + (cp >> 10));
            cp = 0xDC00 | (cp & 0x3FF);
        }
        put_u_escape(out, cp);
        return;
    }
    char text[4];
    hg_buffer_append(out, hg_slice_of(text, hg_utf8_encode(cp, text)));
}

/* Whether a byte can be copied as it is, without looking at its neighbours. */
static inline bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

void hg_json_write_string(hg_slice s, unsigned flags, hg_buffer *out)
{
    hg_buffer_byte(out, '"');
    size_t i = 0;
    while (i < s.len) {
        size_t run = i;
        while (run < s.len && is_plain((uint8_t)s.ptr[run]))
            run++;
        hg_buffer_append(out, hg_slice_of(s.ptr + i, run - i));
        i = run;
        if (i == s.len)
            break;
        uint8_t c = (uint8_t)s.ptr[i];
        if (c < 0x80) {
            put_escape(out, c, escape_letter(c));
            i++;
            continue;
        }
        uint32_t cp;
        i += hg_utf8_decode(s.ptr + i, s.len - i, &cp);
        put_code_point(out, cp == UINT32_MAX ? HG_REPLACEMENT : cp, flags);
    }
    hg_buffer_byte(out, '"');
}

static void put_float(double d, unsigned flags, hg_buffer *out)
{
    if (!isfinite(d)) {
        hg_buffer_append(out, HG_SLICE("null"));
        return;
    }
    char text[34];
    size_t n = hg_float_text(d, text);
    bool whole = true;
    for (size_t i = 0; i < n; i++)
        whole = whole && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'));
    if (whole && !(flags & HG_JSON_PLAIN_FLOATS)) {
        memcpy(text + n, ".0", 2);
        n += 2;
    }
    hg_buffer_append(out, hg_slice_of(text, n));
}

static void put_scalar(const hg_value *v, unsigned flags, hg_buffer *out)
{
    char text[20];
    switch (v->type) {
    case HG_BOOL:
        hg_buffer_append(out, walk_bool(v) ? HG_SLICE("true") : HG_SLICE("false"));
        return;
    case HG_SIGNED:
        hg_buffer_append(out, hg_slice_of(text, number_signed(v->i64.val, text)));
        return;
    case HG_UNSIGNED:
        hg_buffer_append(out, hg_slice_of(text, number_digits(v->u64.val, text)));
        return;
    case HG_FLOAT:
        put_float(v->f64.val, flags, out);
        return;
    default:
        hg_buffer_append(out, HG_SLICE("null"));
    }
}

static void put_newline(hg_buffer *out, size_t depth, unsigned flags)
{
    if (!(flags & HG_JSON_PRETTY))
        return;
    hg_buffer_byte(out, '\n');
    for (size_t i = 0; i < depth; i++)
        hg_buffer_append(out, HG_SLICE("  "));
}

/* One run of the writer. */
typedef struct writer {
    walk_stack walk;
    hg_buffer *out;
    unsigned flags;
    size_t faults;
} writer;

static void put_fault(writer *w)
{
    hg_buffer_append(w->out, HG_SLICE("null"));
    w->faults++;
}

/* Writes an empty container whole; opens any other and pushes it. */
static void open_container(writer *w, const hg_value *v)
{
    bool map = hg_is_map(v);
    if (hg_value_size(v) == 0)
        hg_buffer_append(w->out, map ? HG_SLICE("{}") : HG_SLICE("[]"));
    else if (w->walk.depth >= DEPTH_CAP)
        put_fault(w);
    else if (walk_push(&w->walk, v, NULL))
        hg_buffer_byte(w->out, map ? '{' : '[');
    else
        w->out->failed = true;
}

static void put_value(writer *w, const hg_value *v)
{
    switch (walk_kind_of(v)) {
    case WALK_SCALAR:
        put_scalar(v, w->flags, w->out);
        return;
    case WALK_STRING:
        hg_json_write_string(hg_value_string(v), w->flags, w->out);
        return;
    case WALK_CONTAINER:
        open_container(w, v);
        return;
    default:
        put_fault(w);
    }
}

static void put_key(writer *w, const hg_value *key)
{
    bool text = walk_kind_of(key) == WALK_STRING;
    w->faults += !text;
    hg_json_write_string(text ? hg_value_string(key) : HG_SLICE(""), w->flags, w->out);
    hg_buffer_append(w->out, w->flags & HG_JSON_PRETTY ? HG_SLICE(": ") : HG_SLICE(":"));
}

static void put_entry(writer *w)
{
    walk_frame *frame = walk_top(&w->walk);
    const hg_value *container = frame->from;
    size_t i = frame->next++;
    if (i > 0)
        hg_buffer_byte(w->out, ',');
    put_newline(w->out, w->walk.depth, w->flags);
    if (hg_is_map(container))
        put_key(w, &hg_map_pairs(container)[i].key);
    put_value(w, walk_entry(container, i));
}

size_t hg_json_write(const hg_value *v, unsigned flags, hg_buffer *out)
{
    writer w;
    w.out = out;
    w.flags = flags;
    w.faults = 0;
    walk_init(&w.walk);
    put_value(&w, v);
    while (w.walk.depth > 0 && !out->failed) {
        walk_frame *frame = walk_top(&w.walk);
        if (frame->next < hg_value_size(frame->from)) {
            put_entry(&w);
            continue;
        }
        bool map = hg_is_map(frame->from);
        w.walk.depth--;
        put_newline(out, w.walk.depth, flags);
        hg_buffer_byte(out, map ? '}' : ']');
    }
    walk_end(&w.walk);
    return w.faults;
}
