/* The methods by which a request is recognised in a stream: RFC 9110, 5789, 4918 (WebDAV) and its extensions,
 * GENA, RPC over HTTP. */
#include "http/chars.h"
#include "http/http.h"

static const char *const methods[] = {
    "OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "QUERY", "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN",
    "CHECKOUT", "CONNECT", "COPY", "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
    "MKREDIRECTREF", "MOVE", "ORDERPATCH", "PATCH", "PROPFIND", "PROPPATCH", "REBIND", "REPORT", "SEARCH", "TRACE",
    "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "VERSION-CONTROL", "BCOPY", "BDELETE", "BMOVE",
    "BPROPFIND", "BPROPPATCH", "NOTIFY", "POLL", "SUBSCRIBE", "UNSUBSCRIBE", "X-MS-ENUMATTS", "MKWORKSPACE",
    "RPC_IN_DATA", "RPC_OUT_DATA",
};

hg_slice hg_http_known_method(hg_slice text)
{
    size_t at = 0;
    while (at < text.len && (http_is(text.ptr[at], HTTP_BLANK) || text.ptr[at] == '\r' || text.ptr[at] == '\n'))
        at++;
    hg_slice rest = hg_slice_skip(text, at), found = {NULL, 0};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        hg_slice method = hg_slice_from(methods[i]);
        if (method.len > found.len && hg_slice_equal(hg_slice_take(rest, method.len), method))
            found = hg_slice_take(rest, method.len);
    }
    return found;
}
