/* The encoder core: a builder that keeps the limits and writes the report (marshalling sections 3 and 5). Readers
 * inside value/ use it directly; hotgate/encode.h wraps it for the outside. */
#ifndef VALUE_ENCODER_H
#define VALUE_ENCODER_H

#include "base/utf.h"
#include "hotgate/encode.h"
#include "value/builder.h"
#include "value/short_text.h"

/* Why entries at the muted depth are not kept. */
typedef enum encoder_mute {
    MUTE_SURPLUS, /* the container is full; they are counted */
    MUTE_PAIR,    /* the key was dropped; ends with its value */
    MUTE_PHANTOM, /* the container was replaced by another value and has no frame in the builder */
} encoder_mute;

struct hg_encoder {
    builder b;
    size_t depth;   /* 1 + open containers, unkept ones too */
    size_t muted;   /* depth whose further entries are not kept; 0 = all are kept */
    size_t surplus; /* how many, so far */
    uint64_t seen;  /* one bit for each open container's identity: a clear bit means no ancestor */
    uint32_t left;  /* entries that the innermost kept container still takes */
    bool in_map;    /* is it a map? */
    bool plain;     /* no policy changes scalars */
    bool short_texts; /* 14 ASCII characters fit every limit and may be inline */
    bool metered;   /* a total budget or a deadline is set */
    bool expired;   /* the deadline passed */
    bool easy_close; /* a container that closes is only copied to the arena */
    uint32_t easy_depth; /* open containers up to which one more has frames and is kept */
    encoder_mute why;
    uint32_t total_left;
    uint32_t until_clock; /* entries until the clock is read again */
    hg_limits limits;
    hg_report *report;
    hg_buffer scratch; /* text on its way to an allocator that wants exact sizes */
    hg_report unwanted; /* receives what nobody asked for */
};

void encoder_init(hg_encoder *e, const hg_limits *limits, const hg_allocator *a, hg_report *report);

/* Frees the stacks and whatever is still on them. */
void encoder_end(hg_encoder *e);

/* Closes what is open and takes the root; HG_ERR_ARGUMENT when there is none. */
hg_status encoder_finish(hg_encoder *e, hg_value *out);

/* Counts a reason. The path of the first one is that of the innermost entry (of_entry) or container. */
void encoder_note(hg_encoder *e, hg_reason reason, uint64_t true_size, bool of_entry);

/* Reads the clock: whether the deadline has passed. */
bool encoder_is_late(hg_encoder *e);

/* The rest of encoder_entry: full, muted, budget or deadline. */
bool encoder_entry_slow(hg_encoder *e);

static inline bool encoder_failed(const hg_encoder *e)
{
    return e->b.failed;
}

/* Whether nothing that is pushed now would be kept. */
static inline bool encoder_is_muted(const hg_encoder *e)
{
    return e->muted != 0;
}

/* Starts an entry of the innermost container: an array's element or a map's key. False when it is not kept. */
static inline bool encoder_entry(hg_encoder *e)
{
    if (__builtin_expect(e->left == 0 || e->muted != 0 || e->metered, 0))
        return encoder_entry_slow(e);
    e->left--;
    return true;
}

/* The rest of encoder_value, when muted. */
bool encoder_value_muted(hg_encoder *e);

/* Starts a value: an array's element or what follows a map's key. False when it is not kept. */
static inline bool encoder_value(hg_encoder *e)
{
    if (__builtin_expect(e->muted != 0, 0))
        return encoder_value_muted(e);
    return e->in_map || encoder_entry(e);
}

/* Each of these pushes one value or key whole. False only when out of memory. */
bool encoder_put(hg_encoder *e, const hg_value *v);
bool encoder_invalid(hg_encoder *e);
bool encoder_number(hg_encoder *e, hg_slice digits);
bool encoder_utf8(hg_encoder *e, hg_slice s, bool borrow);
bool encoder_utf16(hg_encoder *e, const uint16_t *units, size_t n);
bool encoder_latin1(hg_encoder *e, hg_slice s);
bool encoder_bytes(hg_encoder *e, hg_slice s);
bool encoder_key_utf8(hg_encoder *e, hg_slice s, bool borrow);
bool encoder_key_utf16(hg_encoder *e, const uint16_t *units, size_t n);
bool encoder_key_latin1(hg_encoder *e, hg_slice s);
bool encoder_key_literal(hg_encoder *e, hg_slice s);
/* The pair that would begin here is dropped, with a reason or (0) without. */
bool encoder_key_drop(hg_encoder *e, hg_reason reason);

/* Whether the contents are kept is encoder_is_muted() afterwards. */
bool encoder_open(hg_encoder *e, uint8_t kind, const void *identity);
bool encoder_close(hg_encoder *e);
void encoder_skipped(hg_encoder *e, size_t n);

static inline uint64_t encoder_identity_bit(const void *identity)
{
    return UINT64_C(1) << ((uint64_t)(uintptr_t)identity * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

/* Whether an open container has this identity. */
bool encoder_is_ancestor(const hg_encoder *e, const void *identity);

/* Opens a container of which is known that it is kept and has a frame. */
static inline void encoder_open_easily(hg_encoder *e, uint8_t kind, const void *identity, uint64_t bit)
{
    builder *b = &e->b;
    builder_frame *frame = &b->frames[b->depth++];
    frame->start = (size_t)(b->top - b->values);
    frame->kind = kind;
    frame->outer_map = e->in_map;
    frame->outer_left = e->left - !e->in_map;
    frame->outer_seen = e->seen;
    frame->identity = identity;
    e->seen |= bit;
    e->depth++;
    e->in_map = kind == HG_MAP;
    e->left = e->limits.max_entries;
}

/* encoder_open, with its common case inlined. */
static inline bool encoder_enter(hg_encoder *e, uint8_t kind, const void *identity)
{
    uint64_t bit = identity != NULL ? encoder_identity_bit(identity) : 0;
    bool common = e->muted == 0 && !e->metered && e->left >= !e->in_map && e->b.depth < e->easy_depth &&
                  ((e->seen & bit) == 0 || !encoder_is_ancestor(e, identity));
    if (__builtin_expect(!common, 0))
        return encoder_open(e, kind, identity);
    encoder_open_easily(e, kind, identity, bit);
    return true;
}

/* Closes a container whose entries only have to be copied to the arena; false, with nothing done, for any other. What
 * else has to hold is `easy_close` and that nothing is muted. */
static inline bool encoder_close_easily(hg_encoder *e)
{
    builder *b = &e->b;
    const builder_frame *frame = &b->frames[b->depth - 1];
    hg_value *first = b->values + frame->start;
    size_t bytes = (size_t)((char *)b->top - (char *)first), slots = bytes / sizeof(hg_value);
    unsigned pairs = frame->kind == HG_MAP; /* 1: two slots an entry */
    char *entries = (char *)(((uintptr_t)b->arena->top + 7) & ~(uintptr_t)7);
    if (__builtin_expect(slots - 1 >= HG_NARROW_MAX || (slots & pairs) != 0 ||
                         (uintptr_t)entries + bytes > (uintptr_t)b->arena->end || b->arena->top == NULL, 0))
        return false;
    b->arena->top = entries + bytes;
    memcpy(entries, first, bytes);
    uint64_t size = slots >> pairs;
    first->wide.head = frame->kind | size << 16 | size << 32;
    first->wide.ptr = entries;
    b->top = first + 1;
    b->depth--;
    e->left = frame->outer_left;
    e->in_map = frame->outer_map;
    e->seen = frame->outer_seen;
    e->depth--;
    return true;
}

/* encoder_close, with its common case inlined. */
static inline bool encoder_leave(hg_encoder *e)
{
    return (e->easy_close && e->muted == 0 && encoder_close_easily(e)) || encoder_close(e);
}

/* Removes pairs of the innermost map, which is about to close, whose key comes again, by limits.duplicates. */
void encoder_drop_duplicates(hg_encoder *e);

/* Gathers the values of repeated keys of the innermost map, which is about to close, in one array each. */
bool encoder_gather_duplicates(hg_encoder *e);

/* For readers that have checked a text themselves: it is well-formed. The entry has been started. */
bool encoder_push_text(hg_encoder *e, hg_slice s, bool borrow, bool is_key);

/* The same with its common cases inlined: short, or lent and inside the limit. */
static inline bool encoder_push_short(hg_encoder *e, hg_slice s, bool borrow, bool is_key)
{
    bool is_short = s.len <= HG_SMALL_STRING_MAX;
    bool lent = borrow && s.len <= (is_key ? e->limits.max_key : e->limits.max_string);
    if (__builtin_expect(!e->short_texts || e->b.top == e->b.end || !(is_short || lent), 0))
        return encoder_push_text(e, s, borrow, is_key);
    if (is_short)
        small_string_set(e->b.top++, s.ptr, s.len);
    else
        long_string_set(e->b.top++, s.ptr, s.len);
    return true;
}

/* Text that may be anything, whose entry has been started: checked, cut, copied. */
bool encoder_push_utf8(hg_encoder *e, hg_slice s, bool borrow, bool is_key);

/* The same with its common cases inlined: short ASCII, or well-formed, inside the limit and lent. */
static inline bool encoder_push_plain(hg_encoder *e, hg_slice s, bool borrow, bool is_key)
{
    enum { NO_LOOK_AT_THE_CLOCK = 1024 };
    if (e->short_texts && e->b.top < e->b.end) {
        if (s.len <= HG_SMALL_STRING_MAX) {
            if (utf8_short(e->b.top, s.ptr, s.len) == 0)
                return e->b.top++, true;
        } else if (borrow && s.len <= (is_key ? e->limits.max_key : e->limits.max_string) &&
                   s.len <= NO_LOOK_AT_THE_CLOCK && hg_utf8_valid(s)) {
            long_string_set(e->b.top++, s.ptr, s.len);
            return true;
        }
    }
    return encoder_push_utf8(e, s, borrow, is_key);
}

/* Replaces a scalar as the limits' flags say (text for scalars, signed for integral floats, maps for all). */
bool encoder_put_special(hg_encoder *e, const hg_value *v);

#endif
