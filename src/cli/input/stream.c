#include "cli/input/stream.h"

#include "cli/input/gunzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_file(cli_stream *stream, char *room, size_t size)
{
    ssize_t n;
    do
        n = read(stream->fd, room, size);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        stream->file_read += (uint64_t)n;
    return n;
}

/* Room for one more read behind the window: by moving it to the front, or by a bigger buffer. */
static hg_status make_room(cli_stream *stream)
{
    if (stream->capacity - stream->end >= CLI_STREAM_READ)
        return HG_OK;
    size_t held = stream->end - stream->begin;
    if (held >= CLI_STREAM_MAX)
        return HG_ERR_LIMIT;
    if (held > 0 && stream->begin > 0)
        memmove(stream->buffer, stream->buffer + stream->begin, held);
    stream->begin = 0;
    stream->end = held;
    if (stream->capacity - held >= CLI_STREAM_READ)
        return HG_OK;
    size_t wanted = (held + CLI_STREAM_READ) * 2;
    char *bigger = realloc(stream->buffer, wanted);
    if (bigger == NULL)
        return HG_ERR_NOMEM;
    stream->buffer = bigger;
    stream->capacity = wanted;
    return HG_OK;
}

static hg_status more_plain(cli_stream *stream)
{
    ssize_t n = read_file(stream, stream->buffer + stream->end, CLI_STREAM_READ);
    if (n < 0)
        return HG_ERR_IO;
    stream->eof = n == 0;
    stream->end += (size_t)n;
    return n > 0 ? HG_OK : HG_ERR_TRUNCATED;
}

static hg_status more_unpacked(cli_stream *stream)
{
    for (;;) {
        if (stream->packed_left.len == 0) {
            ssize_t n = read_file(stream, stream->packed, CLI_STREAM_READ);
            if (n < 0)
                return HG_ERR_IO;
            if (n == 0) {
                stream->eof = true;
                stream->cut = stream->cut || cli_gunzip_open(stream->gunzip);
                return HG_ERR_TRUNCATED;
            }
            stream->packed_left = hg_slice_of(stream->packed, (size_t)n);
        }
        bool broken;
        size_t n = cli_gunzip_run(stream->gunzip, &stream->packed_left, stream->buffer + stream->end, CLI_STREAM_READ,
                                  &broken);
        stream->end += n;
        if (broken) {
            stream->cut = stream->eof = true;
            return n > 0 ? HG_OK : HG_ERR_TRUNCATED;
        }
        if (n > 0)
            return HG_OK;
    }
}

hg_status cli_stream_more(cli_stream *stream)
{
    if (stream->eof)
        return HG_ERR_TRUNCATED;
    hg_status status = make_room(stream);
    if (status != HG_OK)
        return status;
    return stream->gunzip != NULL ? more_unpacked(stream) : more_plain(stream);
}

/* The first bytes are read; if they are gzip they become the decoder's input. */
static hg_status unpack_if_gzip(cli_stream *stream)
{
    hg_slice head = cli_stream_window(stream);
    if (head.len < 3 || memcmp(head.ptr, "\x1f\x8b\x08", 3) != 0)
        return HG_OK;
    if (!cli_gunzip_built())
        return HG_ERR_UNSUPPORTED;
    stream->packed = malloc(CLI_STREAM_READ);
    stream->gunzip = cli_gunzip_new();
    if (stream->packed == NULL || stream->gunzip == NULL)
        return HG_ERR_NOMEM;
    memcpy(stream->packed, head.ptr, head.len);
    stream->packed_left = hg_slice_of(stream->packed, head.len);
    stream->begin = stream->end = 0;
    stream->eof = false;
    return HG_OK;
}

hg_status cli_stream_open(cli_stream *stream, const char *path)
{
    *stream = (cli_stream){.fd = STDIN_FILENO};
    if (strcmp(path, "-") != 0)
        stream->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (stream->fd < 0)
        return HG_ERR_IO;
    struct stat st;
    if (fstat(stream->fd, &st) == 0 && S_ISREG(st.st_mode))
        stream->file_size = (uint64_t)st.st_size;
    hg_status status = cli_stream_more(stream);
    while (status == HG_OK && cli_stream_window(stream).len < 3)
        status = cli_stream_more(stream);
    if (status == HG_OK || status == HG_ERR_TRUNCATED)
        status = unpack_if_gzip(stream);
    if (status != HG_OK) {
        int error = errno;
        cli_stream_close(stream);
        errno = error;
    }
    return status;
}

void cli_stream_close(cli_stream *stream)
{
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
    cli_gunzip_free(stream->gunzip);
    free(stream->packed);
    free(stream->buffer);
    *stream = (cli_stream){.fd = -1, .eof = true};
}

hg_status cli_stream_line(cli_stream *stream, hg_slice *line, size_t *used)
{
    size_t seen = 0;
    for (;;) {
        hg_slice window = cli_stream_window(stream);
        const char *lf = window.len > seen ? memchr(window.ptr + seen, '\n', window.len - seen) : NULL;
        hg_status status = HG_OK;
        if (lf == NULL) {
            seen = window.len;
            status = cli_stream_more(stream);
            if (status == HG_OK)
                continue;
            window = cli_stream_window(stream);
        }
        size_t length = lf != NULL ? (size_t)(lf - window.ptr) : window.len;
        *used = length + (lf != NULL);
        if (length > 0 && window.ptr[length - 1] == '\r')
            length--;
        *line = hg_slice_take(window, length);
        return status == HG_ERR_TRUNCATED && *used > 0 ? HG_OK : status;
    }
}
