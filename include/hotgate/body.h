/* Hotgate: request bodies and query strings to values. All readers are bounded by limits, tolerate input that was cut
 * (what was complete counts, HG_REASON_PARTIAL_INPUT is reported) and copy text once, or not at all when the caller
 * lends it. Linear time. Thread-safe on distinct outputs. */
#ifndef HOTGATE_BODY_H
#define HOTGATE_BODY_H

#include "hotgate/encode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hg_charset { HG_CHARSET_UTF8, HG_CHARSET_LATIN1, HG_CHARSET_WINDOWS_1252 } hg_charset;

enum {
    HG_BODY_BORROW = 1,        /* the text outlives the tree: what needs no decoding points into it */
    HG_BODY_ALWAYS_ARRAY = 2,  /* fields: name -> array even for one value */
    HG_BODY_PHP_BRACKETS = 4,  /* fields: a[b][]=c nests */
    HG_BODY_FILE_CONTENT = 8,  /* multipart: up to 4,096 bytes of each file as text */
    HG_BODY_XML_COMPACT = 16,  /* XML: tag -> map with @attributes and #text */
};

typedef struct hg_body_options {
    const hg_limits *limits; /* NULL = default */
    hg_report *report;       /* NULL = not wanted */
    unsigned flags;          /* HG_BODY_... */
    hg_charset charset;      /* of forms and plain text that name none */
} hg_body_options;

/* Query string or form body: name=value pairs split at &; + and %XX decoded, bad escapes left; no = gives an
 * empty value; empty pairs skipped. A name that comes once gives a string, repeats give an array in order; *out is a map
 * by first appearance. A _charset_ field names the charset. HG_ERR_NOMEM leaves *out invalid. */
HG_API hg_status hg_form_read(hg_slice text, const hg_body_options *options, hg_value *out, const hg_allocator *a);

/* multipart/form-data (RFC 7578). *out is a map of the fields as by hg_form_read; a part that is JSON or a form by its
 * content type is decoded (one level). *filenames (may be NULL) is an array of the file names; *files (may be NULL) maps
 * file name -> content with HG_BODY_FILE_CONTENT, else it is an empty map. HG_ERR_ARGUMENT for a boundary of no or more
 * than 256 bytes, HG_ERR_NOMEM: all three are then invalid. */
HG_API hg_status hg_multipart_read(hg_slice body, hg_slice boundary, const hg_body_options *options, hg_value *out,
                                   hg_value *filenames, hg_value *files, const hg_allocator *a);

/* XML. Default shape: element -> map with one pair, tag -> array of an attribute map (names prefixed by @), text
 * pieces and child elements in order. Only built-in and internal entities, 64 KiB of expansion, depth 30. HG_ERR_SYNTAX
 * when there is no element at all. */
HG_API hg_status hg_xml_read(hg_slice text, const hg_body_options *options, hg_value *out, const hg_allocator *a);

/* What a decoded body is. */
typedef enum hg_body_kind {
    HG_BODY_UNKNOWN,
    HG_BODY_JSON,
    HG_BODY_FORM,
    HG_BODY_MULTIPART,
    HG_BODY_XML,
    HG_BODY_TEXT,
    HG_BODY_MSGPACK
} hg_body_kind;

typedef struct hg_body {
    hg_body_kind kind;
    hg_value value;     /* invalid for unknown kinds and empty or unreadable bodies */
    hg_value filenames; /* multipart: array of strings; else invalid */
    hg_value files;     /* multipart with HG_BODY_FILE_CONTENT: map; else invalid */
} hg_body;

/* The kind that a Content-Type header announces (application/json, +json, ...). */
HG_API hg_body_kind hg_body_kind_of(hg_slice content_type);

/* A parameter of a header value such as Content-Type or Content-Disposition ("boundary", "charset"), unquoted;
 * {NULL,0} when absent. Backslash escapes stay: the slice points into the header. */
HG_API hg_slice hg_header_parameter(hg_slice header, hg_slice name);

/* Body and content type to a value. Unknown types: kind HG_BODY_UNKNOWN, counted as unsupported, HG_OK. A body that
 * is not what the type says gives HG_OK with an invalid value and HG_REASON_PARTIAL_INPUT. */
HG_API hg_status hg_body_decode(hg_slice content_type, hg_slice body, const hg_body_options *options, hg_body *out,
                                const hg_allocator *a);

/* Frees the values of a body that came from a plain allocator (arenas need not). */
HG_API void hg_body_free(hg_body *body, const hg_allocator *a);

#ifdef __cplusplus
}
#endif
#endif
