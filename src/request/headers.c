/* Headers: names in lower case, folded lines joined, cookies apart. */
#include "http/http.h"
#include "request/internal.h"

/* The name in lower case; the name itself when it already is. */
static hg_slice lower(hg_slice name, hg_arena *arena, bool *ok)
{
    *ok = true;
    size_t i = 0;
    while (i < name.len && !(name.ptr[i] >= 'A' && name.ptr[i] <= 'Z'))
        i++;
    if (i == name.len)
        return name;
    char *copy = hg_arena_alloc(arena, name.len, 1);
    if (copy == NULL) {
        *ok = false;
        return name;
    }
    for (size_t k = 0; k < name.len; k++) {
        char c = name.ptr[k];
        copy[k] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    return hg_slice_of(copy, name.len);
}

/* The value of header *i with the folded lines behind it joined by one space each; *i moves to the last of them. */
static hg_slice unfold(const hg_request *request, size_t *i, hg_arena *arena, bool *ok)
{
    const hg_field *fields = request->headers;
    size_t first = *i, last = first, total = hg_http_trim(fields[first].value).len;
    while (last + 1 < request->header_count && fields[last + 1].name.len == 0)
        total += 1 + hg_http_trim(fields[++last].value).len;
    *ok = true;
    *i = last;
    if (last == first)
        return hg_http_trim(fields[first].value);
    char *joined = hg_arena_alloc(arena, total, 1);
    *ok = joined != NULL;
    if (joined == NULL)
        return hg_slice_of(NULL, 0);
    size_t n = 0;
    for (size_t k = first; k <= last; k++) {
        hg_slice piece = hg_http_trim(fields[k].value);
        if (k > first)
            joined[n++] = ' ';
        if (piece.len > 0)
            memcpy(joined + n, piece.ptr, piece.len);
        n += piece.len;
    }
    return hg_slice_of(joined, n);
}

hg_status request_headers(const hg_request *request, hg_arena *arena, hg_value *headers, hg_value *cookies)
{
    hg_set_invalid(headers);
    hg_set_invalid(cookies);
    request_collector in_headers = {0}, in_cookies = {0};
    for (size_t i = 0; i < request->header_count; i++) {
        if (request->headers[i].name.len == 0)
            continue; /* continues nothing */
        bool named, joined;
        hg_slice name = lower(request->headers[i].name, arena, &named);
        hg_slice value = unfold(request, &i, arena, &joined);
        if (!named || !joined)
            return HG_ERR_NOMEM;
        bool cookie = hg_slice_equal(name, HG_SLICE("cookie"));
        request_collector *into = cookie ? &in_cookies : &in_headers;
        hg_status status = HG_OK;
        if (into->map == NULL)
            status = request_collect_start(into, cookie ? cookies : headers, cookie ? 8 : request->header_count, arena);
        if (status == HG_OK)
            status = cookie ? request_cookies(into, value) : request_collect(into, name, value);
        if (status != HG_OK)
            return status;
    }
    return HG_OK;
}
