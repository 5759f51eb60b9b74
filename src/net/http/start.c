/* Start lines, and the beginning and end of messages. Weirds: bad_HTTP_request, bad_HTTP_request_with_version,
 * lowercase_HTTP_keyword, missing_HTTP_uri, double_%_in_URI, illegal_%_at_end_of_URI, partial_escape_at_end_of_URI,
 * unescaped_%_in_URI, empty_http_request, unexpected_multiple_HTTP_requests, HTTP_version_mismatch,
 * invalid_http_09_request_method, http_09_reply_before_request, unexpected_client_HTTP_data,
 * unexpected_server_HTTP_data. */
#include "net/http/http.h"
#include "net/tcp/tcp.h"

#include <strings.h>

enum { GRACE = 10 * 1024 }; /* payload beyond which a violation removes nothing */

void http_weird(const http_context *c, net_weird name, const char *addl)
{
    net_weird_flow(c->net, c->flow, name, addl, "HTTP");
}

void http_weird_slice(const http_context *c, net_weird name, hg_slice addl)
{
    char text[256];
    size_t len = addl.len < sizeof text - 1 ? addl.len : sizeof text - 1;
    if (len > 0)
        memcpy(text, addl.ptr, len);
    text[len] = '\0';
    http_weird(c, name, text);
}

void http_violation(const http_context *c)
{
    uint64_t payload = net_tcp_payload(c->flow);
    if (payload <= GRACE)
        c->http->violated = true;
}

static void version_note(const http_context *c, hg_http_version version)
{
    http_side *side = http_of(c);
    if (!side->version_known) {
        side->version_known = true;
    } else if (side->version.major != version.major || side->version.minor != version.minor) {
        http_weird(c, W_HTTP_version_mismatch, "");
    }
    side->version = version;
    if (version.major > 1 || (version.major == 1 && version.minor > 0))
        c->http->keep_alive = true;
}

static void line_weirds(const http_context *c, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        net_weird name;
    } table[] = {
        {HG_HTTP_LOWERCASE_KEYWORD, W_lowercase_HTTP_keyword},
        {HG_HTTP_MISSING_URI, W_missing_HTTP_uri},
        {HG_HTTP_DOUBLE_PERCENT, W_double_percent_in_URI},
        {HG_HTTP_PERCENT_AT_END, W_illegal_percent_at_end_of_URI},
        {HG_HTTP_PARTIAL_ESCAPE, W_partial_escape_at_end_of_URI},
        {HG_HTTP_BAD_ESCAPE, W_unescaped_percent_in_URI},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (flags & table[i].flag)
            http_weird(c, table[i].name, "");
}

static bool is_09(hg_http_version version)
{
    return version.major == 0 && version.minor == 9;
}

/* As the peer compares: over the length of the method that was seen, without case. */
static bool is_method(hg_slice seen, const char *name)
{
    return seen.len <= strlen(name) && strncasecmp(seen.ptr, name, seen.len) == 0;
}

enum { UNANSWERED = sizeof((http_flow *)0)->unanswered };

static void unanswered_add(http_flow *http, hg_slice method)
{
    if (http->unanswered_count == UNANSWERED)
        return;
    uint8_t like = (uint8_t)((is_method(method, "HEAD") ? HTTP_LIKE_HEAD : 0) |
                             (is_method(method, "CONNECT") ? HTTP_LIKE_CONNECT : 0));
    http->unanswered[(http->unanswered_first + http->unanswered_count++) % UNANSWERED] = like;
}

static bool unanswered_is(const http_flow *http, uint8_t like)
{
    return http->unanswered_count > 0 && (http->unanswered[http->unanswered_first] & like);
}

static void unanswered_pop(http_flow *http)
{
    if (http->unanswered_count == 0)
        return;
    http->unanswered_first = (http->unanswered_first + 1) % UNANSWERED;
    http->unanswered_count--;
}

static void kept_reset(http_side *side)
{
    side->header_count = 0;
    http_buffer_release(&side->headers, 4096);
    side->body_cut = side->body_full = false;
    http_buffer_release(&side->text, 16384);
    http_buffer_release(&side->body, 65536);
}

/* A bad line: nothing that follows is understood either. */
static void request_rejected(const http_context *c, hg_slice line, uint32_t flags)
{
    http_side *side = http_of(c);
    http_weird(c, flags & HG_HTTP_BAD_REQUEST_WITH_VERSION ? W_bad_HTTP_request_with_version : W_bad_HTTP_request, "");
    if (side->messages > 0 && !c->http->keep_alive)
        return;
    if (line.len == 0) {
        http_weird(c, W_empty_http_request, "");
        return;
    }
    http_violation(c);
    side->expect = HTTP_EXPECT_NOTHING;
}

/* A request of HTTP/0.9 has a reply without any head. */
static void prepare_09(const http_context *c, hg_slice method)
{
    http_side *reply = &c->http->side[NET_RESP];
    if (!hg_slice_equal(method, HG_SLICE("GET")))
        http_weird_slice(c, W_invalid_http_09_request_method, method);
    if (reply->messages > 0) {
        http_weird(c, W_http_09_reply_before_request, "");
        http_context peer = {c->net, c->flow, c->http, NET_RESP};
        http_message_done(&peer, true);
    }
    reply->expect = HTTP_EXPECT_RAW;
    reply->plain = UINT64_MAX / 2;
    reply->bound = -1;
}

void http_request_line(const http_context *c, hg_slice line)
{
    http_side *side = http_of(c);
    http_flow *http = c->http;
    hg_http_request_line r;
    hg_status status = hg_http_request_line_read(line, &r);
    if (status != HG_OK) {
        if (r.flags & HG_HTTP_NO_VERSION)
            version_note(c, (hg_http_version){0, 9});
        request_rejected(c, line, r.flags);
        return;
    }
    kept_reset(side);
    version_note(c, r.version);
    http_keep(&side->text, r.method, HTTP_KEPT_MOST, &http->method);
    http_keep(&side->text, r.uri, HTTP_KEPT_MOST * 4u, &http->raw_uri);
    http_keep(&side->text, r.uri, HTTP_KEPT_MOST * 4u, &http->uri);
    char *unescaped = side->text.bytes + http->uri.at;
    if (http->uri.set && http->uri.len > 0)
        http->uri.len = (uint32_t)hg_http_unescape(http_kept(&side->text, http->raw_uri), unescaped, &r.flags);
    line_weirds(c, r.flags);
    http->request_version = r.version;
    side->messages++;
    if (!http->keep_alive && side->messages > 1)
        http_weird(c, W_unexpected_multiple_HTTP_requests, "");
    net_flow_confirm(c->flow, NET_HTTP);
    unanswered_add(http, r.method);
    side->expect = HTTP_EXPECT_MESSAGE;
    c->net->counters.http_requests++;
    http_row_request(c, r.method, http_kept(&side->text, http->uri));
    if (is_09(r.version))
        prepare_09(c, r.method);
    http_message_start(c, true);
}

static bool has_reply_body(const http_flow *http)
{
    if (unanswered_is(http, HTTP_LIKE_HEAD))
        return false;
    uint32_t s = http->status;
    return !((s >= 100 && s < 200) || s == 204 || s == 304);
}

void http_reply_line(const http_context *c, hg_slice line)
{
    http_side *side = http_of(c);
    http_flow *http = c->http;
    hg_http_status_line r;
    if (hg_http_status_line_read(line, &r) != HG_OK) {
        if (line.len > 0) {
            http_violation(c);
            side->expect = HTTP_EXPECT_NOTHING;
        }
        return;
    }
    kept_reset(side);
    line_weirds(c, r.flags);
    version_note(c, r.version);
    side->messages++;
    http->status = r.status;
    if (http->unanswered_count > 0)
        net_flow_confirm(c->flow, NET_HTTP);
    side->expect = HTTP_EXPECT_MESSAGE;
    http->connect = r.status == 200 && unanswered_is(http, HTTP_LIKE_CONNECT);
    bool missing = r.flags & HG_HTTP_MISSING_REASON && !http_is(line.ptr[line.len - 1], HTTP_BLANK);
    hg_slice reason = missing ? HG_SLICE("<empty>") : hg_slice_of(r.reason.len ? r.reason.ptr : "", r.reason.len);
    c->net->counters.http_replies++;
    http_row_reply(c, r.version, r.status, reason);
    http_message_start(c, has_reply_body(http));
}

void http_reply_raw(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    if (!side->entity.ongoing) {
        kept_reset(side);
        version_note(c, (hg_http_version){0, 9});
        side->messages++;
        c->http->status = 0;
        http_row_reply(c, (hg_http_version){0, 9}, 0, HG_SLICE("<empty>"));
        http_message_start(c, true);
        side->expect = HTTP_EXPECT_RAW;
        side->entity.in_header = false;
        side->entity.to_end = true;
    }
    http_body_clear(c, data, false);
}

void http_message_start(const http_context *c, bool body_expected)
{
    http_side *side = http_of(c);
    http_entity_free(&side->entity);
    side->header.len = 0;
    side->entity = (http_entity){.ongoing = true, .in_header = true, .body_expected = body_expected,
                                 .content_length = -1, .range_length = -1};
    http_row_begin_entity(c);
}

/* The reply to an upgrade that was accepted: the stream is someone else's from here on. */
static bool is_upgraded(const http_context *c)
{
    const http_entity *e = &http_of(c)->entity;
    return c->side == NET_RESP && c->http->status == 101 && c->http->unanswered_count == 1 && e->upgrade &&
           e->upgrade_to.set && e->upgrade_to.len > 0;
}

void http_message_done(const http_context *c, bool interrupted)
{
    http_side *side = http_of(c);
    http_entity *e = &side->entity;
    if (!e->ongoing)
        return;
    e->ongoing = false;
    if (!e->ended) {
        e->ended = true;
        http_row_end_entity(c);
    }
    http_row_message_done(c, e->body);
    side->whole_lines = false;
    side->bound = -1;
    side->plain = 0;
    if (c->side == NET_ORIG)
        http_judge_complete(c);
    bool upgraded = is_upgraded(c);
    bool websocket = upgraded && hg_http_same(http_kept(&side->text, e->upgrade_to), HG_SLICE("websocket"));
    http_entity_free(e);
    if (c->side == NET_RESP && (c->http->status < 100 || c->http->status >= 200))
        unanswered_pop(c->http);
    if (side->expect != HTTP_EXPECT_NOTHING)
        side->expect = HTTP_EXPECT_LINE;
    if (upgraded && !interrupted)
        http_hand_on(c, websocket);
}

void http_line(const http_context *c, hg_slice line)
{
    http_side *side = http_of(c);
    if (c->flow->partial)
        return;
    switch (side->expect) {
    case HTTP_EXPECT_LINE:
        if (c->side == NET_ORIG)
            http_request_line(c, line);
        else
            http_reply_line(c, line);
        return;
    case HTTP_EXPECT_MESSAGE:
        http_entity_line(c, line, true);
        if (c->side == NET_RESP && c->http->connect && line.len == 0 && !c->http->handed_on) {
            c->http->connect = false;
            http_hand_on(c, false);
        }
        return;
    default:
        return;
    }
}

void http_piece(const http_context *c, hg_slice data)
{
    http_side *side = http_of(c);
    if (c->flow->partial)
        return;
    if (side->expect == HTTP_EXPECT_RAW) {
        http_reply_raw(c, data);
        return;
    }
    if (side->entity.ongoing)
        http_entity_data(c, data, false);
    else
        http_weird(c, c->side == NET_ORIG ? W_unexpected_client_HTTP_data : W_unexpected_server_HTTP_data, "");
}
