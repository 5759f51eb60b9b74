/* A message's headers and body: how the body is delimited, chunks, decoding. Weirds: http_no_crlf_in_header_list,
 * exceeded_mime_max_header_bytes, HTTP_bad_chunk_size, HTTP_chunked_transfer_for_multipart_message,
 * HTTP_range_not_matching_len. */
#include "net/http/http.h"

void http_entity_free(http_entity *entity)
{
    http_mime_free(entity->mime);
    http_inflate_free(entity->inflate);
    entity->mime = NULL;
    entity->inflate = NULL;
}

void http_entity_end(const http_context *c)
{
    http_entity *e = &http_of(c)->entity;
    if (e->ended)
        return;
    e->ended = true;
    http_row_end_entity(c);
    http_message_done(c, false);
}

static void header_finish(const http_context *c)
{
    http_side *side = http_of(c);
    uint32_t folds = side->folds;
    side->folds = 0;
    if (side->header.len == 0)
        return;
    hg_slice joined = hg_slice_of(side->header.bytes, side->header.len);
    side->header.len = 0;
    http_header(c, joined, false, folds);
}

bool http_header_add(http_side *side, hg_slice line, bool first)
{
    http_span span;
    if (first)
        side->header.len = 0;
    return http_keep(&side->header, line, HG_HTTP_MAX_HEADER, &span);
}

static void line_wise(const http_context *c, int64_t bound)
{
    http_side *side = http_of(c);
    side->bound = bound;
    if (bound == 0)
        http_entity_end(c);
}

/* Section 6.3 of RFC 9112, in the peer's order. */
static void body_choose(const http_context *c)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    if (!e->body_expected) {
        http_entity_end(c);
        return;
    }
    if (e->range_length >= 0 && e->chunks == HTTP_UNCHUNKED && e->content_length >= 0 &&
        e->range_length != e->content_length) {
        http_weird(c, W_HTTP_range_not_matching_len, "");
        if (e->range_length > e->content_length)
            e->content_length = e->range_length;
    }
    if (e->kind != HTTP_OPAQUE) {
        if (e->chunks != HTTP_UNCHUNKED)
            http_weird(c, W_HTTP_chunked_transfer_for_multipart_message, "");
        e->chunks = HTTP_UNCHUNKED;
        side->whole_lines = e->kind == HTTP_MULTIPART;
        line_wise(c, e->content_length);
    } else if (e->chunks != HTTP_UNCHUNKED) {
        e->chunks = HTTP_SIZE;
    } else if (e->content_length >= 0) {
        e->left = (uint64_t)e->content_length;
        side->plain = e->left;
        if (e->left == 0)
            http_entity_end(c);
    } else if (c->side == NET_RESP && (e->close || e->coding != HTTP_IDENTITY)) {
        e->to_end = true;
        side->plain = UINT64_MAX / 2;
    } else if (c->side == NET_ORIG) {
        http_entity_end(c);
    }
}

static void head_complete(const http_context *c)
{
    http_entity *e = &http_of(c)->entity;
    e->in_header = false;
    if (e->chunks == HTTP_TRAILER) {
        http_entity_end(c);
        return;
    }
    if (c->side == NET_ORIG)
        http_judge_head(c);
    else
        http_judge_reply(c);
    body_choose(c);
}

static void header_line(const http_context *c, hg_slice line, bool ended)
{
    http_side *side = http_of(c);
    if (!ended)
        http_weird(c, W_http_no_crlf_in_header_list, "");
    if ((line.len == 0 || line.ptr[0] == '\0') && ended) {
        header_finish(c);
        head_complete(c);
        return;
    }
    bool fold = line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t') && side->header.len > 0;
    if (fold)
        side->folds++;
    else
        header_finish(c);
    if (!http_header_add(side, line, !fold))
        http_weird(c, W_exceeded_mime_max_header_bytes, "");
}

static void chunk_size(const http_context *c, hg_slice line)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    if (!hg_http_chunk_size(line, &e->left))
        http_weird_slice(c, W_HTTP_bad_chunk_size, line);
    if (e->left > 0) {
        e->chunks = HTTP_DATA;
        side->plain = e->left;
    } else {
        e->chunks = HTTP_TRAILER;
        e->in_header = true;
    }
}

void http_body_clear(const http_context *c, hg_slice data, bool ended)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    e->body += data.len + (ended ? 2 : 0);
    if (c->side == NET_ORIG) {
        http_judge_keep_body(c, data);
        if (ended)
            http_judge_keep_body(c, HG_SLICE("\r\n"));
    }
    if (e->mime != NULL)
        http_mime_line(c, data, ended);
}

static void body_data(const http_context *c, hg_slice data, bool ended)
{
    http_entity *e = &http_of(c)->entity;
    if (e->coding != HTTP_IDENTITY) {
        if (!e->decode_failed && !http_inflate_data(c, data))
            e->decode_failed = true;
        return;
    }
    http_body_clear(c, data, ended);
}

void http_entity_data(const http_context *c, hg_slice data, bool ended)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    if (e->ended)
        return;
    if (e->kind != HTTP_OPAQUE || (e->chunks == HTTP_UNCHUNKED && e->content_length < 0)) {
        body_data(c, data, ended);
        return;
    }
    switch (e->chunks) {
    case HTTP_SIZE:
        chunk_size(c, data);
        return;
    case HTTP_DATA:
        e->left -= data.len < e->left ? data.len : e->left;
        if (e->left == 0)
            e->chunks = HTTP_DATA_END;
        body_data(c, data, false);
        return;
    case HTTP_DATA_END:
        e->chunks = HTTP_SIZE;
        return;
    default:
        e->left -= data.len < e->left ? data.len : e->left;
        body_data(c, data, false);
        if (e->left == 0 && side->entity.ongoing)
            http_entity_end(c);
        return;
    }
}

void http_entity_line(const http_context *c, hg_slice line, bool ended)
{
    http_entity *e = &http_of(c)->entity;
    if (e->ended)
        return;
    if (e->in_header)
        header_line(c, line, ended);
    else
        http_entity_data(c, line, ended);
}

/* Is a hole of this length inside what is left of the body, behind its first octet? Then the body goes on. */
void http_entity_gap(const http_context *c, uint64_t len)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    bool sized = e->ongoing && !e->in_header && e->kind == HTTP_OPAQUE &&
                 (e->chunks == HTTP_DATA || (e->chunks == HTTP_UNCHUNKED && e->content_length >= 0));
    bool inside = e->body > 0 && ((sized && len <= e->left) || (e->ongoing && !e->in_header && e->to_end));
    if (!inside) {
        side->stopped = true;
        http_message_done(c, true);
        if (c->side == NET_ORIG && side->messages > 0)
            c->http->side[NET_RESP].stopped = true; /* which reply answers what is not known any more */
        return;
    }
    side->body_cut = true;
    e->body += len;
    side->plain -= len < side->plain ? len : side->plain;
    if (e->to_end)
        return;
    e->left -= len;
    if (e->left > 0)
        return;
    if (e->chunks == HTTP_DATA)
        e->chunks = HTTP_DATA_END;
    else
        http_entity_end(c);
}
