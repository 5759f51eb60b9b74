/* Headers of a message and what they decide. Weirds: HTTP_obsolete_line_folding, HTTP_bad_content_length,
 * HTTP_content_length_leading_zeros, HTTP_content_length_and_chunked, HTTP_content_length_0_and_expect_100_cont,
 * HTTP_nested_transfer_encoding_header, HTTP_chunked_multi, HTTP_content_range_unknown_byte_unit,
 * HTTP_content_range_cannot_parse, HTTP_content_range_invalid, HTTP_non_positive_content_range,
 * HTTP_content_range_overflow, HTTP_content_range_invalid_instance, HTTP_content_range_and_chunked,
 * HTTP_expect_not_100_continue. */
#include "net/http/http.h"

typedef void handler(const http_context *c, hg_slice value);

static void content_length(const http_context *c, hg_slice value)
{
    http_entity *e = &http_of(c)->entity;
    uint64_t length = 0;
    bool good = hg_http_decimal(hg_slice_take(value, http_skip(value, 0, HTTP_MIME_TOKEN)), &length);
    if (!good) {
        http_weird_slice(c, W_HTTP_bad_content_length, value);
        length = 0;
    } else if (length > 0 && value.ptr[0] == '0') {
        http_weird_slice(c, W_HTTP_content_length_leading_zeros, value);
    }
    if (e->chunks != HTTP_UNCHUNKED)
        http_weird(c, W_HTTP_content_length_and_chunked, "");
    if (e->expect && length == 0)
        http_weird(c, W_HTTP_content_length_0_and_expect_100_cont, "");
    e->content_length = (int64_t)length;
}

static void transfer_encoding(const http_context *c, hg_slice value)
{
    http_side *side = http_of(c);
    hg_slice rest, token = hg_http_first_token(value, &rest);
    if (!hg_http_same(token, HG_SLICE("chunked")) || side->version.major != 1 || side->version.minor != 1)
        return;
    side->entity.chunks = HTTP_SIZE;
    rest = hg_http_trim(rest);
    if (rest.len > 0)
        http_weird_slice(c, W_HTTP_chunked_multi, rest);
    if (side->entity.content_length >= 0)
        http_weird(c, W_HTTP_content_length_and_chunked, "");
}

static bool number(hg_slice text, uint64_t *out)
{
    if (text.len == 0 || text.ptr[0] == '-' || text.ptr[0] == '+')
        return false;
    return hg_http_decimal(text, out);
}

static void content_range(const http_context *c, hg_slice value)
{
    http_entity *e = &http_of(c)->entity;
    if (c->side != NET_RESP || c->http->status != 206)
        return;
    hg_slice rest, unit = hg_http_first_token(value, &rest);
    if (!hg_http_same(unit, HG_SLICE("bytes"))) {
        http_weird_slice(c, W_HTTP_content_range_unknown_byte_unit, unit);
        return;
    }
    if (e->chunks != HTTP_UNCHUNKED)
        http_weird_slice(c, W_HTTP_content_range_and_chunked, value);
    rest = hg_http_trim(rest);
    const char *dash = rest.len ? memchr(rest.ptr, '-', rest.len) : NULL;
    const char *slash = rest.len ? memchr(rest.ptr, '/', rest.len) : NULL;
    if (dash == NULL || slash == NULL || slash < dash) {
        http_weird_slice(c, W_HTTP_content_range_cannot_parse, rest);
        return;
    }
    uint64_t first, last, whole;
    hg_slice total = hg_slice_of(slash + 1, (size_t)(rest.ptr + rest.len - slash - 1));
    if (!number(hg_slice_of(rest.ptr, (size_t)(dash - rest.ptr)), &first) ||
        !number(hg_slice_of(dash + 1, (size_t)(slash - dash - 1)), &last)) {
        http_weird_slice(c, W_HTTP_content_range_cannot_parse, rest);
        return;
    }
    if (last < first) {
        http_weird_slice(c, W_HTTP_non_positive_content_range, rest);
        return;
    }
    if (!hg_slice_equal(total, HG_SLICE("*")) && !number(total, &whole)) {
        http_weird_slice(c, W_HTTP_content_range_invalid_instance, rest);
        return;
    }
    if (last - first == INT64_MAX) {
        http_weird_slice(c, W_HTTP_content_range_overflow, rest);
        return;
    }
    e->range_length = (int64_t)(last - first + 1);
}

static void content_encoding(const http_context *c, hg_slice value)
{
    http_entity *e = &http_of(c)->entity;
    hg_slice token = hg_http_first_token(value, NULL);
    if (hg_http_same(token, HG_SLICE("gzip")) || hg_http_same(token, HG_SLICE("x-gzip")))
        e->coding = HTTP_GZIP;
    else if (hg_http_same(token, HG_SLICE("deflate")))
        e->coding = HTTP_DEFLATE;
}

static void expect(const http_context *c, hg_slice value)
{
    http_of(c)->entity.expect = true;
    if (!hg_http_same(value, HG_SLICE("100-continue")))
        http_weird_slice(c, W_HTTP_expect_not_100_continue, value);
}

static void connection(const http_context *c, hg_slice value)
{
    http_entity *e = &http_of(c)->entity;
    hg_slice token = hg_http_first_token(value, NULL);
    if (c->side == NET_ORIG) {
        if (hg_http_same(token, HG_SLICE("keep-alive")))
            c->http->keep_alive = true;
        return;
    }
    if (hg_http_same(token, HG_SLICE("close")))
        e->close = true;
    else if (hg_http_same(token, HG_SLICE("upgrade")))
        e->upgrade = true;
}

static void upgrade(const http_context *c, hg_slice value)
{
    http_side *side = http_of(c);
    if (c->side == NET_RESP)
        http_keep(&side->text, hg_http_first_token(value, NULL), HTTP_KEPT_MOST, &side->entity.upgrade_to);
}

static void content_type(const http_context *c, hg_slice value)
{
    http_entity *e = &http_of(c)->entity;
    hg_slice rest, type = hg_http_first_token(value, &rest);
    if (hg_http_same(type, HG_SLICE("multipart"))) {
        hg_slice boundary = hg_http_parameter(value, HG_SLICE("boundary"));
        if (boundary.len > 0 && http_mime_start(c, boundary, false))
            e->kind = HTTP_MULTIPART;
    } else if (hg_http_same(type, HG_SLICE("message"))) {
        if (http_mime_start(c, (hg_slice){"", 0}, true))
            e->kind = HTTP_MESSAGE;
    }
}

static const struct {
    hg_slice name;
    handler *handle;
} handlers[] = {
    {{"content-length", 14}, content_length}, {{"transfer-encoding", 17}, transfer_encoding},
    {{"content-range", 13}, content_range},   {{"content-encoding", 16}, content_encoding},
    {{"expect", 6}, expect},                  {{"connection", 10}, connection},
    {{"upgrade", 7}, upgrade},                {{"content-type", 12}, content_type},
};

static void keep_for_rules(const http_context *c, hg_slice name, hg_slice value)
{
    http_side *side = http_of(c);
    http_kept_header kept;
    http_span where;
    if (side->header_count < HTTP_HEADERS_MOST && http_keep(&side->text, name, HTTP_KEPT_MOST, &kept.name) &&
        http_keep(&side->text, value, HTTP_KEPT_MOST, &kept.value) &&
        http_keep(&side->headers, hg_slice_of((const char *)&kept, sizeof kept), HTTP_KEPT_MOST, &where))
        side->header_count++;
    else
        c->net->counters.headers_cut++;
}

void http_header(const http_context *c, hg_slice joined, bool nested, uint32_t folds)
{
    http_side *side = http_of(c);
    hg_http_header h;
    if (hg_http_header_read(joined, &h) != HG_OK)
        return;
    for (uint32_t i = 0; i < folds && !nested; i++)
        http_weird_slice(c, W_HTTP_obsolete_line_folding, h.name);
    if (nested) {
        if (hg_http_same(h.name, HG_SLICE("transfer-encoding")))
            http_weird(c, W_HTTP_nested_transfer_encoding_header, "");
        if (hg_http_same(h.name, HG_SLICE("content-type")))
            http_mime_content_type(side->entity.mime, h.value);
    } else {
        if (side->entity.chunks != HTTP_TRAILER)
            for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
                if (hg_http_same(h.name, handlers[i].name))
                    handlers[i].handle(c, h.value);
        keep_for_rules(c, h.name, h.value);
    }
    http_row_header(c, h.name, h.value);
}
