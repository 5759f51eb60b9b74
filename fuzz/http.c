/* HTTP/1 heads and chunked bodies: whole and piecemeal reading agree, nothing is read beyond the input. */
#include "http/http.h"

#include <stdlib.h>

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void heads(hg_slice in)
{
    hg_http_header headers[64], again[64];
    hg_http_head whole = {.headers = headers, .capacity = 64}, piece = {.headers = again, .capacity = 64};
    hg_http_progress progress = {0};
    hg_status status = hg_http_head_read(in, &progress, true, &whole);
    check(whole.used <= in.len && whole.count <= 64);

    progress = (hg_http_progress){0};
    hg_status pieces = HG_NEED_MORE;
    size_t step = in.len / 8 + 1;
    for (size_t end = 0; pieces == HG_NEED_MORE && end < in.len; end += step)
        pieces = hg_http_head_read(hg_slice_take(in, end), &progress, false, &piece);
    if (pieces == HG_NEED_MORE)
        pieces = hg_http_head_read(in, &progress, true, &piece);
    check(pieces == status);
    check(status != HG_OK || (piece.count == whole.count && piece.used == whole.used && piece.flags == whole.flags));
}

static size_t chunks(hg_slice in, size_t step)
{
    hg_http_chunked chunked = {0};
    size_t begin = 0, end = 0, body = 0;
    while (chunked.state != HG_HTTP_CHUNK_DONE) {
        size_t used;
        hg_slice data;
        hg_status status = hg_http_chunked_next(&chunked, hg_slice_of(in.ptr + begin, end - begin), &used, &data);
        begin += used;
        body += data.len;
        if (status == HG_NEED_MORE && end < in.len)
            end = in.len - end < step ? in.len : end + step;
        else if (status != HG_OK)
            break;
    }
    return body;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hg_slice in = hg_slice_of((const char *)data, size);
    heads(in);
    check(chunks(in, 7) == chunks(in, size + 1));
    uint32_t flags = 0;
    char *out = malloc(size + 1);
    if (out != NULL)
        check(hg_http_unescape(in, out, &flags) <= size);
    free(out);
    hg_http_parameter(in, HG_SLICE("boundary"));
    hg_http_known_method(in);
    return 0;
}
