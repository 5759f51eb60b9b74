/* Bodies by content type. */
#include "hotgate/body.h"
#include "http/http.h"
#include "request/internal.h"

typedef enum body_kind { BODY_UNKNOWN, BODY_JSON, BODY_FORM, BODY_MULTIPART, BODY_TEXT } body_kind;

static bool starts_with(hg_slice s, hg_slice prefix)
{
    return s.len >= prefix.len && hg_http_same(hg_slice_take(s, prefix.len), prefix);
}

static bool ends_with(hg_slice s, hg_slice suffix)
{
    return s.len >= suffix.len && hg_http_same(hg_slice_skip(s, s.len - suffix.len), suffix);
}

static bool looks_like_json(hg_slice body)
{
    size_t at = 0;
    while (at < body.len && strchr(" \t\r\n", body.ptr[at]) != NULL && body.ptr[at] != '\0')
        at++;
    return at < body.len && (body.ptr[at] == '{' || body.ptr[at] == '[');
}

static body_kind kind_of(hg_slice content_type, hg_slice body)
{
    const char *semicolon = content_type.len > 0 ? memchr(content_type.ptr, ';', content_type.len) : NULL;
    size_t end = semicolon != NULL ? (size_t)(semicolon - content_type.ptr) : content_type.len;
    hg_slice type = hg_http_trim(hg_slice_take(content_type, end));
    if (type.len == 0)
        return looks_like_json(body) ? BODY_JSON : BODY_TEXT;
    if (ends_with(type, HG_SLICE("/json")) || ends_with(type, HG_SLICE("+json")))
        return BODY_JSON;
    if (hg_http_same(type, HG_SLICE("application/x-www-form-urlencoded")))
        return BODY_FORM;
    if (hg_http_same(type, HG_SLICE("multipart/form-data")))
        return BODY_MULTIPART;
    if (starts_with(type, HG_SLICE("text/")) || ends_with(type, HG_SLICE("/xml")) ||
        ends_with(type, HG_SLICE("+xml")) || hg_http_same(type, HG_SLICE("application/graphql")))
        return BODY_TEXT;
    return BODY_UNKNOWN;
}

static hg_status text_body(hg_slice text, hg_value *body)
{
    if (text.len > UINT32_MAX)
        return HG_ERR_LIMIT;
    hg_set_borrowed(body, text);
    return HG_OK;
}

static hg_status json_body(hg_slice text, hg_arena *arena, hg_value *body)
{
    const hg_json_options options = {.dialect = HG_JSON_LENIENT};
    hg_status status = hg_json_read(text, &options, body, hg_arena_allocator(arena), NULL);
    if (status == HG_OK || status == HG_ERR_NOMEM)
        return status;
    return text_body(text, body);
}

static hg_status multipart_body(const hg_request *request, hg_slice content_type, hg_arena *arena, hg_value *body,
                                hg_value *filenames)
{
    hg_limits limits = hg_limits_of(HG_LIMITS_NONE);
    limits.ill_formed = HG_ILL_FORMED_KEEP; /* rules look at bytes */
    const hg_body_options options = {.limits = &limits, .flags = HG_BODY_BORROW};
    hg_slice boundary = hg_header_parameter(content_type, HG_SLICE("boundary"));
    hg_status status = hg_multipart_read(request->body, boundary, &options, body, filenames, NULL,
                                         hg_arena_allocator(arena));
    if (hg_value_size(filenames) == 0)
        hg_set_invalid(filenames);
    return status == HG_ERR_NOMEM ? status : HG_OK;
}

hg_status request_body(const hg_request *request, hg_slice content_type, hg_arena *arena, hg_value *body,
                       hg_value *filenames)
{
    hg_set_invalid(body);
    hg_set_invalid(filenames);
    switch (kind_of(content_type, request->body)) {
    case BODY_JSON:
        return json_body(request->body, arena, body);
    case BODY_FORM:
        return request_form(request->body, arena, body);
    case BODY_MULTIPART:
        return multipart_body(request, content_type, arena, body, filenames);
    case BODY_TEXT:
        return text_body(request->body, body);
    default:
        return HG_OK;
    }
}
