/* Parameters of Content-Type and Content-Disposition (RFC 9110 section 5.6.6). */
#include "hotgate/body.h"

#include <strings.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_spaces(hg_slice s, size_t i)
{
    while (i < s.len && is_space(s.ptr[i]))
        i++;
    return i;
}

/* Index behind the closing quote (or the end) of a quoted string whose first quote is at i. */
static size_t quoted_end(hg_slice s, size_t i)
{
    for (i++; i < s.len; i++) {
        if (s.ptr[i] == '\\' && i + 1 < s.len)
            i++;
        else if (s.ptr[i] == '"')
            return i + 1;
    }
    return i;
}

/* Index of the next semicolon outside quotes, or the end. */
static size_t next_semicolon(hg_slice s, size_t i)
{
    while (i < s.len && s.ptr[i] != ';')
        i = s.ptr[i] == '"' ? quoted_end(s, i) : i + 1;
    return i;
}

static hg_slice value_at(hg_slice s, size_t i)
{
    i = skip_spaces(s, i);
    if (i < s.len && s.ptr[i] == '"') {
        size_t end = quoted_end(s, i);
        bool closed = end > i + 1 && s.ptr[end - 1] == '"';
        return hg_slice_of(s.ptr + i + 1, end - i - 1 - closed);
    }
    size_t end = i;
    while (end < s.len && s.ptr[end] != ';' && s.ptr[end] != ',')
        end++;
    while (end > i && is_space(s.ptr[end - 1]))
        end--;
    return hg_slice_of(s.ptr + i, end - i);
}

hg_slice hg_header_parameter(hg_slice header, hg_slice name)
{
    if (header.len == 0)
        return (hg_slice){NULL, 0};
    for (size_t i = next_semicolon(header, 0); i < header.len; i = next_semicolon(header, i)) {
        i = skip_spaces(header, i + 1);
        size_t end = i;
        while (end < header.len && header.ptr[end] != '=' && header.ptr[end] != ';' && !is_space(header.ptr[end]))
            end++;
        size_t equals = skip_spaces(header, end);
        if (equals < header.len && header.ptr[equals] == '=' && end - i == name.len &&
            strncasecmp(header.ptr + i, name.ptr, name.len) == 0)
            return value_at(header, equals + 1);
    }
    return (hg_slice){NULL, 0};
}
