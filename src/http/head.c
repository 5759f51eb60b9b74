/* A whole message head: start line and headers up to the empty line. */
#include "http/chars.h"
#include "http/http.h"

/* Walks lines to the empty one that ends the head. HG_OK: progress->line is the head's length. */
static hg_status find_head_end(hg_slice in, hg_http_progress *progress, bool last)
{
    for (;;) {
        hg_http_line line;
        hg_slice rest = hg_slice_skip(in, progress->line);
        hg_status status = hg_http_line_next(rest, progress->seen, last, &line);
        if (status == HG_ERR_TRUNCATED)
            return HG_OK;
        if (status == HG_NEED_MORE && rest.len > 0)
            progress->seen = rest.len - 1; /* the last byte may be a CR */
        if (status != HG_OK)
            return status;
        progress->line += line.used;
        progress->seen = 0;
        if (progress->started && (line.text.len == 0 || line.text.ptr[0] == '\0'))
            return HG_OK;
        progress->started = progress->started || line.text.len > 0;
    }
}

static void note_end(hg_http_line_end end, uint32_t *flags)
{
    static const uint32_t flag[] = {0, HG_HTTP_BARE_LF, HG_HTTP_BARE_CR, HG_HTTP_CUT_LINE};
    *flags |= flag[end];
}

static hg_status read_start(hg_slice line, hg_http_head *head)
{
    head->is_response = hg_http_is_status_line(line);
    hg_status status = head->is_response ? hg_http_status_line_read(line, &head->response)
                                         : hg_http_request_line_read(line, &head->request);
    head->flags |= head->is_response ? head->response.flags : head->request.flags;
    return status;
}

static void add_header(hg_slice line, hg_http_head *head)
{
    if (line.len > HG_HTTP_MAX_HEADER) {
        line.len = HG_HTTP_MAX_HEADER;
        head->flags |= HG_HTTP_HEADER_TOO_LONG;
    }
    hg_http_header header;
    if (hg_http_header_read(line, &header) != HG_OK) {
        head->flags |= HG_HTTP_NO_COLON;
        return;
    }
    if (header.name.len == 0)
        head->flags |= HG_HTTP_FOLDED;
    if (header.name.len == 0 && head->count == 0)
        return;
    if (head->count == head->capacity) {
        head->flags |= HG_HTTP_TOO_MANY_HEADERS;
        return;
    }
    head->headers[head->count++] = header;
}

hg_status hg_http_head_read(hg_slice in, hg_http_progress *progress, bool last, hg_http_head *head)
{
    *head = (hg_http_head){.headers = head->headers, .capacity = head->capacity};
    if (in.len == 0)
        return last ? HG_ERR_TRUNCATED : HG_NEED_MORE;
    hg_status status = find_head_end(in, progress, last);
    if (status != HG_OK)
        return status;

    hg_slice text = hg_slice_take(in, progress->line);
    bool started = false, ended = false;
    hg_http_line line;
    while (!ended && hg_http_line_next(hg_slice_skip(text, head->used), 0, true, &line) == HG_OK) {
        head->used += line.used;
        if (started || line.text.len > 0)
            note_end(line.end, &head->flags);
        if (!started && line.text.len > 0) {
            started = true;
            status = read_start(line.text, head);
            if (status != HG_OK)
                return status;
        } else if (started && (line.text.len == 0 || line.text.ptr[0] == '\0')) {
            ended = true;
        } else if (started) {
            add_header(line.text, head);
        }
    }
    if (!started)
        return HG_ERR_TRUNCATED;
    if (!ended)
        head->flags |= HG_HTTP_CUT_HEAD;
    return HG_OK;
}

const hg_http_header *hg_http_head_find(const hg_http_head *head, hg_slice name)
{
    for (size_t i = head->count; i-- > 0;)
        if (hg_http_same(head->headers[i].name, name))
            return &head->headers[i];
    return NULL;
}
