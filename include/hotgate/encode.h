/* Hotgate: from a runtime's values to a value tree, bounded by limits, with a report of what was cut.
 *
 * Two ways in. A runtime that can lay its data out as hg_source structs calls hg_encode_source once. Everything else
 * (bindings, parsers) pushes events to an hg_encoder. Both give the same tree and the same report.
 *
 * One encoder belongs to one thread at a time. Cost is linear in what is kept; what is cut is only counted. */
#ifndef HOTGATE_ENCODE_H
#define HOTGATE_ENCODE_H

#include "hotgate/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits: plain data, per encode ---- */

typedef enum hg_unit { HG_UNIT_BYTES, HG_UNIT_UTF16, HG_UNIT_CODE_POINTS } hg_unit;

/* What stands for a container nested deeper than max_depth. */
typedef enum hg_deep {
    HG_DEEP_EMPTY,        /* an empty container of the same kind */
    HG_DEEP_NULL,         /* null */
    HG_DEEP_INVALID,      /* invalid as a map's value; array elements are dropped */
    HG_DEEP_DROP,         /* nothing: the element or the whole pair goes */
    HG_DEEP_MAP,          /* an empty map */
    HG_DEEP_CHILDREN_MAP, /* every child of the last level, scalars too, is an empty map */
} hg_deep;

/* Text that is not well-formed: ill-formed UTF-8 (maximal subparts), lone surrogates of UTF-16. */
typedef enum hg_ill_formed {
    HG_ILL_FORMED_REPLACE, /* U+FFFD */
    HG_ILL_FORMED_DROP,
    HG_ILL_FORMED_KEEP, /* UTF-8 bytes as they are; surrogates in their 3-byte form */
    HG_ILL_FORMED_LATIN1, /* each byte of an ill-formed subpart as the code point of that number */
} hg_ill_formed;

typedef enum hg_bytes_policy { HG_BYTES_TEXT, HG_BYTES_SKIP, HG_BYTES_ARRAY, HG_BYTES_BASE64 } hg_bytes_policy;

typedef enum hg_duplicates { HG_DUPLICATES_KEEP, HG_DUPLICATES_FIRST, HG_DUPLICATES_LAST } hg_duplicates;

enum {
    HG_LIMIT_SPLIT = 1,            /* cuts may split a character */
    HG_LIMIT_TOTAL_KEYS = 2,       /* keys count towards max_total too */
    HG_LIMIT_SKIP_EMPTY_KEYS = 4,  /* pairs with an empty key are dropped */
    HG_LIMIT_SILENT_STRINGS = 8,   /* string cuts are not reported */
    HG_LIMIT_DEPTH_IS_SIZE = 16,   /* a depth cut is reported as a size cut too */
    HG_LIMIT_HEAP_STRINGS = 32,    /* no inline strings */
    HG_LIMIT_SORT_KEYS = 64,       /* maps are sorted by key bytes before the cut (hg_encode_source) */
    HG_LIMIT_INTEGRAL_SIGNED = 128, /* integral floats up to 2^53 become signed */
    HG_LIMIT_STRINGIFY = 256,      /* scalars as text, booleans as True and False */
};

typedef struct hg_limits {
    uint32_t max_depth;   /* levels with content; the root is level 1 */
    uint32_t max_entries; /* per container */
    uint32_t max_total;   /* values of the whole tree, containers included; 0 = no limit */
    uint32_t max_string;  /* in `unit`; UINT32_MAX = only the ABI's */
    uint32_t max_key;     /* in `unit`; 0 = no limit */
    uint16_t flags;       /* HG_LIMIT_... */
    uint8_t unit;         /* hg_unit */
    uint8_t deep;         /* hg_deep */
    uint8_t ill_formed;   /* hg_ill_formed */
    uint8_t bytes;        /* hg_bytes_policy */
    uint8_t duplicates;   /* hg_duplicates */
    uint64_t deadline_ns; /* monotonic clock; 0 = none */
} hg_limits;

/* The rows of marshalling 5.1. `none` is for configuration: only the ABI's maxima. */
typedef enum hg_limits_preset {
    HG_LIMITS_DEFAULT, /* depth 20, entries 256, strings 4,096 bytes */
    HG_LIMITS_NONE,
    HG_LIMITS_DOTNET,
    HG_LIMITS_DOTNET_LEGACY,
    HG_LIMITS_GO,
    HG_LIMITS_RUBY,
    HG_LIMITS_PYTHON,
    HG_LIMITS_NODE,
    HG_LIMITS_JAVA,
    HG_LIMITS_PHP,
    HG_LIMITS_NGINX,
    HG_LIMITS_RASP_RESPONSE,
    HG_LIMITS_PRESETS
} hg_limits_preset;

HG_API hg_limits hg_limits_of(hg_limits_preset preset);

/* ---- The report ---- */

typedef enum hg_reason {
    HG_REASON_STRING_TOO_LONG = 1,
    HG_REASON_CONTAINER_TOO_LARGE = 2,
    HG_REASON_OBJECT_TOO_DEEP = 4,
    HG_REASON_UNSUPPORTED = 8,
    HG_REASON_CYCLE = 16,
    HG_REASON_INVALID_TEXT = 32,
    HG_REASON_TIMEOUT = 64,
    HG_REASON_PARTIAL_INPUT = 128
} hg_reason;

enum { HG_REASONS = 8, HG_REPORT_PATH = 128 };

typedef struct hg_truncation {
    uint64_t count;
    uint64_t max; /* largest true size (strings: in the unit of the limit; containers: entries; depth: level) */
    uint64_t sum;
} hg_truncation;

typedef struct hg_report {
    uint32_t reasons;                     /* bits seen */
    hg_truncation of[HG_REASONS];         /* by bit number */
    uint8_t path_len;                     /* bytes of path */
    char path[HG_REPORT_PATH];            /* JSON pointer of the first occurrence, cut */
} hg_report;

/* Empties a report. */
HG_API void hg_report_init(hg_report *report);
/* Adds the counts of `other`, takes its maxima; the path of the earlier one stays. */
HG_API void hg_report_merge(hg_report *report, const hg_report *other);
HG_API const hg_truncation *hg_report_reason(const hg_report *report, hg_reason reason);

/* ---- Push events ---- */

typedef struct hg_encoder hg_encoder;

/* A new encoder whose tree comes from a, with its own memory from the heap; reusable: begin again after end.
 * NULL when out of memory. */
HG_API hg_encoder *hg_encoder_new(void);
HG_API void hg_encoder_free(hg_encoder *e);

/* Starts a tree. limits NULL = default; report may be NULL, and is not emptied, so that several encodes can share it. */
HG_API void hg_encode_begin(hg_encoder *e, const hg_limits *limits, const hg_allocator *a, hg_report *report);

/* Ends it: *out is the tree; containers still open are closed. HG_ERR_NOMEM, HG_ERR_ARGUMENT (no value) leave *out
 * invalid and nothing behind. */
HG_API hg_status hg_encode_end(hg_encoder *e, hg_value *out);

/* Scalars: an array's element, a map's value after its key, or the root. All return false once out of memory. */
HG_API bool hg_encode_null(hg_encoder *e);
HG_API bool hg_encode_invalid(hg_encoder *e); /* kept as a map's value, dropped in arrays; counted as unsupported */
HG_API bool hg_encode_bool(hg_encoder *e, bool v);
HG_API bool hg_encode_signed(hg_encoder *e, int64_t v);
HG_API bool hg_encode_unsigned(hg_encoder *e, uint64_t v);
HG_API bool hg_encode_float(hg_encoder *e, double v);
/* A number as text of any length (JSON syntax): signed, else unsigned, else float when finite, else text. */
HG_API bool hg_encode_number(hg_encoder *e, hg_slice digits);
HG_API bool hg_encode_utf8(hg_encoder *e, hg_slice s);
/* As utf8, but s outlives the tree: valid text is not copied. */
HG_API bool hg_encode_utf8_borrowed(hg_encoder *e, hg_slice s);
HG_API bool hg_encode_utf16(hg_encoder *e, const uint16_t *units, size_t n);
HG_API bool hg_encode_latin1(hg_encoder *e, hg_slice s);
HG_API bool hg_encode_bytes(hg_encoder *e, hg_slice s);

/* Keys: one before each value of a map. Empty keys are kept unless the limits say otherwise. */
HG_API bool hg_encode_key_utf8(hg_encoder *e, hg_slice s);
HG_API bool hg_encode_key_literal(hg_encoder *e, hg_slice s); /* valid UTF-8, never freed or moved */
HG_API bool hg_encode_key_utf16(hg_encoder *e, const uint16_t *units, size_t n);
HG_API bool hg_encode_key_latin1(hg_encoder *e, hg_slice s);
HG_API bool hg_encode_key_signed(hg_encoder *e, int64_t v);
HG_API bool hg_encode_key_unsigned(hg_encoder *e, uint64_t v);
HG_API bool hg_encode_key_float(hg_encoder *e, double v);
HG_API bool hg_encode_key_bool(hg_encoder *e, bool v);
/* A key that has no text: the pair is dropped and counted as unsupported. */
HG_API bool hg_encode_key_unusable(hg_encoder *e);

/* Containers. Whether the caller should produce the contents: false means that nothing of it will be kept (it may
 * still push it, or only say how much there was with hg_encode_skipped); close it either way. identity (may be NULL)
 * is compared with the open containers' to find cycles. */
HG_API bool hg_encode_open_array(hg_encoder *e, const void *identity);
HG_API bool hg_encode_open_map(hg_encoder *e, const void *identity);
HG_API bool hg_encode_close(hg_encoder *e);

/* Whether a further entry of the innermost container would be kept. */
HG_API bool hg_encode_wants_more(const hg_encoder *e);
/* Says that n more entries exist which the caller does not push. */
HG_API void hg_encode_skipped(hg_encoder *e, size_t n);

/* Counts a reason at the present place (unsupported values, partial input). */
HG_API void hg_encode_note(hg_encoder *e, hg_reason reason, uint64_t true_size);

/* ---- Sources laid out in memory ---- */

typedef enum hg_source_kind {
    HG_SOURCE_NULL,
    HG_SOURCE_INVALID,
    HG_SOURCE_BOOL,
    HG_SOURCE_SIGNED,
    HG_SOURCE_UNSIGNED,
    HG_SOURCE_FLOAT,
    HG_SOURCE_NUMBER, /* decimal text */
    HG_SOURCE_UTF8,
    HG_SOURCE_UTF8_BORROWED, /* outlives the tree */
    HG_SOURCE_UTF16,
    HG_SOURCE_LATIN1,
    HG_SOURCE_BYTES,
    HG_SOURCE_ARRAY, /* count sources */
    HG_SOURCE_MAP,   /* count hg_source_pair */
    HG_SOURCE_STRUCT, /* count = 1: an object with the description table behind `members` */
    HG_SOURCE_VECTOR, /* count numbers or texts of one kind, see hg_source_vector */
    HG_SOURCE_POINTER, /* one more source behind a pointer; at most 8 in a row */
    HG_SOURCE_VALUE, /* an hg_value tree, copied and limited again */
} hg_source_kind;

typedef struct hg_source {
    uint32_t kind;  /* hg_source_kind */
    uint32_t spare; /* 0; HG_SOURCE_VECTOR: the kind of its elements */
    size_t count;   /* bytes, UTF-16 units or entries */
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        const char *text;
        const uint16_t *units;
        const struct hg_source *items;
        const struct hg_source_pair *pairs;
        const struct hg_source_object *object;
        const void *vector;
        const struct hg_source *target;
        const hg_value *value;
    } as;
} hg_source;

typedef struct hg_source_pair {
    hg_source key; /* text kinds, numbers, bool, null (empty key); anything else drops the pair */
    hg_source val;
} hg_source_pair;

/* A member of a struct: where it lies and what it is. Tables are built once per type and may be shared by threads. */
typedef struct hg_member {
    hg_slice name;   /* valid UTF-8, lives as long as the trees */
    size_t offset;   /* in the object */
    uint32_t kind;   /* see hg_member_kind */
    uint32_t flags;  /* 0, or HG_MEMBER_SKIP */
    const struct hg_layout *layout; /* of a nested struct */
} hg_member;

typedef enum hg_member_kind {
    HG_MEMBER_BOOL,
    HG_MEMBER_INT8,
    HG_MEMBER_INT16,
    HG_MEMBER_INT32,
    HG_MEMBER_INT64,
    HG_MEMBER_UINT8,
    HG_MEMBER_UINT16,
    HG_MEMBER_UINT32,
    HG_MEMBER_UINT64,
    HG_MEMBER_FLOAT32,
    HG_MEMBER_FLOAT64,
    HG_MEMBER_C_STRING,  /* const char *, UTF-8 with NUL; NULL is null */
    HG_MEMBER_SLICE,     /* hg_slice, UTF-8 */
    HG_MEMBER_SOURCE,    /* hg_source: the runtime type decides */
    HG_MEMBER_STRUCT,    /* inline, with `layout` */
    HG_MEMBER_STRUCT_PTR /* pointer, with `layout`; NULL is null */
} hg_member_kind;

enum { HG_MEMBER_SKIP = 1 /* private or explicitly ignored */ };

typedef struct hg_layout {
    const hg_member *members;
    size_t count;
} hg_layout;

typedef struct hg_source_object {
    const void *object;
    const hg_layout *layout;
} hg_source_object;

/* Encodes a whole source. The encoder is begun and ended inside. HG_ERR_NOMEM leaves *out invalid. */
HG_API hg_status hg_encode_source(const hg_source *source, const hg_limits *limits, hg_value *out, const hg_allocator *a,
                                  hg_report *report);

#ifdef __cplusplus
}
#endif
#endif
