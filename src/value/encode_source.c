/* Sources laid out in memory to a tree: an explicit stack of positions, each container's slots reserved at once. */
#include "value/encoder.h"

#include "value/scratch.h"
#include "value/short_text.h"
#include "value/walk.h"

#include <stdlib.h>

enum { POINTER_CHAIN = 8 };

/* A container that is being read. */
typedef struct position {
    const void *next;       /* arrays, maps, sorted maps, vectors: the next entry; structs: the object; trees: the value */
    const void *more;       /* structs: the layout; sorted maps: the list to free */
    size_t left;            /* entries to come */
    uint32_t kind;          /* hg_source_kind, or SORTED_MAP */
    uint32_t element_kind;  /* vectors: hg_member_kind */
} position;

enum { INLINE_POSITIONS = 24, SORTED_MAP = 1000 };

typedef struct walker {
    hg_encoder *e;
    position *stack;
    size_t depth, room;
    position inline_stack[INLINE_POSITIONS];
} walker;

/* Opens a container and, if its contents are kept, goes into it. */
static inline bool enter(walker *w, uint8_t kind, const void *identity, const position *at)
{
    if (!encoder_enter(w->e, kind, identity))
        return false;
    if (encoder_is_muted(w->e))
        return encoder_close(w->e);
    if (w->depth == w->room &&
        !scratch_grow_from((void **)&w->stack, w->inline_stack, &w->room, sizeof *w->stack)) {
        w->e->b.failed = true;
        return false;
    }
    w->stack[w->depth++] = *at;
    return true;
}

/* ---- runs of plain entries ---- */

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Writes a scalar that needs no memory and no policy; false for everything else. Whether a text is plain indeed has to be
 * asked of *odd, see SHORT_ODD. */
ALWAYS_INLINE bool write_plain(const hg_source *s, hg_value *slot, unsigned *odd)
{
    static const uint8_t number_tags[] = {HG_SIGNED, HG_UNSIGNED, HG_FLOAT};
    if (s->kind == HG_SOURCE_UTF16) {
        if (s->count > HG_SMALL_STRING_MAX)
            return false;
        *odd |= utf16_short(slot, s->as.units, s->count);
        return true;
    }
    if (s->kind == HG_SOURCE_UTF8) {
        if (s->count > HG_SMALL_STRING_MAX)
            return false;
        *odd |= utf8_short(slot, s->as.text, s->count);
        return true;
    }
    if (s->kind == HG_SOURCE_BOOL) {
        hg_set_bool(slot, s->as.boolean);
        return true;
    }
    if (s->kind - HG_SOURCE_SIGNED >= sizeof number_tags)
        return false;
    slot->wide.head = number_tags[s->kind - HG_SOURCE_SIGNED];
    slot->u64.val = s->as.natural; /* the bits of all three */
    return true;
}

ALWAYS_INLINE bool write_plain_key(const hg_source *key, hg_value *slot, unsigned *odd)
{
    if (key->count > HG_SMALL_STRING_MAX)
        return false;
    if (__builtin_expect(key->kind == HG_SOURCE_UTF16, 1))
        *odd |= utf16_short(slot, key->as.units, key->count);
    else if (key->kind == HG_SOURCE_UTF8)
        *odd |= utf8_short(slot, key->as.text, key->count);
    else
        return false;
    return true;
}

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Entries that may be written at once: those that are there, that are kept, that come before the next look at the
 * clock. */
ALWAYS_INLINE size_t run_length(const hg_encoder *e, const position *at, bool timed)
{
    size_t n = least(at->left, e->left);
    return timed ? least(n, e->until_clock) : n;
}

ALWAYS_INLINE void run_done(hg_encoder *e, size_t n, bool timed)
{
    e->left -= (uint32_t)n;
    if (timed && (e->until_clock -= (uint32_t)n) == 0)
        encoder_is_late(e);
}

/* Writes pairs up to the first that is not plain. When only its value is not, its key is written and the value is
 * returned; `at` is then behind the pair. */
ALWAYS_INLINE const hg_source *run_pairs(hg_encoder *e, position *at, bool timed)
{
    const hg_source_pair *pair = at->next;
    const hg_source *other = NULL;
    hg_value *top = e->b.top;
    size_t n = least(run_length(e, at, timed), (size_t)((char *)e->b.end - (char *)top) / sizeof(hg_pair)), more = n;
    for (; more > 0; more--, pair++, top += 2) {
        unsigned odd = 0;
        if (!write_plain_key(&pair->key, top, &odd))
            break;
        bool plain = write_plain(&pair->val, top + 1, &odd);
        if (__builtin_expect(odd & SHORT_ODD, 0))
            break;
        if (!plain) {
            other = &pair->val;
            more--, pair++, top++;
            break;
        }
    }
    n -= more;
    at->next = pair;
    at->left -= n;
    e->b.top = top;
    run_done(e, n, timed);
    return other;
}

/* Writes elements up to the first that is not plain, which is returned if it may be kept; `at` is then behind it. */
ALWAYS_INLINE const hg_source *run_items(hg_encoder *e, position *at, bool timed)
{
    const hg_source *item = at->next;
    hg_value *top = e->b.top;
    size_t n = least(run_length(e, at, timed), (size_t)(e->b.end - top)), more = n;
    for (; more > 0; more--, item++, top++) {
        unsigned odd = 0;
        if (!write_plain(item, top, &odd) || (odd & SHORT_ODD))
            break;
    }
    n -= more;
    e->b.top = top;
    run_done(e, n, timed);
    at->next = item + (more > 0);
    at->left -= n + (more > 0);
    return more > 0 ? item : NULL;
}

/* ---- struct members and vectors ---- */

static size_t member_size(uint32_t kind)
{
    static const uint8_t sizes[] = {
        [HG_MEMBER_BOOL] = sizeof(bool), [HG_MEMBER_INT8] = 1,    [HG_MEMBER_INT16] = 2,
        [HG_MEMBER_INT32] = 4,           [HG_MEMBER_INT64] = 8,   [HG_MEMBER_UINT8] = 1,
        [HG_MEMBER_UINT16] = 2,          [HG_MEMBER_UINT32] = 4,  [HG_MEMBER_UINT64] = 8,
        [HG_MEMBER_FLOAT32] = 4,         [HG_MEMBER_FLOAT64] = 8, [HG_MEMBER_C_STRING] = sizeof(char *),
        [HG_MEMBER_SLICE] = sizeof(hg_slice), [HG_MEMBER_SOURCE] = sizeof(hg_source)};
    return kind < sizeof sizes ? sizes[kind] : 0;
}

static int64_t load_signed(const char *at, size_t size)
{
    int8_t a;
    int16_t b;
    int32_t c;
    int64_t d;
    switch (size) {
    case 1:
        memcpy(&a, at, 1);
        return a;
    case 2:
        memcpy(&b, at, 2);
        return b;
    case 4:
        memcpy(&c, at, 4);
        return c;
    default:
        memcpy(&d, at, 8);
        return d;
    }
}

static uint64_t load_unsigned(const char *at, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, at, size); /* little endian */
    return x;
}

static const char *load_pointer(const char *at)
{
    const char *target;
    memcpy(&target, at, sizeof(const char *));
    return target;
}

static hg_source text_source(hg_slice s)
{
    return (hg_source){.kind = HG_SOURCE_UTF8, .count = s.len, .as.text = s.ptr};
}

/* The member at this address as a source; nested structs are handled by the caller. */
static hg_source member_source(uint32_t kind, const char *at)
{
    hg_source s = {.kind = HG_SOURCE_INVALID};
    float f;
    const char *text;
    hg_slice slice;
    switch (kind) {
    case HG_MEMBER_BOOL:
        s.kind = HG_SOURCE_BOOL;
        s.as.boolean = *at != 0;
        break;
    case HG_MEMBER_INT8:
    case HG_MEMBER_INT16:
    case HG_MEMBER_INT32:
    case HG_MEMBER_INT64:
        s.kind = HG_SOURCE_SIGNED;
        s.as.integer = load_signed(at, member_size(kind));
        break;
    case HG_MEMBER_UINT8:
    case HG_MEMBER_UINT16:
    case HG_MEMBER_UINT32:
    case HG_MEMBER_UINT64:
        s.kind = HG_SOURCE_UNSIGNED;
        s.as.natural = load_unsigned(at, member_size(kind));
        break;
    case HG_MEMBER_FLOAT32:
        memcpy(&f, at, sizeof f);
        s.kind = HG_SOURCE_FLOAT;
        s.as.real = (double)f;
        break;
    case HG_MEMBER_FLOAT64:
        s.kind = HG_SOURCE_FLOAT;
        memcpy(&s.as.real, at, sizeof s.as.real);
        break;
    case HG_MEMBER_C_STRING:
        text = load_pointer(at);
        s = text ? text_source(hg_slice_from(text)) : (hg_source){.kind = HG_SOURCE_NULL};
        break;
    case HG_MEMBER_SLICE:
        memcpy(&slice, at, sizeof slice);
        s = text_source(slice);
        break;
    case HG_MEMBER_SOURCE:
        memcpy(&s, at, sizeof s);
        break;
    default:
        break;
    }
    return s;
}

/* ---- one value ---- */

/* Kinds that come rarely: kept out of push_source's way. */
static bool push_odd(walker *w, const hg_source *s);
static bool enter_map(walker *w, const hg_source *s);

static bool push_source(walker *w, const hg_source *s)
{
    hg_encoder *e = w->e;
    switch (s->kind) {
    case HG_SOURCE_UTF16:
        return encoder_utf16(e, s->as.units, s->count);
    case HG_SOURCE_UTF8:
        return encoder_utf8(e, hg_slice_of(s->as.text, s->count), false);
    case HG_SOURCE_UTF8_BORROWED:
        return encoder_utf8(e, hg_slice_of(s->as.text, s->count), true);
    case HG_SOURCE_MAP:
        return enter_map(w, s);
    case HG_SOURCE_ARRAY:
        return enter(w, HG_ARRAY, s->as.items,
                     &(position){.next = s->as.items, .left = s->count, .kind = HG_SOURCE_ARRAY});
    default:
        return push_odd(w, s);
    }
}

static bool enter_object(walker *w, const void *object, const hg_layout *layout)
{
    return enter(w, HG_MAP, object,
                 &(position){.next = object, .more = layout, .left = layout->count, .kind = HG_SOURCE_STRUCT});
}

/* A value of a tree that may be anything: what is broken counts as unsupported. */
static bool push_tree(walker *w, const hg_value *v)
{
    hg_encoder *e = w->e;
    hg_value flag;
    switch (walk_kind_of(v)) {
    case WALK_CONTAINER:
        return enter(w, v->type & HG_CONTAINER_ANY, NULL,
                     &(position){.next = v, .left = hg_value_size(v), .kind = HG_SOURCE_VALUE});
    case WALK_STRING:
        return encoder_utf8(e, hg_value_string(v), v->type == HG_LITERAL);
    case WALK_SCALAR:
        if (v->type == HG_INVALID)
            break;
        if (v->type != HG_BOOL)
            return encoder_put(e, v);
        hg_set_bool(&flag, walk_bool(v));
        return encoder_put(e, &flag);
    default:
        break;
    }
    return encoder_invalid(e);
}

/* The source at the end of at most 8 pointers; NULL when there is none. */
static const hg_source *behind_pointers(const hg_source *s)
{
    for (int hops = 0; s != NULL && s->kind == HG_SOURCE_POINTER; hops++) {
        if (hops == POINTER_CHAIN)
            return NULL;
        s = s->as.target;
    }
    return s;
}

static bool push_odd(walker *w, const hg_source *s)
{
    hg_encoder *e = w->e;
    hg_value v;
    hg_slice text = hg_slice_of(s->as.text, s->count);
    const hg_source *target;
    unsigned odd = 0;
    switch (s->kind) {
    case HG_SOURCE_BOOL:
    case HG_SOURCE_SIGNED:
    case HG_SOURCE_UNSIGNED:
    case HG_SOURCE_FLOAT:
        write_plain(s, &v, &odd);
        return encoder_put(e, &v);
    case HG_SOURCE_NULL:
        hg_set_null(&v);
        return encoder_put(e, &v);
    case HG_SOURCE_NUMBER:
        return encoder_number(e, text);
    case HG_SOURCE_LATIN1:
        return encoder_latin1(e, text);
    case HG_SOURCE_BYTES:
        return encoder_bytes(e, text);
    case HG_SOURCE_STRUCT:
        return enter_object(w, s->as.object->object, s->as.object->layout);
    case HG_SOURCE_VALUE:
        return push_tree(w, s->as.value);
    case HG_SOURCE_VECTOR:
        return enter(w, HG_ARRAY, NULL,
                     &(position){.next = s->as.vector,
                                 .left = member_size(s->spare) ? s->count : 0,
                                 .kind = HG_SOURCE_VECTOR,
                                 .element_kind = s->spare});
    case HG_SOURCE_POINTER:
        target = behind_pointers(s);
        return target != NULL ? push_source(w, target) : encoder_invalid(e);
    default:
        return encoder_invalid(e);
    }
}

/* ---- maps in the order of their keys ---- */

static bool has_byte_keys(const hg_source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t kind = s->as.pairs[i].key.kind;
        if (kind != HG_SOURCE_UTF8 && kind != HG_SOURCE_UTF8_BORROWED && kind != HG_SOURCE_BYTES)
            return false;
    }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const hg_source *x = &(*(const hg_source_pair *const *)a)->key, *y = &(*(const hg_source_pair *const *)b)->key;
    int order = hg_slice_compare(hg_slice_of(x->as.text, x->count), hg_slice_of(y->as.text, y->count));
    return order != 0 ? order : (x > y) - (x < y);
}

static bool enter_sorted_map(walker *w, const hg_source *s)
{
    const hg_source_pair **list = hg_pool_rent(NULL, s->count * sizeof *list);
    if (list == NULL) {
        w->e->b.failed = true;
        return false;
    }
    for (size_t i = 0; i < s->count; i++)
        list[i] = &s->as.pairs[i];
    qsort(list, s->count, sizeof *list, compare_keys);
    size_t depth = w->depth;
    bool ok = enter(w, HG_MAP, s->as.pairs, &(position){.next = list, .more = list, .left = s->count, .kind = SORTED_MAP});
    if (w->depth == depth)
        scratch_free(list);
    return ok;
}

static bool enter_map(walker *w, const hg_source *s)
{
    if (__builtin_expect((w->e->limits.flags & HG_LIMIT_SORT_KEYS) && s->count > 1 && has_byte_keys(s), 0))
        return enter_sorted_map(w, s);
    return enter(w, HG_MAP, s->as.pairs, &(position){.next = s->as.pairs, .left = s->count, .kind = HG_SOURCE_MAP});
}

/* ---- keys ---- */

static bool push_key(hg_encoder *e, const hg_source *s)
{
    hg_slice text = hg_slice_of(s->as.text, s->count);
    switch (s->kind) {
    case HG_SOURCE_UTF16:
        return encoder_key_utf16(e, s->as.units, s->count);
    case HG_SOURCE_UTF8:
        return encoder_key_utf8(e, text, false);
    case HG_SOURCE_UTF8_BORROWED:
        return encoder_key_utf8(e, text, true);
    case HG_SOURCE_LATIN1:
        return encoder_key_latin1(e, text);
    case HG_SOURCE_BYTES:
    case HG_SOURCE_NUMBER:
        return encoder_key_utf8(e, text, false);
    case HG_SOURCE_NULL:
        return encoder_key_utf8(e, HG_SLICE(""), false);
    case HG_SOURCE_BOOL:
        return hg_encode_key_bool(e, s->as.boolean);
    case HG_SOURCE_SIGNED:
        return hg_encode_key_signed(e, s->as.integer);
    case HG_SOURCE_UNSIGNED:
        return hg_encode_key_unsigned(e, s->as.natural);
    case HG_SOURCE_FLOAT:
        return hg_encode_key_float(e, s->as.real);
    default:
        return encoder_key_drop(e, HG_REASON_UNSUPPORTED);
    }
}

/* ---- steps inside containers ---- */

static bool step_member(walker *w, position *at)
{
    const hg_layout *layout = at->more;
    const hg_member *m = &layout->members[layout->count - at->left--];
    const char *where = (const char *)at->next + m->offset;
    if (m->flags & HG_MEMBER_SKIP)
        return true;
    if (!encoder_key_literal(w->e, m->name))
        return false;
    if (m->kind != HG_MEMBER_STRUCT && m->kind != HG_MEMBER_STRUCT_PTR) {
        hg_source s = member_source(m->kind, where);
        return push_source(w, &s);
    }
    if (m->kind == HG_MEMBER_STRUCT_PTR)
        where = load_pointer(where);
    if (where != NULL)
        return enter_object(w, where, m->layout);
    hg_value v;
    hg_set_null(&v);
    return encoder_put(w->e, &v);
}

static bool step_tree(walker *w, position *at)
{
    const hg_value *container = at->next;
    size_t i = hg_value_size(container) - at->left--;
    if (!hg_is_map(container))
        return push_tree(w, &hg_array_items(container)[i]);
    const hg_pair *pair = &hg_map_pairs(container)[i];
    bool usable = walk_kind_of(&pair->key) == WALK_STRING;
    if (!(usable ? encoder_key_utf8(w->e, hg_value_string(&pair->key), pair->key.type == HG_LITERAL)
                 : encoder_key_drop(w->e, HG_REASON_UNSUPPORTED)))
        return false;
    return push_tree(w, &pair->val);
}

static bool step_vector(walker *w, position *at)
{
    hg_source s = member_source(at->element_kind, at->next);
    at->next = (const char *)at->next + member_size(at->element_kind);
    at->left--;
    return push_source(w, &s);
}

static bool step_sorted_pair(walker *w, position *at)
{
    const hg_source_pair *pair = *(const hg_source_pair *const *)at->next;
    at->next = (const hg_source_pair *const *)at->next + 1;
    at->left--;
    return push_key(w->e, &pair->key) && push_source(w, &pair->val);
}

static bool step_pair(walker *w, position *at)
{
    const hg_source_pair *pair = at->next;
    at->next = pair + 1;
    at->left--;
    return push_key(w->e, &pair->key) && push_source(w, &pair->val);
}

static bool step_item(walker *w, position *at)
{
    const hg_source *item = at->next;
    at->next = item + 1;
    at->left--;
    return push_source(w, item);
}

/* The next entry. `at` may move when it is a container. */
static bool step(walker *w, position *at)
{
    switch (at->kind) {
    case HG_SOURCE_MAP:
        return step_pair(w, at);
    case HG_SOURCE_ARRAY:
        return step_item(w, at);
    case HG_SOURCE_STRUCT:
        return step_member(w, at);
    case HG_SOURCE_VALUE:
        return step_tree(w, at);
    case SORTED_MAP:
        return step_sorted_pair(w, at);
    default:
        return step_vector(w, at);
    }
}

/* Goes into a container of which is sure that it is kept, or returns false. */
ALWAYS_INLINE bool descend(walker *w, const hg_source *s, bool timed)
{
    hg_encoder *e = w->e;
    const void *identity = s->as.items;
    if ((s->kind != HG_SOURCE_MAP && s->kind != HG_SOURCE_ARRAY) || identity == NULL || e->b.depth >= e->easy_depth ||
        w->depth == w->room)
        return false;
    uint64_t bit = encoder_identity_bit(identity);
    if ((e->seen & bit) && encoder_is_ancestor(e, identity))
        return false;
    if (timed && !e->in_map) { /* an element, which counts until the next look at the clock */
        if (e->until_clock <= 1)
            return false;
        e->until_clock--;
    }
    if (s->kind == HG_SOURCE_MAP)
        encoder_open_easily(e, HG_MAP, identity, bit);
    else
        encoder_open_easily(e, HG_ARRAY, identity, bit);
    position *at = &w->stack[w->depth++];
    at->next = identity;
    at->left = s->count;
    at->kind = s->kind;
    return true;
}

/* The hot loop: plain entries of maps and arrays nested in each other, up to an entry that asks for more. */
ALWAYS_INLINE bool run(walker *w, bool timed)
{
    hg_encoder *e = w->e;
    position *at = &w->stack[w->depth - 1];
    while (e->muted == 0) {
        const hg_source *other;
        if (at->kind == HG_SOURCE_MAP)
            other = run_pairs(e, at, timed);
        else if (at->kind == HG_SOURCE_ARRAY)
            other = run_items(e, at, timed);
        else
            return true;
        if (timed && e->expired)
            return other == NULL || push_source(w, other);
        if (other != NULL) {
            if (descend(w, other, timed)) {
                at++;
                continue;
            }
            if (!push_source(w, other))
                return false;
            at = &w->stack[w->depth - 1];
        } else {
            if (at->left > 0)
                return true;
            if (!encoder_close_easily(e) && !encoder_close(e))
                return false;
            if (--w->depth == 0)
                return true;
            at--;
        }
    }
    return true;
}

/* Apart, so that each is compiled for its case. */
__attribute__((noinline)) static bool run_timed(walker *w)
{
    return run(w, true);
}

__attribute__((noinline)) static bool run_untimed(walker *w)
{
    return run(w, false);
}

/* Whether entries can be written without asking anything but how many are left. */
static bool is_plain(const hg_encoder *e)
{
    return e->plain && e->short_texts && e->easy_close && e->limits.max_total == 0 &&
           !(e->limits.flags & HG_LIMIT_SORT_KEYS);
}

static bool walk(walker *w, const hg_source *root)
{
    const bool plain = is_plain(w->e), timed = w->e->metered;
    if (!push_source(w, root))
        return false;
    while (w->depth > 0) {
        if (plain && !w->e->expired && !(timed ? run_timed(w) : run_untimed(w)))
            return false;
        if (w->depth == 0)
            break;
        position *at = &w->stack[w->depth - 1];
        if (at->left > 0 && !encoder_is_muted(w->e)) {
            if (!step(w, at))
                return false;
            continue;
        }
        if (at->left > 0)
            encoder_skipped(w->e, at->left);
        if (at->kind == SORTED_MAP)
            scratch_free((void *)at->more);
        w->depth--;
        if (!encoder_leave(w->e))
            return false;
    }
    return true;
}

hg_status hg_encode_source(const hg_source *source, const hg_limits *limits, hg_value *out, const hg_allocator *a,
                           hg_report *report)
{
    hg_encoder e;
    encoder_init(&e, limits, a, report);
    walker w;
    w.e = &e;
    w.stack = w.inline_stack;
    w.depth = 0;
    w.room = INLINE_POSITIONS;
    walk(&w, source);
    for (size_t i = 0; i < w.depth; i++) { /* left behind by a failure */
        if (w.stack[i].kind == SORTED_MAP)
            scratch_free((void *)w.stack[i].more);
    }
    hg_status status = encoder_finish(&e, out);
    if (w.stack != w.inline_stack)
        scratch_free(w.stack);
    encoder_end(&e);
    return status;
}
