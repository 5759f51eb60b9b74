/* The chunked transfer coding (RFC 9112 section 7.1), one step at a time. */
#include "http/chars.h"
#include "http/http.h"

bool hg_http_chunk_size(hg_slice line, uint64_t *size)
{
    size_t begin = http_skip(line, 0, HTTP_BLANK), at = begin;
    uint64_t n = 0;
    for (; at < line.len && http_hex(line.ptr[at]) >= 0; at++) {
        if (n >> 59 != 0) {
            *size = 0;
            return false;
        }
        n = n * 16 + (uint64_t)http_hex(line.ptr[at]);
    }
    *size = n;
    return at > begin;
}

static hg_status next_line(hg_slice in, hg_http_line *line)
{
    hg_status status = hg_http_line_next(hg_slice_take(in, HG_HTTP_MAX_CHUNK_LINE), 0, false, line);
    return status == HG_NEED_MORE && in.len >= HG_HTTP_MAX_CHUNK_LINE ? HG_ERR_LIMIT : status;
}

static void on_line(hg_http_chunked *chunked, hg_slice text)
{
    switch (chunked->state) {
    case HG_HTTP_CHUNK_SIZE:
        if (!hg_http_chunk_size(text, &chunked->left))
            chunked->flags |= HG_HTTP_BAD_CHUNK_SIZE;
        chunked->state = chunked->left > 0 ? HG_HTTP_CHUNK_DATA : HG_HTTP_CHUNK_TRAILER;
        break;
    case HG_HTTP_CHUNK_END:
        if (text.len > 0)
            chunked->flags |= HG_HTTP_CHUNK_JUNK;
        chunked->state = HG_HTTP_CHUNK_SIZE;
        break;
    default: /* a trailer line */
        if (text.len == 0)
            chunked->state = HG_HTTP_CHUNK_DONE;
        break;
    }
}

hg_status hg_http_chunked_next(hg_http_chunked *chunked, hg_slice in, size_t *used, hg_slice *data)
{
    *used = 0;
    *data = hg_slice_take(in, 0);
    if (chunked->state == HG_HTTP_CHUNK_DONE)
        return HG_OK;
    if (in.len == 0)
        return HG_NEED_MORE;
    if (chunked->state == HG_HTTP_CHUNK_DATA) {
        *used = chunked->left < in.len ? (size_t)chunked->left : in.len;
        *data = hg_slice_take(in, *used);
        chunked->left -= *used;
        if (chunked->left == 0)
            chunked->state = HG_HTTP_CHUNK_END;
        return HG_OK;
    }
    hg_http_line line;
    hg_status status = next_line(in, &line);
    if (status != HG_OK)
        return status;
    *used = line.used;
    on_line(chunked, line.text);
    return HG_OK;
}
