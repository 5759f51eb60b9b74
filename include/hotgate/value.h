/* Hotgate: the 16-byte value. Laid out exactly as libddwaf 2's object (16 bytes, alignment 8), so that trees
 * can be handed over as they are. Containers beyond 65,535 entries carry tags of their own and never leave
 * the engine. All functions are O(1) and thread-safe on distinct or unchanging values unless they say otherwise. */
#ifndef HOTGATE_VALUE_H
#define HOTGATE_VALUE_H

#include "hotgate/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hg_type {
    HG_INVALID = 0x00,
    HG_NULL = 0x01,
    HG_BOOL = 0x02,
    HG_SIGNED = 0x04,
    HG_UNSIGNED = 0x06,
    HG_FLOAT = 0x08,
    HG_STRING = 0x10,       /* pointer + length; owned by the tree's allocator, or borrowed when the tree is */
    HG_LITERAL = 0x12,      /* pointer + length; never freed */
    HG_SMALL_STRING = 0x14, /* up to 14 bytes inside */
    HG_ARRAY = 0x20,
    HG_WIDE_ARRAY = 0x21, /* engine only: 28-bit size and capacity */
    HG_MAP = 0x40,
    HG_WIDE_MAP = 0x41 /* engine only */
} hg_type;

enum {
    HG_SMALL_STRING_MAX = 14,
    HG_NARROW_MAX = 65535,   /* entries of HG_ARRAY and HG_MAP */
    HG_WIDE_MAX = 268435455, /* entries of the wide kinds: 2^28 - 1 */
    HG_STRING_ANY = 0x10,    /* type & this: some string */
    HG_SCALAR_ANY = 0x1E,    /* type & this: bool, number or string */
    HG_CONTAINER_ANY = 0x60, /* type & this: array or map */
    HG_ARRAY_ANY = 0x20,
    HG_MAP_ANY = 0x40
};

struct hg_pair;

typedef union __attribute__((may_alias)) hg_value {
    uint8_t type;
    struct {
        uint8_t type;
        bool val;
    } b8;
    struct {
        uint8_t type;
        int64_t val;
    } i64;
    struct {
        uint8_t type;
        uint64_t val;
    } u64;
    struct {
        uint8_t type;
        double val;
    } f64;
    struct {
        uint8_t type;
        uint32_t size;
        char *ptr;
    } str;
    struct {
        uint8_t type;
        uint8_t size;
        char data[HG_SMALL_STRING_MAX];
    } sstr;
    struct {
        uint8_t type;
        uint16_t size;
        uint16_t capacity;
        union hg_value *ptr;
    } array;
    struct {
        uint8_t type;
        uint16_t size;
        uint16_t capacity;
        struct hg_pair *ptr;
    } map;
    struct {
        uint64_t head; /* type in bits 0-7, size in 8-35, capacity in 36-63 */
        void *ptr;
    } wide;
} hg_value;

typedef struct hg_pair {
    hg_value key;
    hg_value val;
} hg_pair;

_Static_assert(sizeof(hg_value) == 16 && sizeof(hg_pair) == 32, "libddwaf 2 layout");

/* ---- Reading. All accept any value; wrong kinds give the neutral answer. ---- */

static inline bool hg_is_string(const hg_value *v)
{
    return (v->type & HG_STRING_ANY) != 0;
}
static inline bool hg_is_scalar(const hg_value *v)
{
    return (v->type & HG_SCALAR_ANY) != 0;
}
static inline bool hg_is_container(const hg_value *v)
{
    return (v->type & HG_CONTAINER_ANY) != 0;
}
static inline bool hg_is_array(const hg_value *v)
{
    return (v->type & HG_ARRAY_ANY) != 0;
}
static inline bool hg_is_map(const hg_value *v)
{
    return (v->type & HG_MAP_ANY) != 0;
}

/* The bytes of any string kind (of a small string: inside *v, so v must outlive the slice); else {NULL,0}. */
static inline hg_slice hg_value_string(const hg_value *v)
{
    if (v->type == HG_SMALL_STRING)
        return (hg_slice){v->sstr.data, v->sstr.size};
    if (hg_is_string(v))
        return (hg_slice){v->str.ptr, v->str.size};
    return (hg_slice){NULL, 0};
}

/* Entries of a container, 0 for anything else. The one place that reads a size. */
static inline size_t hg_value_size(const hg_value *v)
{
    if (!hg_is_container(v))
        return 0;
    return (v->type & 1) ? (size_t)(v->wide.head >> 8) & HG_WIDE_MAX : v->array.size;
}

/* Allocated slots of a container, 0 for anything else. The one place that reads a capacity. */
static inline size_t hg_value_capacity(const hg_value *v)
{
    if (!hg_is_container(v))
        return 0;
    return (v->type & 1) ? (size_t)(v->wide.head >> 36) : v->array.capacity;
}

/* First element / pair; NULL unless v is that kind and has slots. */
static inline hg_value *hg_array_items(const hg_value *v)
{
    return hg_is_array(v) ? (hg_value *)v->wide.ptr : NULL;
}
static inline hg_pair *hg_map_pairs(const hg_value *v)
{
    return hg_is_map(v) ? (hg_pair *)v->wide.ptr : NULL;
}

/* First entry with that key (byte compare), or NULL. O(size). */
HG_API const hg_value *hg_map_find(const hg_value *map, hg_slice key);

/* Name of a kind as diagnostics print it: map, array, string, bool, unsigned, signed, float, null, unknown. */
HG_API const char *hg_type_name(uint8_t type);

/* ---- Building. Setters overwrite all 16 bytes and free nothing. ---- */

static inline void hg_set_invalid(hg_value *v)
{
    v->wide.head = HG_INVALID;
    v->wide.ptr = NULL;
}
static inline void hg_set_null(hg_value *v)
{
    v->wide.head = HG_NULL;
    v->wide.ptr = NULL;
}
static inline void hg_set_bool(hg_value *v, bool val)
{
    v->wide.head = HG_BOOL | (uint64_t)val << 8;
    v->wide.ptr = NULL;
}
static inline void hg_set_signed(hg_value *v, int64_t val)
{
    v->wide.head = HG_SIGNED;
    v->i64.val = val;
}
static inline void hg_set_unsigned(hg_value *v, uint64_t val)
{
    v->wide.head = HG_UNSIGNED;
    v->u64.val = val;
}
static inline void hg_set_float(hg_value *v, double val)
{
    v->wide.head = HG_FLOAT;
    v->f64.val = val;
}

/* A literal string: points at s, never freed; s must outlive the value. s.len must fit 32 bits. */
static inline void hg_set_literal(hg_value *v, hg_slice s)
{
    v->wide.head = HG_LITERAL;
    v->str.size = (uint32_t)s.len;
    v->str.ptr = (char *)s.ptr;
}

/* A borrowed string (tag 0x10): for trees that are never freed node by node. Short ones are stored inside. */
HG_API void hg_set_borrowed(hg_value *v, hg_slice s);

/* A copy: inside the value up to 14 bytes, else from the allocator. HG_ERR_NOMEM or HG_ERR_LIMIT (over
 * 2^32-1 bytes) leave *v invalid. */
HG_API hg_status hg_set_string(hg_value *v, hg_slice s, const hg_allocator *a);

/* Empty containers with room for `capacity` entries (0: nothing allocated); wide when it exceeds 65,535. */
HG_API hg_status hg_set_array(hg_value *v, size_t capacity, const hg_allocator *a);
HG_API hg_status hg_set_map(hg_value *v, size_t capacity, const hg_allocator *a);

/* Appends one slot holding an invalid value and returns it; for maps with the key given (copied as by
 * hg_set_string, or borrowed / literal). Growth: 0 -> 8, then doubling; becomes wide beyond 65,535 entries.
 * NULL when out of memory, full at 2^28-1, or v is of another kind; v is then unchanged. The pointer is valid
 * until the next append to the same container. */
HG_API hg_value *hg_array_append(hg_value *array, const hg_allocator *a);
HG_API hg_value *hg_map_append(hg_value *map, hg_slice key, const hg_allocator *a);
HG_API hg_value *hg_map_append_borrowed(hg_value *map, hg_slice key, const hg_allocator *a);
HG_API hg_value *hg_map_append_literal(hg_value *map, hg_slice key, const hg_allocator *a);

/* Frees the tree with exactly the sizes found in it and makes *v invalid. No recursion limit: explicit stack or
 * bounded recursion. Not for borrowed trees. */
HG_API void hg_value_free(hg_value *v, const hg_allocator *a);

/* Deep copy into memory of a; literals stay literals as values, keys are always copied. */
HG_API hg_status hg_value_clone(const hg_value *source, hg_value *out, const hg_allocator *a);

/* Deep equality: kinds of strings and container widths do not matter, order of pairs does, 1 != 1.0. */
HG_API bool hg_value_equal(const hg_value *a, const hg_value *b);

/* ---- JSON ---- */

typedef enum hg_json_dialect {
    HG_JSON_STRICT,  /* RFC 8259; lone surrogates and invalid UTF-8 are errors */
    HG_JSON_DDWAF,   /* ddwaf_object_from_json of libddwaf 2.0.1: depth 21, NUL ends, raw bytes */
    HG_JSON_LENIENT  /* bodies: what was read so far counts; NaN, comments, trailing commas, apostrophes */
} hg_json_dialect;

typedef struct hg_json_options {
    hg_json_dialect dialect;
    uint32_t max_depth; /* containers with content; deeper ones are emptied (strict: HG_ERR_LIMIT). 0 = the dialect's:
                         * 1,000, ddwaf 20 */
    struct hg_json_offsets *offsets; /* optional side table: byte offset of each value; NULL = none */
    const struct hg_limits *limits;  /* see hotgate/encode.h; NULL = only max_depth */
    struct hg_report *report;        /* what the limits cut; NULL = not wanted */
    bool borrow; /* the text outlives the tree: strings without escapes point into it */
} hg_json_options;

typedef struct hg_json_error {
    hg_status status;
    size_t offset;   /* bytes from the start */
    uint32_t line;   /* from 1 */
    uint32_t column; /* in bytes, from 1 */
    const char *message; /* static text */
    bool partial;    /* lenient: input was cut or broken, *out holds what was complete */
} hg_json_error;

/* Reads one document into *out with memory of a (strings are copied; arenas make this cheap). On failure *out is
 * invalid and nothing leaks (with an arena: dropped with it). error may be NULL. Linear time, bounded C stack. */
HG_API hg_status hg_json_read(hg_slice text, const hg_json_options *options, hg_value *out, const hg_allocator *a,
                              hg_json_error *error);

/* Byte offset of a value (and of a map's key) read with options.offsets set. */
typedef struct hg_json_offsets hg_json_offsets;
HG_API hg_json_offsets *hg_json_offsets_new(void);
HG_API void hg_json_offsets_free(hg_json_offsets *table);
/* Offset of the value at this address inside the tree, or SIZE_MAX. */
HG_API size_t hg_json_offset_of(const hg_json_offsets *table, const hg_value *value);
/* Line and column (from 1) of a byte offset in text. O(offset). */
HG_API void hg_json_position(hg_slice text, size_t offset, uint32_t *line, uint32_t *column);

/* A growing byte buffer for writers. Starts zeroed; grows by doubling from allocator a (NULL = heap). */
typedef struct hg_buffer {
    char *ptr;
    size_t len;
    size_t cap;
    const hg_allocator *a;
    bool failed; /* an append ran out of memory; content up to then is valid */
} hg_buffer;

HG_API void hg_buffer_append(hg_buffer *b, hg_slice s);
HG_API void hg_buffer_byte(hg_buffer *b, char c);
/* Room for n more bytes at the end, to be written by the caller, who then adds to len. NULL when out of memory. */
HG_API char *hg_buffer_reserve(hg_buffer *b, size_t n);
HG_API void hg_buffer_printf(hg_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
HG_API void hg_buffer_free(hg_buffer *b);

enum {
    HG_JSON_PRETTY = 1,       /* two-space indentation */
    HG_JSON_ASCII = 2,        /* escape everything beyond ASCII */
    HG_JSON_PLAIN_FLOATS = 4, /* 1.0 as 1 */
};

/* Appends v as JSON (marshalling D-2): keys in order, shortest round-trip floats with .0 kept, NaN and
 * infinities as null, invalid UTF-8 as U+FFFD, invalid values as null. The tree may be anything: unknown tags, texts and
 * containers without a block or with a size beyond their capacity, and containers nested deeper than 1,024 are null,
 * keys that are no text are empty; returns how many of these there were, 0 for every well-made tree. Linear time, no
 * recursion. out->failed when out of memory. */
HG_API size_t hg_json_write(const hg_value *v, unsigned flags, hg_buffer *out);

/* Appends s as a JSON string with its quotes. */
HG_API void hg_json_write_string(hg_slice s, unsigned flags, hg_buffer *out);

/* Decimal text of a double as waf-eval 3.4 prints it; returns the length (at most 32). */
HG_API size_t hg_float_text(double d, char out[32]);

#ifdef __cplusplus
}
#endif
#endif
