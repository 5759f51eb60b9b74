#include "text/uri.h"

#include "text/bytes.h"

/* Where each printable byte may stand. */
enum {
    USER = 1,
    PATH = 2,
    QUERY = 4,
    FRAGMENT = 8,
    SCHEME = 16,
    HOST = 32
};

static unsigned places_of(uint8_t c)
{
    if (hg_is_alnum(c) || c == '-' || c == '.')
        return USER | PATH | QUERY | FRAGMENT | HOST | SCHEME;
    switch (c) {
    case '+':
        return USER | PATH | QUERY | FRAGMENT | HOST | SCHEME;
    case '_':
    case '~':
    case '!':
    case '$':
    case '&':
    case '\'':
    case '(':
    case ')':
    case '*':
    case ',':
    case ';':
    case '=':
    case '%':
        return USER | PATH | QUERY | FRAGMENT | HOST;
    case ':':
        return USER | PATH | QUERY | FRAGMENT;
    case '@':
    case '/':
        return PATH | QUERY | FRAGMENT;
    case '?':
        return QUERY | FRAGMENT;
    case '[':
    case ']':
        return QUERY;
    default:
        return 0;
    }
}

/* The first byte at or after r, before end, that may not stand in that place; end when there is none. */
static size_t skip(hg_slice s, size_t r, size_t end, unsigned place)
{
    while (r < end && (places_of((uint8_t)s.ptr[r]) & place))
        r++;
    return r;
}

static hg_slice part(hg_slice s, size_t begin, size_t end)
{
    return hg_slice_of(s.ptr + begin, end - begin);
}

static bool parse_fragment(hg_slice s, size_t r, hg_uri *uri)
{
    uri->fragment = part(s, r, s.len);
    return skip(s, r, s.len, FRAGMENT) == s.len;
}

static bool parse_query(hg_slice s, size_t r, hg_uri *uri)
{
    size_t end = skip(s, r, s.len, QUERY);
    uri->query_at = r;
    uri->query = part(s, r, end);
    if (end == s.len)
        return true;
    return s.ptr[end] == '#' && parse_fragment(s, end + 1, uri);
}

/* What follows path or authority: nothing, a query or a fragment. */
static bool parse_tail(hg_slice s, size_t r, hg_uri *uri)
{
    if (r == s.len)
        return true;
    if (s.ptr[r] == '?')
        return parse_query(s, r + 1, uri);
    return s.ptr[r] == '#' && parse_fragment(s, r + 1, uri);
}

static bool parse_path(hg_slice s, size_t r, hg_uri *uri)
{
    size_t end = skip(s, r, s.len, PATH);
    uri->path_at = r;
    uri->path = part(s, r, end);
    return parse_tail(s, end, uri);
}

/* Digits only; none are port 0. */
static bool parse_port(hg_slice s, size_t r, size_t end, hg_uri *uri)
{
    uint32_t port = 0;
    for (; r < end; r++) {
        if (!hg_is_digit((uint8_t)s.ptr[r]))
            return false;
        port = port * 10 + (uint32_t)(s.ptr[r] - '0');
        if (port > UINT16_MAX)
            return false;
    }
    uri->port = (uint16_t)port;
    return true;
}

/* r is after the bracket. */
static bool parse_ipv6(hg_slice s, size_t r, size_t end, hg_uri *uri)
{
    size_t close = r;
    while (close < end && (hg_is_hex((uint8_t)s.ptr[close]) || s.ptr[close] == ':'))
        close++;
    if (close == end || s.ptr[close] != ']')
        return false;
    uri->host = part(s, r, close);
    uri->host_at = r;
    uri->host_is_ip = hg_ipv6_parse(uri->host, &uri->ip);
    if (!uri->host_is_ip)
        return false;
    if (++close == end)
        return true;
    return s.ptr[close] == ':' && parse_port(s, close + 1, end, uri);
}

static bool parse_host(hg_slice s, size_t r, size_t end, hg_uri *uri)
{
    uri->host_at = r;
    if (r == end)
        return true;
    if (s.ptr[r] == '[')
        return parse_ipv6(s, r + 1, end, uri);
    size_t stop = skip(s, r, end, HOST);
    if (stop < end && s.ptr[stop] != ':')
        return false;
    uri->host = part(s, r, stop);
    uri->host_is_ip = uri->host.len < 16 && hg_ipv4_parse(uri->host, &uri->ip);
    return stop == end || parse_port(s, stop + 1, end, uri);
}

/* A host whose first byte is not allowed ends at once, and what the authority is followed by is taken to begin there:
 * a path with that byte, or a query after it. */
static bool host_breaks_off(hg_slice s, size_t r, size_t end)
{
    if (r == end || end == s.len || s.ptr[end] == '#')
        return false;
    return s.ptr[r] != '[' && s.ptr[r] != ':' && !(places_of((uint8_t)s.ptr[r]) & HOST);
}

/* r is after "//". */
static bool parse_authority(hg_slice s, size_t r, hg_uri *uri)
{
    size_t end = r;
    while (end < s.len && s.ptr[end] != '/' && s.ptr[end] != '?' && s.ptr[end] != '#')
        end++;
    if (end > r) {
        uri->authority_at = r;
        uri->origin = part(s, 0, end);
        size_t host = r;
        size_t at = hg_find_byte(hg_slice_take(s, end), r, '@');
        if (at < end) {
            if (skip(s, r, at, USER) < at)
                return false;
            uri->userinfo = part(s, r, at);
            host = at + 1;
        }
        if (host_breaks_off(s, host, end)) {
            uri->host_at = host;
            return s.ptr[end] == '?' ? parse_query(s, host + 1, uri) : parse_path(s, host, uri);
        }
        if (!parse_host(s, host, end, uri))
            return false;
    }
    if (end < s.len && s.ptr[end] == '/')
        return parse_path(s, end, uri);
    return parse_tail(s, end, uri);
}

static bool has_authority(hg_slice s, size_t r)
{
    return s.len - r >= 2 && s.ptr[r] == '/' && s.ptr[r + 1] == '/';
}

bool hg_uri_parse(hg_slice s, hg_uri *uri)
{
    *uri = (hg_uri){.authority_at = HG_URI_NOWHERE,
                    .host_at = HG_URI_NOWHERE,
                    .path_at = HG_URI_NOWHERE,
                    .query_at = HG_URI_NOWHERE};
    if (s.len == 0)
        return true;
    size_t r = 0;
    if (s.ptr[0] != '/') {
        r = hg_is_alpha((uint8_t)s.ptr[0]) ? skip(s, 0, s.len, SCHEME) : 0;
        if (r == 0 || r == s.len || s.ptr[r] != ':')
            return false;
        uri->scheme = part(s, 0, r);
        r++;
    }
    return has_authority(s, r) ? parse_authority(s, r + 2, uri) : parse_path(s, r, uri);
}
