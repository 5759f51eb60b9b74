/* Files of raw HTTP messages: CRLF or LF, ### lines between several, comment lines (# or //) before a message. */
#include "cli/input/input.h"

#include "http/http.h"

enum { HEADERS_MAX = 1000, GAP_MAX = 1024 };

static bool starts(hg_slice s, size_t at, const char *text)
{
    hg_slice wanted = hg_slice_from(text);
    return hg_slice_equal(hg_slice_take(hg_slice_skip(s, at), wanted.len), wanted);
}

/* Lets go of separators, empty lines and comments before a message. HG_ERR_TRUNCATED: nothing is left. */
static hg_status skip_between(cli_input *input)
{
    for (;;) {
        hg_slice line;
        size_t used;
        hg_status status = cli_stream_line(&input->stream, &line, &used);
        if (status != HG_OK)
            return status;
        if (line.len >= 3 && memcmp(line.ptr, "\xEF\xBB\xBF", 3) == 0) {
            cli_stream_skip(&input->stream, 3);
            continue;
        }
        if (hg_http_trim(line).len > 0 && line.ptr[0] != '#' && !starts(line, 0, "//"))
            return HG_OK;
        cli_stream_skip(&input->stream, used);
    }
}

/* The window holds the message up to the next ### line or to the end of input; *length is how far that is. */
static hg_status find_separator(cli_input *input, size_t from, size_t *length)
{
    size_t seen = from;
    for (;;) {
        hg_slice window = cli_stream_window(&input->stream);
        const char *found = window.len > seen ? memmem(window.ptr + seen, window.len - seen, "\n###", 4) : NULL;
        if (found != NULL) {
            *length = (size_t)(found - window.ptr) + 1;
            return HG_OK;
        }
        seen = window.len > from + 3 ? window.len - 3 : from;
        hg_status status = cli_stream_more(&input->stream);
        if (status == HG_OK)
            continue;
        *length = cli_stream_window(&input->stream).len;
        return status == HG_ERR_TRUNCATED ? HG_OK : status;
    }
}

/* Does the message end `at` bytes into the window: end of input, or empty lines (GAP_MAX bytes) and a ### line? */
static bool ends_at(cli_input *input, size_t at)
{
    size_t i = at;
    hg_status status = HG_OK;
    hg_slice window = cli_stream_window(&input->stream);
    for (;;) {
        while (i < window.len && i - at < GAP_MAX && (window.ptr[i] == '\r' || window.ptr[i] == '\n'))
            i++;
        if (window.len >= i + 3 || status != HG_OK)
            break;
        status = cli_stream_more(&input->stream);
        window = cli_stream_window(&input->stream);
    }
    return (i == window.len && status == HG_ERR_TRUNCATED) || (i > at && starts(window, i, "###"));
}

static hg_slice without_line_ends(hg_slice s)
{
    while (s.len > 0 && (s.ptr[s.len - 1] == '\r' || s.ptr[s.len - 1] == '\n'))
        s.len--;
    return s;
}

/* A chunked body joined in the arena; the bytes themselves when they are not chunks. */
static hg_slice unchunked(hg_slice body, hg_arena *arena)
{
    char *out = hg_arena_alloc(arena, body.len + 1, 1);
    hg_http_chunked chunked = {0};
    size_t n = 0, at = 0, used;
    hg_slice data;
    while (out != NULL && chunked.state != HG_HTTP_CHUNK_DONE) {
        if (hg_http_chunked_next(&chunked, hg_slice_skip(body, at), &used, &data) != HG_OK)
            break;
        if (data.len > 0)
            memcpy(out + n, data.ptr, data.len);
        n += data.len;
        at += used;
    }
    return out == NULL || (chunked.flags & HG_HTTP_BAD_CHUNK_SIZE) ? body : hg_slice_of(out, n);
}

static bool is_chunked(const hg_http_head *head)
{
    const hg_http_header *coding = hg_http_head_find(head, HG_SLICE("transfer-encoding"));
    return coding != NULL && hg_http_same(hg_http_first_token(coding->value, NULL), HG_SLICE("chunked"));
}

/* Fills the entry from the message text; `body_limit` bytes of the body at most. */
static hg_status fill(cli_input *input, hg_http_head *head, hg_slice text, bool has_length, cli_entry *entry)
{
    hg_request *r = &entry->request;
    hg_slice body = hg_slice_skip(text, head->used);
    if (!has_length)
        body = is_chunked(head) ? unchunked(body, &input->arena) : without_line_ends(body);
    if (head->is_response) {
        r->status = head->response.status;
    } else {
        r->method = head->request.method;
        r->uri = head->request.uri;
        r->headers = head->headers;
        r->header_count = head->count;
        r->body = body;
    }
    entry->text = text;
    hg_status status = hg_request_addresses(r, &input->arena, &entry->data);
    r->headers = NULL;
    r->header_count = 0;
    return status;
}

hg_status cli_next_http(cli_input *input, cli_entry *entry)
{
    hg_status status = skip_between(input);
    if (status == HG_OK)
        status = find_separator(input, 0, &input->pending);
    if (status == HG_ERR_LIMIT) {
        input->pending = cli_stream_window(&input->stream).len;
        entry->index = ++input->count;
        return cli_input_bad(input, "message too long");
    }
    if (status != HG_OK)
        return status;
    entry->index = ++input->count;
    hg_field headers[HEADERS_MAX];
    hg_http_head head = {.headers = headers, .capacity = HEADERS_MAX};
    hg_http_progress progress = {0};
    hg_slice text = hg_slice_take(cli_stream_window(&input->stream), input->pending);
    if (hg_http_head_read(text, &progress, true, &head) != HG_OK)
        return cli_input_bad(input, "neither a request line nor a status line");

    const hg_http_header *length = hg_http_head_find(&head, HG_SLICE("content-length"));
    uint64_t n = 0;
    bool has_length = length != NULL && hg_http_decimal(length->value, &n) && n < CLI_STREAM_MAX;
    if (has_length && head.used + n > text.len && ends_at(input, head.used + (size_t)n)) {
        /* the body itself holds a ### line; the window may have moved, so the head is read again */
        input->pending = head.used + (size_t)n;
        text = hg_slice_take(cli_stream_window(&input->stream), input->pending);
        progress = (hg_http_progress){0};
        status = hg_http_head_read(text, &progress, true, &head);
    } else if (has_length) {
        text = cli_stream_window(&input->stream);
        text = hg_slice_take(text, head.used + n < input->pending ? head.used + (size_t)n : input->pending);
        progress = (hg_http_progress){0};
        status = hg_http_head_read(text, &progress, true, &head);
        has_length = head.used + n == text.len;
    }
    return status == HG_OK ? fill(input, &head, text, has_length, entry) : status;
}
