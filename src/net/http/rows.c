/* Transactions: requests and replies paired in order, a row each. Weirds: unknown_HTTP_method,
 * HTTP_response_before_request, HTTP_excessive_pipelining, missing_HTTP_entity. */
#include "base/base64.h"
#include "net/http/http.h"
#include "net/tunnel/tunnel.h"

#include <stdio.h>
#include <strings.h>

enum { TEXT_MOST = 1 << 20 };

static const char *const known_methods[] = {
    "GET",   "POST", "HEAD", "OPTIONS", "PUT",    "DELETE", "TRACE",     "CONNECT", "PROPFIND", "PROPPATCH", "MKCOL",
    "COPY",  "MOVE", "LOCK", "UNLOCK",  "POLL",   "REPORT", "SUBSCRIBE", "BMOVE",   "SEARCH",   "QUERY",
};

static bool is_known(hg_slice method)
{
    for (size_t i = 0; i < sizeof known_methods / sizeof *known_methods; i++)
        if (hg_slice_equal(method, hg_slice_from(known_methods[i])))
            return true;
    return false;
}

static http_row *find(const http_rows *rows, uint64_t number)
{
    http_row *row = rows->pending;
    while (row != NULL && row->number != number)
        row = row->next;
    return row;
}

static void set_text(http_row *row, http_span *span, hg_slice value)
{
    http_keep(&row->text, value, TEXT_MOST, span);
}

static void report(hg_net *net, const net_flow *flow, http_row *row)
{
    if (net->sink.http != NULL) {
        hg_slice proxied[HTTP_PROXIED_MOST];
        const http_buffer *t = &row->text;
        for (uint32_t i = 0; i < row->proxied_count; i++)
            proxied[i] = http_kept(t, row->proxied[i]);
        hg_net_http record = {.time = row->time, .serial = flow->serial, .depth = row->depth,
                              .has_request = row->has_request, .has_reply = row->has_reply,
                              .method = http_kept(t, row->method), .host = http_kept(t, row->host),
                              .uri = http_kept(t, row->uri), .referrer = http_kept(t, row->referrer),
                              .user_agent = http_kept(t, row->user_agent), .origin = http_kept(t, row->origin),
                              .username = http_kept(t, row->username), .password = http_kept(t, row->password),
                              .proxied = proxied, .proxied_count = row->proxied_count,
                              .request_body = row->request_body, .response_body = row->response_body,
                              .version_major = row->version_major, .version_minor = row->version_minor,
                              .status = row->status, .status_text = http_kept(t, row->status_text),
                              .info_status = row->info_status, .info_text = http_kept(t, row->info_text)};
        memcpy(record.orig.addr, &flow->addr[0], 16);
        memcpy(record.resp.addr, &flow->addr[1], 16);
        record.orig.port = flow->port[0];
        record.resp.port = flow->port[1];
        net->sink.http(net->sink.state, &record);
    }
    if (row->user != NULL && net->sink.forget != NULL)
        net->sink.forget(net->sink.state, row->user);
}

static void write_out(hg_net *net, const net_flow *flow, http_rows *rows, http_row *row)
{
    http_row **link = &rows->pending;
    while (*link != row)
        link = &(*link)->next;
    *link = row->next;
    report(net, flow, row);
    http_row_give(net, row);
}

/* Too many requests without reply: all but the current are written. */
static void relieve(const http_context *c, http_rows *rows)
{
    uint32_t count = 0;
    for (const http_row *row = rows->pending; row != NULL; row = row->next)
        count++;
    if (count <= HTTP_PENDING_MOST)
        return;
    char addl[32];
    snprintf(addl, sizeof addl, "%u > %d", count, HTTP_PENDING_MOST);
    http_weird(c, W_HTTP_excessive_pipelining, addl);
    net_flow_limit_hit(c->flow);
    while (rows->pending != NULL && rows->pending->next != NULL)
        write_out(c->net, c->flow, rows, rows->pending);
    rows->response = rows->request > 0 ? rows->request - 1 : 0;
}

static http_row *add(const http_context *c, http_rows *rows, uint64_t number)
{
    http_row *row = http_row_take(c->net);
    if (row == NULL)
        return NULL;
    row->number = number;
    row->depth = ++rows->depth;
    row->time = c->net->now;
    http_row **link = &rows->pending;
    while (*link != NULL && (*link)->number < number)
        link = &(*link)->next;
    row->next = *link;
    *link = row;
    return row;
}

http_row *http_row_current(const http_context *c)
{
    http_rows *rows = http_rows_of(c->flow);
    uint64_t number = c->side == NET_ORIG ? rows->request : rows->response;
    http_row *row = find(rows, number);
    return row ? row : add(c, rows, number);
}

void http_row_request(const http_context *c, hg_slice method, hg_slice uri)
{
    http_rows *rows = http_rows_of(c->flow);
    rows->any = true;
    if (rows->response > rows->request) {
        net_weird_flow(c->net, c->flow, W_HTTP_response_before_request, "", "");
        rows->request = rows->response;
    }
    rows->request++;
    http_row *row = http_row_current(c);
    relieve(c, rows);
    if (row == NULL)
        return;
    row->has_request = true;
    set_text(row, &row->method, method);
    set_text(row, &row->uri, uri);
    if (!is_known(method)) {
        char addl[128];
        size_t len = method.len < sizeof addl - 1 ? method.len : sizeof addl - 1;
        memcpy(addl, method.ptr, len);
        addl[len] = '\0';
        net_weird_flow(c->net, c->flow, W_unknown_HTTP_method, addl, "");
    }
}

static bool is_informational(uint32_t status)
{
    return status >= 100 && status <= 199;
}

static void tunnel_row(const http_context *c)
{
    hg_net_tunnel tunnel = {.type = HG_NET_TUNNEL_HTTP, .ip_proto = c->flow->ip_proto};
    memcpy(tunnel.orig.addr, &c->flow->addr[0], 16);
    memcpy(tunnel.resp.addr, &c->flow->addr[1], 16);
    tunnel.resp.port = c->flow->port[1];
    net_tunnel_report(c->net, &tunnel);
}

void http_row_reply(const http_context *c, hg_http_version version, uint32_t status, hg_slice reason)
{
    http_rows *rows = http_rows_of(c->flow);
    rows->any = true;
    const http_row *old = find(rows, rows->response);
    if (old == NULL || (old->has_reply && !is_informational(old->status)))
        rows->response++;
    http_row *row = http_row_current(c);
    if (row == NULL)
        return;
    row->has_reply = true;
    row->status = status;
    row->version_major = version.major;
    row->version_minor = version.minor;
    set_text(row, &row->status_text, reason);
    if (is_informational(status)) {
        row->info_status = status;
        set_text(row, &row->info_text, reason);
    }
    if (status == 200 && hg_slice_equal(http_kept(&row->text, row->method), HG_SLICE("CONNECT")))
        tunnel_row(c);
}

static void proxied(http_row *row, hg_slice name, hg_slice value)
{
    char text[1024];
    size_t len = 0;
    if (row->proxied_count == HTTP_PROXIED_MOST || name.len > 64)
        return;
    for (size_t i = 0; i < name.len; i++)
        text[len++] = name.ptr[i] >= 'a' && name.ptr[i] <= 'z' ? (char)(name.ptr[i] & ~0x20) : name.ptr[i];
    memcpy(text + len, " -> ", 4);
    len += 4;
    value = hg_slice_take(value, sizeof text - len);
    if (value.len > 0)
        memcpy(text + len, value.ptr, value.len);
    hg_slice whole = hg_slice_of(text, len + value.len);
    for (uint32_t i = 0; i < row->proxied_count; i++)
        if (hg_slice_equal(http_kept(&row->text, row->proxied[i]), whole))
            return;
    set_text(row, &row->proxied[row->proxied_count++], whole);
}

static void credentials(const http_context *c, http_row *row, hg_slice value)
{
    char decoded[1024], problem[1100];
    if (value.len < 6 || strncasecmp(value.ptr, "basic", 5) != 0 || (value.ptr[5] != ' ' && value.ptr[5] != '\t'))
        return;
    hg_slice code = hg_http_trim(hg_slice_skip(value, 6));
    ptrdiff_t got = code.len <= sizeof decoded ? hg_b64_decode(code, HG_BASE64_STANDARD, decoded) : -1;
    size_t len = got > 0 ? (size_t)got : 0;
    const char *colon = len > 0 ? memchr(decoded, ':', len) : NULL;
    if (colon == NULL) {
        value = hg_slice_take(value, 1024);
        int n = snprintf(problem, sizeof problem, "<problem-decoding> (%.*s)", (int)value.len, value.ptr);
        set_text(row, &row->username, hg_slice_of(problem, (size_t)n));
        return;
    }
    set_text(row, &row->username, hg_slice_of(decoded, (size_t)(colon - decoded)));
    if (c->net->options.capture_passwords)
        set_text(row, &row->password, hg_slice_of(colon + 1, len - (size_t)(colon + 1 - decoded)));
}

static void request_header(const http_context *c, http_row *row, hg_slice name, hg_slice value)
{
    static const char *const proxies[] = {"FORWARDED", "X-FORWARDED-FOR", "X-FORWARDED-FROM", "CLIENT-IP", "VIA",
                                          "XROXY-CONNECTION", "PROXY-CONNECTION"};
    const struct {
        const char *name;
        http_span *span;
    } plain[] = {{"HOST", &row->host}, {"REFERER", &row->referrer}, {"USER-AGENT", &row->user_agent},
                 {"ORIGIN", &row->origin}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (hg_http_same(name, hg_slice_from(plain[i].name)))
            set_text(row, plain[i].span, value);
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++)
        if (hg_http_same(name, hg_slice_from(proxies[i])))
            proxied(row, name, value);
    if (hg_http_same(name, HG_SLICE("authorization")) || hg_http_same(name, HG_SLICE("proxy-authorization")))
        credentials(c, row, value);
}

void http_row_header(const http_context *c, hg_slice name, hg_slice value)
{
    http_row *row = http_row_current(c);
    if (row == NULL)
        return;
    if (!row->has_entity)
        http_weird(c, W_missing_HTTP_entity, ""); /* the pairing has lost it */
    if (c->side == NET_ORIG)
        request_header(c, row, name, value);
}

void http_row_begin_entity(const http_context *c)
{
    http_row *row = http_row_current(c);
    if (row != NULL)
        row->has_entity = true;
}

void http_row_end_entity(const http_context *c)
{
    http_row *row = http_row_current(c);
    if (row != NULL)
        row->has_entity = false;
}

void http_row_message_done(const http_context *c, uint64_t body)
{
    http_row *row = http_row_current(c);
    if (row == NULL)
        return;
    if (c->side == NET_ORIG) {
        row->request_body = body;
        return;
    }
    row->response_body = body;
    if (!(row->has_reply && is_informational(row->status)))
        write_out(c->net, c->flow, http_rows_of(c->flow), row);
}

void http_rows_finish(hg_net *net, net_flow *flow, http_rows *rows)
{
    while (rows->pending != NULL) {
        http_row *row = rows->pending;
        if (row->number == 0) { /* never belonged to a message */
            rows->pending = row->next;
            http_row_give(net, row);
            continue;
        }
        write_out(net, flow, rows, row);
    }
}
