/* Request and status lines. */
#include "http/chars.h"
#include "http/http.h"

/* Is `s` at `at` "HTTP/" in any case? *lower gains HG_HTTP_LOWERCASE_KEYWORD when the case differs. */
static bool keyword_at(hg_slice s, size_t at, uint32_t *flags)
{
    static const char keyword[] = "HTTP/";
    if (s.len < at + 5)
        return false;
    if (memcmp(s.ptr + at, keyword, 5) == 0)
        return true;
    bool exact = true;
    for (size_t i = 0; i < 5; i++) {
        if (http_lower(s.ptr[at + i]) != http_lower(keyword[i]))
            return false;
        exact = exact && s.ptr[at + i] == keyword[i];
    }
    if (!exact)
        *flags |= HG_HTTP_LOWERCASE_KEYWORD;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads "d.d" at `at`; returns where the version ends. */
static size_t read_version(hg_slice s, size_t at, hg_http_version *version, uint32_t *flags)
{
    if (s.len >= at + 3 && is_digit(s.ptr[at]) && s.ptr[at + 1] == '.' && is_digit(s.ptr[at + 2])) {
        *version = (hg_http_version){(uint8_t)(s.ptr[at] - '0'), (uint8_t)(s.ptr[at + 2] - '0')};
        return at + 3;
    }
    *version = (hg_http_version){0, 0};
    *flags |= HG_HTTP_BAD_VERSION;
    while (at < s.len && !http_is(s.ptr[at], HTTP_BLANK))
        at++;
    return at;
}

static size_t trim_end(hg_slice s, size_t from, size_t to)
{
    while (to > from && http_is(s.ptr[to - 1], HTTP_BLANK))
        to--;
    return to;
}

/* The place of "HTTP/" at or behind `from`, white space before it skipped; *uri_end is where that white space
 * begins. s.len when there is none. */
static size_t find_version(hg_slice s, size_t from, size_t *uri_end, uint32_t *flags)
{
    size_t at = from;
    while (at < s.len) {
        size_t word = http_skip(s, at, HTTP_BLANK);
        if (keyword_at(s, word, flags)) {
            *uri_end = at;
            return word;
        }
        at = word + (word == at);
    }
    *uri_end = s.len;
    return s.len;
}

static hg_status no_version(hg_slice line, size_t uri_start, hg_http_request_line *out)
{
    out->uri = hg_slice_of(line.ptr + uri_start, trim_end(line, uri_start, line.len) - uri_start);
    out->version = (hg_http_version){0, 9};
    out->flags |= HG_HTTP_NO_VERSION;
    if (out->method.len >= 3 && out->uri.len > 0)
        return HG_OK;
    out->flags |= HG_HTTP_BAD_REQUEST;
    return HG_ERR_SYNTAX;
}

hg_status hg_http_request_line_read(hg_slice line, hg_http_request_line *out)
{
    *out = (hg_http_request_line){0};
    size_t method_end = http_skip(line, 0, HTTP_TOKEN);
    if (method_end == 0) {
        uint32_t ignored = 0;
        bool versioned = line.len >= 9 && line.ptr[line.len - 9] == ' ' && keyword_at(line, line.len - 8, &ignored);
        out->flags = versioned ? HG_HTTP_BAD_REQUEST_WITH_VERSION : HG_HTTP_BAD_REQUEST;
        return HG_ERR_SYNTAX;
    }
    out->method = hg_slice_take(line, method_end);
    size_t start = http_skip(line, method_end, HTTP_BLANK);
    if (start == method_end) {
        out->flags = HG_HTTP_BAD_REQUEST;
        return HG_ERR_SYNTAX;
    }
    size_t legal_end = http_skip(line, start, HTTP_URI), uri_end, version;
    if (legal_end == line.len && keyword_at(line, start, &out->flags)) {
        out->flags |= HG_HTTP_MISSING_URI;
        uri_end = version = start;
    } else {
        version = find_version(line, legal_end, &uri_end, &out->flags);
    }
    if (version == line.len)
        return no_version(line, start, out);
    out->uri = hg_slice_of(line.ptr + start, uri_end - start);
    size_t end = read_version(line, version + 5, &out->version, &out->flags);
    if (http_skip(line, end, HTTP_BLANK) < line.len)
        out->flags |= HG_HTTP_TRAILING_TEXT;
    return HG_OK;
}

hg_status hg_http_status_line_read(hg_slice line, hg_http_status_line *out)
{
    *out = (hg_http_status_line){0};
    if (!keyword_at(line, 0, &out->flags))
        return HG_ERR_SYNTAX;
    size_t at = http_skip(line, read_version(line, 5, &out->version, &out->flags), HTTP_BLANK);
    if (at >= line.len)
        return HG_ERR_SYNTAX;
    size_t code_end = at;
    while (code_end < line.len && !http_is(line.ptr[code_end], HTTP_BLANK))
        code_end++;
    if (code_end - at >= 3 && is_digit(line.ptr[at]) && is_digit(line.ptr[at + 1]) && is_digit(line.ptr[at + 2]))
        out->status = (unsigned)((line.ptr[at] - '0') * 100 + (line.ptr[at + 1] - '0') * 10 + (line.ptr[at + 2] - '0'));
    else
        out->flags |= HG_HTTP_BAD_STATUS;
    out->reason = hg_slice_skip(line, http_skip(line, code_end, HTTP_BLANK));
    if (out->reason.len == 0)
        out->flags |= HG_HTTP_MISSING_REASON;
    return HG_OK;
}

bool hg_http_is_status_line(hg_slice text)
{
    uint32_t ignored = 0;
    return text.len >= 6 && keyword_at(text, 0, &ignored) && is_digit(text.ptr[5]);
}
