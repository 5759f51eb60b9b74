/* The one HTTP/1 tokenizer: lines, start lines, headers, chunks. Everything is a slice of the caller's bytes;
 * nothing is copied or kept. Broken messages are described by flags, not refused, wherever a reader can go on.
 * All functions are pure, thread-safe and linear in their input. Sources: RFC 9112, RFC 9110. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "hotgate/base.h"

enum {
    HG_HTTP_MAX_LINE = 16 * 1024 * 1024 - 100, /* bytes of one line */
    HG_HTTP_MAX_HEADER = 65536,                /* bytes of one header in a head */
    HG_HTTP_MAX_CHUNK_LINE = 16384,            /* bytes of a chunk-size or trailer line */
};

/* What was odd. Nothing here stops a parse by itself; the status does. */
enum hg_http_flag {
    HG_HTTP_BAD_REQUEST = 1u << 0,              /* no method, or no white space behind it */
    HG_HTTP_BAD_REQUEST_WITH_VERSION = 1u << 1, /* no method, but the line ends in HTTP/x.y */
    HG_HTTP_LOWERCASE_KEYWORD = 1u << 2,        /* "http/" in another case */
    HG_HTTP_MISSING_URI = 1u << 3,
    HG_HTTP_NO_VERSION = 1u << 4,      /* HTTP/0.9 */
    HG_HTTP_BAD_VERSION = 1u << 5,     /* not digit dot digit; read as 0.0 */
    HG_HTTP_TRAILING_TEXT = 1u << 6,   /* something after the version */
    HG_HTTP_BAD_STATUS = 1u << 7,      /* the three status characters are not digits; status 0 */
    HG_HTTP_MISSING_REASON = 1u << 8,
    HG_HTTP_BARE_LF = 1u << 9,         /* a line ended by LF alone */
    HG_HTTP_BARE_CR = 1u << 10,        /* a line ended by CR alone */
    HG_HTTP_CUT_LINE = 1u << 11,       /* the input ended inside a line */
    HG_HTTP_NO_COLON = 1u << 12,       /* a header line without colon, left out */
    HG_HTTP_FOLDED = 1u << 13,         /* obsolete line folding */
    HG_HTTP_HEADER_TOO_LONG = 1u << 14,/* cut at HG_HTTP_MAX_HEADER */
    HG_HTTP_TOO_MANY_HEADERS = 1u << 15,/* more than the caller's array holds; the rest is left out */
    HG_HTTP_CUT_HEAD = 1u << 16,       /* the input ended before the empty line */
    HG_HTTP_BAD_CHUNK_SIZE = 1u << 17, /* unreadable or overflowing; taken as 0 */
    HG_HTTP_CHUNK_JUNK = 1u << 18,     /* text between a chunk's data and its line end */
    HG_HTTP_DOUBLE_PERCENT = 1u << 19, /* "%%" in a URI: the first is dropped */
    HG_HTTP_PERCENT_AT_END = 1u << 20,
    HG_HTTP_PARTIAL_ESCAPE = 1u << 21, /* "%" and one character at the end */
    HG_HTTP_BAD_ESCAPE = 1u << 22,     /* "%" before something else than two hex digits */
};

/* ---- Lines ---- */

typedef enum hg_http_line_end { HG_HTTP_CRLF, HG_HTTP_LF, HG_HTTP_CR, HG_HTTP_CUT } hg_http_line_end;

typedef struct hg_http_line {
    hg_slice text; /* without its end; NULs are kept */
    size_t used;   /* bytes of the input, end included */
    hg_http_line_end end;
} hg_http_line;

/* The first line of `in`: ends at CRLF, LF or CR. `seen` bytes are known to hold no line end (0, or in.len of the
 * call that wanted more, minus one): so that bytes arriving piecemeal cost linear time. With `last` what is left
 * is a line (HG_HTTP_CUT), and a final CR ends one. HG_NEED_MORE: no end yet, or a CR at the very end that an LF
 * may follow. Without any byte left and `last`: HG_ERR_TRUNCATED. HG_ERR_LIMIT beyond HG_HTTP_MAX_LINE. */
hg_status hg_http_line_next(hg_slice in, size_t seen, bool last, hg_http_line *line);

/* ---- Start lines ---- */

typedef struct hg_http_version {
    uint8_t major;
    uint8_t minor; /* 0.9: the line names no version; 0.0: unreadable */
} hg_http_version;

typedef struct hg_http_request_line {
    hg_slice method;
    hg_slice uri; /* raw; may hold blanks when the sender did not escape them */
    hg_http_version version;
    uint32_t flags;
} hg_http_request_line;

/* METHOD URI HTTP/x.y, without its line end. The URI runs to the first place after its first illegal character
 * where white space and "HTTP/" follow; without a version the rest of the line, trailing blanks removed, is the URI
 * and the version is 0.9 (which asks for a method of three letters and a URI). HG_ERR_SYNTAX: not a request line,
 * the flags say why. */
hg_status hg_http_request_line_read(hg_slice line, hg_http_request_line *out);

typedef struct hg_http_status_line {
    hg_http_version version;
    unsigned status; /* 0: not three digits */
    hg_slice reason;
    uint32_t flags;
} hg_http_status_line;

/* HTTP/x.y CODE REASON, without its line end. HG_ERR_SYNTAX: no "HTTP/" or no code. */
hg_status hg_http_status_line_read(hg_slice line, hg_http_status_line *out);

/* Does the text start like a response ("HTTP/" in any case and a digit)? */
bool hg_http_is_status_line(hg_slice text);

/* The method that text starts with, when it is one of the registered ones (RFC 9110, WebDAV and their kin; case
 * counts, optional white space before it); else empty. */
hg_slice hg_http_known_method(hg_slice text);

/* The unescaped URI, written to out (uri.len bytes suffice); returns its length. %XX is a byte; %uXXXX two bytes,
 * the first left out when 0; what is no escape stays. *flags (may be NULL) gains what was odd. */
size_t hg_http_unescape(hg_slice uri, char *out, uint32_t *flags);

/* ---- Headers ---- */

/* An empty name: the value continues the header before (line folding). The value's leading white space is removed. */
typedef hg_field hg_http_header;

/* One header line. HG_OK; HG_ERR_SYNTAX: no colon behind a name, to be ignored. A line that starts with a blank or
 * a tab gives an empty name. Comments in parentheses before the name are skipped. */
hg_status hg_http_header_read(hg_slice line, hg_http_header *out);

/* The first run of token characters (RFC 2045) of a value, e.g. "chunked" of "chunked, foo"; *rest (may be NULL)
 * is what follows it. */
hg_slice hg_http_first_token(hg_slice value, hg_slice *rest);

/* A parameter of a header value such as multipart/form-data; boundary="x". Its name in any case; quotes are removed,
 * backslashes are left. Empty when absent. */
hg_slice hg_http_parameter(hg_slice value, hg_slice name);

/* Decimal digits only, surrounding blanks allowed. False: not a number, or it exceeds 2^63-1. */
bool hg_http_decimal(hg_slice value, uint64_t *out);

/* ASCII equality without case. */
bool hg_http_same(hg_slice a, hg_slice b);

/* Without blanks and tabs at both ends. */
hg_slice hg_http_trim(hg_slice s);

/* ---- A whole head ---- */

typedef struct hg_http_head {
    hg_http_header *headers; /* the caller's array */
    size_t capacity;
    size_t count;
    size_t used;       /* bytes of the input, empty line included */
    bool is_response;
    hg_http_request_line request; /* when !is_response */
    hg_http_status_line response; /* when is_response */
    uint32_t flags;    /* of the start line and the headers together */
} hg_http_head;

typedef struct hg_http_progress { /* how far the search for a head's end came; all zero to start */
    size_t line; /* where the current line starts */
    size_t seen; /* bytes of it without a line end */
    bool started; /* a line with text was seen */
} hg_http_progress;

/* Reads start line and headers into *head, whose headers and capacity are set by the caller. HG_NEED_MORE: the empty
 * line is not there yet and `last` is false; pass the same *progress with the same and more bytes. With `last` a head
 * that is cut counts as far as it goes. HG_ERR_SYNTAX: the start line is neither request nor response; used is that
 * line. HG_ERR_TRUNCATED: `last` and nothing but empty lines. HG_ERR_LIMIT: a line beyond HG_HTTP_MAX_LINE. Empty
 * lines before the start line are skipped. */
hg_status hg_http_head_read(hg_slice in, hg_http_progress *progress, bool last, hg_http_head *head);

/* The last header of that name (any case), or NULL. */
const hg_http_header *hg_http_head_find(const hg_http_head *head, hg_slice name);

/* ---- Chunked bodies ---- */

typedef enum hg_http_chunk_state {
    HG_HTTP_CHUNK_SIZE,
    HG_HTTP_CHUNK_DATA,
    HG_HTTP_CHUNK_END,
    HG_HTTP_CHUNK_TRAILER,
    HG_HTTP_CHUNK_DONE
} hg_http_chunk_state;

typedef struct hg_http_chunked { /* all zero to start */
    hg_http_chunk_state state;
    uint64_t left; /* bytes of the current chunk still to come */
    uint32_t flags;
} hg_http_chunked;

/* The size on a chunk-size line: its leading hex digits, blanks before them skipped. False and *size 0: none, or 2^63
 * and above. */
bool hg_http_chunk_size(hg_slice line, uint64_t *size);

/* One step: *used bytes are consumed and *data (perhaps empty) is body. HG_OK: call again with the rest;
 * HG_NEED_MORE: nothing was consumed, more bytes are wanted (at the end of input: the body is cut); when the body is
 * complete state is HG_HTTP_CHUNK_DONE. HG_ERR_LIMIT: a line longer than HG_HTTP_MAX_CHUNK_LINE. */
hg_status hg_http_chunked_next(hg_http_chunked *chunked, hg_slice in, size_t *used, hg_slice *data);

#endif
