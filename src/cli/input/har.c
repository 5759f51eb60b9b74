/* HAR exports (HTTP Archive 1.2), one entry at a time: the document is never held whole. */
#include "cli/input/input.h"

#include "http/http.h"

#include <stdlib.h>

/* Walks JSON text byte by byte, knowing only nesting and strings. */
typedef struct walker {
    size_t depth;
    bool in_string, escaped;
    char text[16]; /* the last string, if it is short */
    size_t text_len;
} walker;

struct cli_har {
    walker walker;
    bool key_found; /* "entries" and perhaps its colon were read */
    bool inside;    /* the next byte is in the array of entries */
    bool ended;
};

static void walk(walker *w, char c)
{
    if (w->in_string) {
        if (w->escaped)
            w->escaped = false;
        else if (c == '\\')
            w->escaped = true;
        else if (c == '"')
            w->in_string = false;
        if (w->in_string && w->text_len < sizeof w->text)
            w->text[w->text_len++] = c;
        return;
    }
    if (c == '"') {
        w->in_string = true;
        w->text_len = 0;
    } else if (c == '{' || c == '[') {
        w->depth++;
    } else if ((c == '}' || c == ']') && w->depth > 0) {
        w->depth--;
    }
}

/* Consumes input up to the inside of log.entries. HG_ERR_TRUNCATED: there is none. */
static hg_status find_entries(cli_input *input)
{
    struct cli_har *har = input->har;
    for (;;) {
        hg_slice window = cli_stream_window(&input->stream);
        for (size_t i = 0; i < window.len; i++) {
            char c = window.ptr[i];
            bool was_string = har->walker.in_string;
            walk(&har->walker, c);
            if (was_string && !har->walker.in_string)
                har->key_found = har->walker.depth == 2 &&
                                 hg_slice_equal(hg_slice_of(har->walker.text, har->walker.text_len), HG_SLICE("entries"));
            else if (har->key_found && c == '[') {
                har->inside = true;
                cli_stream_skip(&input->stream, i + 1);
                return HG_OK;
            } else if (c != ':' && c != ' ' && c != '\t' && c != '\r' && c != '\n')
                har->key_found = false;
        }
        cli_stream_skip(&input->stream, window.len);
        hg_status status = cli_stream_more(&input->stream);
        if (status != HG_OK)
            return status;
    }
}

/* Consumes up to the first byte of the next entry. HG_ERR_TRUNCATED: no more entries. */
static hg_status find_entry(cli_input *input)
{
    for (;;) {
        hg_slice window = cli_stream_window(&input->stream);
        size_t i = 0;
        while (i < window.len && strchr(" \t\r\n,", window.ptr[i]) != NULL)
            i++;
        cli_stream_skip(&input->stream, i);
        if (i < window.len && window.ptr[i] == ']')
            return HG_ERR_TRUNCATED;
        if (i < window.len)
            return HG_OK;
        hg_status status = cli_stream_more(&input->stream);
        if (status != HG_OK)
            return status;
    }
}

/* Length of the value at the window's start. HG_ERR_LIMIT: too long; it has been consumed. */
static hg_status measure_entry(cli_input *input, size_t *length)
{
    walker w = {0};
    size_t at = 0;
    bool too_long = false;
    for (;;) {
        hg_slice window = cli_stream_window(&input->stream);
        for (; at < window.len; at++) {
            char c = window.ptr[at];
            bool behind = w.depth == 0 && !w.in_string && (c == ',' || c == ']'); /* a scalar has no end of its own */
            if (!behind)
                walk(&w, c);
            if (!behind && (w.depth > 0 || w.in_string || (c != '}' && c != ']')))
                continue;
            *length = behind ? at : at + 1;
            return too_long ? HG_ERR_LIMIT : HG_OK;
        }
        if (window.len >= CLI_STREAM_MAX / 2) {
            too_long = true;
            cli_stream_skip(&input->stream, window.len);
            at = 0;
        }
        hg_status status = cli_stream_more(&input->stream);
        if (status != HG_OK)
            return status;
    }
}

static hg_slice text_of(const hg_value *map, const char *key)
{
    const hg_value *v = map != NULL ? hg_map_find(map, hg_slice_from(key)) : NULL;
    return v != NULL ? hg_value_string(v) : hg_slice_of(NULL, 0);
}

/* name=value pairs of postData.params as a form body. */
static hg_slice form_of(const hg_value *params, hg_arena *arena)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t room = 0, n = 0;
    for (size_t i = 0; i < hg_value_size(params); i++)
        room += 2 + 3 * (text_of(&hg_array_items(params)[i], "name").len + text_of(&hg_array_items(params)[i], "value").len);
    char *out = hg_arena_alloc(arena, room + 1, 1);
    for (size_t i = 0; out != NULL && i < hg_value_size(params); i++) {
        for (int part = 0; part < 2; part++) {
            hg_slice s = text_of(&hg_array_items(params)[i], part == 0 ? "name" : "value");
            for (size_t k = 0; k < s.len; k++) {
                unsigned char c = (unsigned char)s.ptr[k];
                out[n++] = '%';
                out[n++] = digits[c >> 4];
                out[n++] = digits[c & 15];
            }
            out[n++] = part == 0 ? '=' : '&';
        }
    }
    return hg_slice_of(out, out != NULL ? n : 0);
}

/* Headers of the entry, with the body's type at the end when no header names it. */
static hg_status headers_of(const hg_value *request, hg_slice mime, hg_arena *arena, hg_request *r)
{
    const hg_value *list = hg_map_find(request, HG_SLICE("headers"));
    size_t n = list != NULL && hg_is_array(list) ? hg_value_size(list) : 0;
    hg_field *fields = hg_arena_alloc(arena, (n + 1) * sizeof *fields, _Alignof(hg_field));
    if (fields == NULL)
        return HG_ERR_NOMEM;
    bool typed = false;
    r->headers = fields;
    for (size_t i = 0; i < n; i++) {
        hg_field field = {text_of(&hg_array_items(list)[i], "name"), text_of(&hg_array_items(list)[i], "value")};
        if (field.name.len == 0 || field.name.ptr[0] == ':')
            continue;
        typed = typed || hg_http_same(field.name, HG_SLICE("content-type"));
        fields[r->header_count++] = field;
    }
    if (!typed && mime.len > 0)
        fields[r->header_count++] = (hg_field){HG_SLICE("content-type"), mime};
    return HG_OK;
}

static hg_status read_entry(cli_input *input, const hg_value *tree, cli_entry *entry)
{
    const hg_value *request = hg_map_find(tree, HG_SLICE("request"));
    if (request == NULL || !hg_is_map(request))
        return cli_input_bad(input, "entry without a request");
    const hg_value *response = hg_map_find(tree, HG_SLICE("response"));
    const hg_value *status_code = response != NULL ? hg_map_find(response, HG_SLICE("status")) : NULL;
    const hg_value *post = hg_map_find(request, HG_SLICE("postData"));
    const hg_value *params = post != NULL ? hg_map_find(post, HG_SLICE("params")) : NULL;
    hg_request *r = &entry->request;
    r->method = text_of(request, "method");
    r->uri = text_of(request, "url");
    r->body = text_of(post, "text");
    hg_slice mime = text_of(post, "mimeType");
    if (r->body.len == 0 && params != NULL && hg_value_size(params) > 0) {
        r->body = form_of(params, &input->arena);
        mime = HG_SLICE("application/x-www-form-urlencoded");
    }
    if (status_code != NULL && status_code->type == HG_UNSIGNED && status_code->u64.val <= 999)
        r->status = (unsigned)status_code->u64.val;
    else if (status_code != NULL && status_code->type == HG_SIGNED && status_code->i64.val >= 0 && status_code->i64.val <= 999)
        r->status = (unsigned)status_code->i64.val;
    hg_status status = headers_of(request, mime, &input->arena, r);
    if (status == HG_OK)
        status = hg_request_addresses(r, &input->arena, &entry->data);
    r->headers = NULL;
    r->header_count = 0;
    entry->time = text_of(tree, "startedDateTime");
    return status;
}

hg_status cli_next_har(cli_input *input, cli_entry *entry)
{
    if (input->har == NULL)
        input->har = calloc(1, sizeof *input->har);
    if (input->har == NULL)
        return HG_ERR_NOMEM;
    if (input->har->ended)
        return HG_ERR_TRUNCATED;
    hg_status status = input->har->inside ? HG_OK : find_entries(input);
    if (status == HG_ERR_TRUNCATED && input->stream.file_read > 0) {
        input->har->ended = true;
        entry->index = ++input->count;
        return cli_input_bad(input, "no log.entries");
    }
    if (status == HG_OK)
        status = find_entry(input);
    input->har->ended = status != HG_OK;
    if (status != HG_OK)
        return status;
    entry->index = ++input->count;
    status = measure_entry(input, &input->pending);
    if (status == HG_ERR_LIMIT)
        return cli_input_bad(input, "entry too long");
    if (status == HG_ERR_TRUNCATED)
        input->pending = cli_stream_window(&input->stream).len; /* a cut file: what is there may do */
    else if (status != HG_OK)
        return status;
    entry->text = hg_slice_take(cli_stream_window(&input->stream), input->pending);
    hg_value *tree = hg_arena_alloc(&input->arena, sizeof *tree, _Alignof(hg_value));
    if (tree == NULL)
        return HG_ERR_NOMEM;
    const hg_json_options options = {.dialect = HG_JSON_LENIENT};
    hg_json_error error;
    status = hg_json_read(entry->text, &options, tree, hg_arena_allocator(&input->arena), &error);
    if (status == HG_ERR_NOMEM)
        return status;
    if (status != HG_OK || !hg_is_map(tree))
        return cli_input_bad(input, "not a JSON object");
    return read_entry(input, tree, entry);
}

void cli_har_free(struct cli_har *har)
{
    free(har);
}
