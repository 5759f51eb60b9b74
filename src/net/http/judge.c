/* What the sink hears: a request when its head is complete, again with its body, and the reply's head. */
#include "net/http/http.h"
#include "net/tunnel/tunnel.h"

static size_t headers_of(const http_side *side, hg_net_header *out)
{
    for (uint32_t i = 0; i < side->header_count; i++) {
        http_kept_header kept;
        memcpy(&kept, side->headers.bytes + i * sizeof kept, sizeof kept);
        out[i] = (hg_net_header){http_kept(&side->text, kept.name), http_kept(&side->text, kept.value)};
    }
    return side->header_count;
}

static void request(const http_context *c, bool complete)
{
    hg_net_header headers[HTTP_HEADERS_MOST];
    const http_flow *http = c->http;
    const http_side *side = &http->side[NET_ORIG];
    http_row *row = http_row_current(c);
    if (row == NULL)
        return;
    net_frame *frame = c->net->frame;
    hg_net_request r = {.time = c->net->now, .serial = c->flow->serial, .number = (uint32_t)row->number,
                        .tunnels = frame ? net_tunnel_stack(frame) : NULL, .tunnel_count = frame ? frame->depth : 0,
                        .method = http_kept(&side->text, http->method),
                        .raw_uri = http_kept(&side->text, http->raw_uri), .uri = http_kept(&side->text, http->uri),
                        .version_major = http->request_version.major, .version_minor = http->request_version.minor,
                        .headers = headers, .header_count = headers_of(side, headers), .complete = complete,
                        .body = hg_slice_of(side->body.bytes, side->body.len), .body_cut = side->body_cut,
                        .user = &row->user};
    memcpy(r.orig.addr, &c->flow->addr[0], 16);
    memcpy(r.resp.addr, &c->flow->addr[1], 16);
    r.orig.port = c->flow->port[0];
    r.resp.port = c->flow->port[1];
    c->net->sink.request(c->net->sink.state, &r);
}

void http_judge_head(const http_context *c)
{
    if (c->net->sink.request != NULL)
        request(c, false);
}

void http_judge_complete(const http_context *c)
{
    if (c->net->sink.request != NULL)
        request(c, true);
}

void http_judge_keep_body(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    http_span span;
    uint32_t most = c->net->options.limits.http_body;
    if (c->net->sink.request == NULL || side->body_full)
        return;
    if (data.len > most - side->body.len) {
        data = hg_slice_take(data, most - side->body.len);
        side->body_cut = side->body_full = true;
        c->net->counters.bodies_cut++;
    }
    http_keep(&side->body, data, most, &span);
}

void http_judge_reply(const http_context *c)
{
    if (c->net->sink.reply == NULL)
        return;
    hg_net_header headers[HTTP_HEADERS_MOST];
    const http_side *side = http_of(c);
    http_row *row = http_row_current(c);
    if (row == NULL)
        return;
    hg_net_reply r = {.time = c->net->now, .serial = c->flow->serial, .number = (uint32_t)row->number,
                      .status = c->http->status, .reason = http_kept(&row->text, row->status_text),
                      .headers = headers, .header_count = headers_of(side, headers), .user = &row->user};
    c->net->sink.reply(c->net->sink.state, &r);
}
