/* The address map of one exchange. */
#include "hotgate/request.h"

#include "http/http.h"
#include "request/internal.h"

enum { ADDRESSES = 9 };

/* Splits a request target into path-and-query (without scheme, host and fragment) and the query. */
static void split_uri(hg_slice uri, hg_slice *raw, hg_slice *query)
{
    static const hg_slice schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < 2; i++) {
        if (!hg_http_same(hg_slice_take(uri, schemes[i].len), schemes[i]))
            continue;
        size_t at = schemes[i].len;
        while (at < uri.len && uri.ptr[at] != '/' && uri.ptr[at] != '?' && uri.ptr[at] != '#')
            at++;
        uri = hg_slice_skip(uri, at);
        break;
    }
    const char *mark = uri.len > 0 ? memchr(uri.ptr, '?', uri.len) : NULL;
    const char *hash = uri.len > 0 ? memchr(uri.ptr, '#', uri.len) : NULL;
    size_t end = hash != NULL ? (size_t)(hash - uri.ptr) : uri.len;
    *raw = hg_slice_take(uri, end);
    *query = mark != NULL && (size_t)(mark - uri.ptr) < end ? hg_slice_skip(*raw, (size_t)(mark - uri.ptr) + 1)
                                                            : hg_slice_of(NULL, 0);
}

static hg_status add(hg_value *map, hg_slice address, const hg_value *value, hg_arena *arena)
{
    if (value->type == HG_INVALID)
        return HG_OK;
    hg_value *slot = hg_map_append_literal(map, address, hg_arena_allocator(arena));
    if (slot == NULL)
        return HG_ERR_NOMEM;
    *slot = *value;
    return HG_OK;
}

static hg_status add_string(hg_value *map, hg_slice address, hg_slice text, hg_arena *arena)
{
    if (text.len == 0)
        return HG_OK;
    if (text.len > UINT32_MAX)
        return HG_ERR_LIMIT;
    hg_value value;
    hg_set_borrowed(&value, text);
    return add(map, address, &value, arena);
}

static hg_status add_target(const hg_request *request, hg_arena *arena, hg_value *out)
{
    hg_slice raw, query;
    split_uri(request->uri, &raw, &query);
    hg_status status = add_string(out, HG_SLICE("server.request.uri.raw"), raw, arena);
    if (status != HG_OK || query.len == 0)
        return status;
    hg_value pairs;
    status = request_form(query, arena, &pairs);
    if (status == HG_OK && hg_value_size(&pairs) > 0)
        status = add(out, HG_SLICE("server.request.query"), &pairs, arena);
    return status;
}

static hg_slice content_type(const hg_request *request)
{
    for (size_t i = request->header_count; i-- > 0;)
        if (hg_http_same(request->headers[i].name, HG_SLICE("content-type")))
            return hg_http_trim(request->headers[i].value);
    return hg_slice_of(NULL, 0);
}

static hg_status add_headers(const hg_request *request, hg_arena *arena, hg_value *out)
{
    hg_value headers, cookies;
    hg_status status = request_headers(request, arena, &headers, &cookies);
    if (status == HG_OK)
        status = add(out, HG_SLICE("server.request.headers.no_cookies"), &headers, arena);
    if (status == HG_OK)
        status = add(out, HG_SLICE("server.request.cookies"), &cookies, arena);
    return status;
}

static hg_status add_body(const hg_request *request, hg_arena *arena, hg_value *out)
{
    if (request->body.len == 0)
        return HG_OK;
    hg_value body, filenames;
    hg_status status = request_body(request, content_type(request), arena, &body, &filenames);
    if (status == HG_OK)
        status = add(out, HG_SLICE("server.request.body"), &body, arena);
    if (status == HG_OK)
        status = add(out, HG_SLICE("server.request.body.filenames"), &filenames, arena);
    return status;
}

static hg_status add_status(unsigned code, hg_arena *arena, hg_value *out)
{
    if (code < 100 || code > 999)
        return HG_OK;
    char digits[3] = {(char)('0' + code / 100), (char)('0' + code / 10 % 10), (char)('0' + code % 10)};
    return add_string(out, HG_SLICE("server.response.status"), hg_slice_of(digits, 3), arena);
}

hg_status hg_request_addresses(const hg_request *request, hg_arena *arena, hg_value *out)
{
    hg_status status = hg_set_map(out, ADDRESSES, hg_arena_allocator(arena));
    if (status == HG_OK)
        status = add_string(out, HG_SLICE("server.request.method"), request->method, arena);
    if (status == HG_OK)
        status = add_target(request, arena, out);
    if (status == HG_OK)
        status = add_headers(request, arena, out);
    if (status == HG_OK)
        status = add_body(request, arena, out);
    if (status == HG_OK)
        status = add_status(request->status, arena, out);
    if (status == HG_OK)
        status = add_string(out, HG_SLICE("http.client_ip"), request->client_ip, arena);
    if (status != HG_OK)
        hg_set_invalid(out);
    return status;
}
