/* The application on a TCP flow: found by port or by content, fed, replaced, ended. Weirds:
 * protocol_data_with_HTTP_CONNECT_reply, protocol_data_with_HTTP_upgrade_reply, HTTP_late_flip_roles. */
#include "net/http/http.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    DETECT_OCTETS = 1024, DETECT_CHUNKS = 100, /* where the search for known content ends */
    METHOD_MOST = 18,
    TEXT_KEPT = 4096, /* buffers larger than this are given back with their object */
};

typedef struct chunk {
    uint8_t side;
    bool gap;
    uint32_t len;
} chunk;

/* Octets seen while the protocol is not known. */
typedef struct detector {
    uint32_t chain;
    uint32_t index;
    uint32_t chunks, octets;
    bool matched[2], dead[2];
    chunk list[DETECT_CHUNKS + 1];
    uint8_t bytes[DETECT_OCTETS];
} detector;

struct net_stream {
    uint32_t chain;
    uint32_t index;
    http_flow *http; /* the innermost; NULL: none */
    detector *detector;
    bool websocket;
    http_rows rows;
};

struct net_streams {
    net_slab streams, https, detectors, rows;
};

hg_status net_streams_init(hg_net *net)
{
    net_streams *s = calloc(1, sizeof *s);
    if (s == NULL)
        return HG_ERR_NOMEM;
    net->streams = s;
    net_slab_init(&s->streams, sizeof(net_stream), 7);
    net_slab_init(&s->https, sizeof(http_flow), 5);
    net_slab_init(&s->detectors, sizeof(detector), 5);
    net_slab_init(&s->rows, sizeof(http_row), 5);
    return HG_OK;
}

static void side_buffers_free(http_side *side)
{
    http_entity_free(&side->entity);
    free(side->line.bytes);
    free(side->header.bytes);
    free(side->text.bytes);
    free(side->headers.bytes);
    free(side->body.bytes);
}

void net_streams_free(hg_net *net)
{
    net_streams *s = net->streams;
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->https.made; i++) {
        http_flow *http = net_slab_at(&s->https, i);
        side_buffers_free(&http->side[0]);
        side_buffers_free(&http->side[1]);
    }
    for (uint32_t i = 0; i < s->rows.made; i++)
        free(((http_row *)net_slab_at(&s->rows, i))->text.bytes);
    net_slab_close(&s->streams);
    net_slab_close(&s->https);
    net_slab_close(&s->detectors);
    net_slab_close(&s->rows);
    free(s);
    net->streams = NULL;
}

/* Objects keep their (small) buffers over reuse: a fresh one starts as zeros, a used one as it was left. */
static void *take(net_slab *slab, uint32_t *index, bool *fresh)
{
    uint32_t made = slab->made;
    void *object = net_slab_take(slab, index);
    *fresh = slab->made != made;
    if (object != NULL && *fresh)
        memset(object, 0, slab->size);
    return object;
}

http_row *http_row_take(hg_net *net)
{
    uint32_t index;
    bool fresh;
    http_row *row = take(&net->streams->rows, &index, &fresh);
    if (row == NULL)
        return NULL;
    http_buffer text = row->text;
    *row = (http_row){.index = index, .text = text};
    return row;
}

void http_row_give(hg_net *net, http_row *row)
{
    http_buffer_release(&row->text, TEXT_KEPT);
    net_slab_give(&net->streams->rows, row->index);
}

http_rows *http_rows_of(net_flow *flow)
{
    return &flow->stream->rows;
}

static void side_clean(http_side *side)
{
    http_buffer kept[] = {side->line, side->header, side->text, side->headers, side->body};
    http_entity_free(&side->entity);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        http_buffer_release(&kept[i], TEXT_KEPT);
    *side = (http_side){.line = kept[0], .header = kept[1], .text = kept[2], .headers = kept[3], .body = kept[4],
                        .bound = -1};
}

static http_flow *http_attach(hg_net *net, net_stream *stream)
{
    uint32_t index, depth = 0;
    bool fresh;
    for (const http_flow *outer = stream->http; outer != NULL; outer = outer->outer)
        depth++;
    if (depth >= HTTP_NESTED_MOST)
        return NULL;
    http_flow *http = take(&net->streams->https, &index, &fresh);
    if (http == NULL)
        return NULL;
    http_side sides[2] = {http->side[0], http->side[1]};
    *http = (http_flow){.index = index, .outer = stream->http};
    for (int i = 0; i < 2; i++) {
        http->side[i] = sides[i];
        side_clean(&http->side[i]);
    }
    stream->http = http;
    return http;
}

static void detector_start(hg_net *net, net_stream *stream)
{
    uint32_t index;
    detector *d = net_slab_take(&net->streams->detectors, &index);
    stream->detector = d;
    if (d == NULL)
        return;
    d->index = index;
    d->chunks = d->octets = 0;
    memset(d->matched, 0, sizeof d->matched);
    memset(d->dead, 0, sizeof d->dead);
}

static void detector_stop(hg_net *net, net_stream *stream)
{
    if (stream->detector == NULL)
        return;
    net_slab_give(&net->streams->detectors, stream->detector->index);
    stream->detector = NULL;
}

static bool is_http_port(uint16_t port)
{
    return port == 80 || port == 81 || port == 631 || port == 1080 || port == 3128 || port == 8000 || port == 8080 ||
           port == 8888;
}

void net_stream_attach(hg_net *net, net_flow *flow)
{
    uint32_t index;
    if (!net->options.http)
        return;
    net_stream *stream = net_slab_take(&net->streams->streams, &index);
    if (stream == NULL)
        return;
    *stream = (net_stream){.index = index};
    flow->stream = stream;
    if (is_http_port(flow->port[NET_RESP]))
        http_attach(net, stream);
    detector_start(net, stream);
}

/* ---- Detection ---- */

static size_t side_text(const detector *d, int side, hg_slice now, char out[DETECT_OCTETS + 64])
{
    size_t len = 0, at = 0;
    for (uint32_t i = 0; i < d->chunks; i++) {
        if (d->list[i].side == side && !d->list[i].gap) {
            memcpy(out + len, d->bytes + at, d->list[i].len);
            len += d->list[i].len;
        }
        at += d->list[i].gap ? 0 : d->list[i].len;
    }
    size_t more = DETECT_OCTETS + 64 - len;
    if (now.len < more)
        more = now.len;
    memcpy(out + len, now.ptr, more);
    return len + more;
}

static bool is_match(detector *d, int side, hg_slice now)
{
    char text[DETECT_OCTETS + 64];
    hg_slice all = now;
    if (d->chunks > 0)
        all = hg_slice_of(text, side_text(d, side, now, text));
    if (side == NET_RESP) {
        d->dead[side] = all.len >= 6;
        return hg_http_is_status_line(all);
    }
    if (hg_http_known_method(all).len > 0)
        return true;
    size_t blank = 0;
    while (blank < all.len && (http_is(all.ptr[blank], HTTP_BLANK) || all.ptr[blank] == '\r' || all.ptr[blank] == '\n'))
        blank++;
    d->dead[side] = all.len - blank >= METHOD_MOST;
    return false;
}

static void feed(hg_net *net, net_flow *flow, http_flow *http, int side, hg_slice data)
{
    http_context c = {net, flow, http, side};
    http_lines(&c, data);
}

static void feed_gap(hg_net *net, net_flow *flow, http_flow *http, int side, uint64_t len)
{
    http_context c = {net, flow, http, side};
    if (!http->side[side].stopped)
        http_entity_gap(&c, len);
}

/* What came before the match goes to the new analyzer, then the current piece. */
static void replay(hg_net *net, net_flow *flow, const detector *old, int side, hg_slice now)
{
    detector copy = *old; /* the analyzer may end the detection */
    http_flow *http = flow->stream->http;
    const uint8_t *at = copy.bytes;
    for (uint32_t i = 0; i < copy.chunks && flow->stream->http == http; i++) {
        const chunk *piece = &copy.list[i];
        if (piece->gap) {
            feed_gap(net, flow, http, piece->side, piece->len);
        } else {
            feed(net, flow, http, piece->side, hg_slice_of((const char *)at, piece->len));
            at += piece->len;
        }
    }
    if (flow->stream->http == http)
        feed(net, flow, http, side, now);
}

static void remember(hg_net *net, net_stream *stream, int side, const uint8_t *data, size_t len, bool gap)
{
    detector *d = stream->detector;
    bool fits = d->chunks < DETECT_CHUNKS && (gap || d->octets + len <= DETECT_OCTETS);
    if (!fits) {
        detector_stop(net, stream);
        return;
    }
    d->list[d->chunks++] = (chunk){(uint8_t)side, gap, (uint32_t)len};
    if (gap)
        return;
    memcpy(d->bytes + d->octets, data, len);
    d->octets += (uint32_t)len;
}

static bool is_decided(const detector *d)
{
    return (d->matched[0] || d->dead[0]) && (d->matched[1] || d->dead[1]);
}

/* Looks at one piece; true when a new analyzer took it. */
static bool detect(hg_net *net, net_flow *flow, int side, hg_slice data)
{
    net_stream *stream = flow->stream;
    detector *d = stream->detector;
    if (d == NULL)
        return false;
    bool busy = stream->http != NULL && !stream->http->handed_on, taken = false;
    if (!d->matched[side] && !d->dead[side] && is_match(d, side, data)) {
        d->matched[side] = true;
        if (!busy && http_attach(net, stream) != NULL) {
            replay(net, flow, d, side, data);
            taken = true;
        }
    }
    if (stream->detector != d)
        return taken; /* handed on: another detection began or none is wanted */
    remember(net, stream, side, (const uint8_t *)data.ptr, data.len, false);
    if (stream->detector != NULL && is_decided(stream->detector))
        detector_stop(net, stream);
    return taken;
}

void net_stream_data(hg_net *net, net_flow *flow, int side, const uint8_t *data, size_t len)
{
    net_stream *stream = flow->stream;
    if (stream == NULL || stream->websocket)
        return;
    hg_slice piece = hg_slice_of((const char *)data, len);
    http_flow *http = stream->http;
    bool busy = http != NULL && !http->handed_on;
    if (detect(net, flow, side, piece))
        return;
    if (busy)
        feed(net, flow, http, side, piece);
}

void net_stream_gap(hg_net *net, net_flow *flow, int side, uint64_t len)
{
    net_stream *stream = flow->stream;
    if (stream == NULL || flow->partial || stream->websocket)
        return;
    if (stream->detector != NULL)
        remember(net, stream, side, NULL, len < UINT32_MAX ? len : UINT32_MAX, true);
    if (stream->http != NULL && !stream->http->handed_on)
        feed_gap(net, flow, stream->http, side, len);
}

/* ---- Replacement ---- */

void http_hand_on(const http_context *c, bool websocket)
{
    net_stream *stream = c->flow->stream;
    c->http->handed_on = true;
    detector_stop(c->net, stream);
    if (websocket) {
        stream->websocket = true;
        if (!c->net->options.compat) /* the peer's WebSocket analyzer is a module of its own */
            net_flow_confirm(c->flow, NET_WEBSOCKET);
    } else {
        detector_start(c->net, stream);
    }
}

void http_rest(const http_context *c, hg_slice rest)
{
    char addl[24];
    snprintf(addl, sizeof addl, "%zu", rest.len);
    if (c->side == NET_RESP)
        http_weird(c, c->http->status == 200 ? W_protocol_data_with_HTTP_CONNECT_reply
                                             : W_protocol_data_with_HTTP_upgrade_reply, addl);
    net_stream_data(c->net, c->flow, c->side, (const uint8_t *)rest.ptr, rest.len);
}

static void message_ends(hg_net *net, net_flow *flow, http_flow *http, bool interrupted)
{
    for (int side = 0; side < 2; side++) {
        http_context c = {net, flow, http, side};
        http_message_done(&c, interrupted);
    }
}

static void http_detach(hg_net *net, net_flow *flow, http_flow *http)
{
    message_ends(net, flow, http, true);
    side_clean(&http->side[0]);
    side_clean(&http->side[1]);
    flow->stream->http = http->outer;
    net_slab_give(&net->streams->https, http->index);
}

void net_stream_eof(hg_net *net, net_flow *flow, int side)
{
    if (flow->stream == NULL)
        return;
    for (http_flow *http = flow->stream->http; http != NULL; http = http->outer) {
        http_context c = {net, flow, http, side};
        if (!http->handed_on)
            http_lines_eof(&c);
        http_message_done(&c, false);
    }
}

void net_stream_reset(hg_net *net, net_flow *flow)
{
    if (flow->stream == NULL)
        return;
    for (http_flow *http = flow->stream->http; http != NULL; http = http->outer)
        message_ends(net, flow, http, true);
}

void net_stream_packet_done(hg_net *net, net_flow *flow)
{
    net_stream *stream = flow->stream;
    if (stream == NULL || stream->http == NULL || !stream->http->violated)
        return;
    http_detach(net, flow, stream->http);
    net_flow_unconfirm(flow, NET_HTTP);
}

void net_stream_flip(hg_net *net, net_flow *flow)
{
    net_stream *stream = flow->stream;
    if (stream == NULL || stream->http == NULL)
        return;
    http_flow *http = stream->http;
    if (http->side[0].messages + http->side[1].messages > 0) {
        http_context c = {net, flow, http, NET_ORIG};
        http_weird(&c, W_HTTP_late_flip_roles, "");
        http->side[0].stopped = http->side[1].stopped = true;
        return;
    }
    http_side keep = http->side[0];
    http->side[0] = http->side[1];
    http->side[1] = keep;
}

void net_stream_end(hg_net *net, net_flow *flow)
{
    net_stream *stream = flow->stream;
    if (stream == NULL)
        return;
    while (stream->http != NULL)
        http_detach(net, flow, stream->http);
    http_rows_finish(net, flow, &stream->rows);
    detector_stop(net, stream);
    net_slab_give(&net->streams->streams, stream->index);
    flow->stream = NULL;
}
