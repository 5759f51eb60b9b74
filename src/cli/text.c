#include "cli/text.h"

#include "cli/input/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_colour_wanted(const char *choice, FILE *out)
{
    if (strcmp(choice, "auto") != 0)
        return strcmp(choice, "always") == 0;
    const char *no = getenv("NO_COLOR");
    return isatty(fileno(out)) && (no == NULL || *no == '\0');
}

bool cli_colour_known(const char *choice)
{
    return strcmp(choice, "auto") == 0 || strcmp(choice, "always") == 0 || strcmp(choice, "never") == 0;
}

const char *cli_colour_code(bool on, cli_colour colour)
{
    static const char *const codes[CLI_COLOURS] = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m",
                                                   "\x1b[32m", "\x1b[33m", "\x1b[36m"};
    return on ? codes[colour] : "";
}

/* Bytes of the well-formed UTF-8 character at s.ptr[at], or 0. */
static size_t utf8_length(hg_slice s, size_t at)
{
    unsigned char c = (unsigned char)s.ptr[at];
    size_t n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (n == 0 || at + n > s.len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s.ptr[at + i] & 0xC0) != 0x80)
            return 0;
    if (n == 2 && c == 0xC2 && (unsigned char)s.ptr[at + 1] < 0xA0)
        return 0; /* C1 controls */
    return n;
}

void cli_text_escape(hg_buffer *out, hg_slice s)
{
    for (size_t i = 0; i < s.len;) {
        unsigned char c = (unsigned char)s.ptr[i];
        size_t n = utf8_length(s, i);
        if (c == '\n' || c == '\r' || c == '\t') {
            hg_buffer_append(out, c == '\n' ? HG_SLICE("\\n") : c == '\r' ? HG_SLICE("\\r") : HG_SLICE("\\t"));
            n = 1;
        } else if (n == 0 || c < 0x20 || c == 0x7F) {
            hg_buffer_printf(out, "\\x%02x", c);
            n = 1;
        } else {
            hg_buffer_append(out, hg_slice_of(s.ptr + i, n));
        }
        i += n;
    }
}

static bool continues(hg_slice s, size_t at)
{
    return at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80;
}

void cli_text_highlight(hg_buffer *out, hg_slice text, hg_slice mark, size_t width, bool colour)
{
    const char *found = mark.len > 0 && text.len > 0 ? memmem(text.ptr, text.len, mark.ptr, mark.len) : NULL;
    size_t at = found != NULL ? (size_t)(found - text.ptr) : 0, length = found != NULL ? mark.len : 0;
    size_t shown = length < width ? length : width, around = (width - shown) / 2;
    size_t begin = at > around ? at - around : 0;
    size_t end = at + shown + (width - shown - (at - begin));
    end = end < text.len ? end : text.len;
    while (begin < at && continues(text, begin))
        begin++;
    while (end > at + shown && continues(text, end))
        end--;
    if (begin > 0)
        hg_buffer_append(out, HG_SLICE("…"));
    cli_text_escape(out, hg_slice_of(text.ptr + begin, at - begin));
    if (found != NULL) {
        hg_buffer_append(out, colour ? hg_slice_from(cli_colour_code(true, CLI_RED)) : HG_SLICE("«"));
        cli_text_escape(out, hg_slice_of(text.ptr + at, shown));
        if (shown < length)
            hg_buffer_append(out, HG_SLICE("…"));
        hg_buffer_append(out, colour ? hg_slice_from(cli_colour_code(true, CLI_PLAIN)) : HG_SLICE("»"));
    }
    if (end > at + shown)
        cli_text_escape(out, hg_slice_of(text.ptr + at + shown, end - at - shown));
    if (end < text.len && shown == length)
        hg_buffer_append(out, HG_SLICE("…"));
}

hg_status cli_read_file(const char *path, hg_slice *content)
{
    cli_stream stream;
    hg_status status = cli_stream_open(&stream, path);
    if (status != HG_OK)
        return status;
    while (status == HG_OK)
        status = cli_stream_more(&stream);
    hg_slice window = cli_stream_window(&stream);
    char *copy = status == HG_ERR_TRUNCATED ? malloc(window.len + 1) : NULL;
    if (copy != NULL) {
        if (window.len > 0)
            memcpy(copy, window.ptr, window.len);
        copy[window.len] = '\0';
        *content = hg_slice_of(copy, window.len);
        status = HG_OK;
    } else if (status == HG_ERR_TRUNCATED) {
        status = HG_ERR_NOMEM;
    }
    cli_stream_close(&stream);
    return status;
}

char *cli_number(uint64_t n, char out[32])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *cli_capture_error(hg_status status)
{
    if (status == HG_ERR_IO)
        return strerror(errno);
    return status == HG_ERR_UNSUPPORTED ? "not a capture that this build can read" : hg_strerror(status);
}
