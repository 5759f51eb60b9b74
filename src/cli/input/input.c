#include "cli/input/input.h"

#include "http/http.h"

#include <errno.h>

static const char *const names[] = {[CLI_AUTO] = "auto", [CLI_HTTP] = "http", [CLI_LOG] = "log", [CLI_HAR] = "har",
                                    [CLI_NDJSON] = "ndjson"};

const char *cli_kind_name(cli_kind kind)
{
    return names[kind];
}

cli_kind cli_kind_named(const char *name, bool *known)
{
    *known = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (cli_kind)i;
    *known = false;
    return CLI_AUTO;
}

/* JSON: a HAR has one top key, "log", that holds a map; everything else is taken as one address map a line. */
static cli_kind json_kind(hg_slice text)
{
    static const char key[] = "{\"log\":{";
    size_t k = 0;
    for (size_t i = 0; i < text.len && key[k] != '\0'; i++) {
        char c = text.ptr[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        if (c != key[k])
            return CLI_NDJSON;
        k++;
    }
    return key[k] == '\0' ? CLI_HAR : CLI_NDJSON;
}

static bool is_http(hg_slice line)
{
    hg_http_request_line request;
    if (hg_http_is_status_line(line) || hg_slice_equal(hg_slice_take(line, 3), HG_SLICE("###")))
        return true;
    return hg_http_known_method(line).len > 0 && hg_http_request_line_read(line, &request) == HG_OK;
}

cli_kind cli_kind_of(hg_slice head, bool all)
{
    if (head.len >= 3 && memcmp(head.ptr, "\xEF\xBB\xBF", 3) == 0)
        head = hg_slice_skip(head, 3);
    for (unsigned lines = 0; head.len > 0 && lines < 100; lines++) {
        hg_http_line line;
        if (hg_http_line_next(head, 0, all, &line) != HG_OK)
            line = (hg_http_line){head, head.len, HG_HTTP_CUT};
        head = hg_slice_skip(head, line.used);
        cli_log_line parts;
        hg_slice text = hg_http_trim(line.text);
        if (text.len == 0)
            continue;
        if (text.ptr[0] == '{')
            return json_kind(hg_slice_of(text.ptr, (size_t)(head.ptr + head.len - text.ptr)));
        if (is_http(text))
            return CLI_HTTP;
        if (cli_log_split(line.text, &parts))
            return CLI_LOG;
    }
    return CLI_AUTO;
}

static bool is_blank(hg_slice text)
{
    size_t i = 0;
    while (i < text.len && strchr(" \t\r\n", text.ptr[i]) != NULL && text.ptr[i] != '\0')
        i++;
    return i == text.len;
}

hg_status cli_input_open(cli_input *input, const char *path, cli_kind kind)
{
    *input = (cli_input){.path = path, .kind = kind};
    hg_arena_init(&input->arena, NULL);
    hg_status status = cli_stream_open(&input->stream, path);
    if (status != HG_OK) {
        input->kind = CLI_LOG;
        return status;
    }
    if (kind != CLI_AUTO)
        return HG_OK;
    while (cli_stream_window(&input->stream).len < CLI_STREAM_READ && cli_stream_more(&input->stream) == HG_OK)
        continue;
    /* the window may hold more, as reads went; the kind must not depend on that */
    hg_slice head = hg_slice_take(cli_stream_window(&input->stream), CLI_STREAM_READ);
    input->kind = cli_kind_of(head, head.len < CLI_STREAM_READ);
    if (input->kind == CLI_AUTO && head.len < CLI_STREAM_READ && is_blank(head))
        input->kind = CLI_LOG; /* holds no request of any kind */
    if (input->kind != CLI_AUTO)
        return HG_OK;
    cli_input_close(input);
    return HG_ERR_UNSUPPORTED;
}

void cli_input_close(cli_input *input)
{
    cli_stream_close(&input->stream);
    hg_arena_close(&input->arena);
    cli_har_free(input->har);
    input->har = NULL;
}

const char *cli_input_trouble(const cli_input *input, hg_status status)
{
    if (status == HG_ERR_IO)
        return strerror(errno);
    if (status != HG_ERR_UNSUPPORTED)
        return hg_strerror(status);
    return input->kind == CLI_AUTO ? "neither HTTP, access log, HAR nor NDJSON" : "compressed, and this build has no zlib";
}

hg_status cli_input_bad(cli_input *input, const char *reason)
{
    input->bad++;
    input->reason = reason;
    return HG_ERR_SYNTAX;
}

hg_status cli_input_line(cli_input *input, cli_entry *entry, hg_slice *line)
{
    cli_stream_skip(&input->stream, input->pending);
    hg_status status = cli_stream_line(&input->stream, line, &input->pending);
    if (status != HG_OK && status != HG_ERR_LIMIT)
        return status;
    entry->index = ++input->count;
    return status == HG_ERR_LIMIT ? cli_input_bad(input, "line too long") : HG_OK;
}

hg_status cli_input_next(cli_input *input, cli_entry *entry)
{
    static hg_status (*const readers[])(cli_input *, cli_entry *) = {
        [CLI_HTTP] = cli_next_http, [CLI_LOG] = cli_next_log, [CLI_HAR] = cli_next_har, [CLI_NDJSON] = cli_next_ndjson};
    cli_stream_skip(&input->stream, input->pending);
    input->pending = 0;
    hg_arena_reset(&input->arena);
    *entry = (cli_entry){0};
    return readers[input->kind](input, entry);
}
