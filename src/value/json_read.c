/* JSON text to values in one pass, by an explicit stack: the builder holds what is open, one bit a level says
 * whether it is a map. Below the depth limit the text is still checked but nothing is kept. */
#include "value/json.h"
#include "value/json_scan.h"
#include "value/number.h"
#include "value/offsets.h"
#include "value/scratch.h"
#include "value/utf16_text.h"

#include "base/percent.h"
#include "base/utf.h"

#include <math.h>

enum { DEPTH_STRICT = 1000, DEPTH_DDWAF = 20, DEPTH_LENIENT = 1000, INLINE_LEVELS = 1024 };

typedef struct json_reader {
    const char *start, *p, *end;
    hg_json_dialect dialect;
    hg_encoder *e;
    size_t depth;       /* open containers, kept or not */
    bool in_map;        /* is the innermost one a map? */
    bool begun;         /* the encoder has seen the document, whatever limits made of it */
    uint8_t *maps;      /* bit per level: is it a map? */
    size_t level_room;
    hg_buffer scratch;  /* unescaped text */
    offsets_tracker *tracker; /* NULL unless wanted */
    hg_status status;
    const char *message;
    const char *where;
    size_t strict_depth; /* deeper is an error; 0 = the limits decide */
    bool borrow;
    uint8_t inline_maps[INLINE_LEVELS / 8];
} json_reader;

static bool fail(json_reader *r, hg_status status, const char *where, const char *message)
{
    r->status = status;
    r->where = where;
    r->message = message;
    return false;
}

static bool fail_here(json_reader *r, const char *message)
{
    bool at_end = r->p >= r->end;
    return fail(r, at_end ? HG_ERR_TRUNCATED : HG_ERR_SYNTAX, r->p, at_end ? "the text ends too early" : message);
}

static bool fail_memory(json_reader *r)
{
    return fail(r, HG_ERR_NOMEM, r->p, "out of memory");
}

static inline bool is_kept(const json_reader *r)
{
    return !encoder_is_muted(r->e);
}

/* Notes the start of the value that was pushed last. */
static inline bool track(json_reader *r, const char *start)
{
    if (r->tracker == NULL || tracker_value(r->tracker, (size_t)(r->e->b.top - r->e->b.values) - 1, (size_t)(start - r->start)))
        return true;
    return fail_memory(r);
}

/* ---- white space and comments ---- */

static bool skip_comment(json_reader *r)
{
    const char *start = r->p;
    if (r->end - r->p >= 2 && r->p[1] == '/') {
        const char *line_end = memchr(r->p, '\n', (size_t)(r->end - r->p));
        r->p = line_end ? line_end : r->end;
        return true;
    }
    if (r->end - r->p >= 2 && r->p[1] == '*') {
        for (r->p += 2; r->end - r->p >= 2; r->p++) {
            if (r->p[0] == '*' && r->p[1] == '/') {
                r->p += 2;
                return true;
            }
        }
        return fail(r, HG_ERR_TRUNCATED, start, "comment without end");
    }
    return fail_here(r, "unexpected character");
}

static bool skip_space_slow(json_reader *r)
{
    for (;;) {
        while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
            r->p++;
        if (r->dialect != HG_JSON_LENIENT || r->p == r->end || *r->p != '/')
            return true;
        if (!skip_comment(r))
            return false;
    }
}

/* Mostly there is none, or a single space. */
static inline bool skip_space(json_reader *r)
{
    if (__builtin_expect(r->p < r->end && (uint8_t)*r->p > ' ' && *r->p != '/', 1))
        return true;
    return skip_space_slow(r);
}

/* ---- strings ---- */

static int32_t read_hex4(const char *p)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hg_hex_digit(p[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* \uXXXX with r->p at the u; joins surrogate pairs. */
static bool read_unicode_escape(json_reader *r)
{
    const char *escape = r->p - 1;
    if (r->end - r->p < 5)
        return fail(r, HG_ERR_TRUNCATED, escape, "the text ends in an escape");
    int32_t unit = read_hex4(r->p + 1);
    if (unit < 0)
        return fail(r, HG_ERR_SYNTAX, escape, "bad \\u escape");
    r->p += 5;
    uint32_t cp = (uint32_t)unit;
    if ((unit & 0xF800) == 0xD800) {
        int32_t low = -1;
        if (unit < 0xDC00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u')
            low = read_hex4(r->p + 2);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            cp = 0x10000 + ((cp & 0x3FF) << 10 | ((uint32_t)low & 0x3FF));
            r->p += 6;
        } else if (r->dialect == HG_JSON_LENIENT) {
            cp = HG_REPLACEMENT;
        } else {
            return fail(r, HG_ERR_SYNTAX, escape, "lone surrogate");
        }
    }
    char text[4];
    hg_buffer_append(&r->scratch, hg_slice_of(text, hg_utf8_encode(cp, text)));
    return true;
}

static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

/* One escape with r->p behind the backslash. */
static bool read_escape(json_reader *r)
{
    if (r->p == r->end)
        return fail_here(r, "");
    if (*r->p == 'u')
        return read_unicode_escape(r);
    char c = *r->p == '\'' && r->dialect == HG_JSON_LENIENT ? '\'' : simple_escape(*r->p);
    if (c == 0)
        return fail(r, HG_ERR_SYNTAX, r->p - 1, "unknown escape");
    hg_buffer_byte(&r->scratch, c);
    r->p++;
    return true;
}

/* The rest of a string from its first special byte on, into the scratch buffer; r->p ends behind the quote. */
static bool read_escaped(json_reader *r, const char *from, unsigned *high)
{
    r->scratch.len = 0;
    for (;;) {
        hg_buffer_append(&r->scratch, hg_slice_of(from, (size_t)(r->p - from)));
        if (r->p == r->end)
            return fail_here(r, "");
        uint8_t c = (uint8_t)*r->p;
        from = r->p;
        if (c == '"') {
            r->p++;
            return r->scratch.failed ? fail_memory(r) : true;
        }
        if (c == '\\') {
            r->p++;
            if (!read_escape(r))
                return false;
            from = r->p;
        } else if (c < 0x20) {
            if (r->dialect != HG_JSON_LENIENT)
                return fail_here(r, "control character in a string");
            r->p++;
        }
        r->p = json_scan_string(r->p, r->end, high);
    }
}

/* Checks or mends the bytes of a text that is not ASCII. `source` is the text before unescaping. */
static bool settle_utf8(json_reader *r, hg_slice source, hg_slice *text)
{
    if (r->dialect == HG_JSON_DDWAF)
        return true;
    size_t good = hg_utf8_valid_prefix(source);
    if (good == source.len)
        return true;
    if (r->dialect == HG_JSON_STRICT)
        return fail(r, HG_ERR_SYNTAX, source.ptr + good, "invalid UTF-8");
    size_t room = 3 * text->len;
    bool in_scratch = text->ptr == r->scratch.ptr;
    size_t at = in_scratch ? text->len : 0;
    r->scratch.len = at;
    char *out = hg_buffer_reserve(&r->scratch, room);
    if (out == NULL)
        return fail_memory(r);
    if (in_scratch)
        text->ptr = r->scratch.ptr;
    *text = hg_slice_of(out, hg_utf8_copy(*text, out, room, HG_TEXT_REPLACE).written);
    return true;
}

static inline bool push_string(json_reader *r, hg_slice text, const char *start, bool is_key)
{
    if (is_key && text.len == 0 && (r->e->limits.flags & HG_LIMIT_SKIP_EMPTY_KEYS))
        return encoder_key_drop(r->e, (hg_reason)0);
    if (!(is_key ? encoder_entry(r->e) : encoder_value(r->e)))
        return true;
    bool borrow = r->borrow && text.ptr >= r->start && text.ptr < r->end;
    return encoder_push_short(r->e, text, borrow, is_key) ? track(r, start) : fail_memory(r);
}

/* Lenient: the part of a cut string that is complete, up to a code point boundary. */
static void keep_cut_string(json_reader *r, hg_slice text)
{
    uint32_t cp;
    hg_status status = r->status;
    size_t good = hg_utf8_valid_prefix(text);
    if (good < text.len && good + hg_utf8_decode(text.ptr + good, text.len - good, &cp) == text.len)
        text.len = good;
    if (settle_utf8(r, text, &text) && !push_string(r, text, r->end, false))
        status = HG_ERR_NOMEM;
    r->status = status;
}

/* A string with r->p at its quote, pushed as value or key. */
static bool read_string(json_reader *r, bool is_key)
{
    const char *quote = r->p++, *body = r->p;
    unsigned high = 0;
    r->p = json_scan_string(body, r->end, &high);
    hg_slice text = hg_slice_of(body, (size_t)(r->p - body));
    if (__builtin_expect(r->p < r->end && *r->p == '"', 1)) {
        r->p++;
    } else {
        bool whole = read_escaped(r, body, &high);
        text = hg_slice_of(r->scratch.ptr, r->scratch.len);
        if (!whole) {
            if (r->status == HG_ERR_TRUNCATED && r->dialect == HG_JSON_LENIENT && !is_key && is_kept(r))
                keep_cut_string(r, text);
            return false;
        }
    }
    if (high && !settle_utf8(r, hg_slice_of(body, (size_t)(r->p - 1 - body)), &text))
        return false;
    return push_string(r, text, quote, is_key);
}

/* ---- other scalars ---- */

static bool push_value(json_reader *r, const hg_value *v, const char *start)
{
    if (!encoder_value(r->e))
        return true;
    if (!r->e->plain)
        return encoder_put_special(r->e, v) ? track(r, start) : fail_memory(r);
    hg_value *slot = builder_push(&r->e->b);
    if (slot == NULL)
        return fail_memory(r);
    *slot = *v;
    return track(r, start);
}

static bool read_number(json_reader *r)
{
    const char *start = r->p;
    bool integral;
    hg_slice text = hg_slice_of(start, (size_t)(r->end - start));
    text.len = number_scan(text, &integral);
    if (text.len == 0) {
        r->p += *start == '-';
        return fail_here(r, "malformed number");
    }
    r->p += text.len;
    if (r->p < r->end && (*r->p == '.' || (*r->p | 0x20) == 'e' || hg_hex_digit(*r->p) >= 0))
        return fail_here(r, "malformed number");
    hg_value v;
    if (integral && number_to_integer(text, r->dialect == HG_JSON_DDWAF, &v))
        return push_value(r, &v, start);
    double d = number_to_double(text);
    if (isinf(d)) {
        if (r->dialect == HG_JSON_DDWAF)
            return fail(r, HG_ERR_SYNTAX, start, "number too large");
        return push_string(r, text, start, false);
    }
    hg_set_float(&v, d);
    return push_value(r, &v, start);
}

/* The word at r->p, compared as far as the text goes. */
static bool read_word(json_reader *r, hg_slice word, const hg_value *v, const char *start)
{
    size_t left = (size_t)(r->end - r->p), same = 0;
    while (same < word.len && same < left && r->p[same] == word.ptr[same])
        same++;
    r->p += same;
    return same == word.len ? push_value(r, v, start) : fail_here(r, "unknown word");
}

static bool read_literal(json_reader *r)
{
    const char *start = r->p;
    hg_value v;
    switch (*r->p) {
    case 't':
        hg_set_bool(&v, true);
        return read_word(r, HG_SLICE("true"), &v, start);
    case 'f':
        hg_set_bool(&v, false);
        return read_word(r, HG_SLICE("false"), &v, start);
    case 'n':
        hg_set_null(&v);
        return read_word(r, HG_SLICE("null"), &v, start);
    default:
        return fail_here(r, "a value is expected here");
    }
}

/* NaN, Infinity and -Infinity. */
static bool read_special_float(json_reader *r)
{
    const char *start = r->p;
    bool negative = *r->p == '-';
    hg_value v;
    r->p += negative;
    if (*r->p == 'N') {
        hg_set_float(&v, NAN);
        return read_word(r, HG_SLICE("NaN"), &v, start);
    }
    hg_set_float(&v, negative ? -HUGE_VAL : HUGE_VAL);
    return read_word(r, HG_SLICE("Infinity"), &v, start);
}

static bool is_special_float(const json_reader *r)
{
    if (r->dialect != HG_JSON_LENIENT)
        return false;
    char next = r->end - r->p > 1 ? r->p[1] : 0;
    return *r->p == 'N' || *r->p == 'I' || (*r->p == '-' && next == 'I');
}

static bool read_scalar(json_reader *r)
{
    if (*r->p == '"')
        return read_string(r, false);
    if (is_special_float(r))
        return read_special_float(r);
    if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9'))
        return read_number(r);
    return read_literal(r);
}

/* ---- containers ---- */

static bool grow_levels(json_reader *r)
{
    size_t bytes = r->level_room / 8;
    if (!scratch_grow_from((void **)&r->maps, r->inline_maps, &bytes, 1))
        return fail_memory(r);
    r->level_room = 8 * bytes;
    return true;
}

/* After a container has closed. */
static inline void recall_kind(json_reader *r)
{
    r->in_map = r->depth > 0 && (r->maps[(r->depth - 1) / 8] >> ((r->depth - 1) % 8) & 1) != 0;
}

/* r->p at the bracket. */
static bool open_container(json_reader *r, bool map)
{
    if (r->depth == r->level_room && !grow_levels(r))
        return false;
    uint8_t bit = (uint8_t)(1u << (r->depth % 8));
    uint8_t *byte = &r->maps[r->depth / 8];
    *byte = map ? *byte | bit : *byte & (uint8_t)~bit;
    r->depth++;
    r->in_map = map;
    const char *bracket = r->p++;
    if (r->strict_depth != 0 && r->depth > r->strict_depth)
        return fail(r, HG_ERR_LIMIT, bracket, "nested too deeply");
    if (!encoder_enter(r->e, map ? HG_MAP : HG_ARRAY, NULL))
        return fail_memory(r);
    if (r->tracker != NULL && is_kept(r) &&
        !tracker_open(r->tracker, r->e->b.depth - 1, (size_t)(bracket - r->start)))
        return fail_memory(r);
    return true;
}

/* Closes the innermost container without looking at the text. */
static bool close_container(json_reader *r)
{
    r->depth--;
    recall_kind(r);
    size_t kept = r->e->b.depth;
    size_t first = kept ? r->e->b.frames[kept - 1].start : 0;
    if (!(r->e->b.grown ? encoder_close(r->e) : encoder_leave(r->e)))
        return fail_memory(r);
    if (r->tracker == NULL || r->e->b.depth == kept)
        return true;
    return tracker_close(r->tracker, r->e->b.depth, first, &r->e->b.values[first]) || fail_memory(r);
}

static bool read_key(json_reader *r)
{
    if (r->p == r->end || *r->p != '"')
        return fail_here(r, "a key in quotes is expected here");
    if (!read_string(r, true) || !skip_space(r))
        return false;
    if (r->p == r->end || *r->p != ':')
        return fail_here(r, "a colon is expected here");
    r->p++;
    return true;
}

/* Whether the container ends here: its bracket is consumed. */
static bool at_close(const json_reader *r)
{
    return r->p < r->end && *r->p == (r->in_map ? '}' : ']');
}

/* Behind a complete value inside a container: a comma leads to the next entry, a bracket closes. Stops at the start of
 * an entry (or of its key), or with depth 0 at the end of the document. */
static bool next_entry(json_reader *r)
{
    while (r->depth > 0) {
        if (!skip_space(r))
            return false;
        if (at_close(r)) {
            r->p++;
            if (!close_container(r))
                return false;
            continue;
        }
        if (r->p == r->end || *r->p != ',')
            return fail_here(r, r->in_map ? "a comma or } is expected here" : "a comma or ] is expected here");
        r->p++;
        if (!skip_space(r))
            return false;
        if (r->dialect == HG_JSON_LENIENT && at_close(r))
            continue;
        return true;
    }
    return true;
}

static bool read_document(json_reader *r)
{
    do {
        if (r->in_map && !read_key(r))
            return false;
        if (!skip_space(r))
            return false;
        if (r->p == r->end)
            return fail_here(r, "");
        if (*r->p == '{' || *r->p == '[') {
            if (!open_container(r, *r->p == '{'))
                return false;
            r->begun = true;
            if (!skip_space(r))
                return false;
            if (!at_close(r))
                continue;
            r->p++;
            if (!close_container(r))
                return false;
        } else if (!read_scalar(r)) {
            return false;
        }
        r->begun = true;
        if (!next_entry(r))
            return false;
    } while (r->depth > 0);
    if (!skip_space(r))
        return false;
    return r->p == r->end || fail(r, HG_ERR_SYNTAX, r->p, "text after the document");
}

/* Lenient: closes what is open after a failure. False when no value was read; one that limits dropped was. */
static bool close_all(json_reader *r, size_t values_before)
{
    hg_status status = r->status;
    if (status != HG_ERR_SYNTAX && status != HG_ERR_TRUNCATED)
        return false;
    while (r->depth > 0) {
        if (!close_container(r))
            return false;
    }
    return r->begun || (size_t)(r->e->b.top - r->e->b.values) > values_before;
}

/* ---- entry ---- */

static const uint32_t default_depth[] = {
    [HG_JSON_STRICT] = DEPTH_STRICT, [HG_JSON_DDWAF] = DEPTH_DDWAF, [HG_JSON_LENIENT] = DEPTH_LENIENT};

/* The caller's limits, or the dialect's: only depth, and the 16-bit sizes of trees that leave the engine. */
static hg_limits limits_for(const hg_json_options *options)
{
    if (options->limits != NULL)
        return *options->limits;
    hg_limits limits = hg_limits_of(HG_LIMITS_NONE);
    limits.max_depth = options->max_depth ? options->max_depth : default_depth[options->dialect];
    if (options->dialect == HG_JSON_DDWAF)
        limits.max_entries = HG_NARROW_MAX;
    return limits;
}

static void report(hg_json_error *error, const json_reader *r, hg_slice text, bool partial)
{
    if (error == NULL)
        return;
    *error = (hg_json_error){.status = r->status, .line = 1, .column = 1, .message = "", .partial = partial};
    if (r->status == HG_OK)
        return;
    error->message = r->message;
    error->offset = (size_t)(r->where - r->start);
    hg_json_position(text, error->offset, &error->line, &error->column);
}

static void reader_init(json_reader *r, hg_slice text, size_t skip, const hg_json_options *options, hg_encoder *e)
{
    r->start = text.ptr ? text.ptr : "";
    r->p = r->start + skip;
    r->end = r->start + text.len;
    r->dialect = options->dialect;
    r->e = e;
    r->depth = 0;
    r->in_map = false;
    r->begun = false;
    r->strict_depth = 0;
    r->borrow = options->borrow;
    r->maps = r->inline_maps;
    r->level_room = INLINE_LEVELS;
    r->scratch = (hg_buffer){.a = hg_pooled()};
    r->tracker = NULL;
    r->status = HG_OK;
    r->message = "";
    r->where = r->start;
}

static void reader_end(json_reader *r)
{
    if (r->maps != r->inline_maps)
        scratch_free(r->maps);
    if (r->scratch.ptr != NULL)
        hg_buffer_free(&r->scratch);
}

/* Pushes the document to the encoder. False when nothing of it is there. */
static bool read_all(json_reader *r, bool *partial)
{
    size_t before = (size_t)(r->e->b.top - r->e->b.values);
    bool whole = read_document(r);
    *partial = !whole && r->dialect == HG_JSON_LENIENT && close_all(r, before);
    if (*partial)
        encoder_note(r->e, HG_REASON_PARTIAL_INPUT, (uint64_t)(r->end - r->start), true);
    return whole || *partial;
}

bool json_read_into(hg_slice text, bool borrow, hg_encoder *e)
{
    json_reader r;
    bool partial;
    hg_json_options options = {.dialect = HG_JSON_LENIENT, .borrow = borrow};
    reader_init(&r, text, 0, &options, e);
    bool any = read_all(&r, &partial);
    reader_end(&r);
    return any;
}

/* Reads text from `skip` on; offsets count from its start. */
static hg_status read_utf8(hg_slice text, size_t skip, const hg_json_options *options, hg_value *out,
                           const hg_allocator *a, hg_json_error *error)
{
    json_reader r;
    hg_encoder e;
    offsets_tracker tracker;
    hg_limits limits = limits_for(options);
    encoder_init(&e, &limits, a, options->report);
    e.b.grown = options->dialect == HG_JSON_DDWAF;
    reader_init(&r, text, skip, options, &e);
    if (options->dialect == HG_JSON_STRICT && options->limits == NULL)
        r.strict_depth = limits.max_depth;
    if (options->offsets != NULL) {
        tracker_init(&tracker, options->offsets);
        r.tracker = &tracker;
    }
    bool partial, any = read_all(&r, &partial);
    hg_set_invalid(out);
    if (any && e.b.top > e.b.values) { /* limits may have dropped it */
        *out = *--e.b.top;
        if (r.tracker != NULL && !tracker_root(r.tracker, out)) {
            hg_value_free(out, a);
            fail_memory(&r);
        }
    }
    report(error, &r, text, partial);
    encoder_end(&e);
    if (r.tracker != NULL)
        tracker_end(r.tracker);
    reader_end(&r);
    return partial ? HG_OK : r.status;
}

hg_status hg_json_read(hg_slice text, const hg_json_options *options, hg_value *out, const hg_allocator *a,
                       hg_json_error *error)
{
    static const hg_json_options defaults = {.dialect = HG_JSON_STRICT};
    if (options == NULL)
        options = &defaults;
    if (options->offsets != NULL)
        offsets_clear(options->offsets);
    if (options->dialect == HG_JSON_DDWAF) {
        const char *nul = text.len > 0 ? memchr(text.ptr, 0, text.len) : NULL;
        return read_utf8(nul ? hg_slice_of(text.ptr, (size_t)(nul - text.ptr)) : text, 0, options, out, a, error);
    }
    if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
        return read_utf8(text, 3, options, out, a, error);
    if (utf16_has_mark(text)) {
        hg_buffer copy = {.a = hg_pooled()};
        hg_json_options copied = *options;
        copied.borrow = false;
        hg_status status = utf16_to_buffer(text, &copy);
        if (status == HG_OK)
            status = read_utf8(hg_slice_of(copy.ptr, copy.len), 0, &copied, out, a, error);
        else
            hg_set_invalid(out);
        hg_buffer_free(&copy);
        return status;
    }
    return read_utf8(text, 0, options, out, a, error);
}
