/* Text into the tree: transcoded, cut at the limit, inline when short (marshalling 3.3). */
#include "value/encoder.h"

#include "base/base64.h"
#include "base/utf.h"
#include "hotgate/memory.h"
#include "value/number.h"

/* ---- lengths and cuts in the unit of the limit ---- */

static size_t length_in_unit(hg_slice s, hg_unit unit)
{
    if (unit == HG_UNIT_BYTES)
        return s.len;
    return unit == HG_UNIT_UTF16 ? hg_utf8_utf16_length(s) : hg_utf8_count(s);
}

/* Bytes of the longest prefix of well-formed text that has at most `max` units. */
static size_t prefix_of(hg_slice s, uint32_t max, hg_unit unit, bool split)
{
    if (s.len <= max)
        return s.len;
    if (unit == HG_UNIT_BYTES)
        return split ? max : hg_utf8_cut(s, max);
    size_t i = 0;
    for (uint32_t units = 0; i < s.len;) {
        uint32_t cp;
        size_t n = hg_utf8_decode(s.ptr + i, s.len - i, &cp);
        units += unit == HG_UNIT_UTF16 && n == 4 ? 2 : 1;
        if (units > max)
            break;
        i += n;
    }
    return i;
}

static void note_long_text(hg_encoder *e, size_t true_size)
{
    if (!(e->limits.flags & HG_LIMIT_SILENT_STRINGS))
        encoder_note(e, HG_REASON_STRING_TOO_LONG, true_size, true);
}

/* Whether every value at this level becomes an empty map. */
static bool is_map_instead(const hg_encoder *e)
{
    return e->limits.deep == HG_DEEP_CHILDREN_MAP && e->depth - 1 == e->limits.max_depth;
}

/* ---- pushing ---- */

static bool push_raw(hg_encoder *e, hg_slice s, bool borrow)
{
    hg_value *slot = builder_push(&e->b);
    if (slot == NULL)
        return false;
    bool is_small = s.len <= HG_SMALL_STRING_MAX;
    if (is_small && (s.len == 0 || !(e->limits.flags & HG_LIMIT_HEAP_STRINGS))) {
        small_string_set(slot, s.ptr, s.len);
        return true;
    }
    if (borrow) {
        long_string_set(slot, s.ptr, s.len);
        return true;
    }
    char *copy = builder_bytes(&e->b, s.len);
    if (copy == NULL) {
        e->b.top--;
        return false;
    }
    memcpy(copy, s.ptr, s.len);
    long_string_set(slot, copy, s.len);
    return true;
}

bool encoder_push_text(hg_encoder *e, hg_slice s, bool borrow, bool is_key)
{
    if (!is_key && is_map_instead(e))
        return encoder_put_special(e, NULL);
    uint32_t max = is_key ? e->limits.max_key : e->limits.max_string;
    if (__builtin_expect(s.len > max, 0)) {
        hg_unit unit = (hg_unit)e->limits.unit;
        size_t cut = prefix_of(s, max, unit, e->limits.flags & HG_LIMIT_SPLIT);
        if (cut < s.len)
            note_long_text(e, length_in_unit(s, unit));
        s.len = cut;
    }
    return push_raw(e, s, borrow);
}

/* ---- UTF-8 ---- */

/* Room for text that is about to be written; kept by settle. */
static char *scratch(hg_encoder *e, size_t room)
{
    e->scratch.len = 0;
    char *out = hg_buffer_reserve(&e->scratch, room ? room : 1);
    if (out == NULL)
        e->b.failed = true;
    return out;
}

/* Ill-formed subparts as the code points of their bytes. */
static size_t copy_as_latin1(hg_slice s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp;
        size_t step = hg_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp != UINT32_MAX) {
            memcpy(out + n, s.ptr + i, step);
            n += step;
        } else {
            for (size_t k = 0; k < step; k++)
                n += hg_utf8_encode((uint8_t)s.ptr[i + k], out + n);
        }
        i += step;
    }
    return n;
}

/* Pushes text that is not well-formed. Only what can survive the cut is looked at, unless its length matters. */
static bool push_mended(hg_encoder *e, hg_slice s, bool is_key)
{
    encoder_note(e, HG_REASON_INVALID_TEXT, s.len, true);
    char *out = scratch(e, 3 * s.len);
    if (out == NULL)
        return false;
    size_t n;
    if (e->limits.ill_formed == HG_ILL_FORMED_LATIN1)
        n = copy_as_latin1(s, out);
    else
        n = hg_utf8_copy(s, out, 3 * s.len,
                         e->limits.ill_formed == HG_ILL_FORMED_DROP ? HG_TEXT_DROP : HG_TEXT_REPLACE)
                .written;
    return encoder_push_text(e, hg_slice_of(out, n), false, is_key);
}

/* A text far beyond the limit: checked up to a little more than the cut. True when s was shortened to what is
 * kept and the report is written. */
static bool cut_early(hg_encoder *e, hg_slice *s, uint32_t max)
{
    enum { LONGEST_SEQUENCE = 4 };
    if (e->limits.unit != HG_UNIT_BYTES || (uint64_t)max + LONGEST_SEQUENCE >= s->len)
        return false;
    if (e->limits.ill_formed == HG_ILL_FORMED_DROP)
        return false;
    note_long_text(e, s->len);
    s->len = e->limits.flags & HG_LIMIT_SPLIT ? max : hg_utf8_cut(*s, max);
    return true;
}

enum { LONG_TEXT = 1024 }; /* bytes or units before which the clock is read */

bool encoder_push_utf8(hg_encoder *e, hg_slice s, bool borrow, bool is_key)
{
    if (s.len > LONG_TEXT && encoder_is_late(e))
        s.len = 0;
    bool cut = cut_early(e, &s, is_key ? e->limits.max_key : e->limits.max_string);
    if (e->limits.ill_formed == HG_ILL_FORMED_KEEP || hg_utf8_valid(s))
        return encoder_push_text(e, s, borrow, is_key);
    if (cut && (e->limits.flags & HG_LIMIT_SPLIT) && hg_utf8_is_cut(s))
        return push_raw(e, s, borrow); /* only the split character is ill-formed */
    return push_mended(e, s, is_key);
}

bool encoder_utf8(hg_encoder *e, hg_slice s, bool borrow)
{
    if (!encoder_value(e))
        return true;
    if (is_map_instead(e))
        return encoder_put_special(e, NULL);
    return encoder_push_plain(e, s, borrow, false);
}

/* Starts a pair. False when it is not kept. */
static bool start_key(hg_encoder *e, size_t len)
{
    if (len == 0 && (e->limits.flags & HG_LIMIT_SKIP_EMPTY_KEYS)) {
        encoder_key_drop(e, (hg_reason)0);
        return false;
    }
    return encoder_entry(e);
}

bool encoder_key_drop(hg_encoder *e, hg_reason reason)
{
    if (e->muted != 0)
        return encoder_entry_slow(e), true;
    if (reason != 0)
        encoder_note(e, reason, 0, true);
    e->muted = e->depth;
    e->why = MUTE_PAIR;
    return true;
}

bool encoder_key_utf8(hg_encoder *e, hg_slice s, bool borrow)
{
    return !start_key(e, s.len) || encoder_push_plain(e, s, borrow, true);
}

bool encoder_key_literal(hg_encoder *e, hg_slice s)
{
    if (!start_key(e, s.len))
        return true;
    if (s.len > e->limits.max_key || s.len <= HG_SMALL_STRING_MAX)
        return encoder_push_text(e, s, true, true);
    hg_value *slot = builder_push(&e->b);
    if (slot != NULL)
        hg_set_literal(slot, s);
    return slot != NULL;
}

/* ---- UTF-16 and Latin-1 ---- */

static hg_text_policy lone_policy(const hg_encoder *e)
{
    switch (e->limits.ill_formed) {
    case HG_ILL_FORMED_DROP:
        return HG_TEXT_DROP;
    case HG_ILL_FORMED_KEEP:
        return HG_TEXT_KEEP;
    default:
        return HG_TEXT_REPLACE;
    }
}

/* Units that a limit in UTF-16 units or code points leaves. A cut between the halves of a pair drops the first. */
static size_t cut_units(hg_encoder *e, const uint16_t *units, size_t n, uint32_t max)
{
    if (e->limits.unit == HG_UNIT_BYTES || n <= max)
        return n;
    size_t cut = max, total = n;
    if (e->limits.unit == HG_UNIT_CODE_POINTS) {
        size_t points = 0;
        cut = n;
        for (size_t i = 0; i < n; points++) {
            if (points == max)
                cut = i;
            i += (units[i] & 0xFC00) == 0xD800 && i + 1 < n && (units[i + 1] & 0xFC00) == 0xDC00 ? 2 : 1;
        }
        total = points;
    } else if ((units[cut - 1] & 0xFC00) == 0xD800 && (units[cut] & 0xFC00) == 0xDC00) {
        cut--;
    }
    if (cut < n)
        note_long_text(e, total);
    return cut;
}

/* ASCII of a middling length in an arena is written in one go; false for everything else. */
static bool push_ascii_units(hg_encoder *e, const uint16_t *units, size_t n, uint32_t max)
{
    enum { WORTH_A_KERNEL = 256 };
    hg_arena *arena = e->b.arena;
    if (n <= HG_SMALL_STRING_MAX || n > WORTH_A_KERNEL || n > max || arena == NULL || e->b.top == e->b.end)
        return false;
    char *out = hg_arena_alloc(arena, n, 1);
    if (out == NULL)
        return false;
    if (!utf16_narrow(out, units, n)) {
        hg_arena_resize(arena, out, n, 0, 1);
        return false;
    }
    long_string_set(e->b.top++, out, n);
    return true;
}

enum { MEASURE_BEYOND = 4096 }; /* units: below, three bytes a unit are simply reserved */

/* Transcodes to the tree or, with an allocator that is no arena, by way of the scratch buffer. */
static bool push_utf16(hg_encoder *e, const uint16_t *units, size_t n, bool is_key)
{
    uint32_t max = is_key ? e->limits.max_key : e->limits.max_string;
    if (n > LONG_TEXT && encoder_is_late(e))
        n = 0;
    n = cut_units(e, units, n, max ? max : 1);
    size_t room = n > MEASURE_BEYOND ? hg_utf16_utf8_length(units, n) : 3 * n;
    if (e->limits.unit == HG_UNIT_BYTES && room > (size_t)max)
        room = (size_t)max + 4; /* a little more, to know whether text was left */
    hg_arena *arena = e->b.arena;
    char *out = arena ? hg_arena_alloc(arena, room, 1) : scratch(e, room);
    if (out == NULL) {
        e->b.failed = true;
        return false;
    }
    size_t limit = e->limits.unit == HG_UNIT_BYTES && max < room ? max : room;
    hg_transcoded t = hg_utf16_to_utf8(units, n, out, limit, lone_policy(e));
    if (t.read < n)
        note_long_text(e, hg_utf16_utf8_length(units, n));
    if (t.replaced > 0)
        encoder_note(e, HG_REASON_INVALID_TEXT, t.replaced, true);
    bool in_place = arena != NULL && (t.written > HG_SMALL_STRING_MAX || (e->limits.flags & HG_LIMIT_HEAP_STRINGS));
    if (arena != NULL)
        hg_arena_resize(arena, out, room, in_place ? t.written : 0, 1);
    return push_raw(e, hg_slice_of(out, t.written), in_place);
}

bool encoder_utf16(hg_encoder *e, const uint16_t *units, size_t n)
{
    if (!encoder_value(e))
        return true;
    if (is_map_instead(e))
        return encoder_put_special(e, NULL);
    return push_ascii_units(e, units, n, e->limits.max_string) || push_utf16(e, units, n, false);
}

bool encoder_key_utf16(hg_encoder *e, const uint16_t *units, size_t n)
{
    return !start_key(e, n) || push_ascii_units(e, units, n, e->limits.max_key) || push_utf16(e, units, n, true);
}

static bool push_latin1(hg_encoder *e, hg_slice s, bool is_key)
{
    if (hg_ascii_prefix(s) == s.len)
        return encoder_push_text(e, s, false, is_key);
    char *out = scratch(e, 2 * s.len);
    if (out == NULL)
        return false;
    size_t n = hg_latin1_to_utf8(s, out, 2 * s.len).written;
    return encoder_push_text(e, hg_slice_of(out, n), false, is_key);
}

bool encoder_latin1(hg_encoder *e, hg_slice s)
{
    if (!encoder_value(e))
        return true;
    if (is_map_instead(e))
        return encoder_put_special(e, NULL);
    return push_latin1(e, s, false);
}

bool encoder_key_latin1(hg_encoder *e, hg_slice s)
{
    return !start_key(e, s.len) || push_latin1(e, s, true);
}

/* ---- bytes and scalars as other things ---- */

static bool bytes_as_array(hg_encoder *e, hg_slice s)
{
    if (!encoder_open(e, HG_ARRAY, NULL))
        return false;
    size_t i = 0;
    for (; i < s.len && !encoder_is_muted(e); i++) {
        hg_value v;
        hg_set_unsigned(&v, (uint8_t)s.ptr[i]);
        if (!encoder_put(e, &v))
            return false;
    }
    encoder_skipped(e, s.len - i);
    return encoder_close(e);
}

static bool bytes_as_base64(hg_encoder *e, hg_slice s)
{
    hg_buffer text = {.a = hg_pooled()};
    char *out = hg_buffer_reserve(&text, hg_b64_size(s.len) + 1);
    bool ok = out != NULL;
    if (ok)
        ok = encoder_utf8(e, hg_slice_of(out, hg_b64_encode(s, HG_BASE64_STANDARD, out)), false);
    else
        e->b.failed = true;
    hg_buffer_free(&text);
    return ok;
}

bool encoder_bytes(hg_encoder *e, hg_slice s)
{
    switch (e->limits.bytes) {
    case HG_BYTES_SKIP:
        return encoder_invalid(e);
    case HG_BYTES_ARRAY:
        return bytes_as_array(e, s);
    case HG_BYTES_BASE64:
        return bytes_as_base64(e, s);
    default:
        return encoder_utf8(e, s, false);
    }
}

static bool push_as_text(hg_encoder *e, const hg_value *v)
{
    char text[32];
    switch (v->type) {
    case HG_BOOL:
        return encoder_push_text(e, v->b8.val ? HG_SLICE("True") : HG_SLICE("False"), false, false);
    case HG_SIGNED:
        return encoder_push_text(e, hg_slice_of(text, number_signed(v->i64.val, text)), false, false);
    case HG_UNSIGNED:
        return encoder_push_text(e, hg_slice_of(text, number_digits(v->u64.val, text)), false, false);
    default:
        return encoder_push_text(e, hg_slice_of(text, hg_float_text(v->f64.val, text)), false, false);
    }
}

bool encoder_put_special(hg_encoder *e, const hg_value *v)
{
    hg_value changed;
    if (is_map_instead(e)) {
        encoder_note(e, HG_REASON_OBJECT_TOO_DEEP, e->depth, true);
        container_set(&changed, HG_MAP, 0, 0, NULL);
    } else if ((e->limits.flags & HG_LIMIT_STRINGIFY) && v->type != HG_NULL && v->type != HG_INVALID) {
        return push_as_text(e, v);
    } else {
        changed = *v;
        double d = v->type == HG_FLOAT ? v->f64.val : 0.5;
        bool whole = d >= -9007199254740992.0 && d <= 9007199254740992.0 && d == (double)(int64_t)d;
        if ((e->limits.flags & HG_LIMIT_INTEGRAL_SIGNED) && whole)
            hg_set_signed(&changed, (int64_t)d);
    }
    hg_value *slot = builder_push(&e->b);
    if (slot != NULL)
        *slot = changed;
    return slot != NULL;
}
