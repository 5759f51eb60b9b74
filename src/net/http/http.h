/* HTTP/1 on a TCP flow: the two directions as parsers, the transactions they make, and what is kept of them. */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "http/chars.h"
#include "http/http.h"
#include "net/flow/flow.h"
#include "net/http/stream.h"

enum {
    HTTP_PENDING_MOST = 100,
    HTTP_PROXIED_MOST = 16,
    HTTP_HEADERS_MOST = 512,   /* handed to the rules; more are parsed but not kept */
    HTTP_KEPT_MOST = 256 * 1024, /* octets of one message's headers kept */
    HTTP_NESTED_MOST = 3,      /* HTTP inside CONNECT inside CONNECT */
    MIME_DEPTH_MOST = 100,
    HTTP_LIKE_HEAD = 1, HTTP_LIKE_CONNECT = 2,
};

/* ---- Text kept by offset in a growing buffer that survives for the next use ---- */

typedef struct http_span {
    uint32_t at, len;
    bool set;
} http_span;

typedef struct http_buffer {
    char *bytes;
    uint32_t len, room;
} http_buffer;

bool http_keep(http_buffer *buffer, hg_slice text, uint32_t most, http_span *span);
void http_buffer_release(http_buffer *buffer, uint32_t keep);

static inline hg_slice http_kept(const http_buffer *buffer, http_span span)
{
    return span.set ? hg_slice_of(buffer->bytes + span.at, span.len) : (hg_slice){NULL, 0};
}

/* ---- Transactions: what becomes a row ---- */

typedef struct http_row {
    uint32_t chain; /* slab's free list */
    uint32_t index;
    struct http_row *next; /* pending, by number */
    uint64_t number;
    uint32_t depth;
    hg_net_time time;
    http_buffer text;
    http_span method, host, uri, referrer, user_agent, origin, username, password, status_text, info_text;
    http_span proxied[HTTP_PROXIED_MOST];
    uint32_t proxied_count;
    uint64_t request_body, response_body;
    uint8_t version_major, version_minor;
    uint32_t status, info_status;
    bool has_request, has_reply, has_entity;
    void *user; /* the sink's */
} http_row;

typedef struct http_rows {
    http_row *pending;
    uint64_t request, response; /* numbers of the current ones */
    uint32_t depth;
    bool any;
} http_rows;

/* ---- One direction ---- */

typedef enum http_expect { HTTP_EXPECT_LINE, HTTP_EXPECT_MESSAGE, HTTP_EXPECT_RAW, HTTP_EXPECT_NOTHING } http_expect;
typedef enum http_chunks { HTTP_UNCHUNKED, HTTP_SIZE, HTTP_DATA, HTTP_DATA_END, HTTP_TRAILER } http_chunks;
typedef enum http_kind { HTTP_OPAQUE, HTTP_MULTIPART, HTTP_MESSAGE } http_kind;
typedef enum http_coding { HTTP_IDENTITY, HTTP_GZIP, HTTP_DEFLATE } http_coding;

typedef struct http_inflate http_inflate;
typedef struct http_mime http_mime;

/* A message's headers and body. */
typedef struct http_entity {
    bool ongoing;     /* between its start line and its end */
    bool in_header;
    bool ended;       /* no more body */
    bool body_expected;
    bool close;       /* Connection: close */
    bool upgrade;     /* Connection: upgrade */
    bool expect;      /* an Expect header was seen */
    bool to_end;      /* opaque body until the end of the connection */
    http_chunks chunks;
    http_kind kind;
    http_coding coding;
    int64_t content_length; /* -1: unknown */
    int64_t range_length;   /* -1: no Content-Range */
    uint64_t left;          /* of the body of known length, or of the chunk */
    uint64_t body;          /* octets after decoding */
    bool decode_failed;
    http_span upgrade_to;
    http_mime *mime;
    http_inflate *inflate;
} http_entity;

typedef struct http_kept_header {
    http_span name, value; /* in the side's text */
} http_kept_header;

typedef struct http_side {
    http_expect expect;
    hg_http_version version;
    bool version_known;
    bool last_cr;      /* a line ended with CR alone */
    bool single_cr;    /* that weird was raised */
    uint32_t folds;    /* of the unfinished header */
    bool whole_lines;  /* only CRLF ends a line: inside multipart */

    bool stopped;      /* a hole or an error: parse no more */
    uint64_t plain;    /* octets that are no lines */
    int64_t bound;     /* octets left of a line-wise body of known length; -1: none */
    http_buffer line;  /* unfinished */
    http_buffer header;/* unfinished, for folding */
    http_entity entity;
    uint64_t messages; /* start lines seen */
    /* Kept for the rules. */
    http_buffer text;
    http_buffer headers; /* http_kept_header each */
    uint32_t header_count;
    http_buffer body;
    bool body_cut;  /* not all of it is there: a limit or a hole */
    bool body_full; /* the limit */
} http_side;

typedef struct http_flow {
    uint32_t chain;
    uint32_t index;
    struct http_flow *outer; /* this one came out of its CONNECT or upgrade */
    http_side side[2];
    uint8_t unanswered[HTTP_PENDING_MOST + 8]; /* what matters of the methods, oldest first (HTTP_LIKE_...) */
    uint32_t unanswered_first, unanswered_count;
    http_span method, raw_uri, uri; /* of the current request, in side[0].text */
    hg_http_version request_version;
    uint32_t status; /* of the current reply */
    bool keep_alive;
    bool connect;    /* the reply accepts a CONNECT */
    bool violated;   /* goes at the end of the packet */
    bool handed_on;  /* the stream belongs to someone else now */
} http_flow;

/* ---- Between the files ---- */

typedef struct http_context {
    hg_net *net;
    net_flow *flow;
    http_flow *http;
    int side;
} http_context;

static inline http_side *http_of(const http_context *c)
{
    return &c->http->side[c->side];
}

void http_weird(const http_context *c, net_weird name, const char *addl);
void http_weird_slice(const http_context *c, net_weird name, hg_slice addl);

/* lines.c: octets to lines and plain pieces */
void http_lines(const http_context *c, hg_slice data);
void http_lines_eof(const http_context *c);
void http_piece(const http_context *c, hg_slice data);
void http_line(const http_context *c, hg_slice line);

/* start.c: start lines */
void http_request_line(const http_context *c, hg_slice line);
void http_reply_line(const http_context *c, hg_slice line);
void http_reply_raw(const http_context *c, hg_slice data);
void http_message_start(const http_context *c, bool body_expected);
void http_message_done(const http_context *c, bool interrupted);
void http_violation(const http_context *c);

/* entity.c: headers, then the body */
void http_entity_line(const http_context *c, hg_slice line, bool ended);
void http_entity_data(const http_context *c, hg_slice data, bool ended);
void http_entity_end(const http_context *c);
void http_entity_gap(const http_context *c, uint64_t len);
void http_entity_free(http_entity *entity);
void http_body_clear(const http_context *c, hg_slice data, bool ended);

/* header.c */
void http_header(const http_context *c, hg_slice joined, bool nested, uint32_t folds);
bool http_header_add(http_side *side, hg_slice line, bool first);

/* mime.c: parts of a multipart body */
bool http_mime_start(const http_context *c, hg_slice boundary, bool message);
void http_mime_line(const http_context *c, hg_slice line, bool ended);
void http_mime_free(http_mime *mime);
void http_mime_content_type(http_mime *mime, hg_slice value);

/* inflate.c */
bool http_inflate_data(const http_context *c, hg_slice data);
void http_inflate_free(http_inflate *inflate);

/* rows.c: transactions as records */
void http_row_request(const http_context *c, hg_slice method, hg_slice uri);
void http_row_reply(const http_context *c, hg_http_version version, uint32_t status, hg_slice reason);
void http_row_header(const http_context *c, hg_slice name, hg_slice value);
void http_row_begin_entity(const http_context *c);
void http_row_end_entity(const http_context *c);
void http_row_message_done(const http_context *c, uint64_t body);
void http_rows_finish(hg_net *net, net_flow *flow, http_rows *rows);
http_row *http_row_current(const http_context *c);

/* judge.c: what the sink hears of requests and replies */
void http_judge_head(const http_context *c);
void http_judge_body(const http_context *c);
void http_judge_complete(const http_context *c);
void http_judge_reply(const http_context *c);
void http_judge_keep_body(const http_context *c, hg_slice data);

/* stream.c */
http_rows *http_rows_of(net_flow *flow);
http_row *http_row_take(hg_net *net);
void http_row_give(hg_net *net, http_row *row);
/* The stream is a WebSocket, or unknown again, from here on. */
void http_hand_on(const http_context *c, bool websocket);
/* Data that came behind, in the same piece. */
void http_rest(const http_context *c, hg_slice rest);

#endif
