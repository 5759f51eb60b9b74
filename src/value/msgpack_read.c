#include "hotgate/msgpack.h"

#include "value/encoder.h"
#include "value/number.h"
#include "value/timestamp.h"

/* One object without its contents. */
typedef enum token_kind {
    TOKEN_NIL,
    TOKEN_BOOL,
    TOKEN_SIGNED,
    TOKEN_UNSIGNED,
    TOKEN_FLOAT,
    TOKEN_STR,
    TOKEN_BIN,
    TOKEN_EXT,
    TOKEN_ARRAY,
    TOKEN_MAP
} token_kind;

typedef struct token {
    token_kind kind;
    union {
        uint64_t bits; /* integers, booleans */
        double real;
    } as;
    hg_slice text;  /* STR, BIN, EXT */
    uint32_t count; /* entries of containers */
    int8_t type;    /* EXT */
} token;

typedef struct cursor {
    const uint8_t *p, *end;
} cursor;

static inline uint64_t load_be(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x = x << 8 | p[i];
    return x;
}

/* A big-endian number of n bytes behind the first byte; false when the data ends. */
static inline bool take_be(cursor *c, size_t n, uint64_t *x)
{
    if ((size_t)(c->end - c->p) < n)
        return false;
    switch (n) { /* constant sizes, so that each is one load */
    case 1:
        *x = c->p[0];
        break;
    case 2:
        *x = load_be(c->p, 2);
        break;
    case 4:
        *x = load_be(c->p, 4);
        break;
    default:
        *x = load_be(c->p, 8);
    }
    c->p += n;
    return true;
}

static inline hg_status take_text(cursor *c, token_kind kind, size_t len, token *t)
{
    if ((size_t)(c->end - c->p) < len)
        return HG_NEED_MORE;
    t->kind = kind;
    t->text = hg_slice_of((const char *)c->p, len);
    c->p += len;
    return HG_OK;
}

static hg_status take_sized_text(cursor *c, token_kind kind, size_t length_bytes, token *t)
{
    uint64_t len;
    return take_be(c, length_bytes, &len) ? take_text(c, kind, (size_t)len, t) : HG_NEED_MORE;
}

static hg_status take_ext(cursor *c, size_t len, token *t)
{
    uint64_t type;
    if (!take_be(c, 1, &type))
        return HG_NEED_MORE;
    t->type = (int8_t)type;
    return take_text(c, TOKEN_EXT, len, t);
}

static hg_status take_sized_ext(cursor *c, size_t length_bytes, token *t)
{
    uint64_t len;
    return take_be(c, length_bytes, &len) ? take_ext(c, (size_t)len, t) : HG_NEED_MORE;
}

static hg_status take_count(cursor *c, token_kind kind, size_t length_bytes, token *t)
{
    uint64_t count;
    t->kind = kind;
    if (!take_be(c, length_bytes, &count))
        return HG_NEED_MORE;
    t->count = (uint32_t)count;
    return HG_OK;
}

static hg_status take_unsigned(cursor *c, size_t n, token *t)
{
    t->kind = TOKEN_UNSIGNED;
    return take_be(c, n, &t->as.bits) ? HG_OK : HG_NEED_MORE;
}

static hg_status take_signed(cursor *c, size_t n, token *t)
{
    uint64_t x;
    if (!take_be(c, n, &x))
        return HG_NEED_MORE;
    unsigned unused = 64 - 8 * (unsigned)n;
    int64_t v = (int64_t)(x << unused) >> unused;
    t->kind = v < 0 ? TOKEN_SIGNED : TOKEN_UNSIGNED;
    t->as.bits = (uint64_t)v;
    return HG_OK;
}

static hg_status take_float(cursor *c, size_t n, token *t)
{
    uint64_t bits;
    if (!take_be(c, n, &bits))
        return HG_NEED_MORE;
    t->kind = TOKEN_FLOAT;
    if (n == 8) {
        memcpy(&t->as.real, &bits, 8);
    } else {
        uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, 4);
        t->as.real = (double)f;
    }
    return HG_OK;
}

static hg_status take_constant(token *t, token_kind kind, uint64_t bits)
{
    t->kind = kind;
    t->as.bits = bits;
    return HG_OK;
}

/* The formats from 0xC0 to 0xDF. */
static hg_status take_wide_token(cursor *c, uint8_t first, token *t)
{
    switch (first) {
    case 0xC0:
        return take_constant(t, TOKEN_NIL, 0);
    case 0xC2:
    case 0xC3:
        return take_constant(t, TOKEN_BOOL, first & 1);
    case 0xC4:
    case 0xC5:
    case 0xC6:
        return take_sized_text(c, TOKEN_BIN, (size_t)1 << (first - 0xC4), t);
    case 0xC7:
    case 0xC8:
    case 0xC9:
        return take_sized_ext(c, (size_t)1 << (first - 0xC7), t);
    case 0xCA:
        return take_float(c, 4, t);
    case 0xCB:
        return take_float(c, 8, t);
    case 0xCC:
    case 0xCD:
    case 0xCE:
    case 0xCF:
        return take_unsigned(c, (size_t)1 << (first - 0xCC), t);
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
        return take_signed(c, (size_t)1 << (first - 0xD0), t);
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
    case 0xD8:
        return take_ext(c, (size_t)1 << (first - 0xD4), t);
    case 0xD9:
    case 0xDA:
    case 0xDB:
        return take_sized_text(c, TOKEN_STR, (size_t)1 << (first - 0xD9), t);
    case 0xDC:
    case 0xDD:
        return take_count(c, TOKEN_ARRAY, first == 0xDC ? 2 : 4, t);
    case 0xDE:
    case 0xDF:
        return take_count(c, TOKEN_MAP, first == 0xDE ? 2 : 4, t);
    default:
        return HG_ERR_SYNTAX; /* 0xC1 is never used */
    }
}

static inline hg_status take_token(cursor *c, token *t)
{
    if (c->p == c->end)
        return HG_NEED_MORE;
    uint8_t first = *c->p++;
    if (first < 0x80)
        return take_constant(t, TOKEN_UNSIGNED, first);
    if (first < 0xA0) {
        t->kind = first < 0x90 ? TOKEN_MAP : TOKEN_ARRAY;
        t->count = first & 15;
        return HG_OK;
    }
    if (first < 0xC0)
        return take_text(c, TOKEN_STR, first & 31, t);
    if (first >= 0xE0)
        return take_constant(t, TOKEN_SIGNED, (uint64_t)(int64_t)(int8_t)first);
    return take_wide_token(c, first, t);
}

/* ---- skipping ---- */

/* Passes over `objects` whole objects. One counter suffices: a container only adds to what must still come; so depth
 * costs nothing. */
static hg_status skip_objects(cursor *c, uint64_t objects)
{
    token t;
    for (; objects > 0; objects--) {
        hg_status status = take_token(c, &t);
        if (status != HG_OK)
            return status;
        if (t.kind == TOKEN_ARRAY)
            objects += t.count;
        else if (t.kind == TOKEN_MAP)
            objects += 2 * (uint64_t)t.count;
        if (objects > (uint64_t)(c->end - c->p) + 1)
            return HG_NEED_MORE; /* every object has a byte at least */
    }
    return HG_OK;
}

hg_status hg_msgpack_length(hg_slice data, size_t *used)
{
    cursor c = {(const uint8_t *)data.ptr, (const uint8_t *)data.ptr + data.len};
    hg_status status = skip_objects(&c, 1);
    if (status == HG_OK)
        *used = (size_t)((const char *)c.p - data.ptr);
    return status;
}

/* ---- reading ---- */

typedef struct level {
    uint64_t left; /* objects still to come: keys and values count */
    bool map;
} level;

typedef struct msgpack_reader {
    cursor c;
    hg_encoder *e;
    bool borrow;
    uint32_t max_nesting;
    uint32_t depth;
    level levels[HG_MSGPACK_NESTING_MAX];
} msgpack_reader;

static bool push_ext(msgpack_reader *r, const token *t)
{
    char text[TIMESTAMP_TEXT];
    size_t n = t->type == -1 ? timestamp_from_msgpack(t->text, text) : 0;
    return n > 0 ? encoder_utf8(r->e, hg_slice_of(text, n), false) : encoder_invalid(r->e);
}

static inline bool push_scalar(msgpack_reader *r, const token *t)
{
    hg_value v;
    switch (t->kind) {
    case TOKEN_NIL:
        hg_set_null(&v);
        break;
    case TOKEN_BOOL:
        hg_set_bool(&v, t->as.bits != 0);
        break;
    case TOKEN_SIGNED:
        hg_set_signed(&v, (int64_t)t->as.bits);
        break;
    case TOKEN_UNSIGNED:
        hg_set_unsigned(&v, t->as.bits);
        break;
    case TOKEN_FLOAT:
        hg_set_float(&v, t->as.real);
        break;
    case TOKEN_STR:
        return encoder_utf8(r->e, t->text, r->borrow);
    case TOKEN_BIN:
        return encoder_bytes(r->e, t->text);
    default:
        return push_ext(r, t);
    }
    return encoder_put(r->e, &v);
}

/* Keys that are not text, as text (marshalling E-21). */
static hg_status push_odd_key(msgpack_reader *r, const token *t)
{
    char text[32];
    size_t n = 0;
    switch (t->kind) {
    case TOKEN_NIL:
        break;
    case TOKEN_BOOL:
        return encoder_key_utf8(r->e, t->as.bits ? HG_SLICE("true") : HG_SLICE("false"), false) ? HG_OK : HG_ERR_NOMEM;
    case TOKEN_SIGNED:
        n = number_signed((int64_t)t->as.bits, text);
        break;
    case TOKEN_UNSIGNED:
        n = number_digits(t->as.bits, text);
        break;
    case TOKEN_FLOAT:
        n = hg_float_text(t->as.real, text);
        break;
    default:
        encoder_key_drop(r->e, HG_REASON_UNSUPPORTED);
        return skip_objects(&r->c, t->kind == TOKEN_ARRAY ? t->count : t->kind == TOKEN_MAP ? 2 * (uint64_t)t->count : 0);
    }
    return encoder_key_utf8(r->e, hg_slice_of(text, n), false) ? HG_OK : HG_ERR_NOMEM;
}

static hg_status read_key(msgpack_reader *r)
{
    token t;
    hg_status status = take_token(&r->c, &t);
    if (status != HG_OK)
        return status;
    if (t.kind == TOKEN_STR || t.kind == TOKEN_BIN)
        return encoder_key_utf8(r->e, t.text, r->borrow) ? HG_OK : HG_ERR_NOMEM;
    return push_odd_key(r, &t);
}

static hg_status open_level(msgpack_reader *r, const token *t)
{
    bool map = t->kind == TOKEN_MAP;
    if (r->depth == r->max_nesting)
        return HG_ERR_LIMIT;
    if (!encoder_enter(r->e, map ? HG_MAP : HG_ARRAY, NULL))
        return HG_ERR_NOMEM;
    r->levels[r->depth++] = (level){map ? 2 * (uint64_t)t->count : t->count, map};
    return HG_OK;
}

static hg_status read_value(msgpack_reader *r)
{
    token t;
    hg_status status = take_token(&r->c, &t);
    if (status != HG_OK)
        return status;
    if (t.kind == TOKEN_ARRAY || t.kind == TOKEN_MAP)
        return open_level(r, &t);
    return push_scalar(r, &t) ? HG_OK : HG_ERR_NOMEM;
}

/* A text as key or value; as encoder_key_utf8 and encoder_utf8 where no policy changes texts. */
static inline bool push_str(msgpack_reader *r, hg_slice s, bool key)
{
    hg_encoder *e = r->e;
    if (!e->short_texts)
        return key ? encoder_key_utf8(e, s, r->borrow) : encoder_utf8(e, s, r->borrow);
    return !(key ? encoder_entry(e) : encoder_value(e)) || encoder_push_plain(e, s, r->borrow, key);
}

/* encoder_put, with its common case inlined. */
static inline bool push_fixed(msgpack_reader *r, uint8_t type, uint64_t bits)
{
    hg_encoder *e = r->e;
    hg_value v;
    v.wide.head = type;
    v.u64.val = bits;
    if (!e->plain || e->b.top == e->b.end)
        return encoder_put(e, &v);
    if (encoder_value(e))
        *e->b.top++ = v;
    return true;
}

typedef enum common { COMMON_NOT, COMMON_DONE, COMMON_NO_MEMORY } common;

/* The formats that most objects have, without the detour by a token: texts up to 255 bytes, small numbers, floats.
 * COMMON_NOT for all others, with nothing taken. */
static inline common read_common(msgpack_reader *r, bool key)
{
    const uint8_t *p = r->c.p;
    size_t left = (size_t)(r->c.end - p);
    if (left < 9) /* the longest of the numbers */
        return COMMON_NOT;
    uint8_t first = p[0];
    bool ok;
    if ((first & 0xE0) == 0xA0 || first == 0xD9) {
        size_t head = first == 0xD9 ? 2 : 1, len = first == 0xD9 ? p[1] : first & 31;
        if (len > left - head)
            return COMMON_NOT;
        r->c.p = p + head + len;
        ok = push_str(r, hg_slice_of((const char *)p + head, len), key);
    } else if (key) {
        return COMMON_NOT;
    } else if (first < 0x80) {
        r->c.p = p + 1;
        ok = push_fixed(r, HG_UNSIGNED, first);
    } else if (first == 0xCB) {
        r->c.p = p + 9;
        ok = push_fixed(r, HG_FLOAT, load_be(p + 1, 8));
    } else if (first == 0xCD) {
        r->c.p = p + 3;
        ok = push_fixed(r, HG_UNSIGNED, load_be(p + 1, 2));
    } else {
        return COMMON_NOT;
    }
    return ok ? COMMON_DONE : COMMON_NO_MEMORY;
}

static hg_status read_object(msgpack_reader *r)
{
    hg_status status = read_value(r);
    while (status == HG_OK && r->depth > 0) {
        level *top = &r->levels[r->depth - 1];
        if (top->left == 0) {
            r->depth--;
            status = encoder_leave(r->e) ? HG_OK : HG_ERR_NOMEM;
            continue;
        }
        top->left--;
        bool key = top->map && top->left % 2 == 1;
        common done = read_common(r, key);
        if (done == COMMON_NOT)
            status = key ? read_key(r) : read_value(r);
        else if (done == COMMON_NO_MEMORY)
            status = HG_ERR_NOMEM;
    }
    return status;
}

hg_status hg_msgpack_read(hg_slice data, const hg_msgpack_options *options, hg_value *out, size_t *used,
                          const hg_allocator *a)
{
    static const hg_msgpack_options defaults = {.limits = NULL};
    if (options == NULL)
        options = &defaults;
    hg_encoder e;
    hg_limits none = hg_limits_of(HG_LIMITS_NONE);
    encoder_init(&e, options->limits ? options->limits : &none, a, options->report);
    msgpack_reader r;
    r.c = (cursor){(const uint8_t *)data.ptr, (const uint8_t *)data.ptr + data.len};
    r.e = &e;
    r.borrow = options->borrow;
    r.max_nesting = options->max_nesting ? options->max_nesting : HG_MSGPACK_NESTING;
    if (r.max_nesting > HG_MSGPACK_NESTING_MAX)
        r.max_nesting = HG_MSGPACK_NESTING_MAX;
    r.depth = 0;
    hg_status status = read_object(&r);
    bool anything = e.b.top > e.b.values || e.b.depth > 0;
    bool cut = status == HG_NEED_MORE && options->partial && anything;
    if (cut)
        encoder_note(&e, HG_REASON_PARTIAL_INPUT, data.len, true);
    hg_set_invalid(out);
    if (status == HG_OK || cut)
        status = encoder_finish(&e, out);
    if (used != NULL)
        *used = (size_t)(r.c.p - (const uint8_t *)data.ptr);
    encoder_end(&e);
    return status;
}
