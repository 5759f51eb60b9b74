/* The Cookie header (RFC 6265 section 5.4), read as servers do: pairs between semicolons. */
#include "http/http.h"
#include "request/internal.h"

static hg_slice unquote(hg_slice s)
{
    if (s.len >= 2 && s.ptr[0] == '"' && s.ptr[s.len - 1] == '"')
        return hg_slice_of(s.ptr + 1, s.len - 2);
    return s;
}

hg_status request_cookies(request_collector *cookies, hg_slice header)
{
    while (header.len > 0) {
        const char *semicolon = memchr(header.ptr, ';', header.len);
        size_t end = semicolon != NULL ? (size_t)(semicolon - header.ptr) : header.len;
        hg_slice pair = hg_http_trim(hg_slice_take(header, end));
        header = hg_slice_skip(header, end + 1);
        if (pair.len == 0)
            continue;
        const char *equals = memchr(pair.ptr, '=', pair.len);
        size_t name_end = equals != NULL ? (size_t)(equals - pair.ptr) : pair.len;
        hg_slice name = hg_http_trim(hg_slice_take(pair, name_end));
        hg_slice value = unquote(hg_http_trim(hg_slice_skip(pair, name_end + 1)));
        hg_status status = request_collect(cookies, name, value);
        if (status != HG_OK)
            return status;
    }
    return HG_OK;
}
