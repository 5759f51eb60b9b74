/* Hotgate: MessagePack (the specification of 2013, with timestamps) to values and back. */
#ifndef HOTGATE_MSGPACK_H
#define HOTGATE_MSGPACK_H

#include "hotgate/encode.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HG_MSGPACK_NESTING = 32, HG_MSGPACK_NESTING_MAX = 256 };

typedef struct hg_msgpack_options {
    const hg_limits *limits; /* NULL = none but the ABI's: a peer's message, not a request's content */
    hg_report *report;       /* NULL = not wanted */
    uint32_t max_nesting;    /* deeper is HG_ERR_LIMIT; 0 = 32, at most 256 */
    bool borrow;             /* the data outlives the tree: texts point into it */
    bool partial;            /* data that ends early: keep what was complete */
} hg_msgpack_options;

/* Reads one object into *out; *used (may be NULL) is its length. Non-negative integers are unsigned, negative ones
 * signed; str and bin are text by the limits' rules; timestamps become RFC 3339 text, other ext types are invalid and
 * counted as unsupported; keys that are not text are written as text, containers as keys drop the pair. Nothing is
 * allocated on a declared length's word. HG_NEED_MORE when the data ends early (unless `partial`), HG_ERR_SYNTAX for
 * the byte 0xC1, HG_ERR_LIMIT, HG_ERR_NOMEM: *out is then invalid. Linear time, no recursion. */
HG_API hg_status hg_msgpack_read(hg_slice data, const hg_msgpack_options *options, hg_value *out, size_t *used,
                                 const hg_allocator *a);

/* Length of the first object in data without decoding it: HG_OK with *used, or HG_NEED_MORE, HG_ERR_SYNTAX,
 * HG_ERR_LIMIT (more than HG_MSGPACK_NESTING_MAX levels). */
HG_API hg_status hg_msgpack_length(hg_slice data, size_t *used);

/* Appends v: the smallest encoding of integers, floats as 64 bits, strings as str when valid UTF-8 else bin, maps with
 * their size and repeated keys kept, invalid values as nil. Trusts as little as hg_json_write, and returns the same
 * count of faults, which are nil. */
HG_API size_t hg_msgpack_write(const hg_value *v, hg_buffer *out);

/* The pieces, for messages with a fixed shape. */
HG_API void hg_msgpack_put_nil(hg_buffer *out);
HG_API void hg_msgpack_put_bool(hg_buffer *out, bool v);
HG_API void hg_msgpack_put_signed(hg_buffer *out, int64_t v);
HG_API void hg_msgpack_put_unsigned(hg_buffer *out, uint64_t v);
HG_API void hg_msgpack_put_float(hg_buffer *out, double v);
HG_API void hg_msgpack_put_str(hg_buffer *out, hg_slice s); /* as str, whatever the bytes */
HG_API void hg_msgpack_put_bin(hg_buffer *out, hg_slice s);
HG_API void hg_msgpack_put_array(hg_buffer *out, uint32_t entries); /* its elements follow */
HG_API void hg_msgpack_put_map(hg_buffer *out, uint32_t pairs);

#ifdef __cplusplus
}
#endif
#endif
