/* Access logs of nginx and Apache: common and combined format, a virtual host in front and more fields behind allowed.
 * client ident user [time] "request" status bytes ["referer" "user agent" ...] */
#include "cli/input/input.h"

#include "http/http.h"

/* The quoted field that starts at `at` (its opening quote); *end is behind its closing quote. A backslash escapes the
 * byte behind it. False: it does not end. */
static bool quoted(hg_slice line, size_t at, hg_slice *field, size_t *end)
{
    size_t begin = at + 1, from = begin;
    for (;;) {
        const char *quote = from < line.len ? memchr(line.ptr + from, '"', line.len - from) : NULL;
        if (quote == NULL)
            return false;
        size_t place = (size_t)(quote - line.ptr), slashes = 0;
        while (place - slashes > begin && line.ptr[place - slashes - 1] == '\\')
            slashes++;
        if (slashes % 2 == 0) {
            *field = hg_slice_of(line.ptr + begin, place - begin);
            *end = place + 1;
            return true;
        }
        from = place + 1;
    }
}

static hg_slice word(hg_slice line, size_t *at)
{
    while (*at < line.len && line.ptr[*at] == ' ')
        (*at)++;
    const char *blank = *at < line.len ? memchr(line.ptr + *at, ' ', line.len - *at) : NULL;
    size_t end = blank != NULL ? (size_t)(blank - line.ptr) : line.len;
    hg_slice s = hg_slice_of(line.ptr + *at, end - *at);
    *at = end;
    return s;
}

/* A quoted field that may follow; a lone dash stands for nothing. */
static hg_slice optional(hg_slice line, size_t *at)
{
    hg_slice field;
    while (*at < line.len && line.ptr[*at] == ' ')
        (*at)++;
    if (*at >= line.len || line.ptr[*at] != '"' || !quoted(line, *at, &field, at))
        return hg_slice_of(NULL, 0);
    return hg_slice_equal(field, HG_SLICE("-")) ? hg_slice_of(NULL, 0) : field;
}

/* Hex digits with a point or colon among them. */
static bool is_ip(hg_slice s)
{
    enum { DIGIT = 1, SEPARATOR = 2 };
    static const uint8_t kinds[256] = {['0' ... '9'] = DIGIT, ['a' ... 'f'] = DIGIT, ['A' ... 'F'] = DIGIT,
                                       ['.'] = SEPARATOR, [':'] = SEPARATOR};
    unsigned found = 0;
    if (s.len > 45)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        uint8_t kind = kinds[(unsigned char)s.ptr[i]];
        if (kind == 0)
            return false;
        found |= kind;
    }
    return (found & SEPARATOR) != 0;
}

bool cli_log_split(hg_slice line, cli_log_line *out)
{
    *out = (cli_log_line){0};
    size_t at = 0, end;
    const char *open = line.len > 0 ? memchr(line.ptr, '[', line.len) : NULL;
    if (open == NULL)
        return false;
    size_t bracket = (size_t)(open - line.ptr);
    const char *close = memchr(open, ']', line.len - bracket);
    if (close == NULL)
        return false;
    out->client = word(line, &at);
    out->client_is_ip = is_ip(out->client);
    if (at < bracket && !out->client_is_ip) { /* perhaps a virtual host */
        size_t again = at;
        hg_slice second = word(line, &again);
        out->client_is_ip = again < bracket && is_ip(second);
        if (out->client_is_ip)
            out->client = second;
    }
    out->time = hg_slice_of(open + 1, (size_t)(close - open) - 1);
    at = (size_t)(close - line.ptr) + 1;
    while (at < line.len && line.ptr[at] == ' ')
        at++;
    if (at >= line.len || line.ptr[at] != '"' || !quoted(line, at, &out->request, &end))
        return false;
    at = end;
    out->status = word(line, &at);
    uint64_t code;
    if (out->status.len != 3 || !hg_http_decimal(out->status, &code))
        return false;
    out->code = (unsigned)code;
    word(line, &at); /* bytes sent */
    out->referer = optional(line, &at);
    out->agent = optional(line, &at);
    return true;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes what the servers escape in quoted fields: \" \\ \t \n \r and \xHH. */
static hg_slice unescaped(hg_slice s, hg_arena *arena)
{
    if (s.len == 0 || memchr(s.ptr, '\\', s.len) == NULL)
        return s;
    char *out = hg_arena_alloc(arena, s.len, 1);
    if (out == NULL)
        return s;
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        size_t left = s.len - i - 1;
        if (c != '\\' || left == 0) {
            out[n++] = c;
        } else if (s.ptr[i + 1] == 'x' && left >= 3 && hex(s.ptr[i + 2]) >= 0 && hex(s.ptr[i + 3]) >= 0) {
            out[n++] = (char)(hex(s.ptr[i + 2]) * 16 + hex(s.ptr[i + 3]));
            i += 3;
        } else {
            char e = s.ptr[++i];
            if (e != '"' && e != '\\' && e != 't' && e != 'n' && e != 'r')
                out[n++] = '\\';
            out[n++] = e == 't' ? '\t' : e == 'n' ? '\n' : e == 'r' ? '\r' : e;
        }
    }
    return hg_slice_of(out, n);
}

static hg_status read_line(cli_input *input, hg_slice line, cli_entry *entry)
{
    cli_log_line parts;
    if (!cli_log_split(line, &parts))
        return cli_input_bad(input, "not a line of the common or combined log format");
    hg_http_request_line request;
    hg_slice text = unescaped(parts.request, &input->arena);
    hg_request *r = &entry->request;
    if (hg_http_request_line_read(text, &request) == HG_OK) {
        r->method = request.method;
        r->uri = request.uri;
    } else {
        r->uri = hg_slice_equal(text, HG_SLICE("-")) ? hg_slice_of(NULL, 0) : text; /* noise that a client sent */
    }
    hg_field headers[2];
    if (parts.referer.len > 0)
        headers[r->header_count++] = (hg_field){HG_SLICE("referer"), unescaped(parts.referer, &input->arena)};
    if (parts.agent.len > 0)
        headers[r->header_count++] = (hg_field){HG_SLICE("user-agent"), unescaped(parts.agent, &input->arena)};
    r->headers = headers;
    r->client_ip = parts.client_is_ip ? parts.client : hg_slice_of(NULL, 0);
    r->status = parts.code;
    entry->time = parts.time;
    entry->text = line;
    hg_status status = hg_request_addresses(r, &input->arena, &entry->data);
    r->headers = NULL;
    r->header_count = 0;
    return status;
}

hg_status cli_next_log(cli_input *input, cli_entry *entry)
{
    for (;;) {
        hg_slice line;
        hg_status status = cli_input_line(input, entry, &line);
        if (status != HG_OK)
            return status;
        if (line.len > 0 && line.ptr[0] != '#')
            return read_line(input, line, entry);
    }
}
