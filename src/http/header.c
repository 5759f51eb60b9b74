/* Header lines and the pieces of their values. */
#include "http/chars.h"
#include "http/http.h"

/* Past blanks and comments in parentheses; an unclosed comment ends nowhere and is not skipped. */
static size_t skip_comments(hg_slice line, size_t at)
{
    for (;;) {
        at = http_skip(line, at, HTTP_BLANK);
        if (at >= line.len || line.ptr[at] != '(')
            return at;
        size_t depth = 0, i = at;
        for (; i < line.len; i++) {
            if (line.ptr[i] == '\\' && i + 1 < line.len)
                i++;
            else if (line.ptr[i] == '(')
                depth++;
            else if (line.ptr[i] == ')' && --depth == 0)
                break;
        }
        if (i >= line.len)
            return at;
        at = i + 1;
    }
}

hg_status hg_http_header_read(hg_slice line, hg_http_header *out)
{
    *out = (hg_http_header){0};
    if (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
        out->value = hg_slice_skip(line, http_skip(line, 0, HTTP_BLANK));
        return HG_OK;
    }
    size_t begin = skip_comments(line, 0), end = begin;
    while (end < line.len && line.ptr[end] > ' ' && line.ptr[end] < 127 && line.ptr[end] != ':')
        end++;
    size_t colon = http_skip(line, end, HTTP_BLANK);
    if (end == begin || colon >= line.len || line.ptr[colon] != ':')
        return HG_ERR_SYNTAX;
    out->name = hg_slice_of(line.ptr + begin, end - begin);
    out->value = hg_slice_skip(line, http_skip(line, colon + 1, HTTP_BLANK));
    return HG_OK;
}

hg_slice hg_http_first_token(hg_slice value, hg_slice *rest)
{
    size_t begin = http_skip(value, 0, HTTP_BLANK);
    size_t end = http_skip(value, begin, HTTP_MIME_TOKEN);
    if (rest != NULL)
        *rest = hg_slice_skip(value, end);
    return hg_slice_take(hg_slice_skip(value, begin), end - begin);
}

/* A quoted string behind its opening quote: the text, and where it ends in *end. */
static hg_slice quoted(hg_slice s, size_t begin, size_t *end)
{
    size_t at = begin;
    while (at < s.len && s.ptr[at] != '"')
        at += s.ptr[at] == '\\' && at + 1 < s.len ? 2 : 1;
    *end = at < s.len ? at + 1 : at;
    return hg_slice_of(s.ptr + begin, at - begin);
}

hg_slice hg_http_parameter(hg_slice value, hg_slice name)
{
    size_t at = 0;
    while (at < value.len && value.ptr[at] != ';')
        at++;
    while (at < value.len) {
        at++;
        at = http_skip(value, at, HTTP_BLANK);
        size_t begin = at;
        while (at < value.len && value.ptr[at] != '=' && value.ptr[at] != ';')
            at++;
        hg_slice found = hg_http_trim(hg_slice_of(value.ptr + begin, at - begin));
        if (at >= value.len || value.ptr[at] != '=')
            continue;
        at = http_skip(value, at + 1, HTTP_BLANK);
        hg_slice text;
        if (at < value.len && value.ptr[at] == '"') {
            text = quoted(value, at + 1, &at);
        } else {
            begin = at;
            while (at < value.len && value.ptr[at] != ';')
                at++;
            text = hg_http_trim(hg_slice_of(value.ptr + begin, at - begin));
        }
        if (hg_http_same(found, name))
            return text;
        while (at < value.len && value.ptr[at] != ';')
            at++;
    }
    return hg_slice_skip(value, value.len);
}

bool hg_http_decimal(hg_slice value, uint64_t *out)
{
    value = hg_http_trim(value);
    uint64_t n = 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c < '0' || c > '9' || n > (uint64_t)(INT64_MAX - (c - '0')) / 10)
            return false;
        n = n * 10 + (uint64_t)(c - '0');
    }
    *out = n;
    return value.len > 0;
}

bool hg_http_same(hg_slice a, hg_slice b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (http_lower(a.ptr[i]) != http_lower(b.ptr[i]))
            return false;
    return true;
}

hg_slice hg_http_trim(hg_slice s)
{
    size_t begin = http_skip(s, 0, HTTP_BLANK);
    while (s.len > begin && http_is(s.ptr[s.len - 1], HTTP_BLANK))
        s.len--;
    return hg_slice_skip(s, begin);
}
