/* Octets to lines: a line ends at CRLF, LF or CR; inside multipart bodies only at CRLF. Whole lines are slices of the
 * packet; only what crosses packets is copied. Weirds: line_terminated_with_single_CR, line_terminated_without_CRLF,
 * contentline_size_exceeded. */
#include "net/http/http.h"

#include <stdlib.h>

bool http_keep(http_buffer *buffer, hg_slice text, uint32_t most, http_span *span)
{
    *span = (http_span){.at = buffer->len, .set = true};
    if (text.len > most || buffer->len > most - text.len)
        return false;
    if (buffer->room - buffer->len < text.len || buffer->bytes == NULL) {
        uint32_t room = buffer->room ? buffer->room : 512;
        while (room - buffer->len < text.len)
            room *= 2;
        char *bytes = realloc(buffer->bytes, room);
        if (bytes == NULL) {
            span->set = false;
            return false;
        }
        buffer->bytes = bytes;
        buffer->room = room;
    }
    if (text.len > 0)
        memcpy(buffer->bytes + buffer->len, text.ptr, text.len);
    buffer->len += (uint32_t)text.len;
    span->len = (uint32_t)text.len;
    return true;
}

void http_buffer_release(http_buffer *buffer, uint32_t keep)
{
    buffer->len = 0;
    if (buffer->room <= keep)
        return;
    free(buffer->bytes);
    *buffer = (http_buffer){0};
}

static void single_cr(const http_context *c)
{
    http_side *side = http_of(c);
    if (side->single_cr)
        return;
    side->single_cr = true;
    net_weird_flow(c->net, c->flow, W_line_terminated_with_single_CR, "", "CONTENTLINE");
}

static void keep_partial(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    http_span span;
    if (http_keep(&side->line, data, c->net->options.limits.http_line, &span))
        return;
    c->net->counters.lines_cut++;
    if (side->line.len > HG_HTTP_MAX_LINE)
        net_weird_flow(c->net, c->flow, W_contentline_size_exceeded, "", "CONTENTLINE");
}

/* A line is complete: what came before plus `tail`. */
static void emit(const http_context *c, hg_slice tail)
{
    http_side *side = http_of(c);
    if (side->line.len == 0) {
        http_line(c, tail);
        return;
    }
    keep_partial(c, tail);
    http_buffer whole = side->line; /* the handler may start another line */
    side->line = (http_buffer){0};
    http_line(c, hg_slice_of(whole.bytes, whole.len));
    if (side->line.bytes == NULL) {
        whole.len = 0;
        http_buffer_release(&whole, 65536);
        side->line = whole;
    } else {
        free(whole.bytes);
    }
}

static const char *find_end(hg_slice data, bool whole_lines)
{
    const char *lf = memchr(data.ptr, '\n', data.len);
    if (whole_lines)
        return lf;
    size_t len = lf ? (size_t)(lf - data.ptr) : data.len;
    const char *cr = memchr(data.ptr, '\r', len);
    return cr ? cr : lf;
}

/* One line, or the start of one. Returns octets used. */
static size_t any_line(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    const char *end = find_end(data, false);
    bool after_cr = side->last_cr;
    side->last_cr = false;
    if (end == NULL) {
        if (after_cr)
            single_cr(c);
        keep_partial(c, data);
        return data.len;
    }
    size_t len = (size_t)(end - data.ptr), used = len + 1;
    if (after_cr && len > 0)
        single_cr(c);
    if (*end == '\r') {
        if (used < data.len && data.ptr[used] == '\n')
            used++;
        else
            side->last_cr = true;
    }
    emit(c, hg_slice_take(data, len));
    return used;
}

/* Only CRLF ends a line. */
static size_t crlf_line(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    size_t from = 0;
    for (;;) {
        const char *lf = memchr(data.ptr + from, '\n', data.len - from);
        if (lf == NULL) {
            keep_partial(c, data);
            return data.len;
        }
        size_t at = (size_t)(lf - data.ptr);
        if (at > 0 && lf[-1] == '\r') {
            emit(c, hg_slice_take(data, at - 1));
            return at + 1;
        }
        if (at == 0 && side->line.len > 0 && side->line.bytes[side->line.len - 1] == '\r') {
            side->line.len--;
            emit(c, hg_slice_take(data, 0));
            return 1;
        }
        from = at + 1;
    }
}

/* A line-wise body of known length ended inside a line. */
static void bound_reached(const http_context *c)
{
    http_side *side = http_of(c);
    if (side->line.len > 0 && side->entity.ongoing) {
        net_weird_flow(c->net, c->flow, W_line_terminated_without_CRLF, "", "CONTENTLINE");
        emit(c, (hg_slice){"", 0});
    }
    side->bound = -1;
    if (side->entity.ongoing && !side->entity.ended)
        http_entity_end(c);
}

static size_t lines_step(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    if (side->last_cr && data.ptr[0] == '\n') {
        side->last_cr = false;
        return 1;
    }
    if (side->plain > 0) {
        size_t len = side->plain < data.len ? (size_t)side->plain : data.len;
        side->last_cr = false;
        side->plain -= len;
        if (side->bound >= 0)
            side->bound -= (int64_t)len;
        http_piece(c, hg_slice_take(data, len));
        return len;
    }
    if (side->bound < 0)
        return side->whole_lines ? crlf_line(c, data) : any_line(c, data);
    hg_slice bounded = hg_slice_take(data, (size_t)side->bound);
    size_t used = bounded.len == 0 ? 0 : side->whole_lines ? crlf_line(c, bounded) : any_line(c, bounded);
    if (side->bound >= 0)
        side->bound -= (int64_t)used;
    if (side->bound == 0)
        bound_reached(c);
    return used;
}

void http_lines(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    while (data.len > 0 && !side->stopped) {
        if (c->http->handed_on) {
            http_rest(c, data);
            return;
        }
        data = hg_slice_skip(data, lines_step(c, data));
    }
}

void http_lines_eof(const http_context *c)
{
    http_side *side = http_of(c);
    if (side->line.len > 0 && !side->stopped && !side->whole_lines)
        emit(c, (hg_slice){"", 0});
}
